import { expect, test } from 'vitest'
import { ReadsNeeded } from '../../deciding/organization/reads_needed.ts'
import type { Presented } from '../../link/verbs.ts'
import type { Read } from '../../protocol/reads.ts'
import { createByteCache } from '../../protocol/tools/byte_cache.ts'
import { digestOf } from '../../protocol/tools/digest.ts'
import { createEvidence } from '../state/evidence.ts'
import type { OrganizationCache } from '../state/open_head.ts'
import { keepForRecall, recall } from './recall.ts'

const organizationId = 'o1'
const sealed = Buffer.from('what is sealed')
const lookup = { read: 'lookup', organizationId, lookup: 'address', key: '0xabc' } as const
const record = { read: 'record', organizationId, kind: 'wallet_account', recordId: 'a1' } as const
const headTag = { read: 'headTag', organizationId } as const
const request = { read: 'request', organizationId, requestKey: 'r1' } as const
const rows = [{ organizationId, kind: 'wallet_account', recordId: 'a1' }]

const presented: readonly Presented[] = [
  { read: headTag, found: { read: 'headTag', row: { version: 3, tag: 'presented' } } },
  { read: request, found: { read: 'request', row: { activityId: 'x', version: 1, sealed } } },
  { read: lookup, found: { read: 'lookup', rows } },
  { read: record, found: { read: 'record', row: { recordId: 'a1', version: 2, sealed } } },
  { read: { ...record, recordId: 'a2' }, found: { read: 'record', row: undefined } },
]

function remembering(): OrganizationCache {
  const cache: OrganizationCache = {
    heads: createByteCache({ bytesMax: 1_000_000 }),
    records: createByteCache({ bytesMax: 1_000_000 }),
    rows: createByteCache({ bytesMax: 1_000_000 }),
    stamps: createByteCache({ bytesMax: 1_000_000 }),
    looks: createByteCache({ bytesMax: 1_000_000 }),
  }
  keepForRecall(cache, presented)
  return cache
}

test('lookups and records are recalled as presented, and the read set names their exact bytes', () => {
  const cache = remembering()
  expect(recall(cache, lookup)).toEqual({
    found: { read: 'lookup', rows },
    entry: { of: 'lookup', organizationId, lookup: 'address', key: '0xabc', rows },
  })
  const { read: _, ...place } = record
  expect(recall(cache, record)).toEqual({
    found: { read: 'record', row: { recordId: 'a1', version: 2, sealed: Uint8Array.from(sealed) } },
    entry: { of: 'record', ...place, version: 2, digest: digestOf(sealed) },
  })
})

test('a recalled record does not keep the message in memory in which it came', () => {
  const message = Buffer.alloc(1_000_000)
  const cache = remembering()
  keepForRecall(cache, [
    { read: record, found: { read: 'record', row: { recordId: 'a1', version: 2, sealed: message.subarray(0, 10) } } },
  ])
  const recalled = recall(cache, record)?.found
  expect(recalled?.read === 'record' && recalled.row?.sealed.buffer.byteLength).toBe(10)
})

test('a large record is not kept, because many would leave no room for others', () => {
  const cache = remembering()
  const large = { recordId: 'a2', version: 1, sealed: new Uint8Array(16_385) }
  keepForRecall(cache, [{ read: { ...record, recordId: 'a2' }, found: { read: 'record', row: large } }])
  expect(recall(cache, { ...record, recordId: 'a2' })).toBeUndefined()
})

test('a request is taken to be new, whatever was presented for its bytes', () => {
  expect(recall(remembering(), request)?.found).toEqual({ read: 'request', row: undefined })
})

test('the recalled head is the newest verified head, not one that was only presented', () => {
  const cache = remembering()
  expect(recall(cache, headTag)).toBeUndefined()
  cache.heads.set(organizationId, { tag: 'verified', head: { version: 4 } as never }, 1)
  expect(recall(cache, headTag)?.found).toEqual({ read: 'headTag', row: { version: 4, tag: 'verified' } })
})

test.each<[string, Read]>([
  ['a record that was absent', { ...record, recordId: 'a2' }],
  ['another record', { ...record, recordId: 'a3' }],
  ['the same record of another organization', { ...record, organizationId: 'o2' }],
  ['a whole head', { read: 'head', organizationId }],
  ['a page', { read: 'page', organizationId, kind: 'wallet_account', limit: 10 }],
  ['an activity', { read: 'activity', organizationId, activityId: 'x' }],
])('%s is not recalled: it has to be presented', (_name, read) => {
  const evidence = createEvidence([], { recall: (asked) => recall(remembering(), asked) })
  expect(() => evidence.find(read as never)).toThrow(ReadsNeeded)
})

test('a recalled row is in the read set once, with its digest, even if the decision relies on it again', () => {
  const cache = remembering()
  const evidence = createEvidence([], { recall: (read) => recall(cache, read) })
  evidence.find(lookup)
  evidence.find(record)
  const { read: _, ...place } = record
  evidence.rely({ of: 'record', ...place, version: 2 })
  expect(evidence.readSet()).toEqual([recall(cache, record)?.entry, recall(cache, lookup)?.entry])
})

test('one decision sees one head, even if the memory gets a newer one meanwhile', () => {
  const cache = remembering()
  cache.heads.set(organizationId, { tag: 'first', head: { version: 4 } as never }, 1)
  const evidence = createEvidence([], { recall: (read) => recall(cache, read) })
  const first = evidence.find(headTag)
  cache.heads.set(organizationId, { tag: 'second', head: { version: 5 } as never }, 1)
  expect(evidence.find(headTag)).toEqual(first)
  expect(first).toEqual({ read: 'headTag', row: { version: 4, tag: 'first' } })
})

test('a presented row precedes a remembered one, and looking at it does not rely on it', () => {
  const cache = remembering()
  const other = { read: record, found: { read: 'record', row: undefined } } as const
  const evidence = createEvidence([other], { recall: (read) => recall(cache, read) })
  expect(evidence.find(record)).toEqual({ read: 'record', row: undefined })
  expect(evidence.readSet()).toEqual([])
})
