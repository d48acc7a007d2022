import { describe, expect, test } from 'vitest'
import { ReadsNeeded, together } from '../../deciding/organization/reads_needed.ts'
import type { Presented } from '../../link/verbs.ts'
import type { Read, ReadSetEntry } from '../../protocol/reads.ts'
import { createEvidence, IntegrityError } from './evidence.ts'

const headTag = { read: 'headTag', organizationId: 'o1' } as const
const request = { read: 'request', organizationId: 'o1', requestKey: 'sha256:00' } as const
const lookup = { read: 'lookup', organizationId: 'o1', lookup: 'user_name', key: 'ada' } as const

const presented: readonly Presented[] = [
  { read: headTag, found: { read: 'headTag', row: { version: 1, tag: 'aa' } } },
  { read: request, found: { read: 'request', row: undefined } },
]

describe('a presented answer', () => {
  test('answers its own read, however the read is written', () => {
    const evidence = createEvidence(presented)
    expect(evidence.find(headTag)).toEqual({ read: 'headTag', row: { version: 1, tag: 'aa' } })
    expect(evidence.find({ organizationId: 'o1', read: 'headTag' })).toEqual(evidence.find(headTag))
  })

  test('may say that there is nothing', () => {
    expect(createEvidence(presented).find(request)).toEqual({ read: 'request', row: undefined })
  })

  test.each<[string, Read]>([
    ['another organization', { ...headTag, organizationId: 'o2' }],
    ['another kind of read', { ...headTag, read: 'head' }],
    ['another request', { ...request, requestKey: 'sha256:01' }],
    ['a read that nobody made', lookup],
  ])('is no answer for %s: that read is asked for', (_name, read) => {
    expect(needed(() => createEvidence(presented).find(read))).toEqual([read])
  })

  test('of another kind than the read is an integrity error', () => {
    const evidence = createEvidence([{ read: headTag, found: { read: 'request', row: undefined } }])
    expect(() => evidence.find(headTag)).toThrow(new IntegrityError('a headTag read was answered as request'))
  })
})

describe('require', () => {
  test('asks at once for all missing reads, and for no presented one', () => {
    const other = { ...headTag, organizationId: 'o2' } as const
    expect(needed(() => createEvidence(presented).askFor([headTag, lookup, request, other]))).toEqual([lookup, other])
  })

  test('asks for nothing if all reads were presented', () => {
    expect(createEvidence(presented).askFor([headTag, request])).toBeUndefined()
    expect(createEvidence([]).askFor([])).toBeUndefined()
  })
})

describe('the read set', () => {
  const ids = { organizationId: 'o1' } as const
  const entries: readonly ReadSetEntry[] = [
    { of: 'head', ...ids, version: 1, tag: 'aa' },
    { of: 'head', organizationId: 'o2', version: 1, tag: 'aa' },
    { of: 'record', ...ids, kind: 'user', recordId: 'u1', version: 1 },
    { of: 'record', ...ids, kind: 'user', recordId: 'u2', version: 1 },
    { of: 'record', ...ids, kind: 'wallet', recordId: 'u1', version: 1 },
    { of: 'lookup', ...ids, lookup: 'user_name', key: 'a', rows: [] },
    { of: 'lookup', ...ids, lookup: 'user_name', key: 'a b', rows: [] },
    { of: 'lookup', ...ids, lookup: 'wallet_name', key: 'a', rows: [] },
    { of: 'request', ...ids, requestKey: 'sha256:00', version: undefined },
    { of: 'request', ...ids, requestKey: 'sha256:01', version: undefined },
  ]

  test('starts empty: a read alone adds no entry', () => {
    const evidence = createEvidence(presented)
    evidence.find(headTag)
    expect(evidence.readSet()).toEqual([])
  })

  test('has every different entry, in the order of the calls to rely', () => {
    const evidence = createEvidence([])
    for (const entry of entries) evidence.rely(entry)
    expect(evidence.readSet()).toEqual(entries)
  })

  test('has an entry once, however often rely was called with it', () => {
    const evidence = createEvidence([])
    for (const entry of [...entries, ...entries]) evidence.rely({ ...entry })
    expect(evidence.readSet()).toEqual(entries)
  })
})

test('a missing read is asked for once, however often it was named', () => {
  const reads: readonly Read[] = ['a', 'b', 'a'].map((organizationId) => ({ read: 'headTag', organizationId }))
  const evidence = createEvidence([])
  expect(needed(() => evidence.askFor(reads))).toEqual(reads.slice(0, 2))
  expect(needed(() => together(reads.map((read) => () => evidence.askFor([read]))))).toEqual(reads.slice(0, 2))
})

function needed(look: () => unknown): readonly Read[] {
  try {
    look()
  } catch (error) {
    if (error instanceof ReadsNeeded) return error.reads
    throw error
  }
  throw new Error('nothing was asked for')
}
