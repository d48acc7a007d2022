import { expect, test } from 'vitest'
import { fewAtOnce } from './few_at_once.ts'

test('few are under way, the others follow in order, and one too many is refused', async () => {
  const run = fewAtOnce({ atOnceMax: 2, waitingMax: 2 })
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const reading = (name: string) => () => {
    begun.push(name)
    return new Promise<string>((resolve) => ends.set(name, () => resolve(name)))
  }
  const all = ['a', 'b', 'c', 'd'].map((name) => run(reading(name)))
  await expect(run(reading('e'))).rejects.toMatchObject({ httpStatus: 503 })
  expect(begun).toEqual(['a', 'b'])
  ends.get('b')?.()
  expect(await all[1]).toBe('b')
  await expect.poll(() => begun).toEqual(['a', 'b', 'c'])
  for (const name of ['a', 'c', 'd']) {
    await expect.poll(() => ends.has(name)).toBe(true)
    ends.get(name)?.()
  }
  expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd'])
})

test('one that fails gives its place to the next', async () => {
  const run = fewAtOnce({ atOnceMax: 1, waitingMax: 1 })
  const failing = run(() => Promise.reject(new Error('no')))
  const next = run(async () => 'next')
  await expect(failing).rejects.toThrow('no')
  expect(await next).toBe('next')
  expect(await run(async () => 'later')).toBe('later')
})
