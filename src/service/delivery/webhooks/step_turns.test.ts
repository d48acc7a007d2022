import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { soon } from '../../../../test/support/soon.ts'
import { createStepTurns } from './step_turns.ts'

/** Steps of owners, named by them, of which each takes so long by the clock of the test. */
function prepare() {
  const clock = { nowMs: 0 }
  const turns = createStepTurns(() => clock.nowMs)
  const ran: string[] = []
  const add = (owners: readonly string[], tookMs = 0) =>
    turns.add(owners, () => {
      clock.nowMs += tookMs
      ran.push(owners.join(''))
    })
  return { clock, ran, add }
}

test('one step runs in each turn of the event loop, and owners take turns', async () => {
  const { ran, add } = prepare()
  for (const owners of ['ab', 'ab', 'ac', 'db']) add([...owners])
  const seen: number[] = []
  for (let turn = 0; turn < 5; turn += 1) {
    await nextTurn()
    seen.push(ran.length)
  }
  expect(seen).toEqual([1, 2, 3, 4, 4])
  expect(ran).toEqual(['ab', 'db', 'ac', 'ab'])
})

test('an owner whose step was long rests for as long, and others go on', async () => {
  const { clock, ran, add } = prepare()
  add(['a', 'b'], 30)
  add(['a', 'c'])
  for (let count = 0; count < 5; count += 1) add(['d', 'e'])
  await soon(() => expect(ran).toHaveLength(6))
  clock.nowMs += 29
  add(['d', 'e'])
  await soon(() => expect(ran).toHaveLength(7))
  expect(ran).toEqual(['ab', ...Array(6).fill('de')])
  clock.nowMs += 1
  await soon(() => expect(ran.at(-1)).toBe('ac'))
})

test('an owner whose steps are short does not rest', async () => {
  const { ran, add } = prepare()
  for (let count = 0; count < 3; count += 1) add(['a', 'b'], 5)
  await soon(() => expect(ran).toEqual(['ab', 'ab', 'ab']))
})
