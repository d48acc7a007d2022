import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { asId } from '../../contract/fields/ids.ts'
import type { PrivateKey, RecordTypes, User } from '../../contract/records/records.ts'
import { SecretBytes } from '../../protocol/crypto/secret_bytes.ts'
import { createSeals, SealError } from './seal.ts'
import { sealRecord, unsealRecord, unsealSecret } from './sealed_record.ts'

const seals = createSeals({
  masterSeeds: { current: 1, seeds: new Map([[1, new SecretBytes(new Uint8Array(32).fill(1))]]) },
  randomBytes: (size) => new Uint8Array(randomBytes(size)),
})

const privateKey: PrivateKey = {
  privateKeyId: 'k1',
  privateKeyName: 'clé 🔑',
  curve: 'CURVE_ED25519',
  publicKey: '00'.repeat(32),
  addresses: [],
  privateKeyTags: [asId('a')],
  exported: false,
  imported: true,
  createdAtMs: 1,
  updatedAtMs: 2,
}
const user: User = {
  userId: asId('u1'),
  userName: 'Ada',
  apiKeys: [],
  authenticators: [],
  oauthProviders: [],
  userTags: [],
  createdAtMs: 1,
  updatedAtMs: 2,
}

const keySlot = { organizationId: 'o1', kind: 'private_key', recordId: 'k1', version: 3 } as const
const userSlot = { organizationId: 'o1', kind: 'user', recordId: 'u1', version: 3 } as const
const secretBytes = Uint8Array.from({ length: 32 }, (_, index) => index)

const sealKey = (bytes = secretBytes, record: RecordTypes['private_key'] = privateKey) =>
  sealRecord(seals, keySlot, { record, secret: new SecretBytes(bytes.slice()) })
const sealUser = () => sealRecord(seals, userSlot, { record: user, secret: undefined })
const secretOf = (sealed: Uint8Array) => {
  using secret = unsealSecret(seals, keySlot, sealed)
  return new Uint8Array(secret.reveal())
}
/** The offset at which the sealed secret begins. */
const boundaryOf = (sealed: Uint8Array) => 4 + new DataView(sealed.buffer).getUint32(0)

test('record and secret open separately and unchanged', () => {
  const sealed = sealKey()
  expect(unsealRecord(seals, keySlot, sealed)).toStrictEqual(privateKey)
  expect(secretOf(sealed)).toEqual(secretBytes)
  expect(unsealRecord(seals, userSlot, sealUser())).toStrictEqual(user)
})

test('a secret of any length opens unchanged', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
      expect(secretOf(sealKey(bytes))).toEqual(bytes)
    }),
  )
})

test('sealing does not erase the secret', () => {
  using secret = new SecretBytes(secretBytes.slice())
  sealRecord(seals, keySlot, { record: privateKey, secret })
  expect(secret.reveal()).toEqual(secretBytes)
})

test('the sealed bytes show neither half', () => {
  const sealed = Buffer.from(sealKey())
  expect(sealed.includes('privateKeyName')).toBe(false)
  expect(sealed.includes(secretBytes)).toBe(false)
})

test('a record without a secret has none to unseal', () => {
  expect(() => unsealSecret(seals, userSlot, sealUser())).toThrow(new SealError('this record has no secret'))
})

describe('both halves open in no other slot', () => {
  test.each([
    ['organization', { organizationId: 'o2' }],
    ['id', { recordId: 'k2' }],
    ['an earlier version', { version: 2 }],
    ['a later version', { version: 4 }],
    ['kind', { kind: 'wallet' }],
  ] as const)('%s', (_name, change) => {
    const other = { ...keySlot, ...change }
    expect(() => unsealRecord(seals, other, sealKey())).toThrow(SealError)
    expect(() => unsealSecret(seals, other, sealKey())).toThrow(SealError)
  })

  test('a record that was sealed in the slot of another id does not open', () => {
    const sealed = sealRecord(seals, { ...keySlot, recordId: 'k2' }, { record: privateKey, secret: undefined })
    expect(() => unsealRecord(seals, { ...keySlot, recordId: 'k2' }, sealed)).toThrow(
      new SealError('the record names another id'),
    )
  })
})

describe('a secret belongs to one readable part', () => {
  const recombined = (readable: Uint8Array, secret: Uint8Array) =>
    Uint8Array.of(...readable.subarray(0, boundaryOf(readable)), ...secret.subarray(boundaryOf(secret)))

  test('not to one that was sealed for the same slot at another time', () => {
    const [one, other] = [sealKey(), sealKey(new Uint8Array(32).fill(7))]
    const mixed = recombined(one, other)
    expect(unsealRecord(seals, keySlot, mixed)).toStrictEqual(privateKey)
    expect(() => unsealSecret(seals, keySlot, mixed)).toThrow(SealError)
    expect(secretOf(recombined(one, one))).toEqual(secretBytes)
  })

  test('not to a record of another kind', () => {
    expect(() => unsealSecret(seals, userSlot, recombined(sealUser(), sealKey()))).toThrow(SealError)
  })

  test('and neither part opens in the place of the other', () => {
    const sealed = sealKey()
    const readable = sealed.subarray(4, boundaryOf(sealed))
    const secret = sealed.subarray(boundaryOf(sealed))
    const halves = (first: Uint8Array, second: Uint8Array) => {
      const bytes = new Uint8Array(4 + first.length + second.length)
      new DataView(bytes.buffer).setUint32(0, first.length)
      bytes.set(first, 4)
      bytes.set(second, 4 + first.length)
      return bytes
    }
    expect(() => unsealRecord(seals, keySlot, halves(secret, readable))).toThrow(SealError)
    expect(() => unsealSecret(seals, keySlot, halves(secret, readable))).toThrow(SealError)
    expect(() => unsealSecret(seals, keySlot, halves(readable, readable))).toThrow(SealError)
  })
})

describe('changed bytes', () => {
  const sealed = sealKey()
  const boundary = boundaryOf(sealed)

  test('in a half or in the length do not open', () => {
    for (let at = 0; at < sealed.length; at++) {
      const changed = sealed.slice()
      changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8))
      if (at < boundary) expect(() => unsealRecord(seals, keySlot, changed), `byte ${at}`).toThrow(SealError)
      if (at < 4 || at >= boundary) expect(() => unsealSecret(seals, keySlot, changed), `byte ${at}`).toThrow(SealError)
    }
  })

  test('cut off anywhere: the readable part opens only if it is whole, the secret never', () => {
    for (let length = 0; length < sealed.length; length++) {
      const cut = sealed.subarray(0, length)
      if (length < boundary) expect(() => unsealRecord(seals, keySlot, cut), `${length} bytes`).toThrow(SealError)
      expect(() => unsealSecret(seals, keySlot, cut), `${length} bytes`).toThrow(SealError)
    }
  })

  test('arbitrary bytes throw only SealError, also as a part of a larger buffer', () => {
    const lengths = fc.constantFrom(0, 1, 15, 16, 33, 40, 0xff, 0xffffffff)
    fc.assert(
      fc.property(lengths, fc.uint8Array({ maxLength: 80 }), fc.nat(5), (length, bytes, offset) => {
        const framed = new Uint8Array(offset + 4 + bytes.length)
        new DataView(framed.buffer).setUint32(offset, length)
        framed.set(bytes, offset + 4)
        for (const unseal of [unsealRecord, unsealSecret]) {
          expect(() => unseal(seals, keySlot, framed.subarray(offset))).toThrow(SealError)
        }
      }),
    )
  })
})
