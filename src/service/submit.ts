import { availableParallelism } from 'node:os'
import type { CommitOutcome, Integrity, VaultAnswer, VaultRequest } from '../link/verbs.ts'
import type { Commit, Read } from '../protocol/reads.ts'
import { errorAnswer, Failure } from '../protocol/wire/failures.ts'
import { fingerprintOf } from '../protocol/wire/fingerprint.ts'
import { jsonBytes } from '../protocol/wire/json.ts'
import { createDatabaseUse, StoreUnavailable } from './database_use.ts'
import type { Delivery } from './delivery/worker.ts'
import { createEvidence, type Evidence } from './evidence.ts'
import { networkOf } from './http/source_address.ts'
import { aboutOf, contradictionIn, reportIncident } from './incident.ts'
import { knownOrganization } from './known_organization.ts'
import type { Log } from './log.ts'
import { prefetch } from './prefetch.ts'
import type { Store } from './store/store.ts'
import { createInFlight } from './turns/in_flight.ts'
import { type Asker, createPlaces } from './turns/places.ts'
import { createTurnstile } from './turns/turnstile.ts'
import { createVerified } from './turns/verified.ts'
import { type VaultClient, VaultUnavailable } from './vault/client.ts'

type Source = 'sourceAddress' | 'isLocal' | 'requestId' | 'proxied'
export type Request = Pick<VaultRequest, 'path' | 'body' | 'stamps' | 'dialect' | Source>
/** The ids are for the log: the organization that the request names, and the activity that it made or changed. */
export type Answer = {
  readonly status: number
  readonly body: Uint8Array
  readonly retryAfterSeconds?: number
  readonly organizationId?: string
  readonly activityId?: string
}

/** `endsMs`: when the client is told that it took too long, by `performance.now()`. */
type Timed = Request & Pick<VaultRequest, 'organizationId' | 'credential'> & { readonly endsMs: number }

type Question = Timed & Pick<VaultRequest, 'isTrial' | 'mayRecall'>

type CommitAnswer = Extract<VaultAnswer, { kind: 'commit' }>
/** `commit` is absent when nothing had to be written. */
type CarriedOut = { readonly answer: Answer; readonly commit?: Commit }

/** Decisions for one request while other commits come first, besides one decision from memory. */
const attemptsMax = 5
/** Calls of the vault for one decision. Each answer `moreReads` costs one more call. */
const roundsMax = 12
/** Larger bodies begin in a turn of the event loop each. The answer about a larger activity may delay small ones. */
export const smallBytesMax = 65_536
/**
 * Requests of one organization that take long and are worked on at a time. The rest of the cores is for the others: a
 * request goes through several processes, each of which would work on another one.
 */
export const longOfOneMax = Math.max(1, Math.floor(availableParallelism() / 2))
/**
 * A smaller body takes the turns in the vault of the organization that it names. A larger one does if the database knows
 * that organization. All others together are long requests of one: else each would be read in a turn of its own.
 */
export const namedBytesMax = 4_096
/** Those whose stamp the vault has never verified have their long requests in the line of one. */
const strangers = ''
/**
 * Lookups for the vault at a time, of all organizations together: each may find 24 MB, which is dropped only then if the
 * request has to wait.
 */
export const lookUpsMax = 16
const everybody = 'everybody'
/** Organizations in `changing` at most. */
const changingMax = 10_000
/** How long a request may take until its answer is known, waiting for its turn included. */
const answerMsMax = 10_000

/**
 * Makes the function that answers requests. Bytes and stamps go to the vault, with prefetched reads unless the vault
 * may decide from memory. The store commits the decision. The vault puts it on its books. Only then is there an answer.
 */
export function createSubmit({
  store,
  vault,
  delivery,
  onMismatch,
  log,
}: {
  store: Pick<Store, 'find' | 'activityBytes' | 'commit'>
  vault: Pick<VaultClient, 'answer' | 'confirm'>
  /** Absent where something else delivers the outbox. */
  delivery?: Pick<Delivery, 'wake'>
  /** Called when a request is refused because the database is behind the books of the vault, or on another branch. */
  onMismatch?: () => void
  log: Log
}) {
  const database = createDatabaseUse(log)
  const inFlight = createInFlight<Answer>()
  const largeBodies = createTurnstile()
  const longRequests = createPlaces(longOfOneMax)
  const changes = createPlaces(1)
  const lookUps = createPlaces(lookUpsMax)
  const verified = createVerified()
  /**
   * Organizations whose last signature changed records: a spending limit counted it, or votes are awaited. The next
   * signatures would conflict as changes do. Requests that may wait for an issuer count like signatures.
   */
  const changing = new Set<string>()
  let outcomes: CommitOutcome[] = []

  /** Equal requests in flight share one decision and its answer. */
  return async function submit(request: Request): Promise<Answer> {
    if (request.body.length > smallBytesMax) await largeBodies.turn(networkOf(request.sourceAddress))
    const fingerprint = fingerprintOf(request.body)
    return inFlight.share(request, fingerprint, () => submitOnce(request, fingerprint))
  }

  async function submitOnce(given: Request, fingerprint: string): Promise<Answer> {
    const prefetched = prefetch(given, fingerprint)
    const { queue: named, credential } = prefetched
    const endsMs = performance.now() + answerMsMax
    const bytes = given.body.length
    const isNamed = bytes <= namedBytesMax
    const organizationId = isNamed ? named : await knownOrganization(store, named)
    const takesLong = prefetched.takesLong || bytes > smallBytesMax || (!isNamed && organizationId === undefined)
    const longBytes = takesLong ? bytes : undefined
    const peer = networkOf(given.sourceAddress)
    const asker = { organizationId: organizationId ?? strangers, credential, peer }
    const isVerified = verified.has(asker)
    const longPlace = isVerified ? asker : { ...asker, organizationId: strangers }
    const submitted = () => submitCounted({ ...given, organizationId, credential, endsMs }, prefetched, asker)
    const answer = await inFlight.runFor({ ...asker, isVerified, longBytes }, () =>
      takesLong ? longRequests.run(longPlace, submitted) : submitted(),
    )
    // A request of the auth proxy has no stamp.
    if (answer !== undefined && given.proxied === undefined) verified.learn(asker, answer.status)
    const full = 'this organization or credential, or this address, has too many requests in flight'
    return { ...(answer ?? unavailable(full)), ...(organizationId === undefined ? {} : { organizationId }) }
  }

  async function submitCounted(
    request: Timed,
    { reads, queue, waits, mayRecall }: ReturnType<typeof prefetch>,
    asker: Asker,
  ): Promise<Answer> {
    const isChanging = () => queue !== undefined && changing.has(queue)
    const finish = ({ answer, commit }: CarriedOut): Answer => {
      if (!waits && queue !== undefined && commit !== undefined) learn(queue, commit)
      const activityId = commit?.activities[0]?.activityId
      return activityId === undefined ? answer : { ...answer, activityId }
    }
    const incidents: Integrity[] = []
    let isAllowed = false
    try {
      const recalled = mayRecall && !isChanging() ? await attemptFromMemory(request) : undefined
      if (recalled !== undefined) return finish(recalled)
      for (let attempt = 1; attempt <= attemptsMax; ) {
        // Changes of one organization queue: two at once would conflict. Signatures do not, because most change no
        // record. A signature queues after it lost to a change (not from memory), so that changes cannot starve it.
        const line = waits || attempt > 1 || isChanging() ? queue : undefined
        // A request takes no place in the queue before it would be committed. Else a stranger could delay an
        // organization's changes for hours: by refused requests, or by any after an incident.
        const isTrial = !isAllowed && line !== undefined && changes.isFull(line)
        const incidentsBefore = incidents.length
        const decideNow = () => attemptOnce({ ...request, ...(isTrial ? { isTrial } : {}) }, reads(), incidents)
        const attempted = await (line === undefined || isTrial
          ? decideNow()
          : changes.run({ ...asker, organizationId: line }, decideNow))
        if (attempted !== undefined) return finish(attempted)
        const contradiction = contradictionIn(incidents)
        if (contradiction !== undefined) return refuse(contradiction, request)
        if (incidents.length === incidentsBefore) isAllowed = true
        if (!isTrial || !isAllowed) attempt += 1
      }
    } catch (error) {
      return failureAnswer(error, request)
    }
    // A commit between two reads of one decision can look like an incident. The database is wrong if every attempt is.
    const [found] = incidents
    if (found === undefined || incidents.length < attemptsMax) return unavailable('too many changes at once')
    return refuse(found, request)
  }

  function refuse({ incident }: Pick<Integrity, 'incident'>, request: Timed): Answer {
    onMismatch?.()
    return reportIncident({ name: 'IntegrityError', message: incident }, { log, ...aboutOf(request) })
  }

  function learn(queue: string, { heads, records }: Commit): void {
    if (heads.length === 0 && records.length === 0) changing.delete(queue)
    else if (changing.size < changingMax) changing.add(queue)
  }

  /**
   * Undefined when the vault decides anything but a commit, or the commit conflicts: the request is then decided from
   * the database. The vault's memory may be out of date, and it has no activity to answer a repeated request with.
   */
  async function attemptFromMemory(request: Timed): Promise<CarriedOut | undefined> {
    const decided = await ask({ ...request, mayRecall: true }, createEvidence(store, database))
    return decided.kind === 'commit' ? carryOut(decided, request) : undefined
  }

  /**
   * Undefined when another commit came in between, or seems to have come, and for a trial of what would be committed: the
   * request is decided again. So is a refusal that an activity has overtaken.
   */
  async function attemptOnce(
    request: Timed & Pick<VaultRequest, 'isTrial'>,
    prefetched: readonly Read[],
    incidents: Integrity[],
  ): Promise<CarriedOut | undefined> {
    const { decided, evidence } = await decide(request, prefetched)
    if (decided.kind === 'answer') {
      return decided.status >= 400 && (await evidence.isOvertaken()) ? undefined : { answer: decided }
    }
    if (decided.kind === 'commit') return carryOut(decided, request)
    if (decided.kind === 'integrity') incidents.push(decided)
    return undefined
  }

  /** Undefined when the commit conflicts. */
  async function carryOut({ commit, outcome }: CommitAnswer, request: Timed): Promise<CarriedOut | undefined> {
    if ((await database.write(store.commit(commit))) === 'conflict') {
      if (outcome.of === 'held') outcomes.push({ of: 'lost', decisionId: outcome.decisionId })
      return undefined
    }
    if (commit.outbox.length > 0) delivery?.wake()
    if (outcome.of === 'held') return { answer: await confirmed(outcome.decisionId, commit, request), commit }
    const { status, body, changeKey } = outcome
    if (changeKey !== undefined) outcomes.push({ of: 'written', changeKey })
    return { answer: { status, body }, commit }
  }

  /** The change is in the database whatever the vault answers. The same request, sent again, tells if it is in force. */
  async function confirmed(decisionId: string, { activities }: Commit, request: Timed): Promise<Answer> {
    const hasLargeReply = activities.some(({ sealed }) => sealed.length > smallBytesMax)
    const answer = await vault.confirm({ decisionId }, { hasLargeReply })
    switch (answer.kind) {
      case 'answer':
        return answer
      case 'integrity':
        return refuse(answer, request)
      case 'unavailable':
        return unavailable('the journal of the vault cannot be written; send the same request again')
      case 'unknown':
        return unavailable('the vault was started again; send the same request again')
    }
  }

  async function decide(
    request: Timed & Pick<VaultRequest, 'isTrial'>,
    prefetched: readonly Read[],
  ): Promise<{ readonly decided: Exclude<VaultAnswer, { kind: 'moreReads' }>; readonly evidence: Evidence }> {
    const { credential, sourceAddress } = request
    const asker = { organizationId: everybody, credential, peer: networkOf(sourceAddress) }
    const evidence = createEvidence(store, database)
    let reads = prefetched
    for (let round = 1; round <= roundsMax; round += 1) {
      // The answer is not awaited in the place: by then the vault has what was found, or it was dropped.
      const { asked } = await lookUps.run(asker, async () => {
        await evidence.add(reads, { isGuess: round === 1 })
        return { asked: ask(request, evidence) }
      })
      const decided = await asked
      if (decided.kind !== 'moreReads') return { decided, evidence }
      reads = decided.reads
    }
    throw new Error(`${request.path}: the vault still asked for more after ${roundsMax} rounds`)
  }

  async function ask(request: Question, evidence: Evidence): Promise<VaultAnswer> {
    const waitMsMax = Math.floor(request.endsMs - performance.now())
    if (waitMsMax <= 0) throw new VaultUnavailable(`nothing was decided within ${answerMsMax} ms`)
    const told = outcomes
    outcomes = []
    try {
      return await present(request, { evidence, told, waitMsMax })
    } catch (error) {
      outcomes = [...told, ...outcomes]
      throw error
    }
  }

  /** Waits for nothing, because a function that waits keeps what it has presented. */
  function present(
    { endsMs: _, ...request }: Question,
    { evidence, told, waitMsMax }: { evidence: Evidence; told: readonly CommitOutcome[]; waitMsMax: number },
  ): Promise<VaultAnswer> {
    return vault.answer({ ...request, presented: evidence.found(), waitMsMax, outcomes: told }, evidence)
  }

  function failureAnswer(error: unknown, request: Timed): Answer {
    if (error instanceof VaultUnavailable) return unavailable(error.message)
    if (error instanceof StoreUnavailable) {
      database.report(error, aboutOf(request))
      return unavailable(error.message)
    }
    return reportIncident(error, { log, ...aboutOf(request) })
  }
}

function unavailable(reason: string): Answer {
  const failure = new Failure('UNAVAILABLE', reason)
  return { status: failure.httpStatus, body: jsonBytes(errorAnswer(failure)), retryAfterSeconds: 1 }
}
