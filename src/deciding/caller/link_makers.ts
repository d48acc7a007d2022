import { factorsOf, withCredentialsSince } from '../../contract/records/factors.ts'
import type { LinkMaker } from '../../contract/records/records.ts'
import type { SeenOrganization } from '../organization/seen_organization.ts'
import { stillGoesBy } from './attested_users.ts'
import { hasCredential } from './credential_stamps.ts'

/** Whether the user is still there, with the credential by which the user made something at this time and since then. */
export function isMakerThere(
  find: (organizationId: string) => Pick<SeenOrganization, 'listed'> | undefined,
  { organizationId, userId, publicKey, attested, factor }: LinkMaker,
  madeAtMs: number,
): boolean {
  const found = find(organizationId)?.listed('user', userId)
  if (found === undefined) return false
  const user = withCredentialsSince(found, madeAtMs)
  if (publicKey !== undefined && !hasCredential(user, publicKey)) return false
  if (attested !== undefined && !stillGoesBy(user, attested, madeAtMs)) return false
  return factor === undefined || factorsOf(user).includes(factor)
}
