import type { ConfirmAnswer } from '../../link/verbs.ts'
import type { DecisionBooks } from '../books/decision_books.ts'
import { JournalUnavailable } from '../books/journal/journal.ts'
import type { MadeHead } from '../state/draft/changes.ts'
import { bookedHeadOf } from '../state/head.ts'
import { keepHead, restoreRemedy } from '../state/open_head.ts'
import type { VaultServices } from '../state/vault_services.ts'

/**
 * Puts the heads of a held decision on the books, syncs them and returns the answer. The service calls this once the
 * commit is on disk. Several decisions may rest on one head. The first one that is confirmed, or that the database
 * shows, is taken up, and the others are forks.
 */
export async function confirm(
  { books, heldDecisions, cache }: Pick<VaultServices, 'books' | 'heldDecisions' | 'cache'>,
  decisionId: string,
): Promise<ConfirmAnswer> {
  const decision = heldDecisions.take(decisionId)
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
