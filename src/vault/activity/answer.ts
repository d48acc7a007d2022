import { type ActivityOperation, type Operation, signs } from '../../contract/operation.ts'
import { ReadsNeeded } from '../../deciding/organization/reads_needed.ts'
import { countVote } from '../../deciding/votes/count_vote.ts'
import type { VaultAnswer, VaultRequest } from '../../link/verbs.ts'
import { findOperation } from '../../operations/catalogue.ts'
import { lazily } from '../../protocol/tools/lazily.ts'
import { inSteps } from '../../protocol/tools/steps.ts'
import { proxiedNameAt } from '../../protocol/wire/auth_proxy.ts'
import { errorAnswer, Failure } from '../../protocol/wire/failures.ts'
import { fingerprintOf } from '../../protocol/wire/fingerprint.ts'
import { type JsonObject, jsonBytes, parseBody, parseBodyInSteps } from '../../protocol/wire/json.ts'
import { againAfterLooks } from '../books/decision_books.ts'
import { JournalUnavailable } from '../books/journal/journal.ts'
import { onlyStampHeader } from '../caller/identify.ts'
import type { Asking, Making } from '../caller/request_context.ts'
import { createDecisionCounts } from '../state/decision_counts.ts'
import { BehindError, createEvidence, ForkError, IntegrityError, MovedError } from '../state/evidence.ts'
import { LateError, type Turn } from '../state/turns.ts'
import type { VaultServices } from '../state/vault_services.ts'
import { answerQuery } from './answer_query.ts'
import { askProxied, type Proxied, requireUnstamped } from './ask/proxied.ts'
import { askStamped } from './ask/stamped.ts'
import { carryOut } from './carry_out/carry_out.ts'
import { keepForRecall, recall } from './recall.ts'
import { recordActivity, recordRefusal } from './record_activity.ts'
import { type Decided, journalUnavailable, release, requireWritable, syncShownHeads } from './release.ts'
import { bodyShowing } from './tell/answer_to_caller.ts'
import { prepareToTell } from './tell/listeners.ts'

/**
 * Decides one request from its bytes, its stamp, the presented evidence and the vault's own books, and nothing else.
 * This is the one place where a request becomes an effect. The order of the checks is part of the interface.
 */
export async function answer(services: VaultServices, request: VaultRequest): Promise<VaultAnswer> {
  let userId: string | undefined
  const inTurn = (turn: Turn) =>
    answerInTurn(services, request, {
      turn,
      // From then on the request takes turns with those of its family.
      onVerified({ user, organization: { head } }) {
        turn.takeTurnsOf(head.parentId ?? head.organizationId)
        userId = user.userId
      },
    })
  const decided = await services.turns.run(request, inTurn).catch(answerAfter)
  return userId === undefined ? decided : { ...decided, userId }
}

type Arrived = Pick<Asking, 'onVerified'> & { readonly turn: Turn }

/** To read and decide a body of this size takes a few milliseconds at most, apart from loops that pause themselves. */
const smallBodyBytesMax = 16_384
/**
 * Read in one step, so that nothing of it waits before its stamp is verified: strangers could let thousands wait, read
 * into values. Larger ones come from the service a few at a time.
 */
const readAtOnceBytesMax = 65_536

async function answerInTurn(services: VaultServices, request: VaultRequest, arrived: Arrived): Promise<VaultAnswer> {
  const operation = operationAt(request)
  if (operation === undefined) throw new Failure('OPERATION_UNKNOWN', 'see /docs for those that exist')
  if (operation.kind === 'proxied') requireUnstamped(request)
  const isAtOnce = request.body.length <= readAtOnceBytesMax
  // A client asks the auth proxy without a body where there is nothing to say.
  const isEmpty = operation.kind === 'proxied' && request.body.length === 0
  const body = isEmpty
    ? {}
    : isAtOnce
      ? parseBody(request.body)
      : await inSteps(parseBodyInSteps(request.body), arrived.turn.pause)
  const arrival = { ...arrived, request, nowMs: services.nowMs() }
  // The books may be those of another process. A decision is made again once it has looked up there what it lacked.
  return againAfterLooks(services.books, (books) => answerOnce({ ...services, books }, arrival, operation, body))
}

/** An unstamped request reaches no other operation than one of the auth proxy. */
function operationAt({ path, proxied }: VaultRequest): Operation | Proxied | undefined {
  if (proxied === undefined) return findOperation(path)
  const name = proxiedNameAt(path)
  return name && { kind: 'proxied', name, proxied }
}

/**
 * Decides once, by what is presented, and says what may leave the vault. Each stage below takes a part of the context:
 * its type hides the rest.
 */
async function answerOnce(
  services: VaultServices,
  { request, turn, onVerified, nowMs }: Arrived & { readonly request: VaultRequest; readonly nowMs: number },
  operation: Operation | Proxied,
  body: JsonObject,
): Promise<VaultAnswer> {
  const { pause } = turn
  const { presented } = request
  // The service sends a signature without records first. Most need the same few as the last one of their key.
  const evidence = createEvidence(presented, {
    ...(request.mayRecall ? { recall: (read) => recall(services.cache, read) } : {}),
    isTrial: request.isTrial === true,
  })
  const decisionCounts = createDecisionCounts(services.books, { nowMs, newId: services.newId })
  const pauseIfLarge = () => (request.body.length > smallBodyBytesMax ? pause() : undefined)
  const making = { services, request, evidence, decisionCounts, nowMs, pause, pauseIfLarge }
  const stampHeader = operation.kind === 'proxied' ? undefined : onlyStampHeader(request)
  const fingerprint = lazily(() => fingerprintOf(request.body))
  const asking = { ...making, stampHeader, fingerprint, onVerified }
  try {
    const decided =
      operation.kind === 'query'
        ? await answerQuery(asking, operation, body)
        : await answerActivity(asking, making, operation, body)
    // Only a trial gets here by an older head. It says no more than that the request was allowed a moment ago.
    if (evidence.behind() !== undefined) return { kind: 'allowed' }
    if (decided.kind === 'commit') {
      const released = await release(making, decided)
      if (operation.kind === 'activity' && signs(operation)) keepForRecall(services.cache, presented)
      return released
    }
    await syncShownHeads(making)
    return decided
  } catch (error) {
    const behind = evidence.behind()
    if (behind !== undefined && (error instanceof Failure || error instanceof IntegrityError)) throw behind
    // A refusal also reveals something about the heads that it rests on.
    if (error instanceof Failure) await syncShownHeads(making)
    throw error
  } finally {
    // Any answer, even an error, may reveal whether a passcode was right. So the attempt at it is on disk first.
    if (decisionCounts.hasCountedAttempt) await services.books.sync()
  }
}

/**
 * The whole way of an activity: who asks for what, whether the vote may be cast, what it does, who is told, and what is
 * recorded. A submission is the first vote on its activity.
 *
 * Nothing has an effect before the service has committed what this returns, but three things, which do no harm when the
 * decision is made again: a presented head is taken up on the books, an opened passcode counts as an attempt at it, and
 * an OAuth 2.0 provider exchanges a code.
 */
async function answerActivity(
  asking: Asking,
  making: Making,
  operation: ActivityOperation | Proxied,
  body: JsonObject,
): Promise<Decided> {
  const asked =
    operation.kind === 'proxied' ? await askProxied(asking, operation, body) : await askStamped(asking, operation, body)
  if (asked.kind === 'answered') return answerWith(jsonBytes(asked.result))
  if (asked.kind === 'shown') return answerWith(await bodyShowing(asking, asked))
  const { ballot } = asked // asked.kind is 'cast'
  const counted = await countVote(making, ballot)
  // The vote changes nothing, as when a client lost the answer.
  if (counted === undefined) return answerWith(await bodyShowing(asking, ballot))
  if (asking.request.isTrial === true) return { kind: 'allowed' }
  // An early end: `release` asks again.
  requireWritable(making.services.books)
  const tell = await prepareToTell(making, ballot, counted)
  const effect = await carryOut(making, ballot, counted)
  return effect.kind === 'refusedWithChanges'
    ? recordRefusal(making, effect)
    : recordActivity(making, ballot, await tell(effect))
}

function answerWith(body: Uint8Array): Decided {
  return { kind: 'answer', status: 200, body }
}

/** Returns the answer for a decision that ended with `error`. Throws `error` again if it is a bug. */
export function answerAfter(error: unknown): VaultAnswer {
  if (error instanceof ReadsNeeded) return { kind: 'moreReads', reads: error.reads }
  if (error instanceof MovedError) return { kind: 'moved', counted: error.counted }
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
