import { strict as assert } from 'node:assert'
import { createHmac, hkdfSync } from 'node:crypto'
import { decryptAesGcm, encryptAesGcm, gcmTagBytes } from '../../protocol/crypto/aes_gcm.ts'
import { SecretBytes } from '../../protocol/crypto/secret_bytes.ts'
import { createByteCache } from '../../protocol/tools/byte_cache.ts'

/**
 * Sealing is AES-256-GCM (NIST SP 800-38D, 96-bit random nonces) with a separate key for every record and version. So
 * no key seals two versions. The nonce is random, because a decision that lost its race may seal the same version
 * again.
 *
 * The key schedule is RFC 5869 HKDF-SHA256. It starts at one generation of the master seed:
 *
 *   | key          | from             | info                                             |
 *   |--------------|------------------|--------------------------------------------------|
 *   | organization | master seed      | `claviger organization v1` 0x00 organization id  |
 *   | record       | organization key | `claviger record v1` 0x00 kind 0x00 id 0x00 version |
 *   | published    | master seed      | `claviger published v1` 0x00 name 0x00 counter   |
 *   | journal      | first master seed | `claviger journal v1`                           |
 *
 * The organization key is uniformly random, so the step from it to a record key is only the expand step (RFC 5869,
 * section 3.3).
 */
export type Seals = {
  /** Seals `plaintext`, which the caller keeps, for this slot. */
  seal(slot: Slot, plaintext: Uint8Array): Uint8Array
  /** Returns the plaintext. Throws `SealError` unless the bytes were sealed for exactly this slot. */
  unseal(slot: Slot, sealed: Uint8Array): Uint8Array
  /** Returns a private scalar or seed for one of the published keys. */
  publishedSecret(name: string, counter: number): SecretBytes
  /** Returns the key that authenticates the journal. It stays the same for as long as the first generation is kept. */
  journalKey(): SecretBytes
}

/** The place of sealed bytes. They open in no other slot. */
export type Slot = {
  readonly organizationId: string
  readonly kind: string
  readonly id: string
  readonly version: number
  /** Further bytes to which the seal is bound: at least one. */
  readonly boundTo?: Uint8Array
}

/** The vault did not seal these bytes for this slot. */
export class SealError extends Error {
  override readonly name = 'SealError'
}

export type MasterSeeds = {
  readonly current: number
  readonly seeds: ReadonlyMap<number, SecretBytes>
}

const formatVersion = 1
const headerBytes = 5
const nonceBytes = 12
const organizationKeyCacheBytes = 4_000_000

type SealsParts = { readonly masterSeeds: MasterSeeds; readonly randomBytes: (size: number) => Uint8Array }

export function createSeals({ masterSeeds, randomBytes }: SealsParts): Seals {
  const organizationKeys = createByteCache<SecretBytes>({
    bytesMax: organizationKeyCacheBytes,
    onEvict: (_name, key) => key[Symbol.dispose](),
  })

  function organizationKey(generation: number, organizationId: string): Uint8Array {
    const cacheKey = `${generation} ${organizationId}`
    const cached = organizationKeys.get(cacheKey)
    if (cached !== undefined) return cached.reveal()
    const seed = masterSeeds.seeds.get(generation)
    if (seed === undefined) throw new SealError(`there is no master seed of generation ${generation}`)
    const key = new SecretBytes(
      new Uint8Array(hkdfSync('sha256', seed.reveal(), '', `claviger organization v1\0${organizationId}`, 32)),
    )
    organizationKeys.set(cacheKey, key, 200)
    return key.reveal()
  }

  function recordKey(generation: number, { organizationId, kind, id, version }: Slot): SecretBytes {
    const info = `claviger record v1\0${kind}\0${id}\0${version}\x01`
    return new SecretBytes(createHmac('sha256', organizationKey(generation, organizationId)).update(info).digest())
  }

  return {
    seal(slot, plaintext) {
      assert(isSlot(slot), 'this is no place to seal for')
      const generation = masterSeeds.current
      using key = recordKey(generation, slot)
      const nonce = randomBytes(nonceBytes)
      assert(nonce.length === nonceBytes, 'a nonce has 12 bytes')
      const header = Buffer.of(formatVersion, 0, 0, 0, 0)
      header.writeUInt32BE(generation, 1)
      const additionalData = bindingOf(slot, generation)
      return encryptAesGcm({ key, nonce, additionalData, plaintext, before: [header, nonce] })
    },

    unseal(slot, sealed) {
      if (!isSlot(slot)) throw new SealError('nothing is sealed for such a place')
      if (sealed.length < headerBytes + nonceBytes + gcmTagBytes) throw new SealError('too short')
      if (sealed[0] !== formatVersion) throw new SealError('unknown format')
      const generation = new DataView(sealed.buffer, sealed.byteOffset).getUint32(1)
      using key = recordKey(generation, slot)
      const nonce = sealed.subarray(headerBytes, headerBytes + nonceBytes)
      const ciphertext = sealed.subarray(headerBytes + nonceBytes)
      const plaintext = decryptAesGcm({ key, nonce, additionalData: bindingOf(slot, generation), ciphertext })
      if (plaintext === undefined) throw new SealError('the seal does not hold')
      return plaintext.reveal()
    },

    publishedSecret(name, counter) {
      const seed = masterSeeds.seeds.get(masterSeeds.current)
      if (seed === undefined) throw new SealError('the current master seed is missing')
      const info = `claviger published v1\0${name}\0${counter}`
      return new SecretBytes(new Uint8Array(hkdfSync('sha256', seed.reveal(), '', info, 32)))
    },

    journalKey() {
      const seed = masterSeeds.seeds.get(1)
      if (seed === undefined) throw new SealError('the first master seed is missing')
      return new SecretBytes(new Uint8Array(hkdfSync('sha256', seed.reveal(), '', 'claviger journal v1', 32)))
    },
  }
}

/**
 * Whether the encoding of the slot is unambiguous. A zero byte ends each part, so no part may hold one. A part with
 * lone surrogates is refused, because another text would have the same UTF-8 bytes. An empty `boundTo`
 * is refused, because it would equal an absent one.
 */
function isSlot({ organizationId, kind, id, boundTo }: Slot): boolean {
  return (
    [organizationId, kind, id].every((part) => !part.includes('\0') && part.isWellFormed()) && boundTo?.length !== 0
  )
}

/** Returns the additional data of the seal. */
function bindingOf({ organizationId, kind, id, version, boundTo }: Slot, generation: number): Uint8Array {
  const text = `claviger seal v1\0${generation}\0${organizationId}\0${kind}\0${id}\0${version}\0`
  return boundTo === undefined ? Buffer.from(text) : Buffer.concat([Buffer.from(text), boundTo])
}

/** Returns the tag of a sealed head in hex. Two heads with the same tag are the same head. */
export function sealTag(sealed: Uint8Array): string {
  return Buffer.from(sealed.subarray(sealed.length - gcmTagBytes)).toString('hex')
}
