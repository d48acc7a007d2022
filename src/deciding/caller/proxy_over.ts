import type { AuthProxy } from '../../contract/records/records.ts'
import type { SeenOrganization } from '../organization/seen_organization.ts'

/**
 * The auth proxy by which users of the organization log in: its own, or that of its parent. Undefined if there is none.
 * It may be disabled (`isEnabled`).
 */
export function proxyOver(organization: SeenOrganization): AuthProxy | undefined {
  const { parentId, organizationId } = organization.head
  const owner = parentId === undefined ? organization : organization.parent()
  return owner?.listed('auth_proxy', parentId ?? organizationId)
}
