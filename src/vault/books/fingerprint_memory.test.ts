import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createFingerprintMemory } from './fingerprint_memory.ts'

const lifetimeMs = 800
const graceMs = lifetimeMs / 8

test('a key is remembered for its lifetime and forgotten an eighth of it later', () => {
  const memory = createFingerprintMemory({ lifetimeMs })
  memory.remember(keyOf(1), 1_000)
  for (const [nowMs, known] of [
    [1_000, true],
    [1_000 + lifetimeMs, true],
    [1_000 + lifetimeMs + graceMs + 1, false],
  ] as const) {
    expect(memory.has(keyOf(1), nowMs)).toBe(known)
    expect(memory.has(keyOf(2), nowMs)).toBe(false)
  }
})

test('a key that is remembered again starts a new lifetime', () => {
  const memory = createFingerprintMemory({ lifetimeMs })
  memory.remember(keyOf(1), 0)
  memory.remember(keyOf(1), lifetimeMs)
  expect(memory.has(keyOf(1), 2 * lifetimeMs)).toBe(true)
})

test('a forgotten key takes no memory', () => {
  const memory = createFingerprintMemory({ lifetimeMs, segmentEntriesMax: 4 })
  for (let index = 0; index < 100; index++) memory.remember(keyOf(index), 0)
  expect(memory.size).toBe(100)
  memory.remember(keyOf(1), lifetimeMs + 1)
  expect(memory.size).toBe(1)
})

test('a key whose first bytes are all zero is a key like any other', () => {
  const memory = createFingerprintMemory({ lifetimeMs })
  expect(memory.has(new Uint8Array(32), 0)).toBe(false)
  memory.remember(new Uint8Array(32), 0)
  expect(memory.has(new Uint8Array(32), 0)).toBe(true)
})

test('keys that differ in one part are different keys', () => {
  const memory = createFingerprintMemory({ lifetimeMs })
  const keyWith = (...ones: readonly number[]) => new Uint8Array(16).map((_, at) => (ones.includes(at) ? 1 : 0))
  memory.remember(keyWith(3), 0)
  for (const other of [keyWith(7), keyWith(11), keyWith(15), keyWith(3, 7), keyWith(3, 15)]) {
    expect(memory.has(other, 0)).toBe(false)
  }
})

test('a hundred thousand keys are known, and no other key is', () => {
  const memory = createFingerprintMemory({ lifetimeMs, segmentEntriesMax: 16_384 })
  for (let index = 0; index < 100_000; index++) memory.remember(keyOf(index), index / 1_000)
  expect(memory.size).toBe(100_000)
  for (let index = 0; index < 100_000; index += 7) expect(memory.has(keyOf(index), 100)).toBe(true)
  for (let index = 100_000; index < 110_000; index++) expect(memory.has(keyOf(index), 100)).toBe(false)
})

test('all remembered keys can be listed, and remembered by another memory', () => {
  const memory = createFingerprintMemory({ lifetimeMs, segmentEntriesMax: 4 })
  for (let index = 0; index < 10; index++) memory.remember(keyOf(index), index)
  const another = createFingerprintMemory({ lifetimeMs })
  for (const { keys, newestMs } of memory.all(10)) {
    for (let at = 0; at < keys.length; at += 16) another.remember(keys.subarray(at, at + 16), newestMs)
  }
  expect(another.size).toBe(10)
  for (let index = 0; index < 10; index++) expect(another.has(keyOf(index), 10)).toBe(true)
  expect([...memory.all(10 + 2 * lifetimeMs)]).toEqual([])
})

test('a segment size that is not a power of two is refused', () => {
  expect(() => createFingerprintMemory({ lifetimeMs, segmentEntriesMax: 1_000 })).toThrow(RangeError)
})

test('it answers like a map of times, for any keys at any time', () => {
  const step = fc.record({ key: fc.nat(20), waitMs: fc.nat(300), remember: fc.boolean() })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const memory = createFingerprintMemory({ lifetimeMs, segmentEntriesMax: 4 })
      const model = new Map<number, number>()
      let nowMs = 0
      for (const { key, waitMs, remember } of steps) {
        nowMs += waitMs
        if (remember) {
          memory.remember(keyOf(key), nowMs)
          model.set(key, nowMs)
        }
        const ageMs = nowMs - (model.get(key) ?? Number.NEGATIVE_INFINITY)
        if (ageMs <= lifetimeMs) expect(memory.has(keyOf(key), nowMs)).toBe(true)
        if (ageMs > lifetimeMs + graceMs) expect(memory.has(keyOf(key), nowMs)).toBe(false)
        expect(memory.size).toBeLessThanOrEqual(steps.length)
      }
    }),
  )
})

function keyOf(index: number): Uint8Array {
  return createHash('sha256').update(String(index)).digest()
}
