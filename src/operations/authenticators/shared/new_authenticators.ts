import type { Static } from 'typebox'
import type { NewAuthenticator } from '../../../contract/fields/fields.ts'
import type { Limits } from '../../../contract/limits.ts'
import { lookup, type Need, ofParent, unheld, unused } from '../../../contract/needs.ts'
import type { Authenticator, User, WithoutTimes } from '../../../contract/records/records.ts'
import { type NewAuthenticator as Registration, readAttestation } from '../../../protocol/stamps/webauthn.ts'
import { lazily } from '../../../protocol/tools/lazily.ts'
import { Failure } from '../../../protocol/wire/failures.ts'

/** A new passkey in the parameters of any operation, as it was sent. */
export type GivenAuthenticator = Static<typeof NewAuthenticator>

/** A new passkey that reads its registration once, when it is first asked for: a request may hold over a thousand. */
export type ParsedAuthenticator = GivenAuthenticator & {
  /** Throws FIELD_INVALID. */
  readonly registration: () => Registration
  /** The path of the credential's id. */
  readonly idPath: string
}

export function parsedAuthenticator(given: GivenAuthenticator, fieldPath: string): ParsedAuthenticator {
  const registration = lazily(() => readAttestation(given, { fieldPath, allowedOrigins: '*' }))
  return { ...given, registration, idPath: `${fieldPath}.attestation.credentialId` }
}

export function parsedAuthenticators(given: readonly GivenAuthenticator[], fieldPath: string): ParsedAuthenticator[] {
  return given.map((one, index) => parsedAuthenticator(one, `${fieldPath}[${index}]`))
}

/** Checks that every passkey is a valid registration and that the request names each once. */
export function checkAuthenticators(given: readonly ParsedAuthenticator[], seen = new Set<string>()): void {
  for (const { registration, idPath } of given) {
    const { credentialId } = registration()
    const expected = 'a credential that the request names once'
    if (seen.has(credentialId)) throw new Failure('NAME_TAKEN', { fieldPath: idPath, expected })
    seen.add(credentialId)
  }
}

/**
 * Requires that nobody in the family of the organization has this credential: a new passkey has a new id, so a second
 * user of one copied it, and would keep the first from logging in by the parent. Nor may a request wait for it. Throws
 * for an invalid registration.
 */
export function unusedAuthenticator({ registration, idPath }: ParsedAuthenticator): readonly Need[] {
  const { credentialId } = registration()
  const own = unused('authenticator', credentialId, idPath)
  const inChildren = unheld('authenticator', credentialId, idPath)
  return [own, inChildren, ofParent(own), ofParent(inChildren), lookup('waiting_credential', credentialId)]
}

/** The record of a passkey. Throws for an invalid registration. */
export function newAuthenticator(
  given: ParsedAuthenticator,
  { nowMs, newId }: { readonly nowMs: number; readonly newId: () => string },
): Authenticator {
  const { credentialId, cosePublicKey, rpIdHash, aaguid, attestationType } = given.registration()
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
