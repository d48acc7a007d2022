import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createByteCache } from './byte_cache.ts'

test('the least recently used values go first, and no more than needed', () => {
  const evicted: string[] = []
  const cache = createByteCache<number>({ bytesMax: 10, onEvict: (key) => evicted.push(key) })
  cache.set('a', 1, 4)
  cache.set('b', 2, 4)
  cache.set('c', 3, 2)
  expect(evicted).toEqual([])
  expect(cache.get('a')).toBe(1)
  cache.set('d', 4, 1)
  expect(evicted).toEqual(['b'])
  expect([cache.get('a'), cache.get('b'), cache.get('c'), cache.get('d')]).toEqual([1, undefined, 3, 4])
  expect([cache.bytes, cache.size]).toEqual([7, 3])
})

test('a value takes the place of the former one of its key', () => {
  const evicted: [string, number][] = []
  const cache = createByteCache<number>({ bytesMax: 10, onEvict: (key, value) => evicted.push([key, value]) })
  cache.set('a', 1, 8)
  cache.set('a', 2, 9)
  expect(cache.get('a')).toBe(2)
  expect(cache.bytes).toBe(9)
  expect(evicted).toEqual([['a', 1]])
})

test('a value is kept at the size of the cache, and not one byte beyond', () => {
  const cache = createByteCache<number>({ bytesMax: 10 })
  cache.set('a', 1, 10)
  expect(cache.get('a')).toBe(1)
  cache.set('b', 2, 11)
  expect(cache.get('b')).toBeUndefined()
  expect(cache.bytes).toBe(0)
})

for (const bytes of [-1, Number.NaN]) {
  test(`a value of ${bytes} bytes is refused`, () => {
    expect(() => createByteCache({ bytesMax: 10 }).set('a', 1, bytes)).toThrow(RangeError)
  })
}

test('behaves like a list in order of use, whatever is set and read', () => {
  const step = fc.record({ key: fc.constantFrom('a', 'b', 'c', 'd', 'e'), bytes: fc.option(fc.nat(12)) })
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const cache = createByteCache<number>({ bytesMax: 20 })
      let model: { key: string; value: number; bytes: number }[] = []
      steps.forEach(({ key, bytes }, value) => {
        const found = model.find((entry) => entry.key === key)
        if (bytes === null) {
          expect(cache.get(key)).toBe(found?.value)
          if (found !== undefined) model = [...model.filter((entry) => entry !== found), found]
          return
        }
        cache.set(key, value, bytes)
        model = [...model.filter((entry) => entry !== found), { key, value, bytes }]
        while (sum(model) > 20) model.shift()
        expect([cache.bytes, cache.size]).toEqual([sum(model), model.length])
      })
    }),
  )
})

function sum(entries: readonly { readonly bytes: number }[]): number {
  return entries.reduce((total, { bytes }) => total + bytes, 0)
}
