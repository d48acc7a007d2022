import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createTurnstile } from './turnstile.ts'

test('one passes in each turn of the event loop, and peers take turns', async () => {
  const turnstile = createTurnstile()
  const passed: string[] = []
  for (const [peer, name] of [
    ['a', 'a1'],
    ['a', 'a2'],
    ['a', 'a3'],
    ['b', 'b1'],
  ] as const) {
    void turnstile.turn(peer).then(() => passed.push(name))
  }
  const seen: number[] = []
  for (let turn = 0; turn < 5; turn += 1) {
    await nextTurn()
    seen.push(passed.length)
  }
  expect(seen).toEqual([1, 2, 3, 4, 4])
  expect(passed).toEqual(['a1', 'b1', 'a2', 'a3'])
})
