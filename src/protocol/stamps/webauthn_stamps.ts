import { strict as assert } from 'node:assert'
import { createHash } from 'node:crypto'
import { ecdsaSignatureFromDer } from '../crypto/der.ts'
import { base64urlOf, bytesFromBase64url } from '../tools/base64url.ts'
import { type CoseVerifyKey, importCoseKey } from './cose_keys.ts'
import { malformedWebAuthnStamp, stampCharactersMax, stampMembers } from './stamp_headers.ts'
import { verifySignature } from './verify_signature.ts'
import type { NewAuthenticator } from './webauthn.ts'
import {
  type AllowedOrigins,
  type AuthenticatorData,
  type ClientData,
  isOriginAllowed,
  readAuthenticatorData,
  readClientData,
} from './webauthn_data.ts'

/** A well-formed `X-Stamp-WebAuthn` header. Its signature is not verified yet, and its credential may be unknown. */
export type WebAuthnStamp = {
  /** The raw id in base64url without padding, as in `NewAuthenticator`. */
  readonly credentialId: string
  readonly clientData: ClientData
  readonly authenticatorData: AuthenticatorData
  /** The bytes that were signed. */
  readonly clientDataJson: Uint8Array
  readonly authenticatorDataBytes: Uint8Array
  /** DER for ES256; as long as the modulus for RS256. */
  readonly signature: Uint8Array
}

/** A registered passkey with its imported key. Importing costs more than verifying, so a key is imported once. */
export type VerifyAuthenticator = Pick<NewAuthenticator, 'credentialId' | 'rpIdHash'> & {
  readonly verifyKey: CoseVerifyKey
}

/**
 * Reads an `X-Stamp-WebAuthn` header: JSON, or base64url of it, with exactly `authenticatorData`, `clientDataJson`,
 * `credentialId` and `signature`, each base64url. Throws WEBAUTHN_STAMP_MALFORMED.
 */
export function parseWebAuthnStamp(headerValue: string): WebAuthnStamp {
  if (headerValue.length > stampCharactersMax)
    throw malformedWebAuthnStamp(`it is longer than ${stampCharactersMax} characters`)
  const json = headerValue.startsWith('{') ? Buffer.from(headerValue) : bytesFromBase64url(headerValue)
  if (json === undefined) throw malformedWebAuthnStamp('it must be JSON or base64url of it')
  const members = stampMembers(
    json,
    ['authenticatorData', 'clientDataJson', 'credentialId', 'signature'],
    malformedWebAuthnStamp,
  )
  const authenticatorDataBytes = bytesOf('authenticatorData', members)
  const clientDataJson = bytesOf('clientDataJson', members)
  const authenticatorData = readAuthenticatorData(authenticatorDataBytes)
  if (authenticatorData === undefined)
    throw malformedWebAuthnStamp('authenticatorData is not what an authenticator makes')
  const clientData = readClientData(clientDataJson)
  if (clientData === undefined) throw malformedWebAuthnStamp('clientDataJson is not what a browser makes')
  return {
    credentialId: base64urlOf(bytesOf('credentialId', members)),
    clientData,
    authenticatorData,
    clientDataJson,
    authenticatorDataBytes,
    signature: bytesOf('signature', members),
  }
}

/** Imports the key of an authenticator from `readAttestation`. */
export function importAuthenticator({
  credentialId,
  rpIdHash,
  cosePublicKey,
}: Pick<NewAuthenticator, 'credentialId' | 'rpIdHash' | 'cosePublicKey'>): VerifyAuthenticator {
  const bytes = bytesFromBase64url(cosePublicKey)
  const verifyKey = bytes === undefined ? undefined : importCoseKey(bytes)
  assert(verifyKey !== undefined, 'the key of a registered passkey was checked when it was registered')
  return { credentialId, rpIdHash, verifyKey }
}

/**
 * Whether the passkey that the caller found for `stamp.credentialId` signed exactly these bytes on an allowed origin.
 * The challenge is the lower-case hex SHA-256 of the body, as text.
 */
export function verifyWebAuthnStamp({
  body,
  ...given
}: Omit<Assertion, 'challenge'> & { readonly body: Uint8Array }): Promise<boolean> {
  return verifyAssertion({ ...given, challenge: Buffer.from(createHash('sha256').update(body).digest('hex')) })
}

type Assertion = {
  readonly stamp: WebAuthnStamp
  readonly authenticator: VerifyAuthenticator
  readonly challenge: Uint8Array
  readonly allowedOrigins: AllowedOrigins
}

/**
 * Like `verifyWebAuthnStamp`, but for any challenge (WebAuthn Level 3, 7.2). The user must be present but need not be
 * verified, since clients say "preferred". The signature counter is not checked, since synced passkeys have none.
 */
export async function verifyAssertion({
  stamp,
  authenticator,
  challenge,
  allowedOrigins,
}: Assertion): Promise<boolean> {
  const { clientData, authenticatorData } = stamp
  return (
    stamp.credentialId === authenticator.credentialId &&
    clientData.type === 'webauthn.get' &&
    Buffer.compare(clientData.challenge, challenge) === 0 &&
    isOriginAllowed(clientData, allowedOrigins) &&
    base64urlOf(authenticatorData.rpIdHash) === authenticator.rpIdHash &&
    authenticatorData.isUserPresent &&
    (await isSigned(stamp, authenticator.verifyKey))
  )
}

async function isSigned(
  { authenticatorDataBytes, clientDataJson, signature }: WebAuthnStamp,
  { algorithm, key }: CoseVerifyKey,
): Promise<boolean> {
  const bytes = algorithm === 'ES256' ? ecdsaSignatureFromDer(signature) : signature
  if (bytes === undefined) return false
  const clientDataHash = createHash('sha256').update(clientDataJson).digest()
  return verifySignature('sha256', Buffer.concat([authenticatorDataBytes, clientDataHash]), key, bytes)
}

function bytesOf<const N extends string>(name: N, members: Readonly<Record<N, string>>): Uint8Array {
  const bytes = bytesFromBase64url(members[name])
  if (bytes === undefined) throw malformedWebAuthnStamp(`${name} must be base64url`)
  return bytes
}
