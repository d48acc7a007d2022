import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
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
