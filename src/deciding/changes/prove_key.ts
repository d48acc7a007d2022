import type { OrganizationWriter } from '../../contract/define.ts'
import type { Vote } from '../../contract/records/activity.ts'
import type { ApiKey } from '../../contract/records/records.ts'
import { apiKeyOf } from '../caller/credential_stamps.ts'

/**
 * Returns what notes that the user of the stamp has the key, which the user claimed so far, if the operation has written
 * the user's record meanwhile. Nothing is written for it alone, so that signatures change no record.
 */
export function keyProof(
  { users }: Pick<OrganizationWriter, 'users'>,
  { userId, stamp }: { readonly userId: string; readonly stamp: Pick<Vote, 'publicKey' | 'scheme'> },
): () => void {
  const before = users.find(userId)
  return () => {
    const after = users.find(userId)
    if (after === before || after === undefined) return
    const proved = apiKeyOf({ user: after, stamp })
    const apiKeys = after.apiKeys.map((apiKey) => (apiKey === proved ? withoutClaim(apiKey) : apiKey))
    users.put({ ...after, apiKeys })
  }
}

function withoutClaim({ isClaimed: _, claimedAtMs: __, ...apiKey }: ApiKey): ApiKey {
  return apiKey
}
