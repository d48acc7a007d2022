import { generateKeyPairSync } from 'node:crypto'
import { encode } from 'cborg'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { coseKey, coseKeyOf, rsaCoseKey } from '../../../test/support/passkeys.ts'
import { importCoseKey, isCanonicalCoseKey, publicKeyName } from './cose_keys.ts'

const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey
const { x = '', y = '' } = ec.export({ format: 'jwk' })
const [xBytes, yBytes] = [Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]
const ecMembers = { 1: 2, 3: -7, [-1]: 1, [-2]: xBytes, [-3]: yBytes }

/** Not a product of two primes, which the import does not check: an odd number of so many bits. */
const modulus = (bits: number) => {
  const bytes = Buffer.alloc(Math.ceil(bits / 8), 0xff)
  bytes[0] = 0xff >> ((8 - (bits % 8)) % 8)
  return bytes
}
const f4 = Buffer.from([1, 0, 1])
const rsaMembers = { 1: 3, 3: -257, [-1]: modulus(2_048), [-2]: f4 }

describe('imports a key of', () => {
  test('ES256', () => {
    const imported = importCoseKey(coseKey(ecMembers))
    expect(imported?.algorithm).toBe('ES256')
    expect(imported?.key.equals(ec)).toBe(true)
  })

  test.each([2_048, 3_072])('RS256 of %i bits', (modulusLength) => {
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength })
    const imported = importCoseKey(coseKeyOf(publicKey))
    expect(imported?.algorithm).toBe('RS256')
    expect(imported?.key.equals(publicKey)).toBe(true)
  })

  test.each([
    [2_048, f4],
    [2_049, f4],
    [4_095, f4],
    [4_096, Buffer.from([3])],
    [2_048, Buffer.from('ffffffff', 'hex')],
  ])('RS256 at the edges: %i bits', (bits, e) => {
    const { key } = importCoseKey(rsaCoseKey(modulus(bits), e)) ?? {}
    expect(key?.asymmetricKeyDetails?.modulusLength).toBe(bits)
    expect(key?.asymmetricKeyDetails?.publicExponent).toBe(BigInt(`0x${e.toString('hex')}`))
  })
})

describe('does not import', () => {
  const without = (members: Record<number, unknown>, label: number) =>
    Object.fromEntries(Object.entries(members).filter(([name]) => Number(name) !== label))
  test.each<[string, Record<number, unknown>]>([
    ...[1, 3, -1, -2, -3].map((label): [string, Record<number, unknown>] => [
      `ES256 without ${label}`,
      without(ecMembers, label),
    ]),
    ...[1, 3, -1, -2].map((label): [string, Record<number, unknown>] => [
      `RS256 without ${label}`,
      without(rsaMembers, label),
    ]),
    ['a member too many', { ...ecMembers, 4: [2] }],
    ['a member too many of RS256', { ...rsaMembers, 4: [2] }],
    ['ES384', { ...ecMembers, 3: -35 }],
    ['another curve', { ...ecMembers, [-1]: 2 }],
    ['the curve by name', { ...ecMembers, [-1]: 'P-256' }],
    ['ECDSA with a key of RSA', { ...rsaMembers, 3: -7 }],
    ['RSA with a key on a curve', { ...ecMembers, 3: -257 }],
    ['an OKP key', { 1: 1, 3: -8, [-1]: 6, [-2]: xBytes }],
    ['PS256', { ...rsaMembers, 3: -37 }],
    ['RS1', { ...rsaMembers, 3: -65_535 }],
    ['a compressed point', { ...ecMembers, [-3]: true }],
    ['31 bytes of x', { ...ecMembers, [-2]: xBytes.subarray(1) }],
    ['33 bytes of x', { ...ecMembers, [-2]: Buffer.concat([Buffer.alloc(1), xBytes]) }],
    ['33 bytes of y', { ...ecMembers, [-3]: Buffer.concat([Buffer.alloc(1), yBytes]) }],
    ['x as text', { ...ecMembers, [-2]: x }],
    ['a point that is not on the curve', { ...ecMembers, [-3]: xBytes }],
    ['the point at infinity', { ...ecMembers, [-2]: Buffer.alloc(32), [-3]: Buffer.alloc(32) }],
    ['x above the field', { ...ecMembers, [-2]: Buffer.alloc(32, 0xff) }],
    ['2,047 bits', { ...rsaMembers, [-1]: modulus(2_047) }],
    ['4,097 bits', { ...rsaMembers, [-1]: modulus(4_097) }],
    ['a modulus with a leading zero', { ...rsaMembers, [-1]: Buffer.concat([Buffer.alloc(1), modulus(2_048)]) }],
    ['an even modulus', { ...rsaMembers, [-1]: Buffer.concat([modulus(2_048).subarray(1), Buffer.from([0xfe])]) }],
    ['an empty modulus', { ...rsaMembers, [-1]: Buffer.alloc(0) }],
    ['an exponent of 1', { ...rsaMembers, [-2]: Buffer.from([1]) }],
    ['an even exponent', { ...rsaMembers, [-2]: Buffer.from([1, 0, 0]) }],
    ['an exponent with a leading zero', { ...rsaMembers, [-2]: Buffer.from([0, 3]) }],
    ['an exponent of five bytes', { ...rsaMembers, [-2]: Buffer.from([1, 0, 0, 0, 1]) }],
    ['no exponent', { ...rsaMembers, [-2]: Buffer.alloc(0) }],
    ['an exponent as a number', { ...rsaMembers, [-2]: 65_537 }],
  ])('%s', (_name, members) => {
    expect(importCoseKey(coseKey(members))).toBeUndefined()
  })

  test('bytes behind the key, bytes missing, and the key in another encoding', () => {
    const bytes = coseKey(ecMembers)
    expect(importCoseKey(Buffer.concat([bytes, Buffer.alloc(1)]))).toBeUndefined()
    for (let length = 0; length < bytes.length; length += 1) {
      expect(importCoseKey(bytes.subarray(0, length))).toBeUndefined()
    }
    expect(importCoseKey(ec.export({ type: 'spki', format: 'der' }))).toBeUndefined()
  })

  test('arbitrary bytes, and arbitrary members, throw nothing', () => {
    const value = fc.oneof(fc.integer({ min: -300, max: 300 }), fc.uint8Array(), fc.boolean(), fc.string())
    const labels = [1, 3, -1, -2, -3] as const
    fc.assert(
      fc.property(fc.uint8Array(), fc.tuple(value, value, value, value, value), (bytes, values) => {
        importCoseKey(bytes)
        importCoseKey(coseKey(Object.fromEntries(labels.map((label, index) => [label, values[index]]))))
        importCoseKey(coseKey({ ...ecMembers, [-2]: values[0] }))
        importCoseKey(coseKey({ ...rsaMembers, [-1]: values[1] }))
      }),
    )
  })
})

/** The members of the ES256 key in CBOR, in the canonical order, each with its label. */
const ecParts = Object.values({
  keyType: '0102',
  algorithm: '0326',
  curve: '2001',
  x: `215820${xBytes.toString('hex')}`,
  y: `225820${yBytes.toString('hex')}`,
})
const halfFloatOfTwo = 'f94000'
const ecKeyIn = (parts: readonly string[]) => Buffer.from(`a5${parts.join('')}`, 'hex')

test('only one form of a key is canonical, and all forms have one name', () => {
  const canonical = coseKey(ecMembers)
  expect(ecKeyIn(ecParts)).toEqual(Buffer.from(canonical))
  expect(isCanonicalCoseKey(canonical)).toBe(true)
  expect(isCanonicalCoseKey(coseKey(rsaMembers))).toBe(true)
  const point = `${(yBytes.at(-1) ?? 0) % 2 === 0 ? '02' : '03'}${xBytes.toString('hex')}`
  expect(publicKeyName(Buffer.from(canonical).toString('hex'))).toBe(point)
  expect(publicKeyName(point)).toBe(point)
  const [, ...others] = ecParts
  for (const form of [
    ecKeyIn(ecParts.toReversed()),
    ecKeyIn([...others, ecParts[0] ?? '']),
    ecKeyIn([`01${halfFloatOfTwo}`, ...others]),
  ]) {
    expect(importCoseKey(form)?.key.equals(ec)).toBe(true)
    expect(isCanonicalCoseKey(form)).toBe(false)
    expect(publicKeyName(form.toString('hex'))).toBe(point)
  }
  const rsaForm = encode(
    new Map([...Object.entries(rsaMembers)].reverse().map(([label, value]) => [Number(label), value])),
    {
      mapSorter: () => 0,
    },
  )
  expect(isCanonicalCoseKey(rsaForm)).toBe(false)
  const nameOf = (bytes: Uint8Array) => publicKeyName(Buffer.from(bytes).toString('hex'))
  expect(nameOf(rsaForm)).toBe(nameOf(coseKey(rsaMembers)))
})

test('the name of what is no COSE_Key is itself', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      const hex = Buffer.from(bytes).toString('hex')
      expect(publicKeyName(hex)).toBe(hex)
    }),
  )
})
