import { secp256k1 } from '@noble/curves/secp256k1.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { Transaction as EthersTransaction } from 'ethers'
import fc from 'fast-check'
import {
  type Hex,
  keccak256,
  parseTransaction,
  recoverTransactionAddress,
  serializeTransaction,
  type TransactionSerializable,
} from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { Failure } from '../../protocol/failures.ts'
import {
  decodeTransactionHex,
  type EthereumSignature,
  type EthereumTransaction,
  parseEthereumTransaction,
  serializeSigned,
  signingDigest,
} from './ethereum.ts'

const privateKey = new Uint8Array(32).fill(0x46)
const signer = privateKeyToAddress(`0x${bytesToHex(privateKey)}`)

const uint = (bits: number) => fc.oneof(fc.bigInt({ min: 0n, max: 2n ** BigInt(bits) - 1n }), fc.bigInt(0n, 300n))
const hex = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((b): Hex => `0x${bytesToHex(b)}`)

const common = {
  // viem holds nonce and chain id as numbers.
  nonce: fc.maxSafeNat(),
  gas: uint(63),
  to: fc.option(hex(20), { nil: undefined }),
  value: uint(256),
  data: fc.uint8Array({ maxLength: 300, size: 'max' }).map((b): Hex => `0x${bytesToHex(b)}`),
}
const chainId = fc.oneof(fc.integer({ min: 1, max: 2 ** 31 }), fc.constantFrom(1, 27, 28, 35, 137))
const accessList = fc.array(fc.record({ address: hex(20), storageKeys: fc.array(hex(32), { maxLength: 3 }) }), {
  maxLength: 3,
})

const generators = {
  LEGACY: fc
    .record({ ...common, gasPrice: uint(256), chainId: fc.option(chainId, { nil: undefined }) })
    .map((fields): TransactionSerializable => ({ type: 'legacy', ...fields }) as TransactionSerializable),
  TYPE_1: fc
    .record({ ...common, gasPrice: uint(256), chainId, accessList })
    .map((fields): TransactionSerializable => ({ type: 'eip2930', ...fields })),
  TYPE_2: fc.record({ ...common, tip: uint(255), margin: uint(255), chainId, accessList }).map(
    ({ tip, margin, ...fields }): TransactionSerializable => ({
      type: 'eip1559',
      ...fields,
      maxFeePerGas: tip + margin,
      maxPriorityFeePerGas: tip,
    }),
  ),
}

function sign(transaction: EthereumTransaction): EthereumSignature {
  const bytes = secp256k1.sign(signingDigest(transaction), privateKey, { prehash: false, format: 'recovered' })
  const [recoveryId] = bytes
  return {
    r: bytesToHex(bytes.subarray(1, 33)),
    s: bytesToHex(bytes.subarray(33)),
    recoveryId: recoveryId === 0 ? 0 : 1,
  }
}

function failureOf(run: () => unknown): Failure {
  try {
    run()
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
  throw new Error('nothing was refused')
}

for (const type of ['LEGACY', 'TYPE_1', 'TYPE_2'] as const) {
  describe(`1,000 generated ${type} transactions`, () => {
    test('have the fields that viem wrote and ethers reads', () => {
      fc.assert(
        fc.property(generators[type], (transaction) => {
          const text = serializeTransaction(transaction)
          const parsed = parseEthereumTransaction(decodeTransactionHex(text))
          const ethers = EthersTransaction.from(text)
          expect(parsed.type).toBe(type)
          expect({
            nonce: parsed.nonce,
            gas: parsed.gasLimit,
            to: parsed.to,
            value: parsed.value,
            data: `0x${bytesToHex(parsed.data)}`,
            chainId: parsed.chainId,
            ...(parsed.type === 'TYPE_2'
              ? { maxFeePerGas: parsed.maxFeePerGas, maxPriorityFeePerGas: parsed.maxPriorityFeePerGas }
              : { gasPrice: parsed.gasPrice }),
            ...(parsed.type === 'LEGACY' ? {} : { accessList: parsed.accessList }),
          }).toEqual({
            ...transaction,
            type: undefined,
            nonce: BigInt(transaction.nonce ?? 0),
            chainId: transaction.chainId === undefined ? undefined : BigInt(transaction.chainId),
          })
          expect(parsed.nonce).toBe(BigInt(ethers.nonce))
          expect(parsed.gasLimit).toBe(ethers.gasLimit)
          expect(parsed.to).toBe(ethers.to?.toLowerCase())
          expect(parsed.value).toBe(ethers.value)
          expect(`0x${bytesToHex(parsed.data)}`).toBe(ethers.data)
          expect(parsed.chainId ?? 0n).toBe(ethers.chainId)
          expect(`0x${bytesToHex(signingDigest(parsed))}`).toBe(keccak256(text))
          expect(`0x${bytesToHex(signingDigest(parsed))}`).toBe(ethers.unsignedHash)
        }),
        { numRuns: 1_000 },
      )
    })

    test('are read by ethers and viem once signed, and recover to the signer', async () => {
      await fc.assert(
        fc.asyncProperty(generators[type], async (transaction) => {
          const unsigned = serializeTransaction(transaction)
          const parsed = parseEthereumTransaction(decodeTransactionHex(unsigned))
          const signature = sign(parsed)
          const signed: Hex = `0x${bytesToHex(serializeSigned(parsed, signature))}`
          const ethers = EthersTransaction.from(signed)
          expect(ethers.from).toBe(signer)
          expect(ethers.unsignedSerialized).toBe(unsigned)
          expect(ethers.serialized).toBe(signed)
          // viem's reader takes the type from its argument's type, which a plain string does not show.
          expect(BigInt(parseTransaction(signed).nonce ?? 0)).toBe(parsed.nonce)
          expect(await recoverTransactionAddress({ serializedTransaction: signed as `0x02${string}` })).toBe(signer)
        }),
        { numRuns: 1_000 },
      )
    })

    test('are refused once signed', () => {
      fc.assert(
        fc.property(generators[type], (transaction) => {
          const parsed = parseEthereumTransaction(decodeTransactionHex(serializeTransaction(transaction)))
          const failure = failureOf(() => parseEthereumTransaction(serializeSigned(parsed, sign(parsed))))
          expect(failure.code).toBe('TRANSACTION_INVALID')
          expect(failure.message).toContain('already signed')
        }),
        { numRuns: 100 },
      )
    })
  })
}

test('throws nothing but Failure, and what it accepts is what viem would write', () => {
  const nearlyValid = fc
    .tuple(
      fc.oneof(generators.LEGACY, generators.TYPE_1, generators.TYPE_2),
      fc.nat(),
      fc.integer({ min: 0, max: 255 }),
    )
    .map(([transaction, at, byte]) =>
      decodeTransactionHex(serializeTransaction(transaction)).map((old, index, { length }) =>
        index === at % length ? byte : old,
      ),
    )
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array({ maxLength: 200 }), nearlyValid), (input) => {
      let parsed: EthereumTransaction
      try {
        parsed = parseEthereumTransaction(input)
      } catch (error) {
        expect(error).toBeInstanceOf(Failure)
        return
      }
      expect(bytesToHex(signingDigest(parsed))).toBe(keccak256(input).slice(2))
    }),
    { numRuns: 3_000 },
  )
})
