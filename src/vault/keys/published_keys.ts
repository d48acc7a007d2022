import { bytesToHex as hex } from '@noble/hashes/utils.js'
import type { PublishedKeys } from '../../link/verbs.ts'
import { firstPrivateKey, publicKeyOf, uncompressedOf } from '../../protocol/crypto/curves.ts'
import type { SecretBytes } from '../../protocol/crypto/secret_bytes.ts'
import type { Seals } from './seal.ts'

/** The P-256 keys of this server, each for one purpose. Clients verify signatures with them or encrypt to them. */
const p256Names = [
  'bundleSigning',
  'tlsFetcherSigning',
  'tlsFetcherEncryption',
  'onRampEncryption',
  'sessionSigning',
  'appProofSigning',
] as const

/**
 * A key that is derived like the others and is not published. It is the first half of the composite key of app proofs,
 * and `appProofSigning` is the second half. Each proof carries it.
 */
const unlistedP256Name = 'appProofEncryption'

export type P256KeyName = (typeof p256Names)[number] | typeof unlistedP256Name

/** The Ed25519 keys: that of audit heads, and that of webhooks. */
const ed25519Names = ['auditSigning', 'webhookSigning'] as const

export function publishedKeysOf(seals: Seals): PublishedKeys {
  const p256 = p256Names.map((name) => {
    using secret = p256Secret(seals, name)
    const compressed = publicKeyOf('CURVE_P256', secret.reveal())
    return [name, { compressed: hex(compressed), uncompressed: hex(uncompressedOf('CURVE_P256', compressed)) }] as const
  })
  const ed25519 = ed25519Names.map((name) => {
    using secret = ed25519Secret(seals, name)
    const point = hex(publicKeyOf('CURVE_ED25519', secret.reveal()))
    return [name, { compressed: point, uncompressed: point }] as const
  })
  return Object.fromEntries([...p256, ...ed25519])
}

/** Returns the seed of one of this server's Ed25519 keys, 32 bytes. The caller disposes of it. */
export function ed25519Secret(seals: Seals, name: (typeof ed25519Names)[number]): SecretBytes {
  return seals.publishedSecret(name, 0)
}

/** Returns the private scalar of one of this server's P-256 keys, 32 bytes. The caller disposes of it. */
export function p256Secret(seals: Seals, name: P256KeyName): SecretBytes {
  return firstPrivateKey('CURVE_P256', (counter) => seals.publishedSecret(name, counter))
}
