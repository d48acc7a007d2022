import { availableParallelism } from 'node:os'
import type { Integrity } from '../../link/verbs.ts'
import type { Commit, Read } from '../../protocol/reads.ts'
import { lazily } from '../../protocol/tools/lazily.ts'
import { fingerprintOf } from '../../protocol/wire/fingerprint.ts'
import type { Delivery } from '../delivery/worker.ts'
import type { Log } from '../log.ts'
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
import { type Answer, answerMsMax, type Request, smallBytesMax, type Timed, unavailable } from './request.ts'
import { type WhenToRun, whenToRun } from './when_to_run.ts'

/** Decisions for one request while other commits come first, besides one decision from memory. */
const attemptsMax = 5
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
/** All callers whose stamp the vault has never verified share this line of long requests. */
const strangers = ''
/** The most organizations in `changing`. */
const changingMax = 10_000

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
    const { queue: named, credential } = when
    const reads = lazily(() => (claims === undefined ? [] : prefetch(claims, fingerprint)))
    const endsMs = performance.now() + answerMsMax
    const bytes = given.body.length
    const isNamed = bytes <= namedBytesMax
    const organizationId = isNamed ? named : await knownOrganization(store, named)
    const takesLong = when.takesLong || bytes > smallBytesMax || (!isNamed && organizationId === undefined)
    const longBytes = takesLong ? bytes : undefined
    const peer = networkOf(given.sourceAddress)
    const asker = { organizationId: organizationId ?? strangers, credential, peer }
    const isVerified = verified.has(asker)
    const longPlace = isVerified ? asker : { ...asker, organizationId: strangers }
    const submitted = () => submitCounted({ ...given, organizationId, credential, endsMs }, { ...when, reads, asker })
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
    {
      reads,
      queue,
      waits,
      mayRecall,
      asker,
    }: WhenToRun & { readonly reads: () => readonly Read[]; readonly asker: Asker },
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
      const recalled = mayRecall && !isChanging() ? await attempts.fromMemory(request) : undefined
      if (recalled !== undefined) return finish(recalled)
      for (let attempt = 1; attempt <= attemptsMax; ) {
        // Changes of one organization queue: two at once would conflict. Signatures do not, because most change no
        // record. A signature queues after it lost to a change (not from memory), so that changes cannot starve it.
        const line = waits || attempt > 1 || isChanging() ? queue : undefined
        // A request takes no place in the queue before it would be committed. Else a stranger could delay an
        // organization's changes for hours: by refused requests, or by any after an incident.
        const isTrial = !isAllowed && line !== undefined && changes.isFull(line)
        const incidentsBefore = incidents.length
        const decideNow = () =>
          attempts.fromDatabase({ ...request, ...(isTrial ? { isTrial } : {}) }, reads(), incidents)
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
    const isExplained = incidents.length < attemptsMax || areOvertaken(incidents)
    return found === undefined || isExplained ? unavailable('too many changes at once') : refuse(found, request)
  }

  function refuse({ incident }: Pick<Integrity, 'incident'>, request: Timed): Answer {
    onMismatch?.()
    return reportIncident({ name: 'IntegrityError', message: incident }, { log, ...aboutOf(request) })
  }

  function learn(queue: string, { heads, records }: Commit): void {
    if (heads.length === 0 && records.length === 0) changing.delete(queue)
    else if (changing.size < changingMax) changing.add(queue)
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
