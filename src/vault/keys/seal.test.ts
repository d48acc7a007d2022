import { createDecipheriv, randomBytes } from 'node:crypto'
import { expand, hkdf } from '@noble/hashes/hkdf.js'
import { sha256 } from '@noble/hashes/sha2.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SecretBytes } from '../../protocol/crypto/secret_bytes.ts'
import { createSeals, SealError, type Slot, sealTag } from './seal.ts'

const slot: Slot = { organizationId: 'org', kind: 'record user', id: 'ada', version: 7 }
const plaintext = new TextEncoder().encode('a plaintext of some length')
const [headerBytes, nonceBytes, tagBytes] = [5, 12, 16]
const utf8 = (text: string) => new TextEncoder().encode(text)
const fresh = (size: number) => new Uint8Array(randomBytes(size))

function sealsOf({ current = 1, seeds = { 1: 0x11 } as Readonly<Record<number, number>>, random = fresh } = {}) {
  const masterSeeds = {
    current,
    seeds: new Map(
      Object.entries(seeds).map(([generation, fill]) => [
        Number(generation),
        new SecretBytes(new Uint8Array(32).fill(fill)),
      ]),
    ),
  }
  return createSeals({ masterSeeds, randomBytes: random })
}

const seals = sealsOf()

const parts = fc.string({ minLength: 1 }).filter((part) => !part.includes('\0'))
const slots: fc.Arbitrary<Slot> = fc.record(
  {
    organizationId: parts,
    kind: parts,
    id: parts,
    version: fc.integer({ min: 1 }),
    boundTo: fc.uint8Array({ minLength: 1, maxLength: 20 }),
  },
  { requiredKeys: ['organizationId', 'kind', 'id', 'version'] },
)

test('a seal opens in its slot, and sealing does not change the plaintext', () => {
  fc.assert(
    fc.property(slots, fc.uint8Array({ maxLength: 300 }), (place, bytes) => {
      const before = bytes.slice()
      const sealed = seals.seal(place, bytes)
      expect(bytes).toEqual(before)
      expect(sealed.length).toBe(headerBytes + nonceBytes + bytes.length + tagBytes)
      expect(new Uint8Array(seals.unseal(place, sealed))).toEqual(bytes)
    }),
  )
})

test('a seal opens as a part of a larger buffer', () => {
  const sealed = seals.seal(slot, plaintext)
  const framed = new Uint8Array(sealed.length + 20)
  framed.set(sealed, 9)
  expect(new Uint8Array(seals.unseal(slot, framed.subarray(9, 9 + sealed.length)))).toEqual(plaintext)
})

describe('a seal opens in no other slot', () => {
  const bound = { ...slot, boundTo: utf8('tag') }
  const { boundTo: _, ...unbound } = bound

  test.each<[string, Slot, Slot]>([
    ['organization', slot, { ...slot, organizationId: 'org2' }],
    ['kind', slot, { ...slot, kind: 'secret user' }],
    ['id', slot, { ...slot, id: 'bob' }],
    ['an earlier version', slot, { ...slot, version: 6 }],
    ['a later version', slot, { ...slot, version: 8 }],
    ['bound to other bytes', bound, { ...bound, boundTo: utf8('tah') }],
    ['bound to fewer bytes', bound, { ...bound, boundTo: utf8('ta') }],
    ['bound to more bytes', bound, { ...bound, boundTo: utf8('tag ') }],
    ['no longer bound', bound, unbound],
    ['bound only now', slot, bound],
    ['a part that moved to the next one', slot, { ...slot, kind: 'record use', id: 'rada' }],
    ['a version that moved into the id', { ...slot, id: 'a', version: 11 }, { ...slot, id: 'a1', version: 1 }],
  ])('%s', (_name, from, to) => {
    expect(() => seals.unseal(to, seals.seal(from, plaintext))).toThrow(SealError)
  })

  test('whatever the two slots are', () => {
    fc.assert(
      fc.property(
        slots,
        slots,
        fc.constantFrom('organizationId', 'kind', 'id', 'version', 'boundTo'),
        (from, b, key) => {
          const to = { ...from, [key]: b[key] }
          fc.pre(JSON.stringify(to) !== JSON.stringify(from))
          expect(() => seals.unseal(to, seals.seal(from, plaintext))).toThrow(SealError)
        },
      ),
    )
  })

  test.each<[string, Slot]>([
    ['a zero byte, which ends a part', { ...slot, id: 'ada\x007' }],
    ['half a surrogate pair, which has no bytes of its own', { ...slot, id: '\ud800' }],
    ['bound to nothing, which reads as not bound', { ...slot, boundTo: new Uint8Array() }],
  ])('there is no slot with %s', (_name, place) => {
    expect(() => seals.seal(place, plaintext)).toThrow('no place')
    expect(() => seals.unseal(place, seals.seal(slot, plaintext))).toThrow(SealError)
  })
})

describe('changed bytes do not open', () => {
  const sealed = seals.seal(slot, plaintext)

  test('any one bit', () => {
    for (let bit = 0; bit < sealed.length * 8; bit++) {
      const changed = sealed.slice()
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      expect(() => seals.unseal(slot, changed), `bit ${bit}`).toThrow(SealError)
    }
  })

  test('cut off anywhere, or with a byte more at either end', () => {
    for (let length = 0; length < sealed.length; length++) {
      expect(() => seals.unseal(slot, sealed.subarray(0, length)), `${length} bytes`).toThrow(SealError)
    }
    expect(() => seals.unseal(slot, Uint8Array.of(...sealed, 0))).toThrow(SealError)
    expect(() => seals.unseal(slot, Uint8Array.of(0, ...sealed))).toThrow(SealError)
  })

  test('arbitrary bytes throw only SealError', () => {
    const headed = fc.uint8Array({ maxLength: 80 }).map((bytes) => Uint8Array.of(1, 0, 0, 0, 1, ...bytes))
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 80 }), headed), (bytes) => {
        expect(() => seals.unseal(slot, bytes)).toThrow(SealError)
      }),
    )
  })
})

describe('nonces', () => {
  test('every seal takes 12 fresh random bytes, also for the same slot', () => {
    const sizes: number[] = []
    const counting = sealsOf({
      random: (size) => {
        sizes.push(size)
        return fresh(size)
      },
    })
    const nonces = new Set<string>()
    for (let round = 0; round < 5_000; round++) {
      const sealed = counting.seal({ ...slot, version: 1 + (round % 2) }, plaintext)
      nonces.add(Buffer.from(sealed.subarray(headerBytes, headerBytes + nonceBytes)).toString('hex'))
    }
    expect(nonces.size).toBe(5_000)
    expect(sizes).toEqual(Array(5_000).fill(nonceBytes))
  })

  test.each([0, 11, 13])('nothing is sealed with a nonce of %i bytes', (size) => {
    expect(() => sealsOf({ random: () => new Uint8Array(size) }).seal(slot, plaintext)).toThrow('12 bytes')
  })
})

describe('the key schedule is the documented one', () => {
  const seed = new Uint8Array(32).fill(0x11)

  test('a sealed record opens with a key and additional data computed from the table alone', () => {
    const bound = { ...slot, boundTo: Uint8Array.of(1, 0, 2) }
    const sealed = seals.seal(bound, plaintext)
    expect([...sealed.subarray(0, headerBytes)]).toEqual([1, 0, 0, 0, 1])
    const organizationKey = hkdf(sha256, seed, utf8(''), utf8('claviger organization v1\0org'), 32)
    const recordKey = expand(sha256, organizationKey, utf8('claviger record v1\0record user\0ada\x007'), 32)
    const decipher = createDecipheriv('aes-256-gcm', recordKey, sealed.subarray(headerBytes, headerBytes + nonceBytes))
    decipher.setAAD(Buffer.concat([utf8('claviger seal v1\x001\0org\0record user\0ada\x007\0'), bound.boundTo]))
    decipher.setAuthTag(sealed.subarray(-tagBytes))
    const opened = Buffer.concat([
      decipher.update(sealed.subarray(headerBytes + nonceBytes, -tagBytes)),
      decipher.final(),
    ])
    expect(new Uint8Array(opened)).toEqual(plaintext)
  })

  test('a seal of the first release opens', () => {
    const sealed = sealsOf({ random: (size) => new Uint8Array(size).fill(9) }).seal(slot, plaintext)
    const stored =
      '0100000001090909090909090909090909c1204ae0d585d31d4492be847be75ad299af998c71c5ff4312f0b0b7c959e2c02836981b7ddf2dfd86ce'
    expect(Buffer.from(sealed).toString('hex')).toBe(stored)
    expect(new Uint8Array(seals.unseal(slot, Buffer.from(stored, 'hex')))).toEqual(plaintext)
  })

  test('a published secret depends only on generation, name and counter', () => {
    const secretOf = (name: string, counter: number, current = 1) => {
      using secret = sealsOf({ current, seeds: { 1: 0x11, 2: 0x22 } }).publishedSecret(name, counter)
      return Buffer.from(secret.reveal()).toString('hex')
    }
    const info = utf8('claviger published v1\0bundleSigning\x000')
    expect(secretOf('bundleSigning', 0)).toBe(Buffer.from(hkdf(sha256, seed, utf8(''), info, 32)).toString('hex'))
    expect(secretOf('bundleSigning', 0)).toBe(secretOf('bundleSigning', 0))
    const others = [
      secretOf('bundleSigning', 1),
      secretOf('sessionSigning', 0),
      secretOf('bundleSigning', 0, 2),
      secretOf('bundleSigning', 10),
    ]
    expect(new Set([secretOf('bundleSigning', 0), ...others]).size).toBe(5)
  })
})

describe('generations of the master seed', () => {
  const old = sealsOf().seal(slot, plaintext)
  const rotated = sealsOf({ current: 2, seeds: { 1: 0x11, 2: 0x22 } })

  test('a seal of an older one still opens, and a new seal names the current one', () => {
    expect(new Uint8Array(rotated.unseal(slot, old))).toEqual(plaintext)
    const sealed = rotated.seal(slot, plaintext)
    expect([...sealed.subarray(0, headerBytes)]).toEqual([1, 0, 0, 0, 2])
    expect(new Uint8Array(sealsOf({ current: 2, seeds: { 2: 0x22 } }).unseal(slot, sealed))).toEqual(plaintext)
    expect(new Uint8Array(rotated.unseal(slot, old))).toEqual(plaintext)
  })

  test('a seal that names another generation does not open, even if that has the same seed', () => {
    const twins = sealsOf({ current: 2, seeds: { 1: 0x11, 2: 0x11 } })
    const relabelled = old.slice()
    relabelled[4] = 2
    for (const opener of [rotated, twins]) expect(() => opener.unseal(slot, relabelled)).toThrow(SealError)
  })

  test('a missing one causes a SealError that names it', () => {
    expect(() => sealsOf().unseal(slot, rotated.seal(slot, plaintext))).toThrow(
      new SealError('there is no master seed of generation 2'),
    )
    expect(() => sealsOf({ current: 3 }).seal(slot, plaintext)).toThrow(SealError)
    expect(() => sealsOf({ current: 3 }).publishedSecret('bundleSigning', 0)).toThrow(SealError)
  })
})

test('a seal opens after the key of its organization has left the cache', () => {
  const ofOrganization = (index: number) => ({ ...slot, organizationId: `org-${index}` })
  const sealed = seals.seal(ofOrganization(0), plaintext)
  for (let index = 1; index <= 20_001; index++) seals.seal(ofOrganization(index), plaintext)
  expect(new Uint8Array(seals.unseal(ofOrganization(0), sealed))).toEqual(plaintext)
  expect(() => seals.unseal(ofOrganization(1), sealed)).toThrow(SealError)
})

test('a tag is the last 16 bytes in hex', () => {
  const sealed = seals.seal(slot, plaintext)
  expect(sealTag(sealed)).toBe(Buffer.from(sealed.subarray(-tagBytes)).toString('hex'))
})
