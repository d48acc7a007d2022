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
  const all = ['a', 'b', 'c'].map((name) => places.run({ organizationId: 'one' }, task(name)))
  all.push(places.run({ organizationId: 'other' }, task('d')))
  await nextTurn()
  expect(begun).toEqual(['a', 'b', 'd'])
  await end('b')
  expect(begun).toEqual(['a', 'b', 'd', 'c'])
  for (const name of begun) await end(name)
  expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd'])
})

test('the credentials of an organization take turns', async () => {
  const places = createPlaces(1)
  const { begun, task, end } = tasks()
  const named = [
    ['ada', 'a1'],
    ['ada', 'a2'],
    ['ada', 'a3'],
    ['bob', 'b1'],
    ['bob', 'b2'],
    [undefined, 'n1'],
  ] as const
  const all = named.map(([credential, name]) => places.run({ organizationId: 'one', credential }, task(name)))
  await nextTurn()
  for (let count = 1; count <= named.length; count += 1) {
    expect(begun).toHaveLength(count)
    await end(begun[count - 1] ?? '')
  }
  expect(begun).toEqual(['a1', 'a2', 'b1', 'n1', 'a3', 'b2'])
  await Promise.all(all)
})

test('a task that fails, at once or later, makes room too, and nothing is kept of an organization without tasks', async () => {
  const places = createPlaces(1)
  const outcomes = await Promise.allSettled([
    places.run({ organizationId: 'one' }, () => Promise.reject(new Error('later'))),
    places.run({ organizationId: 'one' }, () => {
      throw new Error('at once')
    }),
    places.run({ organizationId: 'one' }, async () => 'fine'),
  ])
  expect(outcomes).toMatchObject([
    { reason: { message: 'later' } },
    { reason: { message: 'at once' } },
    { value: 'fine' },
  ])
  expect(places.size()).toBe(0)
})
