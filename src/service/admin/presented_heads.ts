import { type NamedHead, readOrganizationIds } from '../../link/heads.ts'
import type { Store } from '../store/store.ts'

/** Which head the database shows of each of these organizations; those that it lacks are left out. */
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
