import { availableParallelism } from 'node:os'
import type { Integrity } from '../../link/verbs.ts'
import type { Commit, Read } from '../../protocol/reads.ts'
import { lazily } from '../../protocol/tools/lazily.ts'
import { fingerprintOf } from '../../protocol/wire/fingerprint.ts'
import type { Delivery } from '../delivery/worker.ts'
import type { Log } from '../process/log.ts'
import type { Store } from '../store/store.ts'
import { createInFlight } from '../turns/in_flight.ts'
import { networkOf } from '../turns/network_of.ts'
import { type Asker, createPlaces } from '../turns/places.ts'
import { createTurnstile } from '../turns/turnstile.ts'
import { createVerified } from '../turns/verified.ts'
import { type VaultClient, VaultUnavailable } from '../vault/client.ts'
import { type CarriedOut, createAttempts } from './attempts.ts'
import { claimsOf } from './claims.ts'
import { createDatabaseUse, StoreUnavailable } from './database_use.ts'
import { aboutOf, areOvertaken, contradictionIn, reportIncident } from './incident.ts'
import { knownOrganization } from './known_organization.ts'
import { prefetch } from './prefetch.ts'
import { type Answer, answerMsMax, type Request, smallBytesMax, type TimedRequest, unavailable } from './request.ts'
import { type WhenToRun, whenToRun } from './when_to_run.ts'

/** Decisions for one request while other commits come first, besides one decision from memory. */
const attemptsMax = 5
/**
 * Requests of one organization that take long and are worked on at a time. The rest of the cores is for the others: a
 * request goes through several processes, each of which would work on another one.
 */
export const longOfOneMax = Math.max(1, Math.floor(availableParallelism() / 2))
/**
 * A long request that takes longer leaves its place to the next. The vault cuts its work into steps, so those of others
 * go on beside it.
 */
export const longHeldMsMax = 250
/**
 * A smaller body takes the turns in the vault of the organization that it names. A larger one does if the database knows
 * that organization. All others together are long requests of one: else each would be read in a turn of its own.
 */
export const namedBytesMax = 4_096
/** Callers whose stamp the vault has never verified share this line of long requests, until it has. */
const strangers = ''
/** The most organizations in `changing`. */
const changingMax = 10_000

type Plan = WhenToRun & { readonly reads: () => readonly Read[]; readonly asker: Asker }

type SubmitParts = {
  store: Pick<Store, 'find' | 'activityBytes' | 'commit'>
  vault: Pick<VaultClient, 'answer' | 'confirm'>
  /** Absent where something else delivers the outbox. */
  delivery?: Pick<Delivery, 'wake'>
  /** Called when a request is refused because the database is behind the books of the vault, or on another branch. */
  onMismatch?: () => void
  log: Log
}

/**
 * Makes the function that answers requests. Bytes and stamps go to the vault, with prefetched reads unless the vault
 * may decide from memory. The store commits the decision. The vault puts it on its books. Only then is there an answer.
 */
export function createSubmit({ store, vault, delivery, onMismatch, log }: SubmitParts) {
  const database = createDatabaseUse(log)
  const inFlight = createInFlight<Answer>()
  const largeBodies = createTurnstile()
  const longRequests = createPlaces(longOfOneMax, { heldMsMax: longHeldMsMax })
  const changes = createPlaces(1)
  const verified = createVerified()
  /**
   * Organizations whose last signature changed records: a spending limit counted it, or votes are awaited. The next
   * signatures would conflict as changes do. Requests that may wait for an issuer count like signatures.
   */
  const changing = new Set<string>()
  const attempts = createAttempts({ store, vault, delivery, database, refuse })

  /** Equal requests in flight share one decision and its answer. */
  return async function submit(request: Request): Promise<Answer> {
    if (request.body.length > smallBytesMax) await largeBodies.turn(networkOf(request.sourceAddress))
    const fingerprint = fingerprintOf(request.body)
    return inFlight.share(request, fingerprint, () => submitOnce(request, fingerprint))
  }

  async function submitOnce(given: Request, fingerprint: string): Promise<Answer> {
    const claims = claimsOf(given)
    const when = whenToRun(claims)
    const { queue, credential } = when
    const reads = lazily(() => (claims === undefined ? [] : prefetch(claims, fingerprint)))
    const endsMs = performance.now() + answerMsMax
    const bytes = given.body.length
    const isNamed = bytes <= namedBytesMax
    const organizationId = isNamed ? queue : await knownOrganization(store, queue)
    const takesLong = when.takesLong || bytes > smallBytesMax || (!isNamed && organizationId === undefined)
    const longBytes = takesLong ? bytes : undefined
    const peer = networkOf(given.sourceAddress)
    const named = { organizationId: organizationId ?? strangers, credential, peer }
    const known = verified.of(named)
    const asker = { ...named, userId: known?.userId }
    const timed = { ...given, organizationId, credential, endsMs }
    let userId: string | undefined
    const run = (onVerified: TimedRequest['onVerified']) => {
      const learn: TimedRequest['onVerified'] = (id, step) => {
        userId = id
        return onVerified(id, step)
      }
      return answerTo({ ...timed, onVerified: learn }, { ...when, reads, asker })
    }
    const isVerified = known?.isRefused === false
    const answer = await inFlight.runFor({ ...asker, isVerified, longBytes }, () =>
      takesLong ? runLong(asker, run) : run(async (userId) => verified.learn(asker, userId)),
    )
    if (answer?.status === 401) verified.refuse(asker)
    const full = 'this organization or credential, or this address, has too many requests in flight'
    return {
      ...(answer ?? unavailable(full)),
      ...(organizationId === undefined ? {} : { organizationId }),
      ...(userId === undefined ? {} : { userId }),
    }
  }

  /** A stranger has a place among strangers until its stamp is verified, and then one of the organization. */
  function runLong(asker: Asker, run: (onVerified: TimedRequest['onVerified']) => Promise<Answer>): Promise<Answer> {
    const isStranger = asker.userId === undefined
    let hasMoved = !isStranger
    return longRequests.run(isStranger ? { ...asker, organizationId: strangers } : asker, (move) =>
      run(async (userId, { goesOn }) => {
        verified.learn(asker, userId)
        if (hasMoved || !goesOn) return
        hasMoved = true
        await move({ ...asker, userId })
      }),
    )
  }

  async function answerTo(request: TimedRequest, plan: Plan): Promise<Answer> {
    const { queue, waits } = plan
    try {
      const { answer, commit } = await untilCarriedOut(request, plan)
      if (!waits && queue !== undefined && commit !== undefined) learn(queue, commit)
      const activityId = commit?.activities[0]?.activityId
      return activityId === undefined ? answer : { ...answer, activityId }
    } catch (error) {
      return failureAnswer(error, request)
    }
  }

  /** Makes attempts until one is carried out, or until there were too many of them or an incident that nothing explains. */
  async function untilCarriedOut(
    request: TimedRequest,
    { reads, queue, waits, mayRecall, asker }: Plan,
  ): Promise<Pick<CarriedOut, 'answer' | 'commit'>> {
    const isChanging = () => queue !== undefined && changing.has(queue)
    const recalled = mayRecall && !isChanging() ? await attempts.fromMemory(request) : undefined
    if (recalled !== undefined) return recalled
    const incidents: Integrity[] = []
    const decide = async (trial: { readonly isTrial?: true }) => {
      const attempt = await attempts.fromDatabase({ ...request, ...trial }, reads())
      if (attempt.kind === 'integrity') incidents.push(attempt)
      return attempt
    }
    // Changes of one organization queue: two at once would conflict. Signatures do not, because most change no record. A
    // signature queues after it lost to a change (not from memory), so that changes cannot starve it.
    // Where something of another organization is counted, such as the mails of all its sub-organizations, those who count
    // have a queue of their own: the changes of that organization do not wait for them.
    let shared: string | undefined
    const queueAt = (attempt: number) => shared ?? (waits || attempt > 1 || isChanging() ? queue : undefined)
    let isAllowed = false
    for (let attempt = 1; attempt <= attemptsMax && contradictionIn(incidents) === undefined; attempt += 1) {
      // A request takes no place in the queue before a decision allowed it. Else a stranger could delay an organization's
      // changes for hours: by refused requests, or by any after an incident.
      const ahead = queueAt(attempt)
      if (!isAllowed && ahead !== undefined && changes.isFull(ahead)) {
        const tried = await decide({ isTrial: true })
        if (tried.kind === 'carriedOut') return tried
        if (tried.kind === 'moved' || tried.kind === 'integrity') continue
        isAllowed = true
      }
      const joined = queueAt(attempt) // The other signatures may have stopped changing records during a trial.
      const decided = await (joined === undefined
        ? decide({})
        : changes.run({ ...asker, organizationId: joined }, () => decide({})))
      if (decided.kind === 'carriedOut') return decided
      if (decided.kind === 'integrity') continue
      isAllowed = true
      if (decided.kind !== 'moved') continue
      const counted = decided.counted.find((organizationId) => organizationId !== queue)
      if (counted !== undefined) shared = `counts of ${counted}`
    }
    return { answer: undecided(incidents, request) }
  }

  /** The answer when no attempt was carried out. */
  function undecided(incidents: readonly Integrity[], request: TimedRequest): Answer {
    // A commit between two reads of one decision can look like an incident. The database is wrong if every attempt is.
    const isExplained = incidents.length < attemptsMax || areOvertaken(incidents)
    const found = contradictionIn(incidents) ?? (isExplained ? undefined : incidents[0])
    return found === undefined ? unavailable('too many changes at once') : refuse(found, request)
  }

  function refuse({ incident }: Pick<Integrity, 'incident'>, request: TimedRequest): Answer {
    onMismatch?.()
    return reportIncident({ name: 'IntegrityError', message: incident }, { log, ...aboutOf(request) })
  }

  function learn(queue: string, { heads, records }: Commit): void {
    if (heads.length === 0 && records.length === 0) changing.delete(queue)
    else if (changing.size < changingMax) changing.add(queue)
  }

  function failureAnswer(error: unknown, request: TimedRequest): Answer {
    if (error instanceof VaultUnavailable) return unavailable(error.message)
    if (error instanceof StoreUnavailable) {
      database.report(error, aboutOf(request))
      return unavailable(error.message)
    }
    return reportIncident(error, { log, ...aboutOf(request) })
  }
}
