import type { ActivityContext, BoundActivity, Completed } from '../../../contract/define.ts'
import { type Activity, transition } from '../../../contract/records/activity.ts'
import { withCredentialsSince } from '../../../contract/records/factors.ts'
import { RefusalWithChanges } from '../../../contract/records/refusal_with_changes.ts'
import { apiKeyOf, hasCredential } from '../../../deciding/caller/credential_stamps.ts'
import { isMakerThere } from '../../../deciding/caller/link_makers.ts'
import { askerOf } from '../../../deciding/changes/asker.ts'
import { keyProof } from '../../../deciding/changes/prove_key.ts'
import { submissionOf } from '../../../deciding/organization/submitted.ts'
import { countControls } from '../../../deciding/rules/sum_controls.ts'
import { countSpending } from '../../../deciding/rules/sum_spending.ts'
import { operationOfType } from '../../../operations/catalogue.ts'
import { isAllowedSource } from '../../../policy/ip_allowlist.ts'
import type { Struct } from '../../../policy/language/expression_values.ts'
import { Failure } from '../../../protocol/wire/failures.ts'
import type { Caller } from '../../caller/caller.ts'
import type { Making } from '../../caller/request_context.ts'
import { countMails } from '../../rules/count_mails.ts'
import type { Changes, Draft, Written } from '../../state/draft/draft.ts'
import { type Organization, openOrganization } from '../../state/organization.ts'
import { withRecords } from '../../state/resolve.ts'
import { verifyOidcTokens } from '../verify_oidc_tokens.ts'
import { type ChangeSource, draftOf } from './draft_of.ts'
import { createKeys } from './organization_keys.ts'

/** An activity that the rules allow: a new one, or one whose last vote has arrived. */
export type Execution = ChangeSource & {
  /** The activity with all its votes, in the status that it had before it ran. */
  readonly activity: Activity
  readonly bound: BoundActivity
  readonly target: Organization
  /** The user for whom the operation runs. */
  readonly submitter: Pick<Caller, 'user' | 'organization' | 'isUnstamped'>
  /** The facts about the request that conditions see. */
  readonly facts: () => Struct
}

/** The effect of a vote: the next version of its activity, or a refusal that writes something nevertheless. */
export type VoteEffect = Done | Refused

export type Done = {
  readonly kind: 'done'
  readonly activity: Activity
  readonly changes: Changes
  /** If the operation ran. */
  readonly written?: Written
  /** For the app proofs, if the operation ran. */
  readonly provenAddresses?: Completed['provenAddresses']
}

export type Refused = { readonly kind: 'refusedWithChanges'; readonly failure: Failure; readonly changes: Changes }

/**
 * Runs the operation of an activity and seals its changes. This is the only place where an operation has an effect. If
 * this throws a `Failure`, nothing was changed. `answerActivity` says what has an effect before the commit is on disk.
 */
export async function execute(context: Making, execution: Execution): Promise<VoteEffect> {
  const { activity, bound, target, submitter } = execution
  const { nowMs, pause, request } = context
  const { sourceAddress } = request
  const spent = await countSpending({ ...execution, nowMs, pause })
  const controlled = countControls({ ...execution, submitterId: submitter.user.userId, nowMs })
  const resolved = withRecords(execution.resolved, [...spent.sums, ...controlled.sums])
  const draft = draftOf(context, { ...execution, resolved })
  try {
    if (activity.status !== 'ACTIVITY_STATUS_CREATED') draft.writer.pendingActivities.remove(activity.activityId)
    await context.pauseIfLarge()
    const proveKey = proofOf(execution, draft)
    const { result, provenAddresses } = await bound.run(await runContext(context, execution, draft))
    proveKey()
    await context.pauseIfLarge()
    spent.change(draft.writer)
    controlled.change(draft.writer)
    if (bound.operation.endsOrganization) draft.end()
    const status = transition(activity.status, 'ACTIVITY_STATUS_COMPLETED')
    const removed = hasRemovedCredential(execution, draft) ? { removedOwnCredential: true as const } : {}
    const completed = { ...activity, status, result, ...removed }
    const changes = await draft.changes()
    const mails = countMails(context, { messages: changes.outbox, target, submitter, sourceAddress })
    const additions = [...changes.additions, ...spent.additions, ...controlled.additions, ...mails]
    return {
      kind: 'done',
      activity: completed,
      changes: { ...changes, additions },
      written: draft.written,
      provenAddresses,
    }
  } catch (error) {
    if (!(error instanceof RefusalWithChanges)) throw error
    return { kind: 'refusedWithChanges', failure: error.failure, changes: await draft.changes() }
  } finally {
    draft.dispose()
  }
}

/** The proof of a key counts where the request proves a claim (`ApiKey`) and runs at once. */
function proofOf({ submitter, voter, bound }: Execution, { writer }: Draft): () => void {
  const isProof = submitter === voter && !bound.operation.concurrent && voter.provesClaim?.() === true
  return isProof ? keyProof(writer, { userId: voter.user.userId, stamp: voter.stamp }) : () => undefined
}

/** Whether the submitter's user has lost the credential that stamped the submission. One that is back was lost too. */
function hasRemovedCredential({ activity, target, submitter }: Execution, { writer }: Draft): boolean {
  const { userId, publicKey, attested, isUnstamped, createdAtMs } = submissionOf(activity)
  if (attested !== undefined || isUnstamped || submitter.organization !== target) return false
  const user = writer.users.find(userId)
  return user === undefined || !hasCredential(withCredentialsSince(user, createdAtMs), publicKey)
}

async function runContext(
  context: Making,
  { activity, bound, target, submitter, voter }: Execution,
  { writer, send, sendAgain }: Draft,
): Promise<Omit<ActivityContext<unknown>, 'parameters'>> {
  const { services, nowMs, pause, request } = context
  const { sourceAddress } = request
  const { limits, newId, oidcAudiences, loopbackHttp } = services
  const { organizationId } = activity
  return {
    organization: writer,
    send,
    sendAgain,
    nowMs,
    ...askerOf(submissionOf(activity), submitter, (maker, madeAtMs) =>
      isMakerThere((id) => openOrganization(context, id), maker, madeAtMs),
    ),
    source: {
      address: sourceAddress,
      isAllowedBy: (lists) => isAllowedSource({ ...lists, sourceAddress }),
      apiKey: apiKeyOf(voter),
    },
    keys: createKeys(context, target),
    consoleUrl: services.consoleUrl,
    loopbackHttp,
    mailDecider: services.mailDecider,
    limits,
    operationOfType: (type) => operationOfType(type)?.operation,
    newId,
    pause,
    oidcIdentity: await verifyOidcTokens(context, bound, activity.createdAtMs),
    oidcAudiences,
    oauth2User(grant) {
      if (services.ownIssuer === undefined) {
        const reason = 'ID tokens have to name this server: set CLAVIGER_PUBLIC_URL'
        throw new Failure('OAUTH2_PROVIDER_UNCONFIGURED', reason)
      }
      return services.exchangeCode(grant, {
        fingerprint: activity.fingerprint,
        organizationId,
        parentId: writer.parentId,
      })
    },
  }
}
