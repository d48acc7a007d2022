import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { qosJson } from './qos_json.ts'

const hashOf = (value: Parameters<typeof qosJson>[0]) => createHash('sha256').update(qosJson(value)).digest('hex')

describe('the vectors of QuorumOS (qos_json/SPEC.md)', () => {
  for (const [value, hash] of [
    [{}, '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a'],
    [{ version: '1', name: 'test', threshold: 3 }, '898eaf2263b3ca34a9fb0b59615a16e5819b43c53fabc44396f92128f72ccc7e'],
    [{ data: 'deadbeef' }, '03fe564ceddcb54a7a742bd7a4db57318a068cecd22ae44435ce68d35e754e13'],
  ] as const) {
    test(JSON.stringify(value), () => expect(hashOf(value)).toBe(hash))
  }
})

test('names are in the order of RFC 8785, 3.2.3: by UTF-16 code units, in every object', () => {
  const names = ['\r', '1', '\u0080', 'ö', '€', '😀', '\ufb33']
  const shuffled = Object.fromEntries([...names].reverse().map((name) => [name, { b: true, a: true }]))
  const canonical = qosJson(shuffled)
  // `JSON.parse` puts names that are integers first, so the order is read from the text.
  expect(
    [...canonical.matchAll(/"((?:[^"\\]|\\.)*)":\{"a":true,"b":true\}/g)].map(([, name]) => JSON.parse(`"${name}"`)),
  ).toEqual(names)
})

test('a null member is left out, a null in a list stays, an empty list or object stays', () => {
  expect(qosJson({ b: null, a: [null, { x: null, y: [] }], c: {} })).toBe('{"a":[null,{"y":[]}],"c":{}}')
})

test('integers are decimal texts; other numbers are refused', () => {
  expect(qosJson([0, -42, 4_294_967_295])).toBe('["0","-42","4294967295"]')
  for (const number of [1.5, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY]) {
    expect(() => qosJson({ number })).toThrow(RangeError)
  }
})

test('the form does not depend on the order of members, and its own canonical form is itself', () => {
  const json = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.string({ unit: 'grapheme' }),
      fc.boolean(),
      fc.maxSafeInteger(),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(fc.string({ unit: 'grapheme' }), tie('value'), { maxKeys: 5 }),
    ),
  })).value
  fc.assert(
    fc.property(json, (value) => {
      const canonical = qosJson(value as never)
      expect(qosJson(JSON.parse(canonical))).toBe(canonical)
      expect(qosJson(reversed(value) as never)).toBe(canonical)
    }),
  )
})

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, reversed(member)]),
  )
}
