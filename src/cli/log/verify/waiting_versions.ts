import { asId } from '../../../contract/fields/ids.ts'
import { type Activity, type ActivityStatus, isFinal, type Vote } from '../../../contract/records/activity.ts'
import type { LoggedActivity } from '../../../protocol/log/log_entry.ts'
import { fingerprintOf } from '../../../protocol/wire/fingerprint.ts'
import type { CheckedDocument } from './check_document.ts'
import type { UncheckedEntry } from './findings.ts'

/** A version of an activity as its documents tell it, and the version before. Undefined: its vote was the submission. */
export type RecordedVersion = { readonly activity: Activity; readonly before: Activity | undefined }

/** `missing`: no entry tells of the version before. `why`: the version cannot be made of the documents. */
export type UnknownVersion = { readonly missing: string } | Undecided
type Undecided = Pick<UncheckedEntry, 'why' | 'because'>

type Waiting = { readonly version: number; readonly activity: Activity | Undecided }

/** The newest versions of the activities that wait. */
export function createWaitingVersions(organizationId: string) {
  const waiting = new Map<string, Waiting>()

  function versionBefore({ activityId, version }: LoggedActivity): Activity | UnknownVersion | undefined {
    if (version === 1) return undefined
    const known = waiting.get(activityId)
    if (known?.version === version - 1) return known.activity
    return { missing: `no entry before it has version ${version - 1} of activity ${activityId}, which waits` }
  }

  return {
    /** Returns the version that an entry tells of. */
    versionOf(
      logged: LoggedActivity,
      { document, content, isLeftOut }: CheckedDocument,
    ): RecordedVersion | UnknownVersion {
      const before = versionBefore(logged)
      if (before !== undefined && !('votes' in before)) return before
      if (content === undefined || document.vote === undefined) return { why: isLeftOut ? leftOut : withheld }
      const { message, signature, result } = content
      const vote: Vote = { ...document.vote, message, signature }
      const { createdAtMs } = vote
      const { type } = logged
      const activityId = asId(logged.activityId)
      const status = logged.status as ActivityStatus // One that there is not differs from what the rules say.
      const first = { activityId, organizationId, type, createdAtMs, fingerprint: fingerprintOf(Buffer.from(message)) }
      const votes = [...(before?.votes ?? []), vote]
      return { activity: { ...(before ?? first), status, result, votes, updatedAtMs: createdAtMs }, before }
    },

    /** Keeps a version for the next one, if the activity waits. */
    keep({ activityId, version, status }: LoggedActivity, activity: Waiting['activity']): void {
      if (isFinal(status as ActivityStatus)) waiting.delete(activityId)
      else waiting.set(activityId, { version, activity })
    },
  }
}

const leftOut = 'decisions about requests that are withheld without a reason'
const withheld = 'decisions about requests that are withheld, because a token stands beside them'
