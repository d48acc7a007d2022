import type { ConfirmAnswer } from '../../link/verbs.ts'
import { JournalUnavailable } from '../books/journal/journal.ts'
import { bookedHeadOf } from '../state/head.ts'
import { tagsOf } from '../state/held.ts'
import { keepHead, restoreRemedy } from '../state/organization.ts'
import type { VaultServices } from '../state/vault_services.ts'

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
    for (const { head, tag, sealedBytes } of decision.made) {
      const comparison = books.take(head.organizationId, bookedHeadOf(head, tag))
      // A head that is behind may have been taken up earlier, when the database showed it, and later heads above it.
      if (comparison !== 'fork' && (comparison !== 'behind' || books.isTaken(tag))) {
        if (comparison !== 'behind') keepHead(cache, { tag, head, sealedBytes })
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
