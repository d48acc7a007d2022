import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createPlaces } from './places.ts'

/** Tasks that end when they are told to, and the names of those that have begun. */
function tasks() {
  const begun: string[] = []
  const gates = new Map<string, PromiseWithResolvers<string>>()
  const task = (name: string) => () => {
    begun.push(name)
    const gate = Promise.withResolvers<string>()
    gates.set(name, gate)
    return gate.promise
  }
  async function end(name: string): Promise<void> {
    gates.get(name)?.resolve(name)
    await nextTurn()
  }
  return { begun, task, end }
}

test('an organization has so many tasks at a time, and others are not affected', async () => {
  const places = createPlaces(2)
  const { begun, task, end } = tasks()
  const all = ['a', 'b', 'c'].map((name) => places.run({ organizationId: 'one', peer: '' }, task(name)))
  all.push(places.run({ organizationId: 'other', peer: '' }, task('d')))
  await nextTurn()
  expect(begun).toEqual(['a', 'b', 'd'])
  await end('b')
  expect(begun).toEqual(['a', 'b', 'd', 'c'])
  for (const name of begun) await end(name)
  expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd'])
})

test('peers take turns in the line of an organization, and so do the credentials of one', async () => {
  const places = createPlaces(1)
  const { begun, task, end } = tasks()
  const named = [
    ['home', 'ada', 'a1'],
    ['home', 'ada', 'a2'],
    ['home', 'ada', 'a3'],
    ['home', 'bob', 'b1'],
    ['home', 'bob', 'b2'],
    ['home', undefined, 'n1'],
    ['away', 'bob', 'away 1'],
    ['away', 'bob', 'away 2'],
  ] as const
  const all = named.map(([peer, credential, name]) =>
    places.run({ organizationId: 'one', peer, credential }, task(name)),
  )
  await nextTurn()
  for (let count = 1; count <= named.length; count += 1) {
    expect(begun).toHaveLength(count)
    await end(begun[count - 1] ?? '')
  }
  expect(begun).toEqual(['a1', 'a2', 'away 1', 'b1', 'away 2', 'n1', 'a3', 'b2'])
  await Promise.all(all)
})

test('a task that fails, at once or later, makes room too, and nothing is kept of an organization without tasks', async () => {
  const places = createPlaces(1)
  const outcomes = await Promise.allSettled([
    places.run({ organizationId: 'one', peer: '' }, () => Promise.reject(new Error('later'))),
    places.run({ organizationId: 'one', peer: '' }, () => {
      throw new Error('at once')
    }),
    places.run({ organizationId: 'one', peer: '' }, async () => 'fine'),
  ])
  expect(outcomes).toMatchObject([
    { reason: { message: 'later' } },
    { reason: { message: 'at once' } },
    { value: 'fine' },
  ])
  expect(places.size()).toBe(0)
})

test('users take turns, with however many credentials and from however many addresses they ask', async () => {
  const places = createPlaces(1)
  const { begun, task, end } = tasks()
  const named = [
    ['ada', 'home', 'key 1', 'a1'],
    ['ada', 'home', 'key 2', 'a2'],
    ['ada', 'away', 'key 3', 'a3'],
    ['bob', 'home', 'key 4', 'b1'],
  ] as const
  const all = named.map(([userId, peer, credential, name]) =>
    places.run({ organizationId: 'one', userId, peer, credential }, task(name)),
  )
  await nextTurn()
  for (let count = 0; count < named.length; count += 1) await end(begun[count] ?? '')
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3'])
  await Promise.all(all)
})

function heldFor(heldMsMax: number) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  return createPlaces(1, { heldMsMax })
}

test('a task that takes long leaves its place, first to owners who have none in work', async () => {
  const places = heldFor(250)
  const { begun, task, end } = tasks()
  const ask = (userId: string, name: string) => places.run({ organizationId: 'one', userId, peer: '' }, task(name))
  const all = [ask('ada', 'a1'), ask('ada', 'a2'), ask('ada', 'a3'), ask('bob', 'b1')]
  await nextTurn()
  expect(begun).toEqual(['a1'])
  await vi.advanceTimersByTimeAsync(250)
  expect(begun).toEqual(['a1', 'b1'])
  await vi.advanceTimersByTimeAsync(250)
  expect(begun).toEqual(['a1', 'b1', 'a2'])
  all.push(ask('bob', 'b2'))
  await end('b1')
  await end('a2')
  expect(begun).toEqual(['a1', 'b1', 'a2', 'b2'])
  await end('a1')
  await end('b2')
  await end('a3')
  await Promise.all(all)
  expect(places.size()).toBe(0)
  expect(vi.getTimerCount()).toBe(0)
})

test('a task that has left its place makes no room when it ends', async () => {
  const places = heldFor(250)
  const { begun, task, end } = tasks()
  const ask = (name: string) => places.run({ organizationId: 'one', userId: name, peer: '' }, task(name))
  const all = ['a', 'b', 'c'].map(ask)
  await nextTurn()
  await vi.advanceTimersByTimeAsync(250)
  await end('a')
  expect(begun).toEqual(['a', 'b'])
  for (const name of ['b', 'c']) await end(name)
  await Promise.all(all)
  expect(places.size()).toBe(0)
})

test('a task that moves leaves its place at once, and goes on when it has one in the other line', async () => {
  const places = createPlaces(1)
  const { begun, task, end } = tasks()
  const busy = places.run({ organizationId: 'one', userId: 'ada', peer: '' }, task('busy'))
  const moves = places.run({ organizationId: '', peer: 'home' }, async (move) => {
    begun.push('stranger')
    await move({ organizationId: 'one', userId: 'bob', peer: 'home' })
    return task('moved')()
  })
  const next = places.run({ organizationId: '', peer: 'away' }, task('next'))
  await nextTurn()
  expect(begun).toEqual(['busy', 'stranger', 'next'])
  await end('busy')
  expect(begun).toEqual(['busy', 'stranger', 'next', 'moved'])
  for (const name of ['moved', 'next']) await end(name)
  await Promise.all([busy, moves, next])
  expect(places.size()).toBe(0)
})
