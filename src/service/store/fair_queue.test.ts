import { expect, test } from 'vitest'
import { createFairQueue } from './fair_queue.ts'

const small = { bytes: 10 }
const large = { bytes: 700_000 }

test('owners take turns, and the items of one come in their order', () => {
  const queue = createFairQueue<string>()
  for (const item of ['a1', 'a2', 'a3']) queue.add(item, { owner: 'a', ...small })
  queue.add('b1', { owner: 'b', ...small })
  expect(queue.size()).toBe(4)
  expect(queue.take()).toEqual(['a1', 'b1', 'a2', 'a3'])
  expect(queue.size()).toBe(0)
})

test('so much is taken together at most, and one item however large it is', () => {
  const queue = createFairQueue<string>()
  for (const item of ['a1', 'a2', 'a3']) queue.add(item, { owner: 'a', ...large })
  queue.add('b1', { owner: 'b', ...small })
  expect(queue.take()).toEqual(['a1', 'b1', 'a2'])
  expect(queue.take()).toEqual(['a3'])
  expect(queue.take()).toEqual([])
})

test('all that waits can be taken at once', () => {
  const queue = createFairQueue<string>()
  for (const item of ['a1', 'a2', 'a3']) queue.add(item, { owner: 'a', ...large })
  expect(queue.takeAll()).toEqual(['a1', 'a2', 'a3'])
})
