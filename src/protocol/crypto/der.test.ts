import { generateKeyPairSync, sign, verify } from 'node:crypto'
import { DER } from '@noble/curves/abstract/weierstrass.js'
import { bytesToNumberBE } from '@noble/curves/utils.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { derOfEcdsaSignature, ecdsaSignatureFromDer } from './der.ts'

const hexOf = (bytes: Uint8Array | undefined) => (bytes === undefined ? undefined : Buffer.from(bytes).toString('hex'))
const fromDerHex = (hex: string) => hexOf(ecdsaSignatureFromDer(Buffer.from(hex, 'hex')))
const word = (hex: string) => hex.padStart(64, '0')
const sequence = (content: string) => `30${byte(content.length / 2)}${content}`
const integer = (content: string) => `02${byte(content.length / 2)}${content}`
const derHexOf = (signature: Uint8Array) =>
  DER.hexFromSig({ r: bytesToNumberBE(signature.subarray(0, 32)), s: bytesToNumberBE(signature.subarray(32)) })
const byte = (value: number) => value.toString(16).padStart(2, '0')
const ff32 = 'ff'.repeat(32)

describe('DER is read as r‖s', () => {
  test.each([
    ['one byte each', sequence(integer('01') + integer('7f')), word('01') + word('7f')],
    ['a zero before a high bit', sequence(integer('0080') + integer(`00${ff32}`)), word('80') + ff32],
    ['a superfluous zero in r', sequence(integer('0001') + integer('02')), word('01') + word('02')],
    [
      'a superfluous zero in s',
      sequence(integer('01') + integer(`00${'7f'.repeat(32)}`)),
      word('01') + '7f'.repeat(32),
    ],
    ['many superfluous zeros', sequence(integer(`${'00'.repeat(20)}01`) + integer('02')), word('01') + word('02')],
    [
      'the longest sequence of the short form',
      sequence(integer(`${'00'.repeat(61)}01`) + integer(`${'00'.repeat(60)}02`)),
      word('01') + word('02'),
    ],
    ['a high S', sequence(integer('01') + integer(`00${'fe'.repeat(32)}`)), word('01') + 'fe'.repeat(32)],
    ['zero, which no verifier takes', sequence(integer('00') + integer('00')), word('') + word('')],
  ])('%s', (_name, der, signature) => {
    expect(fromDerHex(der)).toBe(signature)
  })
})

describe('bytes that are no signature give undefined', () => {
  const good = integer('01') + integer('02')
  test.each([
    ['nothing', ''],
    ['a sequence without a length', '30'],
    ['an empty sequence', '3000'],
    ['one integer', sequence(integer('01'))],
    ['three integers', sequence(good + integer('03'))],
    ['a byte behind the sequence', `${sequence(good)}00`],
    ['a byte behind the integers, inside', sequence(`${good}00`)],
    ['a length that is one short', `3005${good}`],
    ['a length that is one long', `3007${good}`],
    ['a set', `31${byte(6)}${good}`],
    ['an octet string for r', sequence(`0401` + '01' + integer('02'))],
    ['an octet string for s', sequence(integer('01') + '040102')],
    ['an empty r', sequence('0200' + integer('02'))],
    ['an empty s', sequence(`${integer('01')}0200`)],
    ['a negative r', sequence(integer('80') + integer('02'))],
    ['a negative s', sequence(integer('01') + integer(ff32))],
    ['33 significant bytes in r', sequence(integer(`01${'00'.repeat(32)}`) + integer('02'))],
    ['33 significant bytes in s behind a zero', sequence(integer('01') + integer(`0001${'00'.repeat(32)}`))],
    ['an r that runs over the end', '300602060102030405'],
    ['an s that runs over the end', '3006020101020202'],
    ['an s without a length', '3004020101' + '02'],
    ['a length in the long form', `308106${good}`],
    ['a length in the long form inside', sequence(`02810101${integer('02')}`)],
    ["BER's length 0x80, which is not 128", `3080${integer(`${'00'.repeat(61)}01`)}${integer(`${'00'.repeat(61)}02`)}`],
    ["BER's end marker", `3080${good}0000`],
  ])('%s', (_name, der) => {
    expect(fromDerHex(der)).toBeUndefined()
  })
})

describe('generated signatures', () => {
  const signatures = fc.uint8Array({ minLength: 64, maxLength: 64 })

  test('r‖s survives the way to DER and back, also with zeros in front', () => {
    fc.assert(
      fc.property(signatures, fc.nat(32), fc.nat(32), (signature, rZeros, sZeros) => {
        signature.fill(0, 0, rZeros)
        signature.fill(0, 32, 32 + sZeros)
        expect(fromDerHex(derHexOf(signature))).toBe(hexOf(signature))
      }),
    )
  })

  test('zeros put before the integers change nothing', () => {
    fc.assert(
      fc.property(signatures, fc.nat(25), fc.nat(25), (signature, rZeros, sZeros) => {
        const r = integer('00'.repeat(rZeros + 1) + hexOf(signature.subarray(0, 32)))
        const s = integer('00'.repeat(sZeros + 1) + hexOf(signature.subarray(32)))
        expect(fromDerHex(sequence(r + s))).toBe(hexOf(signature))
      }),
    )
  })

  test.each(['P-256', 'secp256k1'])(
    'what node:crypto signs on %s is read as the r‖s that it verifies',
    (namedCurve) => {
      const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve })
      for (let round = 0; round < 300; round += 1) {
        const message = Uint8Array.of(round & 0xff)
        const der = new Uint8Array(sign('sha256', message, privateKey))
        const signature = ecdsaSignatureFromDer(der)
        if (signature === undefined) throw new Error(`not read: ${hexOf(der)}`)
        expect(derHexOf(signature)).toBe(hexOf(der))
        expect(verify('sha256', message, { key: publicKey, dsaEncoding: 'ieee-p1363' }, signature)).toBe(true)
      }
    },
  )

  test('arbitrary bytes throw nothing, and what is read has 64 bytes', () => {
    const shaped = fc.array(fc.constantFrom(0x00, 0x01, 0x02, 0x06, 0x30, 0x7f, 0x80, 0x81, 0xff), { maxLength: 12 })
    const sequences = shaped.map((content) => Uint8Array.of(0x30, content.length, ...content))
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 150 }), sequences), (bytes) => {
        expect([undefined, 64]).toContain(ecdsaSignatureFromDer(bytes)?.length)
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('derOfEcdsaSignature', () => {
  const words = fc.oneof(
    fc.uint8Array({ minLength: 32, maxLength: 32 }),
    // Short numbers, of which random ones are one in 256.
    fc
      .uint8Array({ minLength: 1, maxLength: 31 })
      .map((bytes) => Uint8Array.of(...Array(32 - bytes.length).fill(0), ...bytes)),
  )

  test('is the DER of noble, with lengths of one byte, and is read back', () => {
    fc.assert(
      fc.property(words, words, (r, s) => {
        const signature = Uint8Array.of(...r, ...s)
        const der = derOfEcdsaSignature(signature)
        expect(hexOf(der)).toBe(derHexOf(signature))
        expect(der.length).toBeLessThanOrEqual(72)
        expect(ecdsaSignatureFromDer(der)).toEqual(signature)
      }),
    )
  })

  test.each([
    ['zero', word(''), word('01'), sequence(integer('00') + integer('01'))],
    ['a high bit', word('80'), ff32, sequence(integer('0080') + integer(`00${ff32}`))],
    ['leading zeros', word('7f'), word('0100'), sequence(integer('7f') + integer('0100'))],
  ])('%s', (_name, r, s, der) => {
    expect(hexOf(derOfEcdsaSignature(Buffer.from(r + s, 'hex')))).toBe(der)
  })

  test('takes 64 bytes', () => {
    for (const length of [0, 63, 65]) expect(() => derOfEcdsaSignature(new Uint8Array(length))).toThrow('32 bytes each')
  })
})
