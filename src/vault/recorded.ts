import { hash } from 'node:crypto'
import type { Activity } from '../operations/activity.ts'
import { openActivity } from './activity.ts'
import type { Caller } from './caller.ts'
import { type Evidence, IntegrityError } from './evidence.ts'
import type { Means } from './means.ts'
import type { Recorded } from './verbs.ts'

/** The activity that these very bytes have become before, if they have. */
export function findRecorded(
  { means, evidence, nowMs }: { readonly means: Means; readonly evidence: Evidence; readonly nowMs: number },
  { organizationId, requestKey, fingerprint }: Recorded & { readonly fingerprint: string },
): Activity | undefined {
  const { row } = evidence.find({ read: 'request', organizationId, requestKey })
  evidence.rely({ of: 'request', organizationId, requestKey, version: row?.version })
  if (row === undefined) {
    if (!means.recorded.has(recordedKey({ organizationId, requestKey }), nowMs)) return undefined
    throw new IntegrityError(`organization ${organizationId}: the activity ${fingerprint} was recorded and is missing`)
  }
  const activity = openActivity(means.seals, organizationId, row)
  if (activity.fingerprint !== fingerprint) {
    throw new IntegrityError(`organization ${organizationId}: activity ${activity.activityId} is not ${fingerprint}`)
  }
  return activity
}

/** The key under which the vault remembers that an activity is on disk. */
export function recordedKey({ organizationId, requestKey }: Recorded): Uint8Array {
  return hash('sha256', `${organizationId} ${requestKey}`, 'buffer')
}

export function isSubmitter({ votes }: Activity, { user, organization }: Caller): boolean {
  const [submission] = votes
  return submission?.userId === user.userId && submission.organizationId === organization.head.organizationId
}
