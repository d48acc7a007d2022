import type { Activity } from '../../contract/records/activity.ts'
import { withChangesOf } from '../../contract/records/documents.ts'
import { isSubmission } from '../../deciding/votes/uncounted_vote.ts'
import type { Commit } from '../../protocol/reads.ts'
import { errorAnswer } from '../../protocol/wire/failures.ts'
import { jsonBytes } from '../../protocol/wire/json.ts'
import { changeKeyOf } from '../books/entry_names.ts'
import type { Reading } from '../caller/request_context.ts'
import type { Changes } from '../state/draft/draft.ts'
import { bookedHeadOf } from '../state/head.ts'
import { sealActivity } from '../state/sealed_activity.ts'
import type { Ballot } from './ballot.ts'
import type { Refused } from './carry_out/execute.ts'
import type { DecidedCommit } from './release.ts'
import type { ToldEffect } from './tell/listener.ts'

/** Returns the commit of the activity's next version. The answer may be given once all of it is on disk. */
export async function recordActivity(context: Reading, ballot: Ballot, effect: ToldEffect): Promise<DecidedCommit> {
  const { evidence, services } = context
  const { requestKey, version: versionBefore } = ballot
  const { activity, changes, body } = effect
  const { organizationId, activityId, type, status } = activity
  const version = versionBefore + 1
  const known = isSubmission(ballot) ? undefined : versionBefore
  evidence.rely({ of: 'request', organizationId, requestKey, version: known })
  const { made, additions, documented, ...written } = changes
  await context.pauseIfLarge()
  const logged = { log: services.books.logId(), accounts: writtenAccounts(changes.records) }
  const recorded = { ...activity, ...madeHeads(made), ...logged, changes: withChangesOf(activity, version, documented) }
  const sealed = sealActivity(services.seals, recorded, version)
  const activities = [{ organizationId, activityId, requestKey, type, status, version, sealed }]
  return {
    ...{ kind: 'commit', status: 200, body, made, additions, activity: recorded },
    commit: { readSet: evidence.readSet(), ...written, activities },
    changeKey: changeKeyOf({ organizationId, requestKey, version }),
  }
}

/** Makes no activity, but writes the changes of the refusal before the caller learns of it. */
export function recordRefusal({ evidence }: Reading, { failure, changes }: Refused): DecidedCommit {
  const { made, additions, documented: _, ...written } = changes
  const commit: Commit = { readSet: evidence.readSet(), ...written, activities: [] }
  const body = jsonBytes(errorAnswer(failure))
  return {
    kind: 'commit',
    status: failure.httpStatus,
    body,
    commit,
    made,
    additions,
    activity: undefined,
    changeKey: undefined,
  }
}

function madeHeads(made: Changes['made']): Pick<Activity, 'made'> {
  if (made.length === 0) return {}
  return {
    made: made.map(({ head, tag }) => {
      const { maker, changeKey } = bookedHeadOf(head, tag)
      return { organizationId: head.organizationId, version: head.version, tag, maker, changeKey }
    }),
  }
}

/** A seal proves which version an account is, so the activity needs no digest. */
function writtenAccounts(records: Changes['records']): Activity['accounts'] {
  const accounts = records.flatMap(({ organizationId, kind, recordId, ownerId, version }) =>
    kind === 'wallet_account' && ownerId !== undefined
      ? [{ organizationId, walletId: ownerId, walletAccountId: recordId, version }]
      : [],
  )
  return accounts.length === 0 ? undefined : accounts
}
