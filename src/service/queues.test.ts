import { expect, test } from 'vitest'
import { createQueues } from './queues.ts'

/** Tasks that end when they are told to, and the order in which they began. */
function tasks() {
  const begun: string[] = []
  const gates = new Map<string, PromiseWithResolvers<string>>()
  const task = (name: string) => () => {
    begun.push(name)
    const gate = Promise.withResolvers<string>()
    gates.set(name, gate)
    return gate.promise
  }
  return { begun, task, gate: (name: string) => gates.get(name) ?? expect.fail(`${name} did not begin`) }
}

test('tasks under one key run one after another, in the order in which they came', async () => {
  const queues = createQueues()
  const { begun, task, gate } = tasks()
  const all = ['a', 'b', 'c'].map((name) => queues.run('key', task(name)))
  for (const [index, name] of ['a', 'b', 'c'].entries()) {
    await new Promise(setImmediate)
    expect(begun).toEqual(['a', 'b', 'c'].slice(0, index + 1))
    gate(name).resolve(name)
  }
  expect(await Promise.all(all)).toEqual(['a', 'b', 'c'])
})

test('tasks under different keys, and tasks without a key, do not wait for each other', async () => {
  const queues = createQueues()
  const { begun, task, gate } = tasks()
  const all = [
    queues.run('1', task('a')),
    queues.run('2', task('b')),
    ...['c', 'd'].map((name) => queues.run(undefined, task(name))),
  ]
  await new Promise(setImmediate)
  expect(begun.toSorted()).toEqual(['a', 'b', 'c', 'd'])
  for (const name of begun) gate(name).resolve(name)
  expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd'])
})

test('an error of one task, at once or later, reaches its caller and stops no other task', async () => {
  const queues = createQueues()
  const outcomes = await Promise.allSettled([
    queues.run('key', () => Promise.reject(new Error('later'))),
    queues.run('key', () => {
      throw new Error('at once')
    }),
    queues.run('key', async () => 'fine'),
  ])
  expect(outcomes).toMatchObject([
    { reason: { message: 'later' } },
    { reason: { message: 'at once' } },
    { value: 'fine' },
  ])
})

test('nothing is kept of a key without tasks', async () => {
  const queues = createQueues()
  const all = Array.from({ length: 1_000 }, (_, index) =>
    queues.run(`key ${index % 100}`, async () => {
      if (index % 3 === 0) throw new Error('refused')
    }),
  )
  expect(queues.size()).toBe(100)
  await Promise.allSettled(all)
  expect(queues.size()).toBe(0)
})
