import { apiKeyOf } from '../../deciding/caller/credential_stamps.ts'
import type { VaultRequest } from '../../link/verbs.ts'
import { type IpAllowlist, isAllowedSource } from '../../policy/ip_allowlist.ts'
import { Failure } from '../../protocol/wire/failures.ts'
import type { Organization } from '../state/organization.ts'
import type { VaultServices } from '../state/vault_services.ts'
import type { Caller } from './caller.ts'

type Source = {
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
  asked: Source,
  { target, caller }: { readonly target: Organization; readonly caller: Caller },
): void {
  for (const organization of organizationsOf(target, caller)) {
    const isOwn = organization.head.organizationId === caller.organization.head.organizationId
    requireAllowedBy(asked, organization, isOwn ? apiKeyOf(caller)?.ipAllowlist : undefined)
  }
}

/** Refuses a request from an address that is not on the IP allowlist of this organization, or on the one of the key. */
export function requireAllowedBy(asked: Source, organization: Organization, keyList?: IpAllowlist): void {
  if (isAllowedBy(asked, organization, keyList)) return
  const { sourceAddress = 'an unknown address' } = asked.request
  const { organizationId } = organization.head
  throw new Failure('SOURCE_FORBIDDEN', `${sourceAddress} is not in the IP allowlist of organization ${organizationId}`)
}

/** Whether this organization lets requests come from the address. `keyList` is the list of the key that stamps. */
export function isAllowedBy(
  { request: { sourceAddress }, services: { liftedAllowlists }, nowMs }: Source,
  organization: Organization,
  keyList?: IpAllowlist,
): boolean {
  const { organizationId } = organization.head
  const organizationList = organization.listed('ip_allowlist', organizationId)
  if (organizationList?.enabled !== true) return true
  return (
    isAllowedSource({ organizationList, keyList, sourceAddress }) || liftedAllowlists.isLifted(organizationId, nowMs)
  )
}

/** If the parent's id stands for a sub-organization, the request is not for the parent. */
function organizationsOf(target: Organization, caller: Caller): readonly Organization[] {
  const { organizationId, parentId } = caller.organization.head
  return organizationId === target.head.organizationId || parentId === target.head.organizationId
    ? [caller.organization]
    : [target, caller.organization]
}
