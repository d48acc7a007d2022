import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Read, readKey } from './reads.ts'

/** Few different texts, so that two reads are equal now and then; some with signs that could end a part. */
const texts = fc.oneof(
  fc.constantFrom('', 'a', 'b', 'a b', 'a,b', 'a","b', 'a\0', '[', 'head', '__proto__', '\ud800', '\\ud800'),
  fc.string({ unit: 'binary', maxLength: 3 }),
)
const plain = { noNullPrototype: true }
const organizationId = texts
const page = { limit: fc.integer({ min: 1, max: 3 }), after: texts, before: texts }
const required = (...keys: string[]) => ({ requiredKeys: [...keys, 'limit'] as never, ...plain })
const of = <K extends Read['read']>(read: K) => fc.constant(read)

const reads: fc.Arbitrary<Read> = fc.oneof(
  fc.record({ read: of('headTag'), organizationId }, plain),
  fc.record({ read: of('head'), organizationId }, plain),
  fc.record({ read: of('record'), organizationId, kind: texts, recordId: texts }, plain),
  fc.record({ read: of('lookup'), organizationId, lookup: texts, key: texts }, plain),
  fc.record(
    { read: of('holders'), parentId: texts, lookup: texts, key: texts, ...page },
    required('read', 'parentId', 'lookup', 'key'),
  ),
  fc.record(
    { read: of('page'), organizationId, kind: texts, ownerId: texts, ...page },
    required('read', 'organizationId', 'kind'),
  ),
  fc.record({ read: of('activity'), organizationId, activityId: texts }, plain),
  fc.record({ read: of('request'), organizationId, requestKey: texts }, plain),
  fc.record(
    { read: of('activities'), organizationId, statuses: fc.array(texts), types: fc.array(texts), ...page },
    required('read', 'organizationId'),
  ),
)

test('two reads have the same key exactly when they are equal', () => {
  fc.assert(
    fc.property(reads, reads, (left, right) => {
      expect(readKey(left) === readKey(right)).toBe(sameRead(left, right))
    }),
    { numRuns: 5_000 },
  )
})

test('two reads that differ in one member only have different keys', () => {
  fc.assert(
    fc.property(reads, fc.nat(), texts, (read, choice, text) => {
      const members = Object.entries(read)
      const [name, value] = members[choice % members.length] ?? ['read', read.read]
      fc.pre(name !== 'read' && value !== text)
      const changed = name === 'limit' ? 4 : name === 'statuses' || name === 'types' ? [text, text] : text
      fc.pre(JSON.stringify(changed) !== JSON.stringify(value))
      expect(readKey({ ...read, [name]: changed })).not.toBe(readKey(read))
    }),
    { numRuns: 2_000 },
  )
})

test('the order of the members does not change the key', () => {
  fc.assert(
    fc.property(reads, (read) => {
      const reversed: Read = Object.assign(
        {},
        ...Object.entries(read)
          .reverse()
          .map(([name, value]) => ({ [name]: value })),
      )
      expect(readKey(reversed)).toBe(readKey(read))
    }),
  )
})

describe('near misses', () => {
  const page = { read: 'page', organizationId: 'o', kind: 'wallet', limit: 10 } as const
  const activities = { read: 'activities', organizationId: 'o', limit: 10 } as const

  test.each<[string, Read, Read, boolean]>([
    ['a cursor behind or before', { ...page, after: 'x' }, { ...page, before: 'x' }, false],
    ['an owner or none', page, { ...page, ownerId: '' }, false],
    ['no status asked for, or a list of none', activities, { ...activities, statuses: [] }, false],
    ['one status or the same type', { ...activities, statuses: ['a'] }, { ...activities, types: ['a'] }, false],
    ['a list or its text', { ...activities, statuses: ['a', 'b'] }, { ...activities, statuses: ['a,b'] }, false],
    ['another order of a list', { ...activities, types: ['a', 'b'] }, { ...activities, types: ['b', 'a'] }, false],
    ['a head or its tag', { read: 'head', organizationId: 'o' }, { read: 'headTag', organizationId: 'o' }, false],
    [
      'a comma',
      { read: 'lookup', organizationId: 'o', lookup: 'a,b', key: 'c' },
      { read: 'lookup', organizationId: 'o', lookup: 'a', key: 'b,c' },
      false,
    ],
    [
      'a sign that ends a text',
      { read: 'lookup', organizationId: 'o', lookup: 'a","b', key: 'c' },
      { read: 'lookup', organizationId: 'o', lookup: 'a', key: 'b","c' },
      false,
    ],
  ])('%s', (_name, left, right, isSame) => {
    expect(readKey(left) === readKey(right)).toBe(isSame)
  })
})

function sameRead(left: Read, right: Read): boolean {
  const [ours, theirs] = [left, right].map((read) => new Map<string, unknown>(Object.entries(read)))
  if (ours?.size !== theirs?.size) return false
  return [...(ours ?? [])].every(([name, value]) => isSameValue(value, theirs?.get(name)))
}

function isSameValue(left: unknown, right: unknown): boolean {
  if (!Array.isArray(left) || !Array.isArray(right)) return left === right
  return left.length === right.length && left.every((value, at) => value === right[at])
}
