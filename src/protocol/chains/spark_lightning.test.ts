import { SecretShare } from '@buildonspark/spark-sdk/proto/spark'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { decrypt } from 'eciesjs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  newOperators,
  type Operator,
  openedBy,
  openedByAll,
  paymentHashOf,
  recipientsOf,
} from '../../../test/support/operators.ts'
import { randomBytes } from '../../../test/support/p256_pairs.ts'
import { rebuiltFrom, subsets, verifyShare } from '../../../test/support/shares.ts'
import { checkLightningReceive, type OperatorRecipient, prepareLightningReceive } from './spark_lightning.ts'

const { Fn } = secp256k1.Point
const fieldPath = 'parameters.lightningReceive'

function prepared(operators: readonly Operator[], threshold: number) {
  return prepareLightningReceive({ threshold, operatorRecipients: recipientsOf(operators), randomBytes })
}

const sizes = fc
  .integer({ min: 2, max: 6 })
  .chain((count) => fc.record({ count: fc.constant(count), threshold: fc.integer({ min: 2, max: count }) }))

test('operators open, verify and rebuild: any threshold of them has the preimage, fewer have nothing', () => {
  fc.assert(
    fc.property(sizes, ({ count, threshold }) => {
      const operators = newOperators(count)
      const { operatorPackages, paymentHash } = prepared(operators, threshold)
      expect(operatorPackages.map(({ operatorId }) => operatorId)).toEqual(
        operators.map(({ operatorId }) => operatorId),
      )
      const points = openedByAll(operators, operatorPackages)
      for (const point of points) {
        expect(point.shareBytes).toBe(32)
        expect(point.proofs).toHaveLength(threshold)
        expect(point.proofs).toEqual(points[0]?.proofs)
        expect(verifyShare(point)).toBe(true)
      }
      for (const subset of subsets(points, threshold)) expect(paymentHashOf(rebuiltFrom(subset))).toBe(paymentHash)
      for (const subset of subsets(points, threshold - 1)) {
        expect(paymentHashOf(rebuiltFrom(subset))).not.toBe(paymentHash)
      }
      const [commitment] = points[0]?.proofs ?? []
      const preimage = rebuiltFrom(points.slice(0, threshold))
      expect(commitment && Uint8Array.from(commitment)).toEqual(secp256k1.getPublicKey(Fn.toBytes(preimage)))
    }),
    { numRuns: 15 },
  )
})

test('a package of two of three is 201 bytes, its plaintext as Protocol Buffers lay it out', () => {
  const operators = newOperators(3)
  const { operatorPackages, paymentHash } = prepared(operators, 2)
  expect(paymentHash).toMatch(/^[0-9a-f]{64}$/)
  for (const [position, operator] of operators.entries()) {
    const { encryptedPackage = '' } = operatorPackages[position] ?? {}
    expect(encryptedPackage).toMatch(/^04[0-9a-f]{400}$/)
    const plaintext = decrypt(operator.identityKey, hexToBytes(encryptedPackage))
    expect(bytesToHex(plaintext)).toMatch(/^0a20[0-9a-f]{64}(1221(02|03)[0-9a-f]{64}){2}$/)
    expect(SecretShare.encode(SecretShare.decode(plaintext)).finish()).toEqual(Uint8Array.from(plaintext))
  }
})

test('nobody opens the package of another, and no two calls are alike', () => {
  const operators = newOperators(2)
  const [first, second] = operators
  const { operatorPackages, paymentHash } = prepared(operators, 2)
  if (first === undefined || second === undefined) throw new Error('two operators')
  expect(() => openedBy(second, operatorPackages[0]?.encryptedPackage ?? '')).toThrow()
  const again = prepared(operators, 2)
  expect(again.paymentHash).not.toBe(paymentHash)
  expect(again.operatorPackages[0]?.encryptedPackage).not.toBe(operatorPackages[0]?.encryptedPackage)
})

test('an id is echoed, whatever it is, and a key may be in upper case', () => {
  const operators = newOperators(3).map((operator, position) => ({
    ...operator,
    operatorId: ['a', '☕', '0197c1f0-0000-7000-8000-000000000001'][position] ?? '',
    encryptionPublicKey: operator.encryptionPublicKey.toUpperCase(),
  }))
  expect(prepared(operators, 3).operatorPackages.map(({ operatorId }) => operatorId)).toEqual(
    operators.map(({ operatorId }) => operatorId),
  )
})

test('everything that was drawn is erased', () => {
  const drawn: Uint8Array[] = []
  prepareLightningReceive({
    threshold: 2,
    operatorRecipients: recipientsOf(newOperators(3)),
    randomBytes: (size) => {
      const bytes = randomBytes(size)
      if (size === 32) drawn.push(bytes)
      return bytes
    },
  })
  // The preimage, a coefficient, and an ephemeral key for each operator.
  expect(drawn).toHaveLength(5)
  for (const bytes of drawn) expect(bytes).toEqual(new Uint8Array(32))
})

describe('refused with the field', () => {
  const good = recipientsOf(newOperators(3))
  const refusalOf = (operatorRecipients: readonly OperatorRecipient[], threshold: number) => {
    try {
      checkLightningReceive({ threshold, operatorRecipients }, { fieldPath })
    } catch (error) {
      return error
    }
    throw new Error('nothing was refused')
  }

  test.each([-1, 0, 1, 4, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('a threshold of %d for three', (threshold) => {
    const refusal = { code: 'FIELD_INVALID', httpStatus: 400, fieldPath: 'parameters.lightningReceive.threshold' }
    expect(refusalOf(good, threshold)).toMatchObject(refusal)
  })

  test('no operators', () => {
    expect(refusalOf([], 2)).toMatchObject({ fieldPath: 'parameters.lightningReceive.threshold' })
  })

  const withLast = (changes: Partial<OperatorRecipient>) =>
    good.map((operator, position) => (position === 2 ? { ...operator, ...changes } : operator))

  test.each(['', good[0]?.operatorId ?? ''])('the id %j', (operatorId) => {
    const refusal = { code: 'FIELD_INVALID', fieldPath: 'parameters.lightningReceive.operatorRecipients[2].operatorId' }
    expect(refusalOf(withLast({ operatorId }), 2)).toMatchObject(refusal)
  })

  const refusesKey = (encryptionPublicKey: string) => {
    const path = 'parameters.lightningReceive.operatorRecipients[2].encryptionPublicKey'
    expect(refusalOf(withLast({ encryptionPublicKey }), 2)).toMatchObject({ code: 'FIELD_INVALID', fieldPath: path })
  }

  test.each([
    ['nothing', ''],
    ['an uncompressed key', bytesToHex(secp256k1.Point.BASE.toBytes(false))],
    ['an x that is not below the field', `02${'ff'.repeat(32)}`],
    ['an x without a y', `02${'00'.repeat(31)}05`],
    ['a prefix', `0x${good[2]?.encryptionPublicKey}`],
    ['white space', ` ${good[2]?.encryptionPublicKey}`],
  ])('%s for a key', (_name, key) => refusesKey(key))

  test('any text for a key', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^0[04-9][0-9a-f]{64}$/)), refusesKey),
    )
  })
})
