import type { Vote } from '../../operations/records/activity.ts'
import type { User } from '../../operations/records/records.ts'
import { apiKeyView, authenticatorType } from '../../operations/records/views.ts'
import type { Approvals } from '../../policy/evaluate_policies.ts'
import type { Struct } from '../../policy/language/values.ts'
import { recordedKeyOf } from '../caller/read_stamp.ts'
import type { Organization } from '../state/organization.ts'

/** A user, and the key with which the user approved. */
export type Approval = { readonly user: User; readonly publicKey: string }

/** The approvals of users who are still there. */
export function approvalsIn(organization: Organization, votes: readonly Vote[]): readonly Approval[] {
  return votes.flatMap(({ userId, publicKey }) => {
    const user = organization.listed('user', userId)
    return user === undefined ? [] : [{ user, publicKey }]
  })
}

/** As consensus expressions see them, each user and each credential once, however many votes they were needed for. */
export function approvalFacts(approvals: readonly Approval[]): Approvals {
  const users = new Map(approvals.map(({ user }) => [user.userId, user]))
  const isUsed = (userId: string, key: unknown) =>
    approvals.some(({ user, publicKey }) => user.userId === userId && publicKey === key)
  const used = [...users.values()].flatMap((user) =>
    credentialFacts(user).filter((credential) => isUsed(user.userId, credential.public_key)),
  )
  return { approvers: [...users.values()].map(approverFacts), credentials: used }
}

/** What the approvals of these users would be, each with all of their credentials. */
export function possibleApprovals(users: readonly User[]): Approvals {
  return { approvers: users.map(approverFacts), credentials: users.flatMap(credentialFacts) }
}

/** An approval of this user with each credential, as if all of them had been used. */
export function everyApproval(user: User): readonly Approval[] {
  const publicKeys = credentialFacts(user).map((credential) => String(credential.public_key))
  return (publicKeys.length === 0 ? [''] : publicKeys).map((publicKey) => ({ user, publicKey }))
}

function approverFacts({ userId, userName, userTags, userEmail = '' }: User): Struct {
  return { id: userId, alias: userName, tags: userTags, email: userEmail }
}

function credentialFacts({ userId, apiKeys, authenticators }: User): readonly Struct[] {
  return [
    ...apiKeys.map((apiKey) => {
      const { type, publicKey } = apiKeyView(apiKey).credential
      return { id: apiKey.apiKeyId, user_id: userId, type, public_key: publicKey }
    }),
    ...authenticators.map((authenticator) => ({
      id: authenticator.authenticatorId,
      user_id: userId,
      type: authenticatorType,
      credential_id: authenticator.credentialId,
      public_key: recordedKeyOf(authenticator),
    })),
  ]
}
