import type { Vote } from '../../contract/records/activity.ts'
import { withCredentialsSince } from '../../contract/records/factors.ts'
import { recoveryCredentialType } from '../../contract/records/records.ts'
import { authenticatorType } from '../../contract/records/views.ts'
import type { Approvals } from '../../policy/decision/policy_evaluator.ts'
import type { Struct } from '../../policy/language/expression_values.ts'
import type { ApiStampScheme } from '../../protocol/stamps/api_stamps.ts'
import { parseWebAuthnStamp } from '../../protocol/stamps/webauthn_stamps.ts'
import { hasCredential, passkeyScheme } from '../caller/credential_stamps.ts'
import type { SeenOrganization } from '../organization/seen_organization.ts'
import { type Approval, approvalFacts } from './approver_facts.ts'
import { userOfVote } from './standing_approvals.ts'

/**
 * Returns the approvals so far of users who are still there, the submission among them, whether or not they still count. A
 * credential that is gone is as its vote recorded it.
 */
export function allApprovalsIn(organization: SeenOrganization, votes: readonly Vote[]): readonly Approval[] {
  return votes.flatMap((vote) => {
    const { publicKey, attested, createdAtMs } = vote
    const isApproval = vote.selection === 'VOTE_SELECTION_APPROVED' && vote.isUnstamped === undefined
    const user = userOfVote(organization, vote)
    if (!isApproval || vote.organizationId !== organization.head.organizationId || user === undefined) return []
    const isThere = attested !== undefined || hasCredential(withCredentialsSince(user, createdAtMs), publicKey)
    return [{ user, publicKey, ...(attested && { attested }), ...(!isThere && { recorded: recordedCredential(vote) }) }]
  })
}

/**
 * Returns the approvals as denials see them beside those that count: with the submission, and with all that were given. An
 * approval ends by what its own user does, so a denial that names a user must not end with it. One that says whose approval
 * is missing must not take one for it that has ended, so it is asked about those that count too.
 */
export function approvalsWithEnded({ approvals, allApprovals, submitterId }: ApprovalsGiven): readonly Approvals[] {
  if (allApprovals === undefined) return []
  const counted = approvalFacts(approvals)
  const submission = allApprovals.filter(({ user }) => user.userId === submitterId)
  const lists = [submission, allApprovals].map((ended) =>
    approvalFacts([...ended, ...approvals], { countsFactors: false }),
  )
  // Each has all of the one before it: one that is as long is the same.
  return lists.filter((list, index) => lengthOf(list) > lengthOf(lists[index - 1] ?? counted))
}

type ApprovalsGiven = {
  /** The approvals that count. */
  readonly approvals: readonly Approval[]
  readonly allApprovals: readonly Approval[] | undefined
  readonly submitterId: string
}

function lengthOf({ approvers, credentials }: Approvals): number {
  return approvers.length + credentials.length
}

const keyTypes: ReadonlyMap<string, string> = new Map(
  Object.entries({
    SIGNATURE_SCHEME_TK_API_P256: 'CREDENTIAL_TYPE_API_KEY_P256',
    SIGNATURE_SCHEME_TK_API_SECP256K1: 'CREDENTIAL_TYPE_API_KEY_SECP256K1',
    SIGNATURE_SCHEME_TK_API_SECP256K1_EIP191: 'CREDENTIAL_TYPE_API_KEY_SECP256K1',
    SIGNATURE_SCHEME_TK_API_ED25519: 'CREDENTIAL_TYPE_API_KEY_ED25519',
  } satisfies Record<ApiStampScheme, string>),
)

/** The credential that stamped a vote, for consensus expressions. The id of a session is in no vote. */
function recordedCredential({ userId, publicKey, scheme, signature, method }: Vote): Struct {
  const facts = { user_id: userId, public_key: publicKey }
  if (scheme === passkeyScheme) {
    const { credentialId } = parseWebAuthnStamp(signature)
    return { ...facts, id: method?.id ?? '', type: authenticatorType, credential_id: credentialId }
  }
  if (method?.type === 'AUTHENTICATION_TYPE_API_KEY') {
    return { ...facts, id: method.id ?? '', type: keyTypes.get(scheme) ?? '', credential_id: '' }
  }
  const type = method === undefined ? recoveryCredentialType : 'CREDENTIAL_TYPE_LOGIN'
  return { ...facts, id: '', type, credential_id: '' }
}
