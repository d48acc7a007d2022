import { belowNext, type HeadName, makersMax, noId } from '../books/booked_head.ts'
import type { Lineage } from './head.ts'
import type { VaultServices } from './vault_services.ts'

type LineageSources = { readonly books: Pick<VaultServices['books'], 'newest' | 'journalId'> }

/** The lineage of the heads that this vault makes by one change. Most decisions make none, and their key is not asked for. */
export function lineages({ books }: LineageSources, changeKey = () => noId): (organizationId: string) => Lineage {
  return (organizationId) => {
    const newest = books.newest(organizationId)
    const below = newest === undefined ? new Map<string, HeadName>() : belowNext(newest)
    // Before anything is committed: the books could not take such a head up.
    if (below.size > makersMax) {
      throw new Error(
        `organization ${organizationId}: ${below.size} journals have made its heads, and no more are kept`,
      )
    }
    return { maker: books.journalId(), changeKey: changeKey(), below }
  }
}
