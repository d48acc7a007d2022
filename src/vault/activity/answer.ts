import type { VaultAnswer, VaultRequest } from '../../link/verbs.ts'
import { findOperation } from '../../operations/catalogue.ts'
import { type ActivityOperation, type Operation, signs } from '../../operations/operation.ts'
import { lazily } from '../../protocol/tools/lazily.ts'
import { inSteps } from '../../protocol/tools/steps.ts'
import { proxiedNameAt } from '../../protocol/wire/auth_proxy.ts'
import { errorAnswer, Failure } from '../../protocol/wire/failures.ts'
import { fingerprintOf } from '../../protocol/wire/fingerprint.ts'
import { type JsonObject, jsonBytes, parseBody, parseBodyInSteps } from '../../protocol/wire/json.ts'
import { decideOn } from '../books/decision_books.ts'
import { JournalUnavailable } from '../books/journal/journal.ts'
import { type Asking, type Making, onlyStampHeader } from '../caller/request_context.ts'
import { createDecisionCounts } from '../state/decision_counts.ts'
import { BehindError, createEvidence, ForkError, IntegrityError, MovedError, ReadsNeeded } from '../state/evidence.ts'
import { LateError, type Turn } from '../state/turns.ts'
import type { VaultServices } from '../state/vault_services.ts'
import { answerQuery } from './answer_query.ts'
import type { ActivityAsk } from './ask/ask.ts'
import { askStamped } from './ask/ask_for.ts'
import { askProxied, type Proxied, requireUnstamped, resultIn } from './ask/proxied.ts'
import { asVoterSees, type Ballot, isSubmission } from './ballot.ts'
import { carryOut } from './carry_out/carry_out.ts'
import { keepForRecall, recall } from './recall.ts'
import { type Decided, journalUnavailable, release, releaseShown, requireWritable } from './release.ts'
import { foresee } from './tell/foresee.ts'
import { recordRefusal, recordStep, show } from './tell/record_activity.ts'
import { weigh } from './weigh.ts'

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

/** An unstamped request reaches no other operation than one of the auth proxy. */
function operationAt({ path, proxied }: VaultRequest): Operation | Proxied | undefined {
  if (proxied === undefined) return findOperation(path)
  const name = proxiedNameAt(path)
  return name && { kind: 'proxied', name, proxied }
}

/** One request while it is being decided. Below this file, each stage takes a part of it. */
type Deciding = Asking & Making & { readonly services: VaultServices }

type Arrival = Pick<Deciding, 'request' | 'nowMs' | 'pause' | 'takeTurnsOf'>

function contextOf(services: VaultServices, { request, nowMs, pause, takeTurnsOf }: Arrival): Deciding {
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

async function decide(context: Deciding, operation: Operation | Proxied, body: JsonObject): Promise<VaultAnswer> {
  try {
    if (operation.kind === 'query') {
      const answered = await answerQuery(context, operation, body)
      await releaseShown(context)
      return answered
    }
    const decided = await decideActivity(context, operation, body)
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

/**
 * The whole way of an activity: who asks for what, whether the vote may be cast, what it does, and what is recorded. A
 * submission is the first vote on its activity. Nothing has an effect before the service has committed what this returns.
 */
async function decideActivity(
  context: Deciding,
  operation: ActivityOperation | Proxied,
  body: JsonObject,
): Promise<Decided> {
  const asked =
    operation.kind === 'proxied'
      ? await askProxied(context, operation, body)
      : await askStamped(context, operation, body)
  if (asked.kind === 'answered') return { kind: 'answer', status: 200, body: jsonBytes(asked.result) }
  const decided = await decideAsked(context, asked)
  if (asked.resultKey === undefined || decided.kind === 'allowed' || decided.status !== 200) return decided
  return { ...decided, body: jsonBytes(resultIn(decided.body, asked.resultKey)) }
}

async function decideAsked(context: Deciding, asked: ActivityAsk): Promise<Decided> {
  if (asked.kind === 'shown') return show(context, asked, asked.activity)
  const { ballot } = asked
  const weighed = await weigh(context, ballot)
  if (weighed === undefined) return show(context, ballot, asVoterSees(ballot.activity, ballot.caller))
  if (context.request.isTrial === true) return { kind: 'allowed' }
  if (!isNewSignature(ballot)) requireWritable(context.services.books)
  await foresee(context, ballot, weighed)
  const step = await carryOut(context, ballot, weighed)
  return step.kind === 'refused' ? recordRefusal(context, step) : recordStep(context, ballot, step)
}

/** A signature that runs at once needs no room in the journal, unless it is counted. */
function isNewSignature(ballot: Ballot): boolean {
  return isSubmission(ballot) && signs(ballot.request.bound.operation)
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
