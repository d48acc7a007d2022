import type { Static } from 'typebox'
import type { NewAuthenticator } from '../../../contract/fields/fields.ts'
import type { Limits } from '../../../contract/limits.ts'
import { type Need, unused } from '../../../contract/needs.ts'
import type { Authenticator, User, WithoutTimes } from '../../../contract/records/records.ts'
import { type NewAuthenticator as Registration, readAttestation } from '../../../protocol/stamps/webauthn.ts'
import { Failure } from '../../../protocol/wire/failures.ts'

/** A new passkey in the parameters of any operation. */
export type GivenAuthenticator = Static<typeof NewAuthenticator>

/** Checks that every passkey is a valid registration and that the request names each once. */
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

/** Requires that no user of the organization has these credentials. Throws for an invalid registration. */
export function unusedAuthenticators(given: readonly GivenAuthenticator[], fieldPath: string): readonly Need[] {
  return given.map((one, index) => unusedAuthenticator(one, `${fieldPath}[${index}]`))
}

export function unusedAuthenticator(given: GivenAuthenticator, fieldPath: string): Need {
  return unused('authenticator', readRegistration(given, fieldPath).credentialId, idPathOf(fieldPath))
}

/** The record of a passkey that `checkAuthenticator` or `checkAuthenticators` has passed. */
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

/** Adds passkeys to a user. Throws LIMIT_REACHED for more than a user may have. */
export function withAuthenticators<U extends WithoutTimes<User>>(
  user: U,
  added: readonly Authenticator[],
  { authenticatorsPerUserMax }: Limits,
): U {
  const authenticators = [...user.authenticators, ...added]
  if (authenticators.length > authenticatorsPerUserMax) {
    const reason = `user has exceeded maximum authenticators (${authenticatorsPerUserMax})`
    throw new Failure('LIMIT_REACHED', reason)
  }
  return { ...user, authenticators }
}

/** A request may hold over a thousand registrations, each needed three times. Each is parsed once. */
const registrations = new WeakMap<GivenAuthenticator, Registration>()

function readRegistration(given: GivenAuthenticator, fieldPath: string): Registration {
  const known = registrations.get(given) ?? readAttestation(given, { fieldPath, allowedOrigins: '*' })
  registrations.set(given, known)
  return known
}

function idPathOf(fieldPath: string): string {
  return `${fieldPath}.attestation.credentialId`
}
