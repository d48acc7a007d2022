import type { Activity } from '../../../operations/records/activity.ts'
import type { Commit } from '../../../protocol/reads.ts'
import { errorAnswer } from '../../../protocol/wire/failures.ts'
import { jsonBytes } from '../../../protocol/wire/json.ts'
import { changeKeyOf } from '../../books/entry_names.ts'
import type { Caller } from '../../caller/caller.ts'
import type { Making, Reading } from '../../caller/request_context.ts'
import type { Changes } from '../../state/draft.ts'
import { bookedHeadOf } from '../../state/head.ts'
import type { Organization } from '../../state/organization.ts'
import { sealActivity } from '../../state/sealed_activity.ts'
import { asVoterSees, type Ballot } from '../ballot.ts'
import type { Step } from '../carry_out/execute.ts'
import type { Decided, DecidedCommit } from '../release.ts'
import { activityViewer } from './activity_viewer.ts'
import { noticesOf } from './notices.ts'
import { webhookEvents } from './webhook_events.ts'

/** Returns the commit of the activity's next version. The answer may be given once all of it is on disk. */
export async function recordStep(
  context: Making,
  { target, caller, requestKey, version: versionBefore, activity: before }: Ballot,
  { activity, changes }: Extract<Step, { kind: 'recorded' }>,
): Promise<DecidedCommit> {
  const { organizationId, activityId, type, status } = activity
  const isNew = versionBefore === 0
  const version = versionBefore + 1
  const statusBefore = isNew ? undefined : before.status
  context.evidence.rely({ of: 'request', organizationId, requestKey, version: isNew ? undefined : versionBefore })
  const told = await noticesOf(context, { target, activity, statusBefore })
  const { made, additions, ...written } = changes
  const body = await viewBody(context, { target, caller }, asVoterSees(activity, caller))
  await context.pauseIfLarge()
  const sealed = sealActivity(context.services.seals, { ...activity, ...madeHeads(made) }, version)
  return {
    ...{ kind: 'commit', status: 200, body },
    commit: {
      readSet: context.evidence.readSet(),
      ...written,
      outbox: [
        ...written.outbox,
        ...webhookEvents(context, { target, activity, statusBefore, version, made }),
        ...told.notices,
      ],
      activities: [{ organizationId, activityId, requestKey, type, status, version, sealed }],
    },
    made,
    additions: [...additions, ...told.additions],
    changeKey: changeKeyOf({ organizationId, requestKey, version }),
  }
}

/** Makes no activity, but writes the changes of the refusal before the caller learns of it. */
export function recordRefusal(
  { evidence }: Reading,
  { failure, changes }: Extract<Step, { kind: 'refused' }>,
): DecidedCommit {
  const { made, additions, ...written } = changes
  const commit: Commit = { readSet: evidence.readSet(), ...written, activities: [] }
  const body = jsonBytes(errorAnswer(failure))
  return { kind: 'commit', status: failure.httpStatus, body, commit, made, additions, changeKey: undefined }
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

/** Returns the answer that shows an existing activity to the caller. */
export async function show(
  context: Reading,
  seen: { readonly target: Organization; readonly caller: Caller },
  activity: Activity,
): Promise<Decided> {
  return { kind: 'answer', status: 200, body: await viewBody(context, seen, activity) }
}

async function viewBody(
  context: Reading,
  { target, caller }: { readonly target: Organization; readonly caller: Caller },
  activity: Activity,
): Promise<Uint8Array> {
  const view = activityViewer(context, { organization: target, caller }, [activity])(activity)
  const text = JSON.stringify({ activity: view })
  await context.pauseIfLarge()
  return Buffer.from(text)
}
