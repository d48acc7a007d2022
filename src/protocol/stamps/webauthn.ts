import { base64urlOf, bytesFromBase64url } from '../tools/base64url.ts'
import { Failure, fieldInvalid, fieldRefused } from '../wire/failures.ts'
import { cborByteString, cborMap } from './cbor.ts'
import { type CoseAlgorithm, importCoseKey, isCanonicalCoseKey } from './cose_keys.ts'
import {
  type AllowedOrigins,
  type AuthenticatorData,
  type ClientData,
  isOriginAllowed,
  readAuthenticatorData,
  readClientData,
} from './webauthn_data.ts'

export const challengeCharactersMax = 256
export const credentialIdCharactersMax = 256
/** Browsers write some 250 characters. Only a long origin needs many more. */
export const clientDataCharactersMax = 4_096
/** The certificates of a TPM are the largest part, some 8,000 characters. */
export const attestationObjectCharactersMax = 32_768

export const authenticatorTransports = [
  'AUTHENTICATOR_TRANSPORT_BLE',
  'AUTHENTICATOR_TRANSPORT_INTERNAL',
  'AUTHENTICATOR_TRANSPORT_NFC',
  'AUTHENTICATOR_TRANSPORT_USB',
  'AUTHENTICATOR_TRANSPORT_HYBRID',
] as const
export type AuthenticatorTransport = (typeof authenticatorTransports)[number]

/** A new authenticator as a request describes it. Each text is base64url. */
export type GivenAuthenticator = {
  readonly challenge: string
  readonly attestation: {
    readonly credentialId: string
    readonly clientDataJson: string
    readonly attestationObject: string
  }
}

/** The facts to keep about a new authenticator, mostly a passkey. Bytes are base64url without padding. */
export type NewAuthenticator = {
  /** The raw id. */
  readonly credentialId: string
  /** A COSE_Key that `importCoseKey` accepts. */
  readonly cosePublicKey: string
  readonly algorithm: CoseAlgorithm
  /** 16 bytes. Unproved: no attestation is verified. */
  readonly aaguid: string
  /** The format of the attestation, mostly `none`. Unproved as well. */
  readonly attestationType: string
  readonly rpIdHash: string
  readonly signCount: number
  readonly isUserVerified: boolean
  readonly origin: string
}

/**
 * Reads a registration as `navigator.credentials.create` gives it (WebAuthn Level 3, 7.1). The challenge proves nothing
 * here, since the client chose it. The stamp of the request vouches for the passkey. Attestations are not verified,
 * whatever their format, so nothing may rely on facts that only an attestation proves. Throws FIELD_INVALID below
 * `fieldPath`, the path of the object with `challenge` and `attestation`.
 */
export function readAttestation(
  { challenge, attestation }: GivenAuthenticator,
  { fieldPath, allowedOrigins }: { readonly fieldPath: string; readonly allowedOrigins: AllowedOrigins },
): NewAuthenticator {
  const clientData = clientDataOf(attestation.clientDataJson, `${fieldPath}.attestation.clientDataJson`)
  if (!isOriginAllowed(clientData, allowedOrigins)) {
    throw fieldRefused(`${fieldPath}.attestation.clientDataJson`, 'passkeys of this origin are not allowed here')
  }
  checkChallenge(challenge, clientData, `${fieldPath}.challenge`)
  const objectPath = `${fieldPath}.attestation.attestationObject`
  const { format, authenticatorData } = attestationObjectOf(attestation.attestationObject, objectPath)
  const { credential, ...data } = authenticatorData
  if (!data.isUserPresent) throw refusedObject(objectPath, 'it must say that a user was present')
  if (credential === undefined) throw refusedObject(objectPath, 'it must hold a credential')
  checkCredentialId(attestation.credentialId, credential.credentialId, `${fieldPath}.attestation.credentialId`)
  const key = importCoseKey(credential.cosePublicKey)
  if (key === undefined) {
    throw refusedObject(objectPath, 'its public key must be of ES256 on P-256, or of RS256 with 2,048 to 4,096 bits')
  }
  if (!isCanonicalCoseKey(credential.cosePublicKey)) {
    throw refusedObject(objectPath, 'its public key must be in the canonical form of CTAP2')
  }
  return {
    credentialId: base64urlOf(credential.credentialId),
    cosePublicKey: base64urlOf(credential.cosePublicKey),
    algorithm: key.algorithm,
    aaguid: base64urlOf(credential.aaguid),
    attestationType: format,
    rpIdHash: base64urlOf(data.rpIdHash),
    signCount: data.signCount,
    isUserVerified: data.isUserVerified,
    origin: clientData.origin,
  }
}

function clientDataOf(text: string, fieldPath: string): ClientData {
  const json = bytesOf(text, fieldPath, clientDataCharactersMax)
  const clientData = readClientData(json)
  if (clientData?.type === 'webauthn.create') return clientData
  throw fieldInvalid(fieldPath, 'client data JSON of the type webauthn.create')
}

/**
 * Compares the challenges as bytes, so padding and alphabet make no difference. Some systems take hex for base64. Their
 * clients send the same hex in both places, which gives equal bytes as well. Throws FIELD_INVALID.
 */
function checkChallenge(challenge: string, clientData: ClientData, fieldPath: string): void {
  const bytes = bytesOf(challenge, fieldPath, challengeCharactersMax)
  if (isEqual(bytes, clientData.challenge)) return
  throw fieldInvalid(fieldPath, 'the challenge that stands in clientDataJson')
}

/** Accepts the raw id or its CBOR byte string, which the interface describes. Throws FIELD_INVALID. */
function checkCredentialId(text: string, credentialId: Uint8Array, fieldPath: string): void {
  const bytes = bytesOf(text, fieldPath, credentialIdCharactersMax)
  if (credentialId.length > 0 && [credentialId, cborByteString(credentialId)].some((form) => isEqual(bytes, form)))
    return
  throw fieldInvalid(fieldPath, 'the id of the credential in attestationObject')
}

function attestationObjectOf(
  text: string,
  fieldPath: string,
): { readonly format: string; readonly authenticatorData: AuthenticatorData } {
  const object = cborMap(bytesOf(text, fieldPath, attestationObjectCharactersMax))
  const [format, data] = [object?.get('fmt'), object?.get('authData')]
  // RFC 8809, 2.1: the allowed form of a format's name.
  if (!object?.has('attStmt') || typeof format !== 'string' || !/^[!#-[\]-~]{1,32}$/.test(format)) {
    throw refusedObject(fieldPath, 'it must be canonical CBOR with fmt, attStmt and authData')
  }
  const authenticatorData = data instanceof Uint8Array ? readAuthenticatorData(data) : undefined
  if (authenticatorData === undefined) throw refusedObject(fieldPath, 'its authData must be authenticator data')
  return { format, authenticatorData }
}

function bytesOf(text: string, fieldPath: string, charactersMax: number): Uint8Array {
  const bytes = text.length > charactersMax ? undefined : bytesFromBase64url(text)
  if (bytes !== undefined) return bytes
  throw fieldInvalid(fieldPath, `base64url of at most ${charactersMax} characters`)
}

function refusedObject(fieldPath: string, reason: string): Failure {
  return new Failure('FIELD_INVALID', { fieldPath, expected: 'an attestation object', reason })
}

function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0
}
