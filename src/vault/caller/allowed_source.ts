import type { VaultRequest } from '../../link/verbs.ts'
import { isAllowedSource } from '../../policy/ip_allowlist.ts'
import { Failure } from '../../protocol/wire/failures.ts'
import type { Organization } from '../state/organization.ts'
import type { Caller } from './caller.ts'

/**
 * Refuses a request from an address that an IP allowlist does not have: the list of the organization that the request is
 * for, and that of the caller's own when it is another one. Otherwise a key of the parent that was stolen could read all
 * its sub-organizations from anywhere. Organizations without a list cost nothing: their heads say so.
 */
export function requireAllowedSource(
  { sourceAddress }: Pick<VaultRequest, 'sourceAddress'>,
  { target, caller }: { readonly target: Organization; readonly caller: Caller },
): void {
  for (const organization of organizationsOf(target, caller)) {
    const { organizationId } = organization.head
    const organizationList = organization.listed('ip_allowlist', organizationId)
    if (organizationList?.enabled !== true) continue
    const isOwn = organizationId === caller.organization.head.organizationId
    const keyList = isOwn ? keyListOf(caller) : undefined
    if (isAllowedSource({ organizationList, keyList, sourceAddress })) continue
    throw new Failure('SOURCE_FORBIDDEN', {
      reason: `${sourceAddress ?? 'an unknown address'} is not in the IP allowlist of organization ${organizationId}`,
    })
  }
}

/** A parent's id that stands for a sub-organization is no request to the parent. */
function organizationsOf(target: Organization, caller: Caller): readonly Organization[] {
  const { organizationId, parentId } = caller.organization.head
  return organizationId === target.head.organizationId || parentId === target.head.organizationId
    ? [caller.organization]
    : [target, caller.organization]
}

function keyListOf({ user, stamp }: Caller) {
  return user.apiKeys.find(({ publicKey }) => publicKey === stamp.publicKey)?.ipAllowlist
}
