import { secp256k1 } from '@noble/curves/secp256k1.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { Transaction as EthersTransaction } from 'ethers'
import fc from 'fast-check'
import {
  type Hex,
  keccak256,
  numberToHex,
  parseTransaction,
  recoverTransactionAddress,
  serializeTransaction,
  type TransactionSerializable,
} from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { generatedRuns } from '../../../../test/support/generated_runs.ts'
import { finished } from '../../../protocol/tools/steps.ts'
import { Failure } from '../../../protocol/wire/failures.ts'
import { decodeTransactionHex } from '../unsigned_transaction.ts'
import type { AccessListEntry } from './ethereum_fields.ts'
import {
  type EthereumSignature,
  type EthereumTransaction,
  parseEthereumTransaction,
  serializeSigned,
  signingDigest,
} from './ethereum_transaction.ts'

const parsedTransaction = (bytes: Uint8Array) => finished(parseEthereumTransaction(bytes))

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

const text = (bytes: Uint8Array): Hex => `0x${bytesToHex(bytes)}`

function inHex(entries: readonly AccessListEntry[]) {
  return entries.map(({ address, storageKeys }) => ({ address: text(address), storageKeys: storageKeys.map(text) }))
}

const fees = { tip: uint(255), margin: uint(255), chainId, accessList }

function withFees<T extends { readonly tip: bigint; readonly margin: bigint }>({ tip, margin, ...fields }: T) {
  return { ...fields, maxFeePerGas: tip + margin, maxPriorityFeePerGas: tip }
}

const blobVersionedHashes = fc.array(
  hex(31).map((digits): Hex => `0x01${digits.slice(2)}`),
  { minLength: 1, maxLength: 6 },
)
const signatureInteger = fc.bigInt(1n, 2n ** 254n)
const authorizationList = fc.array(
  fc
    .record({
      address: hex(20),
      chainId: fc.nat(),
      nonce: fc.maxSafeNat(),
      yParity: fc.constantFrom(0, 1),
      r: signatureInteger,
      s: signatureInteger,
    })
    .map(({ r, s, ...rest }) => ({ ...rest, r: numberToHex(r), s: numberToHex(s) })),
  { minLength: 1, maxLength: 3 },
)

const generators = {
  LEGACY: fc
    .record({ ...common, gasPrice: uint(256), chainId: fc.option(chainId, { nil: undefined }) })
    .map((fields): TransactionSerializable => ({ type: 'legacy', ...fields }) as TransactionSerializable),
  TYPE_1: fc
    .record({ ...common, gasPrice: uint(256), chainId, accessList })
    .map((fields): TransactionSerializable => ({ type: 'eip2930', ...fields })),
  TYPE_2: fc
    .record({ ...common, ...fees })
    .map((fields): TransactionSerializable => ({ type: 'eip1559', ...withFees(fields) })),
  TYPE_3: fc
    .record({ ...common, ...fees, to: hex(20), maxFeePerBlobGas: uint(256), blobVersionedHashes })
    .map((fields): TransactionSerializable => ({ type: 'eip4844', ...withFees(fields) })),
  TYPE_4: fc
    .record({ ...common, ...fees, to: hex(20), authorizationList })
    .map((fields): TransactionSerializable => ({ type: 'eip7702', ...withFees(fields) })),
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

for (const type of ['LEGACY', 'TYPE_1', 'TYPE_2', 'TYPE_3', 'TYPE_4'] as const) {
  describe(`generated ${type} transactions`, () => {
    test('have the fields that viem wrote and ethers reads', () => {
      fc.assert(
        fc.property(generators[type], (transaction) => {
          const text = serializeTransaction(transaction)
          const parsed = parsedTransaction(decodeTransactionHex(text))
          const ethers = EthersTransaction.from(text)
          expect(parsed.type).toBe(type)
          expect({
            nonce: parsed.nonce,
            gas: parsed.gasLimit,
            to: parsed.to,
            value: parsed.value,
            data: `0x${bytesToHex(parsed.data)}`,
            chainId: parsed.chainId,
            ...('gasPrice' in parsed
              ? { gasPrice: parsed.gasPrice }
              : { maxFeePerGas: parsed.maxFeePerGas, maxPriorityFeePerGas: parsed.maxPriorityFeePerGas }),
            ...(parsed.type === 'LEGACY' ? {} : { accessList: inHex(parsed.accessList) }),
            ...(parsed.type === 'TYPE_3'
              ? { maxFeePerBlobGas: parsed.maxFeePerBlobGas, blobVersionedHashes: parsed.blobVersionedHashes }
              : {}),
            ...(parsed.type === 'TYPE_4'
              ? {
                  authorizationList: parsed.authorizationList.map(({ address, chainId, nonce, yParity, r, s }) => ({
                    address,
                    chainId: Number(chainId),
                    nonce: Number(nonce),
                    yParity: Number(yParity),
                    r: numberToHex(r),
                    s: numberToHex(s),
                  })),
                }
              : {}),
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
        { numRuns: generatedRuns },
      )
    })

    test('are read by ethers and viem once signed, and recover to the signer', async () => {
      await fc.assert(
        fc.asyncProperty(generators[type], async (transaction) => {
          const unsigned = serializeTransaction(transaction)
          const parsed = parsedTransaction(decodeTransactionHex(unsigned))
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
        { numRuns: generatedRuns },
      )
    })

    test('are refused once signed', () => {
      fc.assert(
        fc.property(generators[type], (transaction) => {
          const parsed = parsedTransaction(decodeTransactionHex(serializeTransaction(transaction)))
          const failure = failureOf(() => parsedTransaction(serializeSigned(parsed, sign(parsed))))
          expect(failure.code).toBe('TRANSACTION_INVALID')
          expect(failure.message).toContain('already signed')
        }),
        { numRuns: generatedRuns },
      )
    })
  })
}

test('throws nothing but Failure, and accepts only bytes that viem would write', () => {
  const nearlyValid = fc
    .tuple(fc.oneof(...Object.values(generators)), fc.nat(), fc.integer({ min: 0, max: 255 }))
    .map(([transaction, at, byte]) =>
      decodeTransactionHex(serializeTransaction(transaction)).map((old, index, { length }) =>
        index === at % length ? byte : old,
      ),
    )
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array({ maxLength: 200 }), nearlyValid), (input) => {
      let parsed: EthereumTransaction
      try {
        parsed = parsedTransaction(input)
      } catch (error) {
        expect(error).toBeInstanceOf(Failure)
        return
      }
      expect(bytesToHex(signingDigest(parsed))).toBe(keccak256(input).slice(2))
    }),
    { numRuns: 3 * generatedRuns },
  )
})
