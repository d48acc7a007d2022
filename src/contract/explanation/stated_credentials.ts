import { type GivenAuthenticator, readAttestation } from '../../protocol/stamps/webauthn.ts'
import { type TokenSubject, unverifiedSubject } from '../../protocol/tokens/id_tokens.ts'
import { unverifiedContact } from '../../protocol/tokens/tokens.ts'
import { bytesFromBase64url } from '../../protocol/tools/base64url.ts'
import { Failure, orFailure } from '../../protocol/wire/failures.ts'
import type { Value } from './explanation.ts'
import { code, hex, note, text, tree } from './shown_values.ts'

/** Tokens and registrations in a request are not shown, but their statements are. The server verifies each before it counts. */

/** Shows an identity at an issuer, by its token. */
export function identityInToken(token: string): Value {
  const identity = unverifiedSubject(token)
  return identity === undefined ? note('unreadable') : tree(identityRows(identity, 'byToken'))
}

export function identityRows({ issuer, subject, audience }: TokenSubject, stated: 'byToken' | 'byClaims') {
  return { issuer: text(issuer), subject: text(subject), audience: text(audience), stated: code(stated) }
}

/** Shows the address or number that a verification token is about. */
export function contactInToken(token: string): Value {
  const { contact } = unverifiedContact(token) ?? {}
  return contact === undefined ? note('unreadable') : text(contact)
}

/** Shows a new passkey by what its holder can compare: its id and its public key. */
export function passkeyValues(given: GivenAuthenticator): Readonly<Record<string, Value>> {
  const registration = orFailure(() => readAttestation(given, { fieldPath: '', allowedOrigins: '*' }))
  if (registration instanceof Failure) return { credentialId: note('unreadable') }
  const { credentialId, cosePublicKey } = registration
  const publicKey = Buffer.from(bytesFromBase64url(cosePublicKey) ?? new Uint8Array()).toString('hex')
  return { credentialId: text(credentialId), publicKey: hex(publicKey) }
}

/** Whether a part of a request is a new passkey. */
export function isPasskey(given: object): given is GivenAuthenticator {
  if (!('challenge' in given && 'attestation' in given)) return false
  const { challenge, attestation } = given
  if (typeof challenge !== 'string' || typeof attestation !== 'object' || attestation === null) return false
  return ['credentialId', 'clientDataJson', 'attestationObject'].every(
    (name) => typeof Reflect.get(attestation, name) === 'string',
  )
}
