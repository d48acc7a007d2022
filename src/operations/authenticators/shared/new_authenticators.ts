import type { Static } from 'typebox'
import { type NewAuthenticator as Registration, readAttestation } from '../../../protocol/stamps/webauthn.ts'
import { Failure } from '../../../protocol/wire/failures.ts'
import type { NewAuthenticator } from '../../fields/fields.ts'
import type { Limits } from '../../limits.ts'
import { type Need, unused } from '../../needs.ts'
import type { Authenticator, User } from '../../records/records.ts'

/** What requests say of a new passkey, in whatever operation it stands. */
export type GivenAuthenticator = Static<typeof NewAuthenticator>

/** Every one is a registration as an authenticator makes it, and none stands twice in the request. */
export function checkAuthenticators(
  given: readonly GivenAuthenticator[],
  fieldPath: string,
  seen = new Set<string>(),
): void {
  given.forEach((one, index) => {
    const at = `${fieldPath}[${index}]`
    const { credentialId } = readRegistration(one, at)
    if (seen.has(credentialId)) {
      const expected = 'a credential that the request names once'
      throw new Failure('NAME_TAKEN', { fieldPath: idPathOf(at), expected })
    }
    seen.add(credentialId)
  })
}

export function checkAuthenticator(given: GivenAuthenticator, fieldPath: string): void {
  readRegistration(given, fieldPath)
}

/** A credential belongs to one user of the organization. Throws for what is no registration. */
export function unusedAuthenticators(given: readonly GivenAuthenticator[], fieldPath: string): readonly Need[] {
  return given.map((one, index) => unusedAuthenticator(one, `${fieldPath}[${index}]`))
}

export function unusedAuthenticator(given: GivenAuthenticator, fieldPath: string): Need {
  return unused('authenticator', readRegistration(given, fieldPath).credentialId, idPathOf(fieldPath))
}

/** The record of a registration that has been checked. */
export function newAuthenticator(
  given: GivenAuthenticator,
  { nowMs, newId }: { readonly nowMs: number; readonly newId: () => string },
): Authenticator {
  const { credentialId, cosePublicKey, rpIdHash, aaguid, attestationType } = readRegistration(given, '')
  return {
    authenticatorId: newId(),
    authenticatorName: given.authenticatorName,
    credentialId,
    cosePublicKey,
    rpIdHash,
    aaguid,
    attestationType,
    transports: [...new Set(given.attestation.transports)],
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  }
}

/** The user with these passkeys as well, if it may have so many. */
export function withAuthenticators(
  user: User,
  added: readonly Authenticator[],
  { limits, nowMs }: { readonly limits: Limits; readonly nowMs: number },
): User {
  const authenticators = [...user.authenticators, ...added]
  const { authenticatorsPerUserMax } = limits
  if (authenticators.length > authenticatorsPerUserMax) {
    const reason = `user has exceeded maximum authenticators (${authenticatorsPerUserMax})`
    throw new Failure('LIMIT_REACHED', { reason })
  }
  return { ...user, authenticators, updatedAtMs: nowMs }
}

/** A request may hold more than a thousand, and each is wanted three times: it is read once. */
const registrations = new WeakMap<GivenAuthenticator, Registration>()

function readRegistration(given: GivenAuthenticator, fieldPath: string): Registration {
  const known = registrations.get(given) ?? readAttestation(given, { fieldPath, allowedOrigins: '*' })
  registrations.set(given, known)
  return known
}

function idPathOf(fieldPath: string): string {
  return `${fieldPath}.attestation.credentialId`
}
