import type { Vote } from '../../contract/records/activity.ts'
import { recordedKeyOf } from '../../contract/records/factors.ts'
import type { User } from '../../contract/records/records.ts'
import { apiKeyView, authenticatorType } from '../../contract/records/views.ts'
import type { Approvals } from '../../policy/decision/evaluate_policies.ts'
import type { Struct } from '../../policy/language/values.ts'
import { spelledLabel } from '../../protocol/wire/labels.ts'
import { mailboxOf } from '../../protocol/wire/mail_addresses.ts'
import type { Organization } from '../state/organization.ts'
import { userOfVote } from './voters.ts'

/** A user and the public key with which the user approved. `attested` is how an attested stamp found the user. */
export type Approval = { readonly user: User } & Pick<Vote, 'publicKey' | 'attested'> & {
    /** The credential as its vote recorded it, where the user has it no more. */
    readonly recorded?: Struct
  }

/** Returns the approvals whose users still exist. */
export function approvalsIn(organization: Organization, votes: readonly Vote[]): readonly Approval[] {
  return votes.flatMap((vote) => {
    const { publicKey, attested } = vote
    const user = userOfVote(organization, vote)
    return user === undefined ? [] : [{ user, publicKey, ...(attested && { attested }) }]
  })
}

/**
 * The approvals as consensus expressions see them: each user and each credential once, also after several votes. The key
 * of an attested stamp is one: a rule about all credentials is about it too.
 */
export function approvalFacts(approvals: readonly Approval[]): Approvals {
  const users = new Map(approvals.map(({ user }) => [user.userId, user]))
  const isUsed = (userId: string, key: unknown) =>
    approvals.some(({ user, publicKey }) => user.userId === userId && publicKey === key)
  const used = [...users.values()].flatMap((user) =>
    credentialFacts(user).filter((credential) => isUsed(user.userId, credential.public_key)),
  )
  // Two users may have stamped with one key, which belongs to neither.
  const others = new Map(
    approvals
      .flatMap((approval) => [
        ...attestedFacts(approval),
        ...(approval.recorded === undefined ? [] : [approval.recorded]),
      ])
      .map((credential) => [`${credential.user_id} ${credential.public_key} ${credential.type}`, credential]),
  )
  return { approvers: [...users.values()].map(approverFacts), credentials: [...used, ...others.values()] }
}

/** Returns the approvals that these users could give, each with all credentials of the user. */
export function possibleApprovals(users: readonly User[]): Approvals {
  return { approvers: users.map(approverFacts), credentials: users.flatMap(credentialFacts) }
}

/** The approvals of everybody else. */
export function withoutUser({ approvers, credentials }: Approvals, { userId }: User): Approvals {
  return {
    approvers: approvers.filter(({ id }) => id !== userId),
    credentials: credentials.filter((credential) => credential.user_id !== userId),
  }
}

/** Returns one approval of this user for each credential, as if the user had approved with all of them. */
export function everyApproval(user: User): readonly Approval[] {
  const publicKeys = credentialFacts(user).map((credential) => String(credential.public_key))
  return (publicKeys.length === 0 ? [''] : publicKeys).map((publicKey) => ({ user, publicKey }))
}

function approverFacts({ userId, userName, userTags, userEmail = '' }: User): Struct {
  return { id: userId, alias: spelledLabel(userName), tags: userTags, email: mailboxOf(userEmail) }
}

function attestedFacts({ user: { userId }, publicKey, attested }: Approval): readonly Struct[] {
  if (attested === undefined) return []
  const type =
    attested.lookup === 'oidc_identity' ? 'CREDENTIAL_TYPE_OAUTH_KEY_P256' : 'CREDENTIAL_TYPE_OTP_AUTH_KEY_P256'
  return [{ id: '', user_id: userId, type, credential_id: '', public_key: publicKey }]
}

function credentialFacts({ userId, apiKeys, authenticators }: User): readonly Struct[] {
  return [
    ...apiKeys.map((apiKey) => {
      const { type, publicKey } = apiKeyView(apiKey).credential
      return { id: apiKey.apiKeyId, user_id: userId, type, credential_id: '', public_key: publicKey }
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
