import { bytesFromBase64url } from '../tools/base64url.ts'
import { jsonObjectIn } from '../wire/json.ts'
import { cborMap, firstCborItem } from './cbor.ts'

/** A ceremony as the browser or the app describes it. The authenticator signs it (WebAuthn Level 3, 5.8.1). */
export type ClientData = {
  /** `webauthn.create` or `webauthn.get`. */
  readonly type: string
  readonly challenge: Uint8Array
  /** The origin of the page or the app: `https://app.example.com`. */
  readonly origin: string
  /** Whether the page was in a frame of another origin. */
  readonly isFramed: boolean
  /** The origin of the outer page then. Browsers of before Level 3 say none. */
  readonly topOrigin: string | undefined
}

/** Origins from which passkeys may be used: all, or exactly these. */
export type AllowedOrigins = '*' | readonly string[]

/** A ceremony as the authenticator describes it (WebAuthn Level 3, 6.1). */
export type AuthenticatorData = {
  /** SHA-256 of the domain to which the credential is bound. */
  readonly rpIdHash: Uint8Array
  readonly isUserPresent: boolean
  /** By PIN, fingerprint or the like. */
  readonly isUserVerified: boolean
  /** Synced passkeys always say 0. */
  readonly signCount: number
  /** Present at a registration. */
  readonly credential: NewCredential | undefined
}

type NewCredential = {
  /** 16 bytes: the authenticator's model, which only an attestation would prove. */
  readonly aaguid: Uint8Array
  readonly credentialId: Uint8Array
  /** The COSE_Key, unchecked. */
  readonly cosePublicKey: Uint8Array
}

/**
 * Reads client data JSON as strictly as a body. Unknown members are ignored, since browsers add some. Undefined unless
 * it is an object with type, challenge and origin.
 */
export function readClientData(json: Uint8Array): ClientData | undefined {
  const { type, challenge, origin, crossOrigin = false, topOrigin } = jsonObjectIn(json) ?? {}
  if (typeof type !== 'string' || typeof challenge !== 'string' || typeof origin !== 'string') return undefined
  if (topOrigin !== undefined && typeof topOrigin !== 'string') return undefined
  const challengeBytes = bytesFromBase64url(challenge)
  if (challengeBytes === undefined) return undefined
  return { type, challenge: challengeBytes, origin, isFramed: crossOrigin !== false, topOrigin }
}

/** Whether the page and any page around it are allowed. A page around it decides what the user sees, known or not. */
export function isOriginAllowed({ origin, isFramed, topOrigin }: ClientData, allowed: AllowedOrigins): boolean {
  if (allowed === '*') return true
  const isAroundAllowed = topOrigin === undefined ? !isFramed : allowed.includes(topOrigin)
  return allowed.includes(origin) && isAroundAllowed
}

const headBytes = 37
const aaguidBytes = 16
const flag = {
  userPresent: 0x01,
  userVerified: 0x04,
  backupEligible: 0x08,
  backedUp: 0x10,
  credential: 0x40,
  extensions: 0x80,
}

/**
 * Reads authenticator data: 37 bytes, then a credential and CBOR of extensions where the flags say so, nothing after.
 * Undefined for anything else, and for a credential that is backed up but not eligible for backup.
 */
export function readAuthenticatorData(bytes: Uint8Array): AuthenticatorData | undefined {
  if (bytes.length < headBytes) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const flags = view.getUint8(32)
  const has = (mask: number) => (flags & mask) !== 0
  if (has(flag.backedUp) && !has(flag.backupEligible)) return undefined
  const found = has(flag.credential) ? credentialAt(bytes, headBytes) : { credential: undefined, end: headBytes }
  if (found === undefined) return undefined
  const rest = bytes.subarray(found.end)
  if (has(flag.extensions) ? cborMap(rest) === undefined : rest.length > 0) return undefined
  return {
    rpIdHash: bytes.subarray(0, 32),
    isUserPresent: has(flag.userPresent),
    isUserVerified: has(flag.userVerified),
    signCount: view.getUint32(33),
    credential: found.credential,
  }
}

function credentialAt(bytes: Uint8Array, start: number): { credential: NewCredential; end: number } | undefined {
  const idStart = start + aaguidBytes + 2
  if (bytes.length < idStart) return undefined
  const [high = 0, low = 0] = bytes.subarray(idStart - 2, idStart)
  const keyStart = idStart + high * 256 + low
  const credentialId = bytes.subarray(idStart, keyStart)
  // The CBOR of the key determines where the key ends.
  const key = firstCborItem(bytes.subarray(keyStart))
  if (key === undefined) return undefined
  const end = keyStart + key.length
  const aaguid = bytes.subarray(start, start + aaguidBytes)
  return { credential: { aaguid, credentialId, cosePublicKey: bytes.subarray(keyStart, end) }, end }
}
