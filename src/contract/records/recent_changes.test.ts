import { expect, test } from 'vitest'
import { approvalLifetimeMs, changesSince, differenceOf, isOneOf, type Known, withChanges } from './recent_changes.ts'

const known = (what: string, value = what): Known => ({ what, value })

test('the difference has what was lost and what was got, and nothing that stays', () => {
  const [before, after] = [
    [known('a'), known('name', 'old')],
    [known('name', 'new'), known('a'), known('b')],
  ]
  expect(differenceOf(before, after)).toEqual([known('name', 'old'), known('name', 'new'), known('b')])
})

test('a value that comes and goes has the time of its last change', () => {
  const once = withChanges([], [known('a'), known('b')], 1)
  expect(withChanges(once, [known('a')], 2)).toEqual([
    { ...known('a'), atMs: 2 },
    { ...known('b'), atMs: 1 },
  ])
})

test('changes from before any approval that counts go, but never the last one', () => {
  const old = withChanges([], [known('a')], 1)
  const nowMs = 1 + approvalLifetimeMs
  expect(changesSince({ recentChanges: old }, 0)).toHaveLength(1)
  expect(withChanges(old, [known('b')], nowMs)).toEqual([{ ...known('b'), atMs: nowMs }])
})

test('of too many changes those that are left out stand for any value', () => {
  const many = Array.from({ length: 150 }, (_, index) => index)
  const recentChanges = many.reduce(
    (recent, index) => withChanges(recent, [known(`tag ${index}`)], 1 + index),
    [] as ReturnType<typeof withChanges>,
  )
  expect(recentChanges.length).toBeLessThanOrEqual(101)
  const hasChangedSince = (timeMs: number, what: string) =>
    changesSince({ recentChanges }, timeMs).some((one) => isOneOf(one, (other) => other.what === what))
  expect(hasChangedSince(0, 'tag 3')).toBe(true)
  expect(hasChangedSince(100, 'tag 149')).toBe(true)
  expect(hasChangedSince(100, 'name')).toBe(false)
})
