import { Aes256Gcm, CipherSuite, DhkemP256HkdfSha256, HkdfSha256 } from '@hpke/core'
import { rawOfDer } from '../stamping/der.ts'
import { bytesOfHex, hexOf, utf8 } from '../stamping/encoding.ts'

/**
 * The bundles in which secrets travel between the vault and this page. Only the vault and the page can open them: the
 * server in between passes on the ciphertext (RFC 9180, base mode, DHKEM of P-256, AES-256-GCM).
 */
const suite = new CipherSuite({ kem: new DhkemP256HkdfSha256(), kdf: new HkdfSha256(), aead: new Aes256Gcm() })
const info = utf8('turnkey_hpke')

/** The bundle is none that the vault of this server made for this organization, this user and this key. */
export class BundleRefused extends Error {
  override readonly name = 'BundleRefused'
}

/** The key to which an export is encrypted. Its private half cannot leave the browser. */
export type ExportTarget = CryptoKeyPair

export async function newExportTarget(): Promise<ExportTarget> {
  return await crypto.subtle.generateKey({ name: 'ECDH', namedCurve: 'P-256' }, false, ['deriveBits'])
}

/** The point as the parameter `targetPublicKey` has it. */
export async function targetPublicKeyOf({ publicKey }: ExportTarget): Promise<string> {
  return hexOf(new Uint8Array(await crypto.subtle.exportKey('raw', publicKey)))
}

/** Opens an `exportBundle`. Throws BundleRefused. */
export async function openExportBundle(
  bundle: string,
  { target, organizationId }: { readonly target: ExportTarget; readonly organizationId: string },
): Promise<Uint8Array> {
  const signed = await readEnvelope(bundle)
  requireSame(signed, { organizationId })
  const encapped = bytesIn(signed, 'encappedPublic')
  const receiver = bytesOfHex(await targetPublicKeyOf(target))
  try {
    const context = await suite.createRecipientContext({ recipientKey: target, enc: encapped, info })
    return new Uint8Array(await context.open(bytesIn(signed, 'ciphertext'), joined(encapped, receiver)))
  } catch (cause) {
    throw new BundleRefused('the bundle was not encrypted to the key of this browser', { cause })
  }
}

/** Encrypts a secret to the target in an `importBundle`, as an `encryptedBundle`. Throws BundleRefused. */
export async function sealForImport(
  importBundle: string,
  {
    plaintext,
    ...expected
  }: { readonly plaintext: Uint8Array<ArrayBuffer>; readonly organizationId: string; readonly userId: string },
): Promise<string> {
  const signed = await readEnvelope(importBundle)
  requireSame(signed, expected)
  return sealTo(signed, plaintext)
}

/** Encrypts a passcode, with the key that may use what it proves. Only the vault can open it. Throws BundleRefused. */
export async function sealPasscode(
  otpBundle: string,
  given: { readonly code: string; readonly organizationId: string; readonly publicKey: string },
): Promise<string> {
  const { code, organizationId, publicKey } = given
  const signed = await readEnvelope(otpBundle, 'tlsFetcherSigning')
  requireSame(signed, { organizationId })
  return sealTo(signed, utf8(JSON.stringify({ otp_code: code, public_key: publicKey })))
}

async function sealTo(signed: Signed, plaintext: Uint8Array<ArrayBuffer>): Promise<string> {
  const receiver = bytesIn(signed, 'targetPublic')
  const recipientPublicKey = await suite.kem.deserializePublicKey(receiver)
  const context = await suite.createSenderContext({ recipientPublicKey, info })
  const encapped = new Uint8Array(context.enc)
  const ciphertext = await context.seal(plaintext, joined(encapped, receiver))
  return JSON.stringify({ encappedPublic: hexOf(encapped), ciphertext: hexOf(new Uint8Array(ciphertext)) })
}

type Signed = Readonly<Record<string, unknown>>

type KeyName = 'bundleSigning' | 'tlsFetcherSigning'

/** The content of a signed envelope, once the signature of the server's key for bundles holds. */
async function readEnvelope(bundle: string, keyName: KeyName = 'bundleSigning'): Promise<Signed> {
  const { data, dataSignature, enclaveQuorumPublic } = objectOf(bundle)
  const expected = await publishedKey(keyName)
  if (enclaveQuorumPublic !== expected) throw new BundleRefused('the bundle is signed by another server')
  if (typeof data !== 'string' || typeof dataSignature !== 'string') throw new BundleRefused('the bundle has no data')
  const key = await crypto.subtle.importKey('raw', bytesOfHex(expected), ecdsa, false, ['verify'])
  const bytes = bytesOfHex(data)
  const isSigned = await crypto.subtle.verify(ecdsa, key, rawOfDer(bytesOfHex(dataSignature)), bytes)
  if (!isSigned) throw new BundleRefused('the signature of the bundle is wrong')
  return objectOf(new TextDecoder().decode(bytes))
}

const ecdsa = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }

/** The published key, in hex. */
async function publishedKey(name: KeyName): Promise<string> {
  const answer = await fetch('/.well-known/claviger-keys.json', { credentials: 'omit', redirect: 'error' })
  const keys = (await answer.json()) as { readonly [K in KeyName]?: { readonly uncompressed?: string } }
  const key = keys[name]?.uncompressed
  if (!answer.ok || key === undefined) throw new BundleRefused('the server does not publish its key for bundles')
  return key
}

function requireSame(signed: Signed, expected: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(expected)) {
    if (signed[name] !== value) throw new BundleRefused(`the bundle has another ${name}`)
  }
}

function bytesIn(signed: Signed, name: string): Uint8Array<ArrayBuffer> {
  const hex = signed[name]
  if (typeof hex !== 'string') throw new BundleRefused(`the bundle has no ${name}`)
  return bytesOfHex(hex)
}

function objectOf(text: string): Signed {
  const value: unknown = JSON.parse(text)
  if (typeof value !== 'object' || value === null) throw new BundleRefused('the bundle is no JSON object')
  return value as Signed
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array<ArrayBuffer> {
  return Uint8Array.of(...one, ...other)
}
