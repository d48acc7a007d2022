import { expect, test } from 'vitest'
import { changesSince, differenceOf, isAbout, type Known, wholeTokenMs, withChanges } from './recent_changes.ts'

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

test('changes from before any approval that counts and any token that is good go, but never the last one', () => {
  const old = withChanges([], [known('a')], 1)
  const nowMs = 1 + wholeTokenMs
  expect(changesSince({ recentChanges: old }, 0)).toHaveLength(1)
  expect(withChanges(old, [known('b')], nowMs - 1)).toHaveLength(2)
  expect(withChanges(old, [known('b')], nowMs)).toEqual([{ ...known('b'), atMs: nowMs }])
})

test('of too many values those that are left out stand for any value of what they are, and of nothing else', () => {
  const changed = (what: string, from: number, count: number) =>
    Array.from({ length: count }, (_, index) => ({ ...known(what, `${what} ${index}`), atMs: from + index }))
  const all = [...changed('name', 1, 150), ...changed('tag', 1, 400)].toSorted((one, other) => one.atMs - other.atMs)
  const recentChanges = all.reduce(
    (recent, { atMs, ...value }) => withChanges(recent, [value], atMs),
    [] as ReturnType<typeof withChanges>,
  )
  const since = (timeMs: number, what: string) =>
    changesSince({ recentChanges }, timeMs).filter((one) => one.what === what)
  expect(since(0, 'tag')).toHaveLength(400)
  expect(since(0, 'name')).toHaveLength(101)
  expect(since(0, 'name').at(-1)).toEqual({ what: 'name', atMs: 50 })
  expect(since(50, 'name')).toHaveLength(100)
  const more = withChanges(recentChanges, changed('tag', 0, 1_200).slice(400), 600)
  expect(more.filter(({ what }) => what === 'tag')).toHaveLength(1_001)
})

test('a name is set as one, and a tag by itself', () => {
  const atMs = 1
  expect(isAbout({ ...known('name', 'old'), atMs }, known('name', 'new'))).toBe(true)
  expect(isAbout({ ...known('tag', 'old'), atMs }, known('tag', 'new'))).toBe(false)
  expect(isAbout({ what: 'tag', atMs }, known('tag', 'new'))).toBe(true)
})
