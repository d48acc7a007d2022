import { belowNext, type HeadName, makersMax, noId } from '../books/booked_head.ts'
import type { Lineage } from './head.ts'
import type { VaultServices } from './vault_services.ts'

type LineageSources = { readonly books: Pick<VaultServices['books'], 'newest' | 'journalId'> }

/**
 * Returns the lineage of a head that this vault makes. `changeKey` is called only if a decision makes a head: most do
 * not.
 */
export function lineages({ books }: LineageSources, changeKey = () => noId): (organizationId: string) => Lineage {
  return (organizationId) => {
    const newest = books.newest(organizationId)
    const below = newest === undefined ? new Map<string, HeadName>() : belowNext(newest)
    // The check comes before the commit: the books could not take such a head up.
    if (below.size > makersMax) {
      throw new Error(
        `organization ${organizationId}: ${below.size} journals have made its heads, and no more are kept`,
      )
    }
    return { maker: books.journalId(), changeKey: changeKey(), below }
  }
}
