import { expect, test } from 'vitest'
import { createRandomBytes } from './random.ts'

test.each([0, 1, 8, 12, 13, 32, 5_000])('%i random bytes come in an array of just that size', (size) => {
  const bytes = createRandomBytes()(size)
  expect(bytes).toHaveLength(size)
  expect(bytes.buffer.byteLength).toBe(size)
})

test.each([8, 12, 32])('no sequence of %i bytes is returned twice, across several blocks', (size) => {
  const randomBytes = createRandomBytes()
  const given = new Set(Array.from({ length: 3_000 }, () => Buffer.from(randomBytes(size)).toString('hex')))
  expect(given.size).toBe(3_000)
})

test('sizes that do not divide a block return neither zeros nor repeated bytes', () => {
  const randomBytes = createRandomBytes()
  const given = new Set<string>()
  for (let draw = 0; draw < 3_000; draw += 1)
    given.add(Buffer.from(randomBytes(draw % 2 === 0 ? 7 : 12)).toString('hex'))
  expect(given.size).toBe(3_000)
  expect(given).not.toContain('00'.repeat(7))
  expect(given).not.toContain('00'.repeat(12))
})
