import { type Activity, isFinal } from '../../../contract/records/activity.ts'
import type { ShownActivity } from '../../../contract/records/activity_view.ts'
import { operationOfActivity } from '../../../deciding/organization/submitted.ts'
import { seesAsSubmitter } from '../../../deciding/rules/voters.ts'
import type { Caller } from '../../caller/caller.ts'
import type { Reading } from '../../caller/request_context.ts'
import type { Shown } from '../ask/vote_or_answer.ts'
import { activityViewer, askForVoters } from './activity_viewer.ts'
import type { Listener } from './listener.ts'

/** Answers the caller with the activity as it is then. */
export const answerToCaller: Listener = (context, { target, caller }, { voted }) => {
  askForVoters(target, [voted])
  // Asked for its reads: the viewer asks again, once the activity has run.
  seesAsSubmitter(voted, caller)
  return async ({ activity }) => ({ body: await bodyShowing(context, { target, caller, activity }) })
}

/** Returns the answer that shows an activity to the caller. */
export async function bodyShowing(context: Reading, { target, caller, activity }: Shown): Promise<Uint8Array> {
  const seen = asVoterSees(activity, caller)
  const view = activityViewer(context, { organization: target, caller }, [seen])(seen)
  // Clients of the auth proxy expect the result alone.
  const text = JSON.stringify(caller.isUnstamped === true ? resultOf(activity, view) : { activity: view })
  await context.pauseIfLarge()
  return Buffer.from(text)
}

/** A voter who still owes steps of an MFA policy sees that these steps are missing. */
function asVoterSees(activity: Activity, { user }: Caller): Activity {
  const owesStep = activity.provingIds?.includes(user.userId) === true
  return isFinal(activity.status) || !owesStep
    ? activity
    : { ...activity, status: 'ACTIVITY_STATUS_AUTHENTICATORS_NEEDED' }
}

function resultOf(activity: Activity, { result: all }: ShownActivity): object {
  const { resultKey } = operationOfActivity(activity).accepted
  const result = all[resultKey]
  if (typeof result !== 'object' || result === null)
    throw new Error(`an activity of the auth proxy ends at once, with ${resultKey}`)
  return result
}
