import { strict as assert } from 'node:assert'
import type { ConfirmAnswer, VaultAnswer, VaultRequest } from '../../link/verbs.ts'
import type { Commit } from '../../protocol/reads.ts'
import { Failure } from '../../protocol/wire/failures.ts'
import type { DecisionBooks } from '../books/decision_books.ts'
import { JournalUnavailable } from '../books/journal/journal.ts'
import type { Reading } from '../caller/request_context.ts'
import type { MadeHead } from '../state/changes.ts'
import type { Addition } from '../state/decision_counts.ts'
import { MovedError } from '../state/evidence.ts'
import { bookedHeadOf } from '../state/head.ts'
import { keepHead, restoreRemedy } from '../state/organization.ts'
import type { VaultServices } from '../state/vault_services.ts'

/** A decision before any of it leaves the vault. */
export type Decided = Extract<VaultAnswer, { kind: 'answer' | 'allowed' }> | DecidedCommit

export type DecidedCommit = {
  readonly kind: 'commit'
  readonly status: number
  readonly body: Uint8Array
  readonly commit: Commit
  readonly made: readonly MadeHead[]
  readonly additions: readonly Addition[]
  /** The change key of the written activity version. Undefined for a written refusal, which has no activity. */
  readonly changeKey: string | undefined
}

/** The parts of a request context that `release` needs. */
type Releasing = Pick<Reading, 'evidence' | 'decisionCounts'> & {
  readonly services: Pick<VaultServices, 'books' | 'held'>
  readonly request: Pick<VaultRequest, 'isTrial'>
}

/**
 * Lets a decision leave the vault, if nothing that it rests on has moved on the books. Its counts are on the books and
 * on disk then. Throws `MovedError` when the decision has to be made again.
 */
export async function release(context: Releasing, decided: DecidedCommit): Promise<VaultAnswer> {
  const { services, evidence, decisionCounts, request } = context
  const { books, held } = services
  const { status, body, commit, made, additions, changeKey } = decided
  if (request.isTrial === true) return { kind: 'allowed' }
  if (made.length > 0 || additions.length > 0) requireWritable(books)
  const decisionId = made.length === 0 ? undefined : held.hold({ status, body, made })
  try {
    const isUnmoved = await books.release({
      heads: commit.readSet.filter((entry) => entry.of === 'head'),
      seen: decisionCounts.seen,
      counts: decisionCounts.entriesOf(additions),
      made: made.map(({ tag }) => tag),
      shown: evidence.organizationIds(),
    })
    if (!isUnmoved) throw new MovedError('a head or a count has moved')
  } catch (error) {
    if (decisionId !== undefined) held.take(decisionId)
    throw error
  }
  // The change key of a held decision goes on the books with its heads. The service names the change key of any other
  // decision once its commit is on disk.
  if (decisionId !== undefined) return { kind: 'commit', commit, outcome: { of: 'held', decisionId } }
  assert(commit.heads.length === 0, 'a decision that makes heads is held')
  return { kind: 'commit', commit, outcome: { of: 'answer', status, body, changeKey } }
}

/**
 * Puts the heads of a held decision on the books, syncs them and returns the answer. The service calls this once the
 * commit is on disk. Several decisions may rest on one head. The first one that is confirmed, or that the database
 * shows, is taken up, and the others are forks.
 */
export async function confirm(
  { books, held, cache }: Pick<VaultServices, 'books' | 'held' | 'cache'>,
  decisionId: string,
): Promise<ConfirmAnswer> {
  const decision = held.take(decisionId)
  if (decision === undefined) return { kind: 'unknown' }
  const { made, status, body } = decision
  try {
    const comparisons = await books.settle(
      made.map(({ head, tag, forgets }) => ({
        organizationId: head.organizationId,
        head: bookedHeadOf(head, tag),
        forgets,
      })),
    )
    for (const [index, { head, tag, sealedBytes }] of made.entries()) {
      const comparison = comparisons[index]
      const keptVersion = cache.heads.get(head.organizationId)?.head.version ?? 0
      if (comparison === 'fork') return { kind: 'integrity', incident: forkText(books, head), found: 'fork' }
      if (keptVersion < head.version) keepHead(cache, { tag, head, sealedBytes })
    }
    return { kind: 'answer', status, body }
  } catch (error) {
    if (error instanceof JournalUnavailable) return { kind: 'unavailable' }
    throw error
  }
}

function forkText(books: Pick<DecisionBooks, 'journalId'>, { organizationId, version }: MadeHead['head']): string {
  return `organization ${organizationId} (journal ${books.journalId()}): head version ${version} was committed, but another one was acknowledged in its place: ${restoreRemedy}`
}

/** Resolves once the heads that an answer rests on are synced. For an answer that writes nothing. */
export async function releaseShown({
  services: { books },
  evidence,
}: Pick<Releasing, 'services' | 'evidence'>): Promise<void> {
  if (!evidence.organizationIds().every(books.isSynced)) await books.sync()
}

/** Throws UNAVAILABLE when nothing can be written on the books. */
export function requireWritable(books: Pick<DecisionBooks, 'unavailable'>): void {
  const reason = books.unavailable()
  if (reason !== undefined) throw journalUnavailable()
}

/** The failure that the caller sees. It does not say why; the vault's log and `/readyz` do. */
export function journalUnavailable(cause?: Error): Failure {
  const reason = 'the journal of the vault cannot be written'
  return new Failure('UNAVAILABLE', { reason, ...(cause === undefined ? {} : { cause }) })
}
