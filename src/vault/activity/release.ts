import { strict as assert } from 'node:assert'
import type { Activity } from '../../contract/records/activity.ts'
import type { Addition } from '../../deciding/rules/counts.ts'
import type { VaultAnswer } from '../../link/verbs.ts'
import type { Commit } from '../../protocol/reads.ts'
import { Failure } from '../../protocol/wire/failures.ts'
import type { DecisionBooks } from '../books/decision_books.ts'
import type { Reading } from '../caller/request_context.ts'
import type { MadeHead } from '../state/draft/changes.ts'
import { MovedError } from '../state/evidence.ts'
import type { VaultServices } from '../state/vault_services.ts'
import { factsOf } from './logged_facts.ts'

/** A decision before any of it leaves the vault. */
export type Decided = Extract<VaultAnswer, { kind: 'answer' | 'allowed' }> | DecidedCommit

export type DecidedCommit = {
  readonly kind: 'commit'
  readonly status: number
  readonly body: Uint8Array
  readonly commit: Commit
  readonly made: readonly MadeHead[]
  readonly additions: readonly Addition[]
  /** The written activity. Undefined for a written refusal. */
  readonly activity: Activity | undefined
  /** The change key of the written activity version. Undefined for a written refusal, which has no activity. */
  readonly changeKey: string | undefined
}

/** The parts of a request context that `release` needs. */
type Releasing = Pick<Reading, 'evidence' | 'decisionCounts' | 'nowMs'> & {
  readonly services: Pick<VaultServices, 'books' | 'heldDecisions'>
}

/**
 * Lets a decision leave the vault, if nothing that it rests on has moved on the books. Its counts are on the books and
 * on disk then. Throws `MovedError` when the decision has to be made again.
 */
export async function release(context: Releasing, decided: DecidedCommit): Promise<VaultAnswer> {
  const { services, evidence, decisionCounts } = context
  const { books, heldDecisions } = services
  const { status, body, commit, made, additions, activity, changeKey } = decided
  // A decision is entered in the journal before it leaves.
  requireWritable(books)
  // `confirm.ts` goes on with a held decision once the service says that its commit is on disk.
  const decisionId = made.length === 0 ? undefined : heldDecisions.hold({ status, body, made })
  try {
    const released = await books.release({
      heads: commit.readSet.filter((entry) => entry.of === 'head'),
      seen: decisionCounts.seen,
      counts: decisionCounts.entriesOf(additions),
      ...factsOf({ commit, made, activity, changeKey }, context.nowMs),
      shown: evidence.organizationIds(),
    })
    if (released === undefined) {
      throw new MovedError('a head or a count has moved', [...new Set(additions.map((each) => each.organizationId))])
    }
    // The change key of a held decision goes on the books with its heads. The service names any other decision once its
    // commit is on disk.
    if (decisionId !== undefined) return { kind: 'commit', commit, outcome: { of: 'held', decisionId } }
    assert(commit.heads.length === 0, 'a decision that makes heads is held')
    const { index } = released
    const isWritten = changeKey !== undefined && index !== undefined
    const written = isWritten ? { changeKey, index, isChange: commit.records.length > 0 } : undefined
    return { kind: 'commit', commit, outcome: { of: 'answer', status, body, written } }
  } catch (error) {
    if (decisionId !== undefined) heldDecisions.take(decisionId)
    throw error
  }
}

/** Syncs the heads that an answer rests on or tells of, unless they are synced. For an answer that writes nothing. */
export async function syncShownHeads({
  services: { books },
  evidence,
}: Pick<Releasing, 'services' | 'evidence'>): Promise<void> {
  if (!evidence.organizationIds().every(books.isSynced)) await books.sync()
}

/** Throws UNAVAILABLE when nothing can be written on the books. */
export function requireWritable(books: Pick<DecisionBooks, 'refusal'>): void {
  const reason = books.refusal()
  if (reason !== undefined) throw journalUnavailable()
}

/** The failure that the caller sees. It does not say why; the vault's log and `/readyz` do. */
export function journalUnavailable(cause?: Error): Failure {
  const reason = 'the journal of the vault takes nothing now, and `/readyz` says why'
  return new Failure('UNAVAILABLE', { reason, ...(cause === undefined ? {} : { cause }) })
}
