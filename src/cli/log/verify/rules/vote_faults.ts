import type { Activity } from '../../../../contract/records/activity.ts'
import type { RecordedOrganization } from '../../../../deciding/organization/recorded_organization.ts'
import { messageOf, operationOfActivity } from '../../../../deciding/organization/submitted.ts'
import { isFresh, requestLifeMsMax } from '../../../../deciding/votes/freshness.ts'
import { mayAskFor } from '../../../../operations/auth_proxy/shared/proxied_operations.ts'
import type { LogEntry } from '../../../../protocol/log/log_entry.ts'
import type { CheckedDocument } from '../check_document.ts'
import { type Outcome, unlessLate, wrong } from '../findings.ts'
import type { RecordedVersion } from '../waiting_versions.ts'

/**
 * Whether a voter of another organization may not have asked for this. Users of the parent submit only what logs users in,
 * and have no further vote.
 */
export function isOfStranger(
  { head: { organizationId, parentId } }: RecordedOrganization,
  { activity, before }: RecordedVersion,
): boolean {
  const votersId = activity.votes.at(-1)?.organizationId
  if (votersId === organizationId) return false
  const { openToParent } = operationOfActivity(activity).operation
  const mayAsk = openToParent && before === undefined && activity.status === 'ACTIVITY_STATUS_COMPLETED'
  return !mayAsk || votersId !== parentId
}

/** Says what is wrong with a vote by itself: its time, its bytes, who may ask without a stamp, and what it has changed. */
export function faultsOfVote(
  { atMs, makes, isLate }: LogEntry,
  { activity, before }: RecordedVersion,
  {
    organization,
    document,
    isRepeat,
  }: Pick<CheckedDocument, 'document'> & {
    readonly organization: RecordedOrganization
    readonly isRepeat: (activity: Activity) => boolean
  },
): readonly Outcome[] {
  const { status, type, votes } = activity
  const vote = votes.at(-1)
  if (vote === undefined) return []
  const isRepeated = before === undefined && makes !== undefined && isRepeat(activity)
  const isEnded = status === 'ACTIVITY_STATUS_COMPLETED'
  const proxy = organization.listed('auth_proxy', organization.head.organizationId)
  const mayAsk = before === undefined && proxy !== undefined && mayAskFor(proxy, type)
  const faults = [
    ...(vote.createdAtMs === atMs ? [] : [`its vote is of ${vote.createdAtMs}, and its entry of ${atMs}`]),
    ...(isFresh(Number(messageOf(vote).timestampMs), vote.createdAtMs) ? [] : [stale]),
    ...(isRepeated ? ['the same request has made an activity before'] : []),
    ...(isEnded || document.changes.length === 0 ? [] : [`it has the status ${status}, and has changed records`]),
  ].map(wrong)
  if (!vote.isUnstamped || mayAsk) return faults
  const unstamped = wrong('nobody has stamped it, and the auth proxy may not ask for it')
  // The auth proxy may have been closed in between.
  return [...faults, isLate ? unlessLate(unstamped) : unstamped]
}

const stale = 'its vote was not fresh: too old, or of a time to come'

/** Returns what says whether the same request has made an activity before. It forgets those that are fresh no more. */
export function createRepeats() {
  const seen = new Map<string, number>()
  return function isRepeat({ fingerprint, createdAtMs }: Activity): boolean {
    for (const [old, atMs] of seen) {
      if (createdAtMs - atMs <= requestLifeMsMax) break
      seen.delete(old)
    }
    const isThere = seen.has(fingerprint)
    seen.set(fingerprint, createdAtMs)
    return isThere
  }
}
