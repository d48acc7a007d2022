import type { BoundActivity } from '../../contract/operation.ts'
import type { User } from '../../contract/records/records.ts'
import { apiKeyOf } from './credential_stamps.ts'
import type { SeenCaller } from './seen_caller.ts'

/** Whether the request takes away the key that stamps it, and nothing else. It gives nobody anything. */
export function isLogOut(
  { user, stamp }: Pick<SeenCaller, 'stamp'> & { readonly user: User | undefined },
  bound: BoundActivity,
): boolean {
  if (user === undefined || bound.ownerOf(user.userId)?.toLowerCase() !== user.userId) return false
  const [removed, ...others] = bound.removedKeyIds()
  return others.length === 0 && removed !== undefined && removed === apiKeyOf({ user, stamp })?.apiKeyId
}
