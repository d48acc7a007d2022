import type { Vote } from '../../contract/records/activity.ts'
import { recordedKeyOf } from '../../contract/records/factors.ts'
import {
  type ApiKey,
  isExpired,
  type Lookup,
  recoveryCredentialType,
  type User,
} from '../../contract/records/records.ts'
import { apiKeyView, authenticatorType } from '../../contract/records/views.ts'
import type { Approvals, Possible } from '../../policy/decision/policy_evaluator.ts'
import type { Struct } from '../../policy/language/expression_values.ts'
import { factorOf } from '../../policy/mfa.ts'
import { accountOfIdentity } from '../../protocol/tokens/id_tokens.ts'
import { spelledLabel } from '../../protocol/wire/labels.ts'
import { mailboxOf } from '../../protocol/wire/mail_addresses.ts'
import type { SeenOrganization } from '../organization/seen_organization.ts'
import { userOfVote } from './standing_approvals.ts'

/**
 * A user and the public key with which the user approved. `attested` is how an attested stamp found the user: its key is
 * no credential of the user's, also where the user has the same one. `credentialId` is the id of the credential, because
 * several may have one key.
 */
export type Approval = { readonly user: User; readonly credentialId?: string | undefined } & Pick<
  Vote,
  'publicKey' | 'attested'
> & {
    /** The credential as its vote recorded it, where the user has it no more. */
    readonly recorded?: Struct
  }

/** Returns the approvals whose users still exist. */
export function approvalsIn(organization: SeenOrganization, votes: readonly Vote[]): readonly Approval[] {
  return votes.flatMap((vote) => {
    const { publicKey, attested, method } = vote
    const user = userOfVote(organization, vote)
    return user === undefined ? [] : [{ user, publicKey, credentialId: method?.id, ...(attested && { attested }) }]
  })
}

/**
 * The approvals as consensus expressions see them: each user once, and each factor of a user once, also after several
 * votes. The holder of a key can log in with it, and register it again. With `countsFactors` off, as denials see them too,
 * each credential is there. The key of an attested stamp is a credential: a rule about all credentials is about it too.
 */
export function approvalFacts(approvals: readonly Approval[], { countsFactors = true } = {}): Approvals {
  if (countsFactors) return approvalForms(approvals)[0]
  return factsOf(approvals, usesIn(approvals))
}

/**
 * The approvals with each credential of a factor in its turn. A consensus is true if it is of one of them: a key that
 * approves must not take away the session that a rule asks for. The first has the credential itself for its sessions, and
 * of several with one key the one that the vote names.
 */
export function approvalForms(approvals: readonly Approval[]): readonly [Approvals, ...Approvals[]] {
  const named = new Set(approvals.map(({ credentialId }) => credentialId))
  const rankOf = ({ fact, isSession }: Use) => (isSession ? 2 : named.has(String(fact.id)) ? 0 : 1)
  const uses = usesIn(approvals)
  const ranked = uses.toSorted((one, other) => rankOf(one) - rankOf(other))
  const byFactor = Map.groupBy(ranked, ({ fact, factor }) => `${fact.user_id} ${factor}`)
  let choices: readonly (readonly Use[])[] = [[]]
  for (const one of byFactor.values()) {
    choices = choices.flatMap((chosen) => one.map((use) => [...chosen, use])).slice(0, formsMax)
  }
  const [first = [], ...others] = choices.map((chosen) => uses.filter((use) => chosen.includes(use)))
  return [factsOf(approvals, first), ...others.map((chosen) => factsOf(approvals, chosen))]
}

/** Each is a further evaluation. Four factors in two forms each have as many. */
const formsMax = 16

function factsOf(approvals: readonly Approval[], uses: readonly Use[]): Approvals {
  const users = new Map(approvals.map(({ user }) => [user.userId, user]))
  return { approvers: [...users.values()].map(approverFacts), credentials: uses.map(({ fact }) => fact) }
}

/** A credential with which a user approved, and the factor that its stamps prove (`factorOf` of `policy/mfa.ts`). */
type Use = { readonly fact: Struct; readonly factor: string; readonly isSession: boolean }

function usesIn(approvals: readonly Approval[]): readonly Use[] {
  const users = new Map(approvals.map(({ user }) => [user.userId, user]))
  const used = [...users.values()].flatMap((user) => {
    const own = byCredentials(approvals).filter((approval) => approval.user.userId === user.userId)
    const isUsed = ({ public_key: key }: Struct) => own.some(({ publicKey }) => publicKey === key)
    return usedOf(user).filter(({ fact }) => isUsed(fact))
  })
  // Two users may have stamped with one key, which belongs to neither.
  return [...used, ...othersOf(approvals)]
}

/** The approvals whose key is that of a credential. */
export function byCredentials(approvals: readonly Approval[]): readonly Approval[] {
  return approvals.filter(({ attested }) => attested === undefined)
}

function usedOf(user: User): readonly Use[] {
  const sessions = new Map(
    user.apiKeys.flatMap((apiKey) =>
      apiKey.credentialType === 'CREDENTIAL_TYPE_LOGIN' ? [[apiKey.apiKeyId, apiKey]] : [],
    ),
  )
  return credentialFacts(user).map((fact) => {
    const [id, publicKey] = [String(fact.id), String(fact.public_key)]
    const session = sessions.get(id)
    const type = session === undefined ? 'AUTHENTICATION_TYPE_API_KEY' : 'AUTHENTICATION_TYPE_SESSION'
    const factor = factorOf({ method: { type }, openedBy: session?.openedBy, publicKey }) ?? publicKey
    return { fact, factor, isSession: session !== undefined }
  })
}

/** The keys of attested stamps, and credentials that their users have no more. */
function othersOf(approvals: readonly Approval[]): readonly Use[] {
  const others = approvals.flatMap((approval) => [...attestedUse(approval), ...recordedUse(approval)])
  return [
    ...new Map(others.map((use) => [`${use.fact.user_id} ${use.fact.public_key} ${use.fact.type}`, use])).values(),
  ]
}

function recordedUse({ recorded: fact }: Approval): readonly Use[] {
  return fact === undefined ? [] : [{ fact, factor: String(fact.public_key), isSession: false }]
}

function attestedUse(approval: Approval): readonly Use[] {
  const { attested, publicKey } = approval
  if (attested === undefined) return []
  // Each code is a factor of its own. Explanations suppose a stamp of which no account is known.
  const isAccount = attested.lookup === 'oidc_identity' && attested.key !== ''
  const factor = isAccount ? accountOfIdentity(attested.key) : publicKey
  return [{ fact: attestedFact(approval, attested), factor, isSession: false }]
}

/**
 * Returns the approvals that these users could give, each with all credentials that the user can use. Those of the
 * `approvals` that were given are among them, also where their credential has expired since.
 */
export function possibleApprovals(
  users: readonly User[],
  { nowMs, approvals = [] }: Moment & { readonly approvals?: readonly Approval[] },
): Possible {
  const given = new Set(byCredentials(approvals).map(({ user, publicKey }) => `${user.userId} ${publicKey}`))
  const own = users.flatMap((user) => {
    const unusable = new Set<string>(user.apiKeys.flatMap((key) => (isUsable(key, { nowMs }) ? [] : [key.apiKeyId])))
    return usedOf(user).filter(
      ({ fact }) => !unusable.has(String(fact.id)) || given.has(`${fact.user_id} ${fact.public_key}`),
    )
  })
  const uses = [...own, ...othersOf(approvals)]
  const factors = [...Map.groupBy(uses, ({ fact, factor }) => `${fact.user_id} ${factor}`).values()]
  return {
    approvers: users.filter((user) => mayStillApprove(user, { nowMs })).map(approverFacts),
    credentials: uses.map(({ fact }) => fact),
    factors: factors.filter(({ length }) => length > 1).map((factor) => factor.map(({ fact }) => fact)),
  }
}

type Moment = { readonly nowMs: number }

/** Whether the key can stamp votes. */
export function isUsable(apiKey: ApiKey, { nowMs }: Moment): boolean {
  return apiKey.credentialType !== recoveryCredentialType && !isExpired(apiKey, nowMs)
}

/** Whether the user has a credential for an approval, or what a login needs. A login may open a session at any time. */
export function mayStillApprove(
  { apiKeys, authenticators, oauthProviders, userEmail, userPhoneNumber }: User,
  moment: Moment,
): boolean {
  const canLogIn = oauthProviders.length > 0 || userEmail !== undefined || userPhoneNumber !== undefined
  return canLogIn || authenticators.length > 0 || apiKeys.some((apiKey) => isUsable(apiKey, moment))
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
  const facts = credentialFacts(user)
  if (facts.length === 0) return [{ user, publicKey: '' }]
  return facts.map(({ id, public_key: key }) => ({ user, publicKey: String(key), credentialId: String(id) }))
}

function approverFacts({ userId, userName, userTags, userEmail = '' }: User): Struct {
  return { id: userId, alias: spelledLabel(userName), tags: userTags, email: mailboxOf(userEmail) }
}

function attestedFact({ user: { userId }, publicKey }: Approval, { lookup }: Lookup): Struct {
  const type = lookup === 'oidc_identity' ? 'CREDENTIAL_TYPE_OAUTH_KEY_P256' : 'CREDENTIAL_TYPE_OTP_AUTH_KEY_P256'
  return { id: '', user_id: userId, type, credential_id: '', public_key: publicKey }
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
