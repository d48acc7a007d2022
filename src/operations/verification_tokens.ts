import Type from 'typebox'
import { Failure } from '../protocol/failures.ts'
import { jwtCharactersMax } from '../protocol/jwt.ts'
import { unverifiedTokenId, type VerificationClaims } from '../protocol/tokens.ts'
import type { ActivityContext } from './define.ts'
import { lookup, maybe, type Need, ofParent } from './needs.ts'
import type { User } from './records.ts'

export const VerificationToken = Type.String({
  minLength: 1,
  maxLength: jwtCharactersMax,
  expected: 'a verification token of verify_otp',
})

const fieldPathDefault = 'parameters.verificationToken'

type Place = Pick<ActivityContext<unknown>, 'organization' | 'keys' | 'nowMs'>

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
export function useToken(token: string, place: Place, fieldPath = fieldPathDefault): VerificationClaims {
  const read = place.keys.readVerificationToken(token)
  if (read.kind === 'invalid') throw new Failure('TOKEN_INVALID', { fieldPath, reason: read.reason })
  const refusal = useUp(read.claims, place)
  if (refusal !== undefined) throw new Failure('TOKEN_INVALID', { fieldPath, reason: refusal })
  return read.claims
}

/** Notes that a token is used up, where it was issued; or says why it cannot be used here. */
export function useUp(claims: VerificationClaims, { organization, nowMs }: Omit<Place, 'keys'>): string | undefined {
  const issuer = issuerOf(claims, organization)
  if (issuer === undefined) return 'it was issued by another organization'
  if (issuer.usedTokens.find(claims.id) !== undefined) return 'it was used before'
  issuer.usedTokens.add({ tokenId: claims.id, usedAtMs: nowMs })
  return undefined
}

/** One issued in the parent is good for any of its sub-organizations, one issued here only here. */
function issuerOf(
  { organizationId }: Pick<VerificationClaims, 'organizationId'>,
  organization: Place['organization'],
): Pick<Place['organization'], 'usedTokens'> | undefined {
  if (organizationId === organization.organizationId) return organization
  return organizationId === organization.parent?.organizationId ? organization.parent : undefined
}

type Contact = Pick<VerificationClaims, 'verificationType' | 'contact'>

/** By what the users with a contact are found. */
export function contactLookup({ verificationType, contact }: Contact) {
  return verificationType === 'OTP_TYPE_EMAIL'
    ? ({ lookup: 'user_email', key: contact.toLowerCase() } as const)
    : ({ lookup: 'user_phone_number', key: contact } as const)
}

export function contactReads(contact: Contact): Need {
  const found = contactLookup(contact)
  return lookup(found.lookup, found.key)
}

/** The user with the contact, who has proved to read what is sent there. Throws when there is none, or several. */
export function userOfContact(contact: Contact, organization: Place['organization']): User {
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

export function withVerifiedContact(user: User, { verificationType, contact }: Contact): User {
  const { userEmail, userPhoneNumber } = user
  if (verificationType !== 'OTP_TYPE_EMAIL')
    return userPhoneNumber === contact ? { ...user, verifiedPhoneNumber: contact } : user
  return userEmail?.toLowerCase() === contact.toLowerCase() ? { ...user, verifiedEmail: userEmail } : user
}
