import { expect, test } from 'vitest'
import { createFairQueue } from './fair_queue.ts'

const small = { bytes: 65_536 }
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
  expect(queue.take()).toEqual(['a1', 'a2'])
  expect(queue.take()).toEqual(['a3'])
  expect(queue.take()).toEqual([])
})

test('small items do not share with large ones, and both come in turns', () => {
  const queue = createFairQueue<string>()
  for (const item of ['a1', 'a2', 'a3']) queue.add(item, { owner: 'a', ...large })
  for (const item of ['b1', 'b2']) queue.add(item, { owner: 'b', ...small })
  expect(queue.take()).toEqual(['b1', 'b2'])
  for (const item of ['b3', 'c1']) queue.add(item, { owner: item.charAt(0), ...small })
  expect(queue.take()).toEqual(['a1', 'a2'])
  expect(queue.take()).toEqual(['b3', 'c1'])
  expect(queue.take()).toEqual(['a3'])
  expect(queue.size()).toBe(0)
})

test('the items of one owner come in their order, whatever their sizes are', () => {
  const queue = createFairQueue<string>()
  queue.add('a1', { owner: 'a', ...small })
  queue.add('a2', { owner: 'a', ...large })
  queue.add('a3', { owner: 'a', ...small })
  expect([queue.take(), queue.take(), queue.take()]).toEqual([['a1'], ['a2'], ['a3']])
})

test('all that waits can be taken at once', () => {
  const queue = createFairQueue<string>()
  for (const item of ['a1', 'a2', 'a3']) queue.add(item, { owner: 'a', ...large })
  expect(queue.takeAll()).toEqual(['a1', 'a2', 'a3'])
})
