import { expect, test } from 'vitest'
import { createRounds } from './rounds.ts'

function taken(...items: readonly (readonly [string, ...string[]])[]): readonly (string | undefined)[] {
  const rounds = createRounds<string>()
  for (const [item, ...owners] of items) rounds.add(item, owners)
  const all = Array.from({ length: items.length + 1 }, () => rounds.take())
  expect(rounds.size).toBe(0)
  return all
}

test('owners take turns, however much each has', () => {
  expect(taken(['a1', 'a'], ['a2', 'a'], ['a3', 'a'], ['b1', 'b'], ['b2', 'b'])).toEqual([
    'a1',
    'b1',
    'a2',
    'b2',
    'a3',
    undefined,
  ])
})

test('so do those below an owner, and their number gains the owner nothing', () => {
  expect(
    taken(['x1', 'a', 'x'], ['y1', 'a', 'y'], ['z1', 'a', 'z'], ['x2', 'a', 'x'], ['b1', 'b', 'x'], ['b2', 'b', 'x']),
  ).toEqual(['x1', 'b1', 'y1', 'b2', 'z1', 'x2', undefined])
})
