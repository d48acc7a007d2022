import type { VaultRequest } from '../../link/verbs.ts'
import { isAllowedSource } from '../../policy/ip_allowlist.ts'
import { Failure } from '../../protocol/wire/failures.ts'
import type { Organization } from '../state/organization.ts'
import type { VaultServices } from '../state/vault_services.ts'
import type { Caller } from './caller.ts'

type Asked = {
  readonly request: Pick<VaultRequest, 'sourceAddress'>
  readonly services: Pick<VaultServices, 'liftedAllowlists'>
  readonly nowMs: number
}

/**
 * Refuses a request from an address that is not on the IP allowlist of the target. If the caller's own organization is
 * another one, the address must be on that list too. Otherwise a stolen key of the parent could read all its
 * sub-organizations from anywhere. An organization without a list costs nothing: its head says so. A list that the
 * operator has lifted is not asked.
 */
export function requireAllowedSource(
  { request: { sourceAddress }, services: { liftedAllowlists }, nowMs }: Asked,
  { target, caller }: { readonly target: Organization; readonly caller: Caller },
): void {
  for (const organization of organizationsOf(target, caller)) {
    const { organizationId } = organization.head
    const organizationList = organization.listed('ip_allowlist', organizationId)
    if (organizationList?.enabled !== true) continue
    const isOwn = organizationId === caller.organization.head.organizationId
    const keyList = isOwn ? apiKeyOf(caller)?.ipAllowlist : undefined
    if (isAllowedSource({ organizationList, keyList, sourceAddress })) continue
    if (liftedAllowlists.isLifted(organizationId, nowMs)) continue
    throw new Failure(
      'SOURCE_FORBIDDEN',
      `${sourceAddress ?? 'an unknown address'} is not in the IP allowlist of organization ${organizationId}`,
    )
  }
}

/** If the parent's id stands for a sub-organization, the request is not for the parent. */
function organizationsOf(target: Organization, caller: Caller): readonly Organization[] {
  const { organizationId, parentId } = caller.organization.head
  return organizationId === target.head.organizationId || parentId === target.head.organizationId
    ? [caller.organization]
    : [target, caller.organization]
}

/** The API key that stamped the request. Undefined for a passkey and an attested stamp. */
export function apiKeyOf({ user, stamp }: Pick<Caller, 'user' | 'stamp'>) {
  return user.apiKeys.find(({ publicKey }) => publicKey === stamp.publicKey)
}
