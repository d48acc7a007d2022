import { strict as assert } from 'node:assert'
import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto'
import { SecretBytes } from '../../protocol/crypto/secret_bytes.ts'
import { createByteCache } from '../../protocol/tools/byte_cache.ts'

/**
 * Sealing: AES-256-GCM (NIST SP 800-38D, 96-bit random nonces) under a key of its own for every record and version, so
 * that no key seals two versions; a decision that lost its race may seal the same version again, which is why the nonce
 * is random all the same.
 *
 * Key schedule, RFC 5869 HKDF-SHA256, starting at one generation of the master seed:
 *
 *   | key          | from             | info                                             |
 *   |--------------|------------------|--------------------------------------------------|
 *   | organization | master seed      | `claviger organization v1` 0x00 organization id  |
 *   | record       | organization key | `claviger record v1` 0x00 kind 0x00 id 0x00 version |
 *   | published    | master seed      | `claviger published v1` 0x00 name 0x00 counter   |
 *   | journal      | first master seed | `claviger journal v1`                           |
 *
 * The organization key is uniformly random, so the step from it to a record key is the expand half alone (RFC 5869,
 * section 3.3).
 */
export type Seals = {
  /** `plaintext` stays the caller's. */
  seal(slot: Slot, plaintext: Uint8Array): Uint8Array
  /** Throws `SealError` when the bytes are not what was sealed for exactly this slot. */
  unseal(slot: Slot, sealed: Uint8Array): Uint8Array
  /** A private scalar or seed for one of the published keys. */
  publishedSecret(name: string, counter: number): SecretBytes
  /** Under which the journal is authenticated: the same for as long as the first generation is kept. */
  journalKey(): SecretBytes
}

/** Where a sealed thing belongs: it opens in no other place. */
export type Slot = {
  readonly organizationId: string
  readonly kind: string
  readonly id: string
  readonly version: number
  /** Further bytes to which it is bound: at least one. */
  readonly boundTo?: Uint8Array
}

/** The bytes are not what the vault sealed for this place. */
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
export const tagBytes = 16
const organizationKeyCacheBytes = 4_000_000

export function createSeals({
  masterSeeds,
  randomBytes,
}: {
  readonly masterSeeds: MasterSeeds
  readonly randomBytes: (size: number) => Uint8Array
}): Seals {
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
      const cipher = createCipheriv('aes-256-gcm', key.reveal(), nonce)
      cipher.setAAD(bindingOf(slot, generation))
      const header = Buffer.of(formatVersion, 0, 0, 0, 0)
      header.writeUInt32BE(generation, 1)
      // Their order is the order of the calls: the tag exists after the end.
      return Buffer.concat([header, nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()])
    },

    unseal(slot, sealed) {
      if (!isSlot(slot)) throw new SealError('nothing is sealed for such a place')
      if (sealed.length < headerBytes + nonceBytes + tagBytes) throw new SealError('too short')
      if (sealed[0] !== formatVersion) throw new SealError('unknown format')
      const generation = new DataView(sealed.buffer, sealed.byteOffset).getUint32(1)
      using key = recordKey(generation, slot)
      const nonce = sealed.subarray(headerBytes, headerBytes + nonceBytes)
      const decipher = createDecipheriv('aes-256-gcm', key.reveal(), nonce, { authTagLength: tagBytes })
      decipher.setAAD(bindingOf(slot, generation))
      decipher.setAuthTag(sealed.subarray(sealed.length - tagBytes))
      const plaintext = decipher.update(sealed.subarray(headerBytes + nonceBytes, sealed.length - tagBytes))
      try {
        decipher.final()
      } catch (cause) {
        plaintext.fill(0)
        throw new SealError('the seal does not hold', { cause })
      }
      return plaintext
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

/** Whether the slot reads as no other: a zero byte ends its parts, and a part that is no text has no bytes of its own. */
function isSlot({ organizationId, kind, id, boundTo }: Slot): boolean {
  return (
    [organizationId, kind, id].every((part) => !part.includes('\0') && part.isWellFormed()) && boundTo?.length !== 0
  )
}

/** What the seal is bound to besides its key. */
function bindingOf({ organizationId, kind, id, version, boundTo }: Slot, generation: number): Uint8Array {
  const text = `claviger seal v1\0${generation}\0${organizationId}\0${kind}\0${id}\0${version}\0`
  return boundTo === undefined ? Buffer.from(text) : Buffer.concat([Buffer.from(text), boundTo])
}

/** The tag of a sealed head, in hex: two heads with one tag are one head. */
export function sealTag(sealed: Uint8Array): string {
  return Buffer.from(sealed.subarray(sealed.length - tagBytes)).toString('hex')
}
