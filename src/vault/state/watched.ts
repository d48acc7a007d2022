import { createHash } from 'node:crypto'
import type { RecordKind } from '../../contract/records/records.ts'
import type { Watched } from '../../contract/watched.ts'
import type { Head } from './head.ts'

/** The listed kinds that decide who may vote and which rule an activity waits for. */
const ruleKinds = [
  'user',
  'user_tag',
  'private_key_tag',
  'policy',
  'smart_contract_interface',
  'feature',
] as const satisfies readonly RecordKind[]

/** A head never changes, so its digest is made once. */
const digests = new WeakMap<Head, string>()

/** Returns what a head says of the activities that wait. */
export function watchedOf(head: Head): Watched {
  const waiting = head.listed.get('pending_activity') ?? new Map()
  return {
    organizationVersion: head.version,
    rulesDigest: digests.get(head) ?? keptDigestOf(head),
    waiting: [...waiting].map(([activityId, { version }]) => ({ activityId, version })),
  }
}

function keptDigestOf(head: Head): string {
  const hash = createHash('sha256').update(JSON.stringify(head.rootQuorum))
  for (const kind of ruleKinds) {
    hash.update(`\n${kind}`)
    for (const [id, { digest }] of head.listed.get(kind) ?? []) hash.update(` ${id} ${digest}`)
  }
  const digest = hash.digest('hex')
  digests.set(head, digest)
  return digest
}
