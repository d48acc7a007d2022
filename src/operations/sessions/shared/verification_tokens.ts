import Type from 'typebox'
import type { ActivityContext } from '../../../contract/define.ts'
import { asId } from '../../../contract/fields/ids.ts'
import { named } from '../../../contract/fields/named.ts'
import { all, lookup, maybe, type Need, ofParent } from '../../../contract/needs.ts'
import { codeSentAtMsOf, hadContact } from '../../../contract/records/contact_times.ts'
import type { AuthProxy, User, WithoutTimes } from '../../../contract/records/records.ts'
import { jwtCharactersMax } from '../../../protocol/tokens/jwt.ts'
import { unverifiedTokenId, type VerificationClaims } from '../../../protocol/tokens/tokens.ts'
import { takesCodes } from '../../../protocol/wire/auth_proxy.ts'
import { Failure, fieldInvalid } from '../../../protocol/wire/failures.ts'
import { mailboxOf } from '../../../protocol/wire/mail_addresses.ts'

export const VerificationToken = Type.String({
  minLength: 1,
  maxLength: jwtCharactersMax,
  expected: 'a verification token of verify_otp',
  ...named('VerificationToken'),
})

const fieldPath = 'parameters.verificationToken'

type TokenContext = Pick<ActivityContext<unknown>, 'organization' | 'keys' | 'nowMs'>

/**
 * Reads whether the token was used, and the auth proxy that may have given it out. Both are where it was issued: here or
 * in the parent.
 */
export function tokenReads(token: string): readonly Need[] {
  const tokenId = unverifiedTokenId(token)
  return tokenId === undefined ? [] : [...usedTokenReads(tokenId), ...proxyReads]
}

const proxyReads = [all('auth_proxy'), ofParent(all('auth_proxy'))]

export function usedTokenReads(tokenId: string): readonly Need[] {
  const used = maybe('used_token', asId(tokenId))
  return [used, ofParent(used)]
}

/**
 * Uses up a token of this organization or its parent, and returns its claims. Throws TOKEN_INVALID, also if the token
 * was used before.
 */
export function useToken(token: string, place: TokenContext): VerificationClaims {
  const claims = readToken(token, place)
  useUp(claims, place, tokenInvalid)
  return claims
}

function readToken(token: string, { organization, keys }: Omit<TokenContext, 'nowMs'>): VerificationClaims {
  const read = keys.readVerificationToken(token)
  if (read.kind === 'invalid') throw tokenInvalid(read.reason)
  const [proxy] = issuerOf(read.claims, organization)?.authProxies.all() ?? []
  if (isOfClosedProxy(read.claims.ofAuthProxyAtMs, proxy)) throw tokenInvalid(closedProxyReason)
  return read.claims
}

/**
 * Whether what an auth proxy gave out at `givenAtMs` has ended with it: the proxy takes no codes, or did not for a while
 * since. `proxy` is the one of the organization that issued the token. Undefined time: no proxy gave it out.
 */
export function isOfClosedProxy(givenAtMs: number | undefined, proxy: AuthProxy | undefined): boolean {
  if (givenAtMs === undefined) return false
  return proxy === undefined || !takesCodes(proxy) || givenAtMs < (proxy.takesCodesSinceMs ?? 0)
}

export const closedProxyReason =
  'the auth proxy that gave out its token was disabled, or takes no codes any more, or did not for a while'

const tokenInvalid = (reason: string) => new Failure('TOKEN_INVALID', { fieldPath, reason })

/**
 * The id under which a sign-up uses a token. The token stays valid for the login that follows, but not for another
 * sign-up.
 */
const signUpOf = <T extends { readonly id: string }>(claims: T): T => ({ ...claims, id: `${claims.id}/sign-up` })

export function signUpReads(token: string): readonly Need[] {
  const id = unverifiedTokenId(token)
  return id === undefined ? [] : [...tokenReads(token), ...usedTokenReads(signUpOf({ id }).id)]
}

/**
 * Uses a token for a sign-up, and returns its claims. Throws TOKEN_INVALID if it was used for a sign-up or a login
 * before.
 */
export function useTokenToSignUp(token: string, place: TokenContext): VerificationClaims {
  const claims = readToken(token, place)
  unusedIn(claims, place.organization, tokenInvalid)
  useUp(signUpOf(claims), place, tokenInvalid)
  return claims
}

type Invalid = (reason: string) => Failure

/** Records the use of a token where it was issued. Throws `invalid` if it was used before or issued elsewhere. */
export function useUp(
  claims: Pick<VerificationClaims, 'id' | 'organizationId'>,
  { organization, nowMs }: Omit<TokenContext, 'keys'>,
  invalid: Invalid,
): void {
  unusedIn(claims, organization, invalid).usedTokens.add({ tokenId: claims.id, usedAtMs: nowMs })
}

type Issuer = Pick<TokenContext['organization'], 'usedTokens' | 'authProxies'>

function unusedIn(
  claims: Pick<VerificationClaims, 'id' | 'organizationId'>,
  organization: TokenContext['organization'],
  invalid: Invalid,
): Issuer {
  const issuer = issuerOf(claims, organization)
  if (issuer === undefined) throw invalid('it was issued by another organization')
  if (issuer.usedTokens.find(claims.id) !== undefined) throw invalid('it was used before')
  return issuer
}

/** A token of the parent is valid in all its sub-organizations. Any other token is valid only where it was issued. */
function issuerOf(
  { organizationId }: Pick<VerificationClaims, 'organizationId'>,
  organization: TokenContext['organization'],
): Issuer | undefined {
  if (organizationId === organization.organizationId) return organization
  return organizationId === organization.parent?.organizationId ? organization.parent : undefined
}

type Contact = Pick<VerificationClaims, 'verificationType' | 'contact'>

/** The lookup that finds the users with a contact. */
export function contactLookup({ verificationType, contact }: Contact) {
  return verificationType === 'OTP_TYPE_EMAIL'
    ? ({ lookup: 'user_email', key: mailboxOf(contact) } as const)
    : ({ lookup: 'user_phone_number', key: contact } as const)
}

/** The lookup that finds the users with this contact as their verified one. */
export function verifiedContactLookup(contact: Contact) {
  const lookup = contact.verificationType === 'OTP_TYPE_EMAIL' ? 'verified_email' : 'verified_phone_number'
  return { ...contactLookup(contact), lookup } as const
}

/** The advice where several users have one contact. */
export const untilOne = 'none of them can use it until only one has it'

export function contactReads(contact: Contact): Need {
  const found = contactLookup(contact)
  return lookup(found.lookup, found.key)
}

/**
 * The only user with the contact of the token, which `withProved` marks. Throws if there is no such user or several, or
 * if the user got the contact after the code was sent: somebody else may have read it.
 */
export function userOfContact(token: VerificationClaims, organization: TokenContext['organization']): User {
  const contact = contactLookup(token)
  const [user, another] = organization.found('user', contact.lookup, contact.key)
  if (user === undefined) {
    throw new Failure('NOT_FOUND', 'no user of this organization has the contact that was verified')
  }
  if (another !== undefined) {
    throw new Failure(
      'FIELD_INVALID',
      `more than one user of this organization has the contact that was verified; ${untilOne}`,
    )
  }
  if (!hadContact(user, contact, codeSentAtMsOf(token))) {
    throw tokenInvalid('its code was sent before this user had the contact; ask for a new code')
  }
  return withProved(user, token, organization)
}

/** Uses up the token, if there is one, and marks the user's address or number in it as `withProved` does. */
export function withContactOf(
  user: User,
  token: string | undefined,
  { kind, ...place }: TokenContext & { readonly kind: 'mail' | 'phone' },
): User {
  if (token === undefined) return user
  // The token of a sign-up stands in the parent's activities, and no signature is asked for here. So it is refused.
  const proved = useTokenToSignUp(token, place)
  useUp(proved, place, tokenInvalid)
  const isOfKind = (proved.verificationType === 'OTP_TYPE_EMAIL') === (kind === 'mail')
  if (isOfKind && withVerifiedContact(user, proved) !== user) return withProved(user, proved, place.organization)
  throw fieldInvalid(fieldPath, 'one about the contact in this request')
}

type Proved = Contact & Pick<VerificationClaims, 'organizationId'>

/**
 * Marks the contact of the token as verified, but in a sub-organization only if the parent issued the token. The parent
 * finds users by this mark, and users of a sub-organization choose themselves how easily its codes are guessed.
 */
function withProved(user: User, token: Proved, { organizationId, parentId }: TokenContext['organization']): User {
  const isProvedToItself = parentId !== undefined && token.organizationId === organizationId
  return isProvedToItself ? user : withVerifiedContact(user, token)
}

/** Marks the contact as verified. Returns the same object if it is not the user's contact. */
export function withVerifiedContact<U extends WithoutTimes<User>>(user: U, { verificationType, contact }: Contact): U {
  const { userEmail, userPhoneNumber } = user
  if (verificationType !== 'OTP_TYPE_EMAIL')
    return userPhoneNumber === contact ? { ...user, verifiedPhoneNumber: contact } : user
  return userEmail !== undefined && mailboxOf(userEmail) === mailboxOf(contact)
    ? { ...user, verifiedEmail: userEmail }
    : user
}
