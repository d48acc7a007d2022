import type { VaultAnswer, VaultRequest } from '../../link/verbs.ts'
import { findOperation } from '../../operations/catalogue.ts'
import { type Operation, type Query, signs } from '../../operations/operation.ts'
import { lazily } from '../../protocol/tools/lazily.ts'
import { inSteps } from '../../protocol/tools/steps.ts'
import { type ProxiedName, type ProxiedRequest, proxiedNameAt } from '../../protocol/wire/auth_proxy.ts'
import { errorAnswer, Failure } from '../../protocol/wire/failures.ts'
import { fingerprintOf } from '../../protocol/wire/fingerprint.ts'
import { type JsonObject, jsonBytes, jsonBytesInSteps, parseBody, parseBodyInSteps } from '../../protocol/wire/json.ts'
import { decideOn } from '../books/decision_books.ts'
import { JournalUnavailable } from '../books/journal/journal.ts'
import { attestationReads, requireUnusedLink } from '../caller/attestation_use.ts'
import { readOrganizationId } from '../caller/envelope.ts'
import {
  callerFactsOf,
  identify,
  onlyStampHeader,
  openTarget,
  type RequestContext,
  readStamp,
} from '../caller/request_context.ts'
import { readingFacts, requireScope } from '../caller/session_scope.ts'
import { checkPolicies } from '../rules/check_policies.ts'
import { explainActivity } from '../rules/explanation/explain_activity.ts'
import { mfaStatusesOf } from '../rules/mfa_statuses.ts'
import { simulate } from '../rules/simulate_rules.ts'
import { createDecisionCounts } from '../state/decision_counts.ts'
import { BehindError, createEvidence, ForkError, IntegrityError, MovedError, ReadsNeeded } from '../state/evidence.ts'
import type { Organization } from '../state/organization.ts'
import { readerOf } from '../state/organization_reader.ts'
import { resolveNeeds } from '../state/resolve.ts'
import { bodyOf, openActivity } from '../state/sealed_activity.ts'
import { LateError, type Turn } from '../state/turns.ts'
import type { VaultServices } from '../state/vault_services.ts'
import { watchedOf } from '../state/watched.ts'
import { activityViewer } from './activity_viewer.ts'
import { verifyOidcTokens } from './oidc_identities.ts'
import { decideProxied, requireUnstamped } from './proxied.ts'
import { keepForRecall, recall } from './recall.ts'
import { journalUnavailable, release, releaseShown } from './release.ts'
import { submitActivity } from './submit_activity.ts'

/**
 * Decides one request from its bytes, its stamp, the presented evidence and the vault's own books, and nothing else.
 * This is the one place where a request becomes an effect. The order of the checks is part of the interface.
 */
export async function answer(services: VaultServices, request: VaultRequest): Promise<VaultAnswer> {
  try {
    return await services.turns.run(request, (turn) => answerNow(services, request, turn))
  } catch (error) {
    return undecided(error)
  }
}

/** To read and decide a body of this size takes a few milliseconds at most, apart from loops that pause themselves. */
const smallBodyBytesMax = 16_384
/**
 * Read in one step, so that nothing of it waits before its stamp is verified: strangers could let thousands wait, read
 * into values. Larger ones come from the service a few at a time.
 */
const readAtOnceBytesMax = 65_536

async function answerNow(
  services: VaultServices,
  request: VaultRequest,
  { pause, takeTurnsOf }: Turn,
): Promise<VaultAnswer> {
  const operation = operationAt(request)
  if (operation === undefined) throw new Failure('OPERATION_UNKNOWN', 'see /docs for those that exist')
  if (operation.kind === 'proxied') requireUnstamped(request)
  const isAtOnce = request.body.length <= readAtOnceBytesMax
  // A client asks the auth proxy without a body where there is nothing to say.
  const isEmpty = operation.kind === 'proxied' && request.body.length === 0
  const body = isEmpty ? {} : isAtOnce ? parseBody(request.body) : await inSteps(parseBodyInSteps(request.body), pause)
  const nowMs = services.nowMs()
  return decideOn(services.books, (books) =>
    decide(contextOf({ ...services, books }, { request, nowMs, pause, takeTurnsOf }), operation, body),
  )
}

type Proxied = { readonly kind: 'proxied'; readonly name: ProxiedName; readonly proxied: ProxiedRequest }

/** An unstamped request reaches no other operation than one of the auth proxy. */
function operationAt({ path, proxied }: VaultRequest): Operation | Proxied | undefined {
  if (proxied === undefined) return findOperation(path)
  const name = proxiedNameAt(path)
  return name && { kind: 'proxied', name, proxied }
}

type Asked = Pick<RequestContext, 'request' | 'nowMs' | 'pause' | 'takeTurnsOf'>

function contextOf(services: VaultServices, { request, nowMs, pause, takeTurnsOf }: Asked): RequestContext {
  return {
    services,
    request,
    stampHeader: request.proxied === undefined ? onlyStampHeader(request) : undefined,
    evidence: createEvidence(
      request.presented,
      request.mayRecall ? { recall: (read) => recall(services.cache, read) } : {},
    ),
    decisionCounts: createDecisionCounts(services.books, { nowMs, newId: services.newId }),
    nowMs,
    fingerprint: lazily(() => fingerprintOf(request.body)),
    pause,
    takeTurnsOf,
    pauseIfLarge: () => (request.body.length > smallBodyBytesMax ? pause() : undefined),
  }
}

async function decide(context: RequestContext, operation: Operation | Proxied, body: JsonObject): Promise<VaultAnswer> {
  try {
    if (operation.kind === 'query') {
      const answered = await answerQuery(context, operation, body)
      await releaseShown(context)
      return answered
    }
    const decided =
      operation.kind === 'proxied'
        ? await decideProxied(context, { ...operation, body })
        : await submitActivity(context, operation, body)
    if (decided.kind === 'commit') {
      const released = await release(context, decided)
      if (operation.kind === 'activity' && signs(operation))
        keepForRecall(context.services.cache, context.request.presented)
      return released
    }
    await releaseShown(context)
    return decided
  } catch (error) {
    // A refusal also reveals something about the heads that it rests on.
    if (error instanceof Failure) await releaseShown(context)
    throw error
  } finally {
    // Any answer, even an error, may reveal whether a guess was right.
    if (context.decisionCounts.hasCounted) await context.services.books.sync()
  }
}

/** Returns the answer for a decision that ended with `error`. Throws `error` again if it is a bug. */
export function undecided(error: unknown): VaultAnswer {
  if (error instanceof ReadsNeeded) return { kind: 'moreReads', reads: error.reads }
  if (error instanceof MovedError) return { kind: 'moved' }
  if (error instanceof JournalUnavailable) return failureAnswer(journalUnavailable(error))
  if (error instanceof BehindError) {
    const { message: incident, organizationId, shownVersion, newestVersion } = error
    return { kind: 'integrity', incident, found: 'behind', organizationId, shownVersion, newestVersion }
  }
  if (error instanceof IntegrityError) {
    return { kind: 'integrity', incident: error.message, found: error instanceof ForkError ? 'fork' : 'other' }
  }
  if (error instanceof Failure) return failureAnswer(error)
  if (error instanceof LateError) return failureAnswer(new Failure('UNAVAILABLE', 'it took too long; send it again'))
  throw error
}

function failureAnswer(failure: Failure): VaultAnswer {
  return { kind: 'answer', status: failure.httpStatus, body: jsonBytes(errorAnswer(failure)) }
}

/** Opens the activities of a page in steps, and parses their requests: a page may have megabytes. */
async function openPresented({ request, services, pause }: RequestContext, { head }: Organization): Promise<void> {
  for (const { read, found } of request.presented) {
    if (read.read !== 'activities' || found.read !== 'activities' || read.organizationId !== head.organizationId)
      continue
    for (const [index, row] of (found.rows ?? []).entries()) {
      if (index > 0) await pause()
      bodyOf(openActivity(services.seals, read.organizationId, row))
    }
  }
}

async function answerQuery(context: RequestContext, query: Query, body: JsonObject): Promise<VaultAnswer> {
  const { nowMs, pause } = context
  const organizationId = readOrganizationId(body)
  // A client logs in with an attested stamp, and the login uses up its verification token.
  if (context.stampHeader?.header === 'x-stamp-attested') {
    throw new Failure('ATTESTATION_INVALID', 'such a stamp is for activities: log in with it')
  }
  const stamp = await readStamp(context)
  const target = openTarget(context, organizationId)
  const caller = await identify(context, { operation: query, target, stamp })
  if (query.name !== 'whoami') requireScope(context, caller, () => readingFacts)
  const bound = query.read(body)
  await bound.check(pause)
  // If the parent's id stood for a sub-organization, the answer is about the sub-organization.
  const organization = caller.organization.head.parentId === target.head.organizationId ? caller.organization : target
  await openPresented(context, organization)
  const needs = bound.needs(organization.head.organizationId)
  const resolved = resolveNeeds(context, organization, [...needs, ...attestationReads(caller)])
  const reader = readerOf(resolved)
  requireUnusedLink(caller, reader)
  await verifyOidcTokens(context, bound, nowMs)
  const showActivity = activityViewer(context, { organization, caller }, resolved.own.resolved.activities)
  const result = await bound.run({
    organization: reader,
    nowMs,
    caller: callerFactsOf(caller),
    dialect: context.request.dialect,
    showActivity,
    pause,
    mfaStatuses: (activity) => mfaStatusesOf(context, organization, activity),
    checkPolicies: (asked) => checkPolicies(organization, asked, context.pause),
    explain: (activity) => explainActivity(context, organization, activity, (explanation) => explanation),
    simulate: (asked) => simulate(context, { organization, caller }, asked),
    watched: () => watchedOf(organization.head),
  })
  return { kind: 'answer', status: 200, body: await inSteps(jsonBytesInSteps(result as object), pause) }
}
