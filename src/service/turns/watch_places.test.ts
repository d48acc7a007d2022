import { describe, expect, test } from 'vitest'
import {
  findWatchPlace,
  type Watcher,
  watchesMax,
  watchesOfOneMax,
  watchesOfSubOrganizationsMax,
  watchesOfUserMax,
} from './watch_places.ts'

const of = (familyId: string, organizationId: string, userId: string): Watcher => ({ familyId, organizationId, userId })
const parentUser = (userId: string) => of('parent', 'parent', userId)

/** Adds as many watches as there are places for, each in the place of another where one gives way. */
function add(watches: Set<Watcher>, count: number, newWatch: (index: number) => Watcher) {
  let added = 0
  for (let index = 0; index < count; index += 1) {
    const watch = newWatch(index)
    const place = findWatchPlace(watch, watches)
    if (place === undefined) continue
    if (place.givesWay !== undefined) watches.delete(place.givesWay)
    watches.add(watch)
    added += 1
  }
  return added
}

function countBy(watches: ReadonlySet<Watcher>, owner: keyof Watcher) {
  const groups = Map.groupBy(watches, (watch) => watch[owner])
  return Object.fromEntries([...groups].map(([id, { length }]) => [id, length]))
}

test('a user has so many places, also in several organizations of the family', () => {
  const watches = new Set<Watcher>()
  const added = add(watches, 2 * watchesOfUserMax, (index) => of('parent', `child ${index}`, 'ann'))
  expect([added, add(watches, 1, () => parentUser('ann')), add(watches, 1, () => parentUser('bob'))]).toEqual([
    watchesOfUserMax,
    0,
    1,
  ])
})

describe('where the places of an organization are taken', () => {
  const full = () => {
    const watches = new Set<Watcher>()
    const users = watchesOfOneMax / watchesOfUserMax
    add(watches, watchesOfOneMax, (index) => parentUser(`user ${index % users}`))
    expect(watches.size).toBe(watchesOfOneMax)
    return watches
  }

  test('users with the most give way to one who has fewer, until all have as many', () => {
    const watches = full()
    expect(add(watches, watchesOfUserMax, () => parentUser('ann'))).toBe(watchesOfUserMax - 1)
    expect(watches.size).toBe(watchesOfOneMax)
    expect(Math.max(...Object.values(countBy(watches, 'userId')))).toBe(watchesOfUserMax)
    expect(countBy(watches, 'userId')).toMatchObject({ ann: watchesOfUserMax - 1 })
  })

  test('the oldest watch of the user gives way', () => {
    const watches = full()
    const [oldest] = watches
    expect(findWatchPlace(parentUser('ann'), watches)).toEqual({ givesWay: oldest })
  })

  test('no user of another organization does', () => {
    const watches = full()
    expect(findWatchPlace(of('parent', 'child', 'ann'), watches)).toEqual({ givesWay: undefined })
    const users = [...watches].map((_, index) => parentUser(`user ${index}`))
    expect(findWatchPlace(parentUser('ann'), users)).toBeUndefined()
  })
})

describe('where the places of sub-organizations are taken', () => {
  const ofChild = (childId: string) => (index: number) => of('parent', childId, `${childId} ${index % 16}`)
  const full = () => {
    const watches = new Set<Watcher>()
    for (const child of ['one', 'two', 'three']) add(watches, watchesOfOneMax, ofChild(child))
    expect(watches.size).toBe(watchesOfSubOrganizationsMax)
    return watches
  }

  test('the sub-organization with the most gives way to one that has fewer', () => {
    const watches = full()
    expect(add(watches, watchesOfOneMax, ofChild('honest'))).toBe(192)
    expect(countBy(watches, 'organizationId')).toEqual({ one: 192, two: 192, three: 192, honest: 192 })
  })

  test('the parent has its own', () => {
    const watches = new Set<Watcher>()
    add(watches, 2 * watchesOfSubOrganizationsMax, (index) => of('parent', `child ${index}`, `user ${index}`))
    expect(watches.size).toBe(watchesOfSubOrganizationsMax)
    expect(add(watches, watchesOfOneMax, (index) => parentUser(`user ${index}`))).toBe(watchesOfOneMax)
  })
})

describe('where all places are taken', () => {
  const ofFamily = (familyId: string) => (index: number) =>
    of(familyId, index % 4 === 0 ? familyId : `${familyId} ${index % 4}`, `${familyId} ${index % 64}`)
  const full = () => {
    const watches = new Set<Watcher>()
    for (const family of ['one', 'two']) add(watches, watchesMax / 2, ofFamily(family))
    expect(watches.size).toBe(watchesMax)
    return watches
  }

  test('the family with the most gives way to one that has fewer', () => {
    const watches = full()
    expect(add(watches, watchesMax / 2, ofFamily('honest'))).toBe(682)
    expect(countBy(watches, 'familyId')).toEqual({ one: 683, two: 683, honest: 682 })
  })

  test('within a family that has as many as any, an organization gives way to one that has fewer', () => {
    const watchesOf = (count: number, familyId: string, organizationId: string) =>
      Array.from({ length: count }, (_, index) => of(familyId, organizationId, `${organizationId} ${index % 16}`))
    const familyOf = (id: string) => [1, 2, 3].flatMap((child) => watchesOf(256, id, `${id} ${child}`))
    const families = ['one', 'two'].flatMap((id) => [...familyOf(id), ...watchesOf(232, id, id)])
    const watches = [...families, ...watchesOf(48, 'three', 'three')]
    expect(watches).toHaveLength(watchesMax)
    expect(findWatchPlace(of('one', 'one', 'ann'), watches)).toEqual({ givesWay: of('one', 'one 1', 'one 1 0') })
  })
})
