import { p256Point, verifyP256Sha256 } from '../crypto/p256.ts'

/**
 * A public key of QuorumOS in hex: 130 bytes, an uncompressed point of P-256 for encryption and then one for signing.
 */
export const qosPublicKeyPattern = '^(04[0-9a-fA-F]{128}){2}$'

const form = new RegExp(qosPublicKeyPattern)
const pointHexDigits = 130

/** Returns both halves in lower-case hex; undefined when the text is no such key. */
export function parseQosPublicKey(
  publicKey: string,
): { readonly encryption: string; readonly signing: string } | undefined {
  if (!form.test(publicKey)) return undefined
  const halves = qosPublicKeyHalves(publicKey.toLowerCase())
  const arePoints = Object.values(halves).every((half) => p256Point(Buffer.from(half, 'hex')) !== undefined)
  return arePoints ? halves : undefined
}

/** The key for encryption and the one for signing, of a text in the form of such a key. */
export function qosPublicKeyHalves(publicKey: string): { readonly encryption: string; readonly signing: string } {
  return { encryption: publicKey.slice(0, pointHexDigits), signing: publicKey.slice(pointHexDigits) }
}

type QosSignature = {
  readonly publicKey: string
  readonly message: Uint8Array
  readonly signature: string
}

/**
 * Whether the signing half signed this message: ECDSA over its SHA-256. `signature` is the 64 bytes r‖s in hex. False
 * if the key or the signature is malformed.
 */
export function verifyQosSignature({ publicKey, message, signature }: QosSignature): boolean {
  const signing = parseQosPublicKey(publicKey)?.signing
  if (signing === undefined || !/^[0-9a-f]{128}$/i.test(signature)) return false
  return verifyP256Sha256({
    publicKey: Buffer.from(signing, 'hex'),
    message,
    signature: Buffer.from(signature, 'hex'),
  })
}
