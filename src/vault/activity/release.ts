import { strict as assert } from 'node:assert'
import type { ConfirmAnswer, VaultAnswer, VaultRequest } from '../../link/verbs.ts'
import type { Commit } from '../../protocol/reads.ts'
import { Failure } from '../../protocol/wire/failures.ts'
import type { Books } from '../books/books.ts'
import { JournalUnavailable } from '../books/journal/journal.ts'
import type { RequestContext } from '../caller/request_context.ts'
import type { MadeHead } from '../state/changes.ts'
import type { Addition } from '../state/decision_counts.ts'
import { MovedError } from '../state/evidence.ts'
import { bookedHeadOf } from '../state/head.ts'
import { tagsOf } from '../state/held.ts'
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
type Releasing = Pick<RequestContext, 'evidence' | 'decisionCounts'> & {
  readonly services: Pick<VaultServices, 'books' | 'held'>
  readonly request: Pick<VaultRequest, 'isTrial'>
}

/**
 * Lets a decision leave the vault. In one turn of the event loop, it checks that nothing the decision rests on has
 * moved on the books, and puts the decision's counts on the books. Then it syncs the books. Throws `MovedError` when
 * the decision has to be made again.
 */
export async function release(context: Releasing, decided: DecidedCommit): Promise<VaultAnswer> {
  const { services, evidence, decisionCounts, request } = context
  const { books, held } = services
  const { status, body, commit, made, additions, changeKey } = decided
  if (request.isTrial === true) return { kind: 'allowed' }
  requireNewest(books, commit.readSet)
  decisionCounts.requireUnmoved()
  if (made.length > 0 || additions.length > 0) requireWritable(books)
  books.count(decisionCounts.entriesOf(additions))
  const decisionId = made.length === 0 ? undefined : held.hold({ status, body, made })
  if (additions.length > 0 || !restsOnSynced(evidence, books)) {
    await books.sync().catch((error: unknown) => {
      if (decisionId !== undefined) books.dismiss(tagsOf(held.take(decisionId)))
      throw error
    })
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
  const tags = tagsOf(decision)
  try {
    for (const { head, tag, sealedBytes, forgets } of decision.made) {
      const comparison = books.take(head.organizationId, bookedHeadOf(head, tag))
      // A head that is behind may have been taken up earlier, when the database showed it, and later heads above it.
      if (comparison !== 'fork' && (comparison !== 'behind' || books.isTaken(tag))) {
        if (comparison !== 'behind') keepHead(cache, { tag, head, sealedBytes })
        books.forgetCounts(forgets)
        continue
      }
      const { organizationId, version } = head
      const incident = `organization ${organizationId} (journal ${books.journalId()}): head version ${version} was committed, but another one was acknowledged in its place: ${restoreRemedy}`
      return { kind: 'integrity', incident, found: 'fork' }
    }
    await books.sync()
    return { kind: 'answer', status: decision.status, body: decision.body }
  } catch (error) {
    if (error instanceof JournalUnavailable) return { kind: 'unavailable' }
    throw error
  } finally {
    books.dismiss(tags)
  }
}

/** Resolves once the heads that an answer rests on are synced. For an answer that writes nothing. */
export async function releaseShown({
  services: { books },
  evidence,
}: Pick<Releasing, 'services' | 'evidence'>): Promise<void> {
  if (!restsOnSynced(evidence, books)) await books.sync()
}

function restsOnSynced(evidence: RequestContext['evidence'], books: Books): boolean {
  return evidence.organizationIds().every(books.isSynced)
}

/** Throws UNAVAILABLE when nothing can be written on the books. */
export function requireWritable(books: Pick<Books, 'unavailable'>): void {
  const reason = books.unavailable()
  if (reason !== undefined) throw journalUnavailable()
}

function requireNewest(books: Books, readSet: Commit['readSet']): void {
  for (const { organizationId, tag } of readSet.filter((entry) => entry.of === 'head')) {
    if (books.newest(organizationId)?.tag !== tag) throw new MovedError(`the head of ${organizationId} has moved`)
  }
}

/** The failure that the caller sees. It does not say why; the vault's log and `/readyz` do. */
export function journalUnavailable(cause?: Error): Failure {
  const reason = 'the journal of the vault cannot be written'
  return new Failure('UNAVAILABLE', { reason, ...(cause === undefined ? {} : { cause }) })
}
