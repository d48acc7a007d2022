import { expect, test } from 'vitest'
import { singleFlight } from './single_flight.ts'

test('those who ask at the same time share one question, and later ones another', async () => {
  let asked = 0
  const ask = singleFlight(async () => {
    asked += 1
    await Promise.resolve()
    if (asked === 2) throw new Error('no answer')
    return asked
  })
  expect(await Promise.all([ask(), ask(), ask()])).toEqual([1, 1, 1])
  expect((await Promise.allSettled([ask(), ask()])).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await ask()).toBe(3)
})
