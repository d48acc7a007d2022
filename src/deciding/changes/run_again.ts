import type { ActivityContext, BoundActivity } from '../../contract/define.ts'
import type { Need } from '../../contract/needs.ts'
import { signs } from '../../contract/operation.ts'
import type { Activity } from '../../contract/records/activity.ts'
import { isDocumented, type PublicChanges } from '../../contract/records/public_changes.ts'
import type { RecordKind } from '../../contract/records/records.ts'
import { operationOfType } from '../../operations/catalogue.ts'
import { Failure } from '../../protocol/wire/failures.ts'
import { apiKeyOf } from '../caller/credential_stamps.ts'
import { isMakerThere } from '../caller/link_makers.ts'
import type { SeenCaller } from '../caller/seen_caller.ts'
import { NotRecorded, type RecordedOrganization } from '../organization/recorded_organization.ts'
import { resolveRecorded } from '../organization/resolve_recorded.ts'
import { bodyOf, boundOf, submissionOf } from '../organization/submitted.ts'
import { userOfVote } from '../rules/standing_approvals.ts'
import type { RecordedDecision } from '../votes/decide_again.ts'
import { voterOf } from '../votes/voter_of.ts'
import { askerOf } from './asker.ts'
import { documentedOf } from './documented_changes.ts'
import { operationWriter } from './operation_writer.ts'
import { noChanges } from './pending_changes.ts'
import { keyProof } from './prove_key.ts'
import { createStandIn, type StandIn } from './recorded_keys.ts'
import { limitsShownBy } from './shown_limits.ts'

/** A version of an activity that has run, and what its document says that it has changed. */
export type RecordedRun = Pick<RecordedDecision, 'activity' | 'before' | 'target'> & {
  readonly changes: PublicChanges | undefined
}

/**
 * The changes and the result of an activity that has run again, in which the texts of `made` stand for those that the
 * vault has chosen.
 */
export type RanAgain = Pick<StandIn, 'made'> & {
  readonly changes: PublicChanges | undefined
  readonly result: Activity['result']
}

/**
 * Runs the operation of an activity again, on the records of its time. Sums of limits are not among the changes. Throws the
 * `Failure` with which it would have failed, and `NotRecorded` if it needs what no document tells. `seed`: see
 * `createStandIn`.
 */
export async function runAgain(recorded: RecordedRun, seed: Uint8Array): Promise<RanAgain> {
  const { activity, target, changes } = recorded
  const bound = boundOf(activity)
  const { organizationId } = target.head
  const records = changes?.records ?? []
  const isUsed = (id: string) => records.some(({ kind, recordId }) => kind === 'import_target' && recordId === id)
  const parameters = JSON.stringify(bodyOf(activity).parameters)
  const standIn = createStandIn(seed, { isUsed, isAsked: (format) => parameters.includes(`"${format}"`) })
  const resolved = resolveRecorded(documented(target), documentedNeeds(bound, organizationId))
  const nowMs = activity.votes.at(-1)?.createdAtMs ?? activity.createdAtMs
  const limits = limitsShownBy(records, target)
  const pending = noChanges(countedHead(target), target)
  const newChild = (organizationName: string) =>
    noChanges(newHead({ organizationId: standIn.newId(), parentId: organizationId, organizationName }), undefined)
  const parent = resolved.parent && noChanges(countedHead(resolved.parent.organization), target)
  const writer = operationWriter({ nowMs, limits }, resolved, { own: pending, parent, newChild })
  const { voter, submitter } = votersOf(recorded)
  const isProof = recorded.before === undefined && !bound.operation.concurrent && provesClaim(bound, voter)
  const prove = isProof ? keyProof(writer, { userId: voter.user.userId, stamp: voter.stamp }) : () => undefined
  const context: Omit<ActivityContext<unknown>, 'parameters'> = {
    ...outsideOf(standIn),
    ...askerOf(submissionOf(activity), submitter, (maker, madeAtMs) =>
      isMakerThere((id) => (id === organizationId ? target : target.parent()), maker, madeAtMs),
    ),
    ...{ organization: writer, nowMs, limits },
    source: { address: undefined, isAllowedBy: () => true, apiKey: apiKeyOf(voter) },
  }
  const { result } = await bound.run(context)
  prove()
  if (bound.operation.endsOrganization) pending.isEnded = true
  return { changes: documentedOf(pending)[0], result, made: standIn.made }
}

/** Whether `runAgain` can run the operation: one that signs needs the key, and changes no record but sums of limits. */
export function runsAgain(activity: Activity): boolean {
  return !signs(boundOf(activity).operation)
}

/** Refuses what the file lacks. */
function documentedNeeds(bound: BoundActivity, organizationId: string): readonly Need[] {
  const needs = bound.needs(organizationId)
  if (needs.some(({ need }) => need === 'delivery')) throw new NotRecorded('changes that rest on events of webhooks')
  return needs
}

/** Tokens and starts that no document shows make refusals only, and this activity was not refused. */
const refusing: readonly RecordKind[] = ['used_token', 'passcode_starts']

/** The organization without the records that no document shows. */
function documented(organization: RecordedOrganization): RecordedOrganization {
  return {
    ...organization,
    unlisted(kind, recordId) {
      if (isDocumented[kind] || refusing.includes(kind)) return organization.unlisted(kind, recordId)
      throw new NotRecorded('changes that rest on passcodes, which no document shows')
    },
  }
}

/** The voter, and the user for whom the operation runs. Throws if one of them is gone. */
function votersOf({ activity, before, target }: RecordedRun) {
  const submission = submissionOf(activity)
  const voter = voterOf(target, activity.votes.at(-1) ?? submission)
  const user = before === undefined ? voter?.user : userOfVote(target, submission)
  if (voter === undefined || user === undefined) throw new Failure('NOT_FOUND', 'its user is gone')
  return { voter, submitter: before === undefined ? voter : { user, organization: target } }
}

/** Whether a request proves that its user has the key that stamped it. Nobody else can have meant its organization. */
function provesClaim({ operation }: BoundActivity, { user, stamp, organization }: SeenCaller): boolean {
  const isOfParent = organization.head.parentId === undefined && operation.resolvesSubOrganization
  return !operation.openToParent && !isOfParent && apiKeyOf({ user, stamp })?.isClaimed === true
}

type Head = RecordedOrganization['head']

function countedHead({ head, allListed }: RecordedOrganization) {
  return { ...head, listed: { get: (kind: RecordKind) => ({ size: allListed(kind).length }) }, removed: new Map() }
}

function newHead(names: Pick<Head, 'organizationId' | 'parentId' | 'organizationName'>) {
  return { ...names, rootQuorum: { threshold: 0, userIds: [] }, listed: new Map(), removed: new Map() }
}

/** The rest of what the vault gives an operation. Where it may refuse, it has not refused this one. */
function outsideOf({ keys, newId }: StandIn) {
  return {
    ...{ keys, newId, consoleUrl: 'https://page.invalid', loopbackHttp: true, oidcAudiences: [], pause: never },
    ...{ mailDecider: 'free' as const, send: never, sendAgain: newId },
    operationOfType: (type: string) => operationOfType(type)?.operation,
    oidcIdentity() {
      throw new NotRecorded('changes by an ID token: the keys of its issuer are not in the file')
    },
    oauth2User() {
      throw new NotRecorded('changes by an identity of OAuth 2.0, for which the vault asks the provider')
    },
  }
}

function never() {
  return undefined
}
