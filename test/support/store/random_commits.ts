/** Random commits, to compare the ways in which they are executed. */

import fc from 'fast-check'
import type { Commit, ReadSetEntry } from '../../../src/protocol/reads.ts'
import { activity, commitOf, head, lookup, record } from './rows.ts'

const organizationId = 'organization'
const ids = ['a', 'b'] as const
const id = fc.constantFrom(...ids)
const version = fc.constantFrom(1, 2)
const kind = 'wallet'
const entry: fc.Arbitrary<ReadSetEntry> = fc.oneof(
  version.map((expected): ReadSetEntry => {
    return { of: 'head', organizationId, version: expected, tag: `tag ${expected}` }
  }),
  fc.tuple(id, fc.option(version, { nil: undefined })).map(([recordId, expected]): ReadSetEntry => {
    return { of: 'record', organizationId, kind, recordId, version: expected }
  }),
  fc.tuple(id, fc.constantFrom(undefined, 1)).map(([requestKey, expected]): ReadSetEntry => {
    return { of: 'request', organizationId, requestKey, version: expected }
  }),
  fc.subarray([...ids]).map((found): ReadSetEntry => {
    const rows = found.map((recordId) => ({ kind, recordId }))
    return { of: 'lookup', organizationId, lookup: 'address', key: '0xabc', rows }
  }),
)
/** Each record and each lookup once, as in every commit of the vault. */
const someRecords = fc
  .tuple(fc.subarray([...ids, 'c', 'd']), fc.infiniteStream(fc.constantFrom(1, 2, 2, 'remove' as const)))
  .map(([recordIds, nexts]) =>
    recordIds.map((recordId) => {
      const next = nexts.next().value ?? 1
      const ownerId = recordId === 'b' ? undefined : recordId
      if (next === 'remove') return record(organizationId, recordId, { version: 3, sealed: undefined })
      return record(organizationId, recordId, { version: next, ownerId })
    }),
  )
const someLookups = fc
  .tuple(fc.subarray([...ids, 'c', 'd']), fc.infiniteStream(fc.constantFrom('add', 'remove')))
  .map(([recordIds, changes]) =>
    recordIds.map((recordId) => lookup(organizationId, recordId, { change: changes.next().value ?? 'add' })),
  )
const written: fc.Arbitrary<Partial<Commit>> = fc.oneof(
  fc.tuple(fc.uuid(), id).map(([activityId, requestKey]) => {
    return { activities: [activity(organizationId, activityId, { requestKey })] }
  }),
  fc.constant({ heads: [head(organizationId, { version: 2 })] }),
  fc.tuple(id, version).map(([recordId, next]) => ({ records: [record(organizationId, recordId, { version: next })] })),
  fc.tuple(id, fc.constantFrom('add', 'remove')).map(([recordId, change]) => {
    return { lookups: [lookup(organizationId, recordId, { change })] }
  }),
  fc.tuple(someRecords, someLookups).map(([records, lookups]) => ({ records, lookups })),
  fc.constant({ erasures: [{ organizationId, kind, ownerId: undefined }] }),
)
/** They rest on the same few rows and change them, so about half of them conflict. */
export const commitsOfOneOrganization: fc.Arbitrary<readonly Commit[]> = fc.array(
  fc.tuple(fc.array(entry, { maxLength: 1 }), written).map(([readSet, parts]) => commitOf({ readSet, ...parts })),
  { minLength: 3, maxLength: 12 },
)

/** The rows on which most of them rest. */
export const rowsBefore: Commit = commitOf({
  heads: [head(organizationId)],
  records: ids.map((one) => record(organizationId, one)),
  lookups: [lookup(organizationId, 'a')],
})
