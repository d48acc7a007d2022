import type { Activity, ActivityStatus, Vote } from '../../operations/records/activity.ts'
import type { Outcome } from '../../policy/effects.ts'
import { changeKeyOf } from '../books/entry_names.ts'
import type { Caller } from '../caller/caller.ts'
import { apiKeyOf } from '../caller/read_stamp.ts'
import type { Reading, RequestContext } from '../caller/request_context.ts'
import type { Ruling } from '../rules/rules.ts'
import type { Changes } from '../state/draft.ts'
import { bookedHeadOf } from '../state/head.ts'
import type { Organization } from '../state/organization.ts'
import { sealActivity } from '../state/sealed_activity.ts'
import { activityViewer } from './activity_viewer.ts'
import type { Notices } from './notices.ts'
import type { Decided, DecidedCommit } from './release.ts'
import { webhookEvents } from './webhook_events.ts'

/** Returns the request as a vote of the caller. */
export function voteOf(
  { services, request, nowMs }: RequestContext,
  caller: Caller,
  selection: Vote['selection'],
): Vote {
  return {
    voteId: services.newId(),
    userId: caller.user.userId,
    organizationId: caller.organization.head.organizationId,
    userName: caller.user.userName,
    selection,
    message: Buffer.from(request.body).toString('utf8'),
    ...caller.stamp,
    ...(caller.method === undefined ? {} : { method: caller.method }),
    ...(caller.openedBy === undefined ? {} : { openedBy: caller.openedBy }),
    ...(caller.attested === undefined ? {} : { attested: caller.attested }),
    ...(caller.uses !== undefined && 'isLink' in caller.uses ? operatorLinkOf(caller) : {}),
    ...(caller.isUnstamped === undefined ? {} : { isUnstamped: caller.isUnstamped }),
    ...(caller.isOfAuthProxy === undefined ? {} : { isOfAuthProxy: caller.isOfAuthProxy }),
    createdAtMs: nowMs,
  }
}

function operatorLinkOf(caller: Caller): Pick<Vote, 'operatorLink'> {
  const operatorLink = apiKeyOf(caller)
  return operatorLink === undefined ? {} : { operatorLink }
}

/** Returns the vote with the outcome of each policy when the vote was counted, and how they were shown a call. */
export function withEvaluations(
  vote: Vote,
  { evaluations, smartContractInterfaceIds }: Pick<Ruling, 'evaluations' | 'smartContractInterfaceIds'>,
): Vote {
  if (evaluations.length === 0) return vote
  const policiesByOutcome: { [K in Outcome]?: string[] } = {}
  for (const { policyId, outcome } of evaluations) {
    policiesByOutcome[outcome] ??= []
    policiesByOutcome[outcome].push(policyId)
  }
  const used = smartContractInterfaceIds.length === 0 ? {} : { smartContractInterfaceIds }
  return { ...vote, policiesByOutcome, ...used }
}

const noNotices: Notices = { notices: [], additions: [] }

/** Returns the commit of the activity and its changes. The answer may be given once all of it is on disk. */
export async function commitActivity(
  context: RequestContext,
  {
    target,
    caller,
    activity,
    shown = activity,
    requestKey,
    version,
    statusBefore,
    changes,
    notices: { notices, additions: ofNotices } = noNotices,
  }: {
    readonly target: Organization
    readonly caller: Caller
    readonly activity: Activity
    /** The activity as the answer shows it, if that differs from how it is stored. */
    readonly shown?: Activity
    readonly requestKey: string
    readonly version: number
    /** The status of the version before. */
    readonly statusBefore?: ActivityStatus
    readonly changes: Changes
    readonly notices?: Notices
  },
): Promise<DecidedCommit> {
  const { organizationId, activityId, type, status } = activity
  const { made, additions, ...written } = changes
  const body = await viewBody(context, { target, caller }, shown)
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
        ...notices,
      ],
      activities: [{ organizationId, activityId, requestKey, type, status, version, sealed }],
    },
    made,
    additions: [...additions, ...ofNotices],
    changeKey: changeKeyOf({ organizationId, requestKey, version }),
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
