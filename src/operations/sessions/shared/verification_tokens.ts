import Type from 'typebox'
import { jwtCharactersMax } from '../../../protocol/tokens/jwt.ts'
import { unverifiedTokenId, type VerificationClaims } from '../../../protocol/tokens/tokens.ts'
import { Failure } from '../../../protocol/wire/failures.ts'
import { mailboxOf } from '../../../protocol/wire/outgoing_messages.ts'
import type { ActivityContext } from '../../define.ts'
import { lookup, maybe, type Need, ofParent } from '../../needs.ts'
import type { User } from '../../records/records.ts'

export const VerificationToken = Type.String({
  minLength: 1,
  maxLength: jwtCharactersMax,
  expected: 'a verification token of verify_otp',
})

const fieldPath = 'parameters.verificationToken'

type TokenContext = Pick<ActivityContext<unknown>, 'organization' | 'keys' | 'nowMs'>

/** Whether the token was used: it is noted where it was issued, here or in the parent. */
export function tokenReads(token: string): readonly Need[] {
  const tokenId = unverifiedTokenId(token)
  return tokenId === undefined ? [] : usedTokenReads(tokenId)
}

export function usedTokenReads(tokenId: string): readonly Need[] {
  const used = maybe('used_token', tokenId)
  return [used, ofParent(used)]
}

/**
 * The claims of a token that this server signed, for this organization or its parent, and that nobody has used. It is
 * used up by this. Throws TOKEN_INVALID.
 */
export function useToken(token: string, place: TokenContext): VerificationClaims {
  const claims = readToken(token, place.keys)
  useUp(claims, place, tokenInvalid)
  return claims
}

function readToken(token: string, keys: TokenContext['keys']): VerificationClaims {
  const read = keys.readVerificationToken(token)
  if (read.kind === 'invalid') throw tokenInvalid(read.reason)
  return read.claims
}

const tokenInvalid = (reason: string) => new Failure('TOKEN_INVALID', { fieldPath, reason })

/** A sign-up leaves the token good for the login that clients send next, but not for another sign-up. */
const signUpOf = <T extends { readonly id: string }>(claims: T): T => ({ ...claims, id: `${claims.id}/sign-up` })

export function signUpReads(token: string): readonly Need[] {
  const id = unverifiedTokenId(token)
  return id === undefined ? [] : [...usedTokenReads(id), ...usedTokenReads(signUpOf({ id }).id)]
}

/** The claims of a token that was used neither for this nor for anything else before. Throws TOKEN_INVALID. */
export function useTokenToSignUp(token: string, place: TokenContext): VerificationClaims {
  const claims = readToken(token, place.keys)
  unusedIn(claims, place.organization, tokenInvalid)
  useUp(signUpOf(claims), place, tokenInvalid)
  return claims
}

type Invalid = (reason: string) => Failure

/** Notes that a token is used up, where it was issued. Throws `invalid` when it was used before, or issued elsewhere. */
export function useUp(
  claims: VerificationClaims,
  { organization, nowMs }: Omit<TokenContext, 'keys'>,
  invalid: Invalid,
): void {
  unusedIn(claims, organization, invalid).usedTokens.add({ tokenId: claims.id, usedAtMs: nowMs })
}

type Issuer = Pick<TokenContext['organization'], 'usedTokens'>

function unusedIn(claims: VerificationClaims, organization: TokenContext['organization'], invalid: Invalid): Issuer {
  const issuer = issuerOf(claims, organization)
  if (issuer === undefined) throw invalid('it was issued by another organization')
  if (issuer.usedTokens.find(claims.id) !== undefined) throw invalid('it was used before')
  return issuer
}

/** One issued in the parent is good for any of its sub-organizations, one issued here only here. */
function issuerOf(
  { organizationId }: Pick<VerificationClaims, 'organizationId'>,
  organization: TokenContext['organization'],
): Issuer | undefined {
  if (organizationId === organization.organizationId) return organization
  return organizationId === organization.parent?.organizationId ? organization.parent : undefined
}

type Contact = Pick<VerificationClaims, 'verificationType' | 'contact'>

/** By what the users with a contact are found. */
export function contactLookup({ verificationType, contact }: Contact) {
  return verificationType === 'OTP_TYPE_EMAIL'
    ? ({ lookup: 'user_email', key: mailboxOf(contact) } as const)
    : ({ lookup: 'user_phone_number', key: contact } as const)
}

/** By what the users are found who have shown that they read what is sent to it. */
export function verifiedContactLookup(contact: Contact) {
  const lookup = contact.verificationType === 'OTP_TYPE_EMAIL' ? 'verified_email' : 'verified_phone_number'
  return { ...contactLookup(contact), lookup } as const
}

export function contactReads(contact: Contact): Need {
  const found = contactLookup(contact)
  return lookup(found.lookup, found.key)
}

/** The user with the contact, who has proved to read what is sent there. Throws when there is none, or several. */
export function userOfContact(contact: Contact, organization: TokenContext['organization']): User {
  const { lookup: name, key } = contactLookup(contact)
  const [user, another] = organization.found('user', name, key)
  if (user === undefined) {
    throw new Failure('NOT_FOUND', { reason: 'no user of this organization has the contact that was verified' })
  }
  if (another !== undefined) {
    throw new Failure('FIELD_INVALID', {
      reason: 'more than one user of this organization has the contact that was verified',
    })
  }
  return withVerifiedContact(user, contact)
}

/** The user with its address or number verified by a token about that one, if there is a token. It is used up. */
export function withContactOf(
  user: User,
  token: string | undefined,
  { kind, ...place }: TokenContext & { readonly kind: 'mail' | 'phone' },
): User {
  if (token === undefined) return user
  // A sign-up leaves its token to be read in the parent's activities, and here nobody signs with its key.
  const contact = useTokenToSignUp(token, place)
  useUp(contact, place, tokenInvalid)
  const isOfKind = (contact.verificationType === 'OTP_TYPE_EMAIL') === (kind === 'mail')
  const verified = isOfKind ? withVerifiedContact(user, contact) : user
  if (verified !== user) return verified
  throw new Failure('FIELD_INVALID', { fieldPath, expected: 'one about the contact in this request' })
}

/** The same user when the contact is another. */
export function withVerifiedContact(user: User, { verificationType, contact }: Contact): User {
  const { userEmail, userPhoneNumber } = user
  if (verificationType !== 'OTP_TYPE_EMAIL')
    return userPhoneNumber === contact ? { ...user, verifiedPhoneNumber: contact } : user
  return userEmail !== undefined && mailboxOf(userEmail) === mailboxOf(contact)
    ? { ...user, verifiedEmail: userEmail }
    : user
}
