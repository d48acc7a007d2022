import type { CommitOutcome, Integrity, VaultAnswer, VaultRequest } from '../../link/verbs.ts'
import type { Commit, Read } from '../../protocol/reads.ts'
import type { Delivery } from '../delivery/worker.ts'
import type { Store } from '../store/store.ts'
import { networkOf } from '../turns/network_of.ts'
import { createPlaces } from '../turns/places.ts'
import { type VaultClient, VaultUnavailable } from '../vault/client.ts'
import type { DatabaseUse } from './database_use.ts'
import { createEvidence, type Evidence } from './evidence.ts'
import { type Answer, answerMsMax, smallBytesMax, type TimedRequest, unavailable } from './request.ts'

type Question = TimedRequest & Pick<VaultRequest, 'isTrial' | 'mayRecall'>
type CommitAnswer = Extract<VaultAnswer, { kind: 'commit' }>

/** `commit` is absent when nothing had to be written. */
export type CarriedOut = { readonly kind: 'carriedOut'; readonly answer: Answer; readonly commit?: Commit }

/** After each of these but the first the request is decided again. */
export type Attempt =
  | CarriedOut
  /** Another commit came first: what was decided is not written. */
  | { readonly kind: 'conflict' }
  /** A refusal that rests on an activity that another commit has changed since. */
  | { readonly kind: 'overtaken' }
  /** A trial of a request that would be committed. */
  | { readonly kind: 'allowed' }
  /** Something has moved on the books. `counted`: on whose counts the decision counts something. */
  | { readonly kind: 'moved'; readonly counted: readonly string[] }
  | Integrity

export type Attempts = {
  /**
   * Undefined when the vault decides anything but a commit, or the commit conflicts: the request is then decided from
   * the database. The vault's memory may be out of date, and it has no activity to answer a repeated request with.
   */
  fromMemory(request: TimedRequest): Promise<CarriedOut | undefined>
  fromDatabase(request: TimedRequest & Pick<VaultRequest, 'isTrial'>, prefetched: readonly Read[]): Promise<Attempt>
}

/** Calls of the vault for one decision. Each answer `moreReads` costs one more call. */
const roundsMax = 12
/**
 * Lookups for the vault at a time, of all organizations together: each may find 24 MB, which is dropped only then if the
 * request has to wait.
 */
export const lookUpsMax = 16
const everybody = 'everybody'

type AttemptParts = {
  readonly store: Pick<Store, 'find' | 'activityBytes' | 'commit'>
  readonly vault: Pick<VaultClient, 'answer' | 'confirm'>
  readonly delivery?: Pick<Delivery, 'wake'> | undefined
  readonly database: DatabaseUse
  readonly refuse: (found: Integrity, request: TimedRequest) => Answer
}

/**
 * Creates the attempts to decide a request. In each, the vault decides on the records of the store, the store commits
 * the decision, and the vault puts it on its books. Only then is there an answer.
 */
export function createAttempts({ store, vault, delivery, database, refuse }: AttemptParts): Attempts {
  const lookUps = createPlaces(lookUpsMax)
  let outcomes: CommitOutcome[] = []

  return {
    async fromMemory(request) {
      const decided = await ask({ ...request, mayRecall: true }, createEvidence(store, database))
      await tellUser(request, decided)
      if (decided.kind !== 'commit') return undefined
      const attempt = await carryOut(decided, request)
      return attempt.kind === 'carriedOut' ? attempt : undefined
    },

    async fromDatabase(request, prefetched) {
      const { decided, evidence } = await askInRounds(request, prefetched)
      if (decided.kind === 'answer') {
        const isOvertaken = decided.status >= 400 && (await evidence.isOvertaken())
        return isOvertaken ? { kind: 'overtaken' } : { kind: 'carriedOut', answer: decided }
      }
      return decided.kind === 'commit' ? carryOut(decided, request) : decided
    },
  }

  /** Asks the vault, with more reads each time, until it asks for no more. */
  async function askInRounds(
    request: Question,
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
      await tellUser(request, decided)
      if (decided.kind !== 'moreReads') return { decided, evidence }
      reads = decided.reads
    }
    throw new Error(`${request.path}: the vault still asked for more after ${roundsMax} rounds`)
  }

  async function tellUser({ onVerified }: Question, { kind, userId }: VaultAnswer): Promise<void> {
    if (userId !== undefined) await onVerified(userId, { goesOn: kind === 'moreReads' })
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
    { endsMs: _, onVerified: __, ...request }: Question,
    { evidence, told, waitMsMax }: { evidence: Evidence; told: readonly CommitOutcome[]; waitMsMax: number },
  ): Promise<VaultAnswer> {
    return vault.answer({ ...request, presented: evidence.found(), waitMsMax, outcomes: told }, evidence)
  }

  async function carryOut({ commit, outcome: then }: CommitAnswer, request: TimedRequest): Promise<Attempt> {
    if ((await database.write(store.commit(commit))) === 'conflict') {
      if (then.of === 'held') outcomes.push({ of: 'lost', decisionId: then.decisionId })
      return { kind: 'conflict' }
    }
    if (commit.outbox.length > 0) delivery?.wake(commit.outbox)
    if (then.of === 'held') {
      return { kind: 'carriedOut', answer: await confirmed(then.decisionId, commit, request), commit }
    }
    const { status, body, written } = then
    if (written !== undefined) outcomes.push({ of: 'written', ...written })
    return { kind: 'carriedOut', answer: { status, body }, commit }
  }

  /** The change is in the database whatever the vault answers. The same request, sent again, tells if it is in force. */
  async function confirmed(decisionId: string, { activities }: Commit, request: TimedRequest): Promise<Answer> {
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
}
