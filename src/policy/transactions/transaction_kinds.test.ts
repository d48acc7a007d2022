import { secp256k1 } from '@noble/curves/secp256k1.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { failureOf } from '../../../test/support/failures.ts'
import { generatedRuns } from '../../../test/support/generated_runs.ts'
import { finished } from '../../protocol/tools/steps.ts'
import { transactionKinds, transactionTypes } from './transaction_kinds.ts'

const publicKey = secp256k1.getPublicKey(new Uint8Array(32).fill(0x46))
const signer = { curve: 'CURVE_SECP256K1', addressFormat: undefined, scheme: 'default', publicKey } as const

test('every type has its row', () => {
  expect(Object.keys(transactionKinds)).toEqual(transactionTypes)
})

describe.each(Object.entries(transactionKinds))('%s', (_, kind) => {
  test('refuses bytes that are no transaction with a reason, and throws nothing else', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400, size: 'max' }), (bytes) => {
        const failure = failureOf(() => finished(kind.open(bytes, signer)))
        expect(['TRANSACTION_INVALID', 'TRANSACTION_TYPE_UNSUPPORTED']).toContain(failure.code)
        expect(failure.fieldPath).toBe('parameters.unsignedTransaction')
        expect(failure.message.length).toBeGreaterThan(60)
      }),
      { numRuns: 5 * generatedRuns },
    )
  })

  test('refuses the longest bodies as well', () => {
    for (const byte of [0x00, 0x01, 0x0a, 0x5a, 0x7f, 0x80, 0xbf, 0xc0, 0xff]) {
      expect(failureOf(() => finished(kind.open(new Uint8Array(520_000).fill(byte), signer))).fieldPath).toBe(
        'parameters.unsignedTransaction',
      )
    }
  })
})
