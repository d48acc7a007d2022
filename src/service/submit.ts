import type { CommitOutcome, Integrity, Presented, VaultAnswer, VaultRequest } from '../link/verbs.ts'
import type { Commit, Read } from '../protocol/reads.ts'
import { errorAnswer, Failure } from '../protocol/wire/failures.ts'
import { fingerprintOf } from '../protocol/wire/fingerprint.ts'
import { jsonBytes } from '../protocol/wire/json.ts'
import type { Delivery } from './delivery/delivery.ts'
import { reportIncident } from './incident.ts'
import type { Log } from './log.ts'
import { prefetch } from './prefetch.ts'
import { createQueues } from './queues.ts'
import type { Store } from './store/store.ts'
import { type VaultClient, VaultUnavailable } from './vault/client.ts'

export type Request = Pick<VaultRequest, 'path' | 'body' | 'stamps' | 'dialect' | 'sourceAddress'>
export type Answer = { readonly status: number; readonly body: Uint8Array; readonly retryAfterSeconds?: number }

type CommitAnswer = Extract<VaultAnswer, { kind: 'commit' }>
/** Without a commit: nothing was to be written. */
type CarriedOut = { readonly answer: Answer; readonly commit?: Commit }

/** How often a decision is made, as long as others are committed first; once more where one was made from memory. */
const attemptsMax = 5
/** How often the vault is asked in one decision: it asks for what it lacks. */
const roundsMax = 12
/** How many organizations are remembered whose signatures change something. */
const changingMax = 10_000

/**
 * The way of a request: bytes and stamp go to the vault, with what it is going to read unless it may remember that; the
 * vault decides; what it decided is committed; the vault puts it on its books; then, and only then, there is an answer.
 */
export function createSubmit({
  store,
  vault,
  delivery,
  onMismatch,
  log,
}: {
  store: Pick<Store, 'find' | 'commit'>
  vault: Pick<VaultClient, 'answer' | 'confirm'>
  /** Left out: somebody else looks at the outbox. */
  delivery?: Pick<Delivery, 'wake'>
  /** Called when a request is refused because the database is behind the books of the vault, or on another branch. */
  onMismatch?: () => void
  log: Log
}) {
  const queues = createQueues()
  const inFlight = new Map<string, Promise<Answer>>()
  /**
   * Organizations in which the last commit of those that do not wait from the start changed records: by a spending limit,
   * which counts every signature, or because votes are awaited. The next ones would conflict as changes do.
   */
  const changing = new Set<string>()
  let outcomes: CommitOutcome[] = []

  /** Equal requests in flight share one decision: a client that retries does not do its work twice. */
  return function submit(request: Request): Promise<Answer> {
    const key = keyOf(request)
    const running = inFlight.get(key)
    if (running !== undefined) return running
    const answer = submitOnce(request).finally(() => inFlight.delete(key))
    inFlight.set(key, answer)
    return answer
  }

  async function submitOnce(request: Request): Promise<Answer> {
    const { reads, queue, waits, mayRecall } = prefetch(request)
    const isChanging = () => queue !== undefined && changing.has(queue)
    const finish = ({ answer, commit }: CarriedOut): Answer => {
      if (!waits && queue !== undefined && commit !== undefined) learn(queue, commit)
      return answer
    }
    const incidents: Integrity[] = []
    try {
      const recalled = mayRecall && !isChanging() ? await attemptFromMemory(request) : undefined
      if (recalled !== undefined) return finish(recalled)
      for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
        // Two changes of one organization would only conflict: they wait for one another. Signatures change no record
        // and do not, unless the last one did, or they have lost to a change here, not just from memory: then they take
        // their turn, so that changes cannot starve them.
        const isQueued = waits || attempt > 1 || isChanging()
        if (attempt === 1 && isQueued && queue !== undefined && queues.isBusy(queue)) {
          // What would be refused takes no place: a stranger could let an organization's own changes wait for hours.
          const early = await decide({ ...request, isTrial: true }, reads())
          if (early.kind === 'answer') return early
        }
        const attempted = await queues.run(isQueued ? queue : undefined, () => attemptOnce(request, reads(), incidents))
        if (attempted !== undefined) return finish(attempted)
        const contradiction = contradictionIn(incidents)
        if (contradiction !== undefined) return refuse(contradiction)
      }
    } catch (error) {
      return failureAnswer(error)
    }
    // Two looks of one decision may straddle another commit; what is wrong each time is wrong in the database.
    const [found] = incidents
    if (found === undefined || incidents.length < attemptsMax) return unavailable('too many changes at once')
    return refuse(found)
  }

  function refuse({ incident }: Integrity): Answer {
    onMismatch?.()
    return reportIncident({ name: 'IntegrityError', message: incident }, log)
  }

  function learn(queue: string, { heads, records }: Commit): void {
    if (heads.length === 0 && records.length === 0) changing.delete(queue)
    else if (changing.size < changingMax) changing.add(queue)
  }

  /**
   * Undefined: the vault lacks something, refuses or finds a contradiction, which may be out of date (it remembers the
   * request that is sent again, and its memory has no activity), or the database has moved on. Then what the decision
   * rests on is looked up, as for any other request.
   */
  async function attemptFromMemory(request: Request): Promise<CarriedOut | undefined> {
    const decided = await ask({ ...request, presented: [], mayRecall: true })
    return decided.kind === 'commit' ? carryOut(decided) : undefined
  }

  /** Undefined: something else was committed in between, or seems to have been; decide again. */
  async function attemptOnce(
    request: Request,
    prefetched: readonly Read[],
    incidents: Integrity[],
  ): Promise<CarriedOut | undefined> {
    const decided = await decide(request, prefetched)
    if (decided.kind === 'answer') return { answer: decided }
    if (decided.kind === 'commit') return carryOut(decided)
    if (decided.kind === 'integrity') incidents.push(decided)
    return undefined
  }

  /** Undefined: what the decision rests on is not what the database has. */
  async function carryOut({ commit, outcome }: CommitAnswer): Promise<CarriedOut | undefined> {
    if ((await available(store.commit(commit))) === 'conflict') {
      if (outcome.of === 'held') outcomes.push({ of: 'lost', decisionId: outcome.decisionId })
      return undefined
    }
    if (commit.outbox.length > 0) delivery?.wake()
    if (outcome.of === 'held') return { answer: await confirmed(outcome.decisionId), commit }
    const { status, body, changeKey } = outcome
    if (changeKey !== undefined) outcomes.push({ of: 'written', changeKey })
    return { answer: { status, body }, commit }
  }

  /** Whatever comes of this, the change is in the database: a client that asks again learns whether it is in force. */
  async function confirmed(decisionId: string): Promise<Answer> {
    const answer = await vault.confirm({ decisionId })
    switch (answer.kind) {
      case 'answer':
        return answer
      case 'integrity':
        return refuse(answer)
      case 'unavailable':
        return unavailable('the journal of the vault cannot be written; send the same request again')
      case 'unknown':
        return unavailable('the vault was started again; send the same request again')
    }
  }

  async function decide(
    request: Request & Pick<VaultRequest, 'isTrial'>,
    prefetched: readonly Read[],
  ): Promise<Exclude<VaultAnswer, { kind: 'moreReads' }>> {
    let presented = await lookUp(prefetched)
    for (let round = 1; round <= roundsMax; round += 1) {
      const answer = await ask({ ...request, presented })
      if (answer.kind !== 'moreReads') return answer
      presented = [...presented, ...(await lookUp(answer.reads))]
    }
    throw new Error(`${request.path}: the vault still asked for more after ${roundsMax} rounds`)
  }

  async function ask(request: Omit<VaultRequest, 'outcomes'>): Promise<VaultAnswer> {
    const told = outcomes
    outcomes = []
    try {
      return await vault.answer({ ...request, outcomes: told })
    } catch (error) {
      outcomes = [...told, ...outcomes]
      throw error
    }
  }

  async function lookUp(reads: readonly Read[]): Promise<readonly Presented[]> {
    const found = await available(store.find(reads))
    const presented = reads.map((read, index) => presentedOf(read, found[index]))
    const followed = presented.flatMap(recordsBehind)
    return followed.length === 0 ? presented : [...presented, ...(await lookUp(followed))]
  }

  function failureAnswer(error: unknown): Answer {
    if (error instanceof VaultUnavailable) return unavailable(error.message)
    if (error instanceof StoreUnavailable) {
      log.error({ error: error.cause }, 'the database cannot be used')
      return unavailable('the database cannot be used')
    }
    return reportIncident(error, log)
  }
}

/**
 * The incident that no other commit explains: a fork, or a head that is older than the one that was on the books before
 * this look at the database began.
 */
function contradictionIn(incidents: readonly Integrity[]): Integrity | undefined {
  const last = incidents.at(-1)
  if (last?.found === 'fork') return last
  const before = incidents.at(-2)
  const isStillBehind =
    last?.found === 'behind' && before?.found === 'behind' && last.shownVersion < before.newestVersion
  return isStillBehind ? last : undefined
}

/** Disk full, database away: the request may be sent again later. */
class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable'
}

async function available<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked
  } catch (cause) {
    throw new StoreUnavailable('the database cannot be used', { cause })
  }
}

/** An address leads to the account that signs: the vault is going to ask for it, so it goes along. */
function recordsBehind({ read, found }: Presented): readonly Read[] {
  if (read.read !== 'lookup' || found.read !== 'lookup' || read.lookup !== 'address') return []
  return found.rows.map(({ organizationId, kind, recordId }) => ({ read: 'record', organizationId, kind, recordId }))
}

function presentedOf(read: Read, found: Presented['found'] | undefined): Presented {
  if (found === undefined) throw new Error('the store answers every read')
  return { read, found }
}

/** With the body's fingerprint, so that a body waits once in memory. The JSON holds no line end, so none can be forged. */
function keyOf({ path, body, stamps, dialect, sourceAddress = '' }: Request): string {
  const head = JSON.stringify([dialect, path, sourceAddress, stamps.map(({ header, value }) => [header, value])])
  return `${head}\n${fingerprintOf(body)}`
}

function unavailable(reason: string): Answer {
  const failure = new Failure('UNAVAILABLE', { reason })
  return { status: failure.httpStatus, body: jsonBytes(errorAnswer(failure)), retryAfterSeconds: 1 }
}
