import { hash } from 'node:crypto'
import type { Activity } from '../operations/activity.ts'
import { type RecordKind, recordKinds } from '../operations/records.ts'
import type { Commit } from '../protocol/reads.ts'
import { openActivity } from './activity.ts'
import type { Caller } from './caller.ts'
import { type Evidence, IntegrityError } from './evidence.ts'
import type { Means } from './means.ts'
import type { Recorded } from './verbs.ts'

/** An activity as it is stored. */
export type KnownActivity = { readonly activity: Activity; readonly version: number }

/** The activity that these very bytes have become before, if they have. */
export function findRecorded(
  { means, evidence, nowMs }: { readonly means: Means; readonly evidence: Evidence; readonly nowMs: number },
  {
    organizationId,
    requestKey,
    fingerprint,
  }: { readonly organizationId: string; readonly requestKey: string; readonly fingerprint: string },
): KnownActivity | undefined {
  const { row } = evidence.find({ read: 'request', organizationId, requestKey })
  evidence.rely({ of: 'request', organizationId, requestKey, version: row?.version })
  if (row === undefined) {
    if (!isRecorded(means, { of: 'request', organizationId, requestKey }, nowMs)) return undefined
    throw new IntegrityError(`organization ${organizationId}: the activity ${fingerprint} was recorded and is missing`)
  }
  const activity = openActivity(means.seals, organizationId, row)
  if (activity.fingerprint !== fingerprint) {
    throw new IntegrityError(`organization ${organizationId}: activity ${activity.activityId} is not ${fingerprint}`)
  }
  return { activity, version: row.version }
}

/** Notes what the service says is on disk. */
export function remember(means: Pick<Means, 'recorded'>, recorded: Recorded, nowMs: number): void {
  means.recorded[recorded.of].remember(keyOf(recorded), nowMs)
}

export function isRecorded(means: Pick<Means, 'recorded'>, recorded: Recorded, nowMs: number): boolean {
  return means.recorded[recorded.of].has(keyOf(recorded), nowMs)
}

function keyOf(recorded: Recorded): Uint8Array {
  const { organizationId } = recorded
  const text =
    recorded.of === 'request'
      ? `${organizationId} ${recorded.requestKey}`
      : JSON.stringify([organizationId, recorded.kind, recorded.recordId, recorded.version])
  return hash('sha256', text, 'buffer')
}

/** Of the records of one commit, those whose loss would grant something. */
export function rememberedRecords(records: Commit['records']): readonly Recorded[] {
  return records
    .filter(({ kind }) => Object.hasOwn(recordKinds, kind) && recordKinds[kind as RecordKind].remembered)
    .map(({ organizationId, kind, recordId, version }) => ({ of: 'record', organizationId, kind, recordId, version }))
}

export function isSubmitter({ votes }: Activity, { user, organization }: Caller): boolean {
  const [submission] = votes
  return submission?.userId === user.userId && submission.organizationId === organization.head.organizationId
}
