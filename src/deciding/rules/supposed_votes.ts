import type { Vote } from '../../contract/records/activity.ts'
import { recordedKeyOf } from '../../contract/records/factors.ts'
import type { User } from '../../contract/records/records.ts'
import { methodOf } from '../caller/credential_stamps.ts'
import { isUsable } from './approver_facts.ts'
import type { Electorate } from './standing_approvals.ts'

/** Returns the approvals that the user could give now, one by each credential. Nothing has stamped them. */
export function supposedVotes(user: User, { organization, nowMs }: Electorate): readonly Vote[] {
  const { userId, userName, apiKeys, authenticators } = user
  const { organizationId } = organization.head
  const supposed = {
    ...{ voteId: '', userId, userName, organizationId, selection: 'VOTE_SELECTION_APPROVED' as const },
    ...{ message: '', signature: '', scheme: '', createdAtMs: nowMs },
  }
  return [
    ...apiKeys
      .filter((apiKey) => isUsable(apiKey, { nowMs }))
      .map((apiKey) => ({
        ...{ ...supposed, publicKey: apiKey.publicKey, ...methodOf(apiKey) },
        ...(apiKey.openedBy === undefined ? {} : { openedBy: apiKey.openedBy }),
      })),
    ...authenticators.map((passkey) => ({
      ...{ ...supposed, publicKey: recordedKeyOf(passkey) },
      method: { type: 'AUTHENTICATION_TYPE_PASSKEY' as const, id: passkey.authenticatorId },
    })),
  ]
}
