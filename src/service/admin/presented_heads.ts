import { type NamedHead, readOrganizationIds } from '../../link/heads.ts'
import type { Store } from '../store/store.ts'

/** Returns the presented head of each organization that the database has. */
export function presentedHeadsHandler({ store }: { readonly store: Pick<Store, 'find'> }) {
  return async (argument: unknown): Promise<readonly NamedHead[]> => {
    const { organizationIds } = readOrganizationIds(argument)
    const found = await store.find(organizationIds.map((organizationId) => ({ read: 'headTag', organizationId })))
    return organizationIds.flatMap((organizationId, index) => {
      const answer = found[index]
      return answer?.read === 'headTag' && answer.row !== undefined ? [{ organizationId, ...answer.row }] : []
    })
  }
}
