import { expect, test } from 'vitest'
import type { Log } from '../process/log.ts'
import { calmMs, createDatabaseUse, StoreUnavailable } from './database_use.ts'

function started() {
  const clock = { nowMs: 0 }
  const logged: object[] = []
  const line = (fields: object, message: string) => void logged.push({ ...fields, message })
  const log: Log = { debug() {}, info: line, warn() {}, error: line }
  const use = createDatabaseUse(log, () => clock.nowMs)

  async function fail(text: string, requestId: string): Promise<void> {
    const error = await use.write(Promise.reject(new Error(text))).catch((caught: unknown) => caught)
    if (!(error instanceof StoreUnavailable)) throw new Error('it is refused')
    use.report(error, { requestId })
  }

  return { clock, logged, use, fail }
}

const full = { error: new Error('full'), message: 'the database cannot be used' }

test('the first refused request has a line in the log, and the end of it the number of all', async () => {
  const { clock, logged, use, fail } = started()
  for (let index = 0; index < 100; index += 1) {
    await fail('full', `r${index}`)
    clock.nowMs += 1_000
  }
  expect(logged).toEqual([{ requestId: 'r0', ...full }])
  clock.nowMs += calmMs
  expect(await use.write(Promise.resolve('written'))).toBe('written')
  await use.write(Promise.resolve('written'))
  expect(logged.slice(1)).toEqual([{ refused: 100, message: 'the database can be used again' }])
})

test('a success between two failures, or of what can still be done, is no end', async () => {
  const { clock, logged, use, fail } = started()
  await fail('full', 'r0')
  await use.write(Promise.resolve('small'))
  await fail('full', 'r1')
  clock.nowMs += calmMs
  await use.read(Promise.resolve('found'))
  expect(logged).toHaveLength(1)
})

test('another failure has a line, and so has the same one after a while', async () => {
  const { clock, logged, fail } = started()
  await fail('full', 'r0')
  await fail('full', 'r1')
  await fail('gone', 'r2')
  clock.nowMs += calmMs
  await fail('gone', 'r3')
  const gone = { error: new Error('gone'), message: full.message }
  expect(logged).toEqual([
    { requestId: 'r0', ...full },
    { requestId: 'r2', refusedBefore: 2, ...gone },
    { requestId: 'r3', refusedBefore: 1, ...gone },
  ])
})
