/** Minimal rows for tests. */

import { randomBytes, randomUUID } from 'node:crypto'
import type { Commit, PeopleRow } from '../../../src/protocol/reads.ts'

type Head = Commit['heads'][number]
type RecordChange = Commit['records'][number]
type LookupChange = Commit['lookups'][number]
type ActivityChange = Commit['activities'][number]

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

export function commitOf(parts: Partial<Commit>): Commit {
  return { readSet: [], heads: [], records: [], lookups: [], activities: [], outbox: [], erasures: [], ...parts }
}

export function head(organizationId: string, parts: Partial<Head> = {}): Head {
  const version = parts.version ?? 1
  return { organizationId, parentId: undefined, version, tag: `tag ${version}`, sealed: bytes('head'), ...parts }
}

export function record(organizationId: string, recordId: string, parts: Partial<RecordChange> = {}): RecordChange {
  return { organizationId, kind: 'wallet', recordId, ownerId: undefined, version: 1, sealed: bytes(recordId), ...parts }
}

export function lookup(organizationId: string, recordId: string, parts: Partial<LookupChange> = {}): LookupChange {
  return { change: 'add', organizationId, lookup: 'address', key: '0xabc', kind: 'wallet', recordId, ...parts }
}

export function activity(
  organizationId: string,
  activityId: string,
  parts: Partial<ActivityChange> = {},
): ActivityChange {
  return {
    organizationId,
    activityId,
    requestKey: randomBytes(32).toString('hex'),
    type: 'ACTIVITY_TYPE_CREATE_WALLET',
    status: 'ACTIVITY_STATUS_COMPLETED',
    version: 1,
    sealed: bytes(activityId),
    ...parts,
  }
}

export function message(organizationId: string, messageId: string, parts: Partial<PeopleRow> = {}): PeopleRow {
  return { organizationId, messageId, channel: 'mail', expiresAtMs: 2_000, sealed: bytes(messageId), ...parts }
}

/** Ids in the order of their creation, as UUIDv7 are. */
export function idsInOrder(count: number): readonly string[] {
  const prefix = randomUUID().slice(0, 24)
  return Array.from({ length: count }, (_, index) => prefix + index.toString(16).padStart(12, '0'))
}
