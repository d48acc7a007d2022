import { secp256k1 } from '@noble/curves/secp256k1.js'
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js'
import fc from 'fast-check'
import { keccak256 } from 'viem'
import { describe, expect, test } from 'vitest'
import { encodeRlp, integerBytes, type RlpItem } from '../../../protocol/chains/rlp.ts'
import { finished } from '../../../protocol/tools/steps.ts'
import { Failure } from '../../../protocol/wire/failures.ts'
import { decodeTransactionHex } from '../unsigned_transaction.ts'
import { authorizationsMax, blobsMax } from './ethereum_fields.ts'
import {
  type EthereumSignature,
  type EthereumTransaction,
  parseEthereumTransaction,
  serializeSigned,
  signingDigest,
} from './ethereum_transaction.ts'

const parsedTransaction = (bytes: Uint8Array) => finished(parseEthereumTransaction(bytes))

const privateKey = new Uint8Array(32).fill(0x46)

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

test('the example of EIP-155 has its published digest and signed form', () => {
  const unsigned = 'ec098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a764000080018080'
  const transaction = parsedTransaction(decodeTransactionHex(unsigned))
  expect(bytesToHex(signingDigest(transaction))).toBe(
    'daf5a779ae972f972197303d7b574746c7ef83eadac0f2791ad23db92e4c8e53',
  )
  expect(bytesToHex(serializeSigned(transaction, sign(transaction)))).toBe(
    'f86c098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a76400008025a028ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276a067cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83',
  )
})

const to = new Uint8Array(20).fill(0x35)
const none = new Uint8Array(0)
const int = integerBytes
const bytes = (text: string) => hexToBytes(text)
const legacy = (changes: Readonly<Record<number, RlpItem>> = {}, length = 9) =>
  encodeRlp(
    Object.assign([int(9n), int(1n), int(21_000n), to, int(1n), none, int(1n), none, none].slice(0, length), changes),
  )
const feeMarket = (changes: Readonly<Record<number, RlpItem>> = {}) =>
  concatBytes(
    Uint8Array.of(2),
    encodeRlp(Object.assign([int(1n), none, int(1n), int(2n), int(21_000n), to, none, none, []], changes)),
  )
const blobHash = Uint8Array.of(1, ...new Uint8Array(31))
const blob = (changes: Readonly<Record<number, RlpItem>> = {}) =>
  concatBytes(
    Uint8Array.of(3),
    encodeRlp(
      Object.assign(
        [int(1n), none, int(1n), int(2n), int(21_000n), to, none, none, [], int(3n), [blobHash, blobHash]],
        changes,
      ),
    ),
  )
const authorization: readonly RlpItem[] = [none, to, int(7n), int(1n), int(8n), int(9n)]
const setCode = (changes: Readonly<Record<number, RlpItem>> = {}) =>
  concatBytes(
    Uint8Array.of(4),
    encodeRlp(
      Object.assign([int(1n), none, int(1n), int(2n), int(21_000n), to, none, none, [], [authorization]], changes),
    ),
  )
const authorizationOf = (changes: Readonly<Record<number, RlpItem>>) => [Object.assign([...authorization], changes)]

describe('parseEthereumTransaction', () => {
  for (const [claim, input, expected] of [
    ['a transaction without to creates a contract', legacy({ 3: none }), { to: undefined }],
    ['six fields have no chain id', legacy({}, 6), { chainId: undefined }],
    ['the largest nonce is 2^64 - 2', legacy({ 0: int(2n ** 64n - 2n) }), { nonce: 2n ** 64n - 2n }],
    ['the largest value is 2^256 - 1', legacy({ 4: int(2n ** 256n - 1n) }), { value: 2n ** 256n - 1n }],
    ['the largest chain id fits EIP-2294', legacy({ 6: int(2n ** 63n - 37n) }), { chainId: 2n ** 63n - 37n }],
    ['a blob transaction names its blobs', blob(), { type: 'TYPE_3', maxFeePerBlobGas: 3n }],
    [
      'a nonce of 2^64 - 1 may stand in an authorization',
      setCode({ 9: authorizationOf({ 2: int(2n ** 64n - 1n) }) }),
      {},
    ],
    ['an authorization for every chain has chain id zero', setCode(), { authorizationList: [{ chainId: 0n, r: 8n }] }],
    ['as many blobs as may be', blob({ 10: Array(blobsMax).fill(blobHash) }), { type: 'TYPE_3' }],
    [
      'as many authorizations as may be',
      setCode({ 9: Array(authorizationsMax).fill(authorization) }),
      { type: 'TYPE_4' },
    ],
    ['equal fees are allowed', feeMarket({ 2: int(2n) }), { maxPriorityFeePerGas: 2n, maxFeePerGas: 2n }],
  ] as const) {
    test(claim, () => {
      expect(parsedTransaction(input)).toMatchObject(expected)
    })
  }

  for (const [what, input, reason] of [
    ['nothing', none, 'is empty'],
    ['a type byte alone', bytes('02'), 'ends early'],
    ['a typed transaction that is no list', bytes('0280'), 'must be an RLP list'],
    ['an RLP string', bytes('8180'), 'neither a legacy nor a typed'],
    ['trailing bytes', bytes(`${bytesToHex(legacy())}00`), 'follow'],
    ['seven fields', legacy({}, 7), '6 or 9 fields, not 7'],
    ['ten fields', legacy({ 9: none }), '6 or 9 fields, not 10'],
    ['a legacy r that is not zero', legacy({ 7: int(1n) }), 'already signed'],
    ['a legacy s that is not zero', legacy({ 8: int(1n) }), 'already signed'],
    ['a legacy chain id of zero', legacy({ 6: none }), 'chainId must not be zero'],
    ['a chain id above EIP-2294', legacy({ 6: int(2n ** 63n - 36n) }), 'chainId is above'],
    ['a nonce of 2^64 - 1', legacy({ 0: int(2n ** 64n - 1n) }), 'nonce is above'],
    ['a gas limit of 2^64', legacy({ 2: int(2n ** 64n) }), 'gasLimit is above'],
    ['a value of 2^256', legacy({ 4: int(2n ** 256n) }), 'value is above'],
    ['an integer with a leading zero', legacy({ 4: bytes('0001') }), 'value has a leading zero'],
    ['a zero that is written as a byte', legacy({ 4: bytes('00') }), 'value has a leading zero'],
    ['an integer that is a list', legacy({ 0: [] }), 'nonce must be bytes'],
    ['data that is a list', legacy({ 5: [] }), 'data must be bytes'],
    ['to of 19 bytes', legacy({ 3: new Uint8Array(19) }), 'to must be empty or 20 bytes'],
    ['to of 21 bytes', legacy({ 3: new Uint8Array(21) }), 'to must be empty or 20 bytes'],
    ['a type 2 chain id of zero', feeMarket({ 0: none }), 'chainId must not be zero'],
    ['a priority fee above the maximum', feeMarket({ 2: int(3n) }), 'maxPriorityFeePerGas is above'],
    ['a type 2 of ten fields', feeMarket({ 9: none }), 'has 9 fields, not 10'],
    ['a type 2 of twelve fields', feeMarket({ 9: none, 10: none, 11: none }), 'already signed'],
    ['an access list that is bytes', feeMarket({ 8: none }), 'accessList must be a list'],
    ['an entry without keys', feeMarket({ 8: [[to]] }), 'the keys in accessList must be a list'],
    ['an entry of three', feeMarket({ 8: [[to, [], none]] }), 'more than an address'],
    ['an address of 19 bytes in the access list', feeMarket({ 8: [[new Uint8Array(19), []]] }), 'must be 20 bytes'],
    ['a type 3 without recipient', blob({ 5: none }), 'to must be 20 bytes'],
    ['a type 3 without blobs', blob({ 10: [] }), 'blobVersionedHashes must not be empty'],
    ['a blob hash of 31 bytes', blob({ 10: [blobHash.subarray(1)] }), 'must be 32 bytes'],
    ['a blob hash of another version', blob({ 10: [new Uint8Array(32)] }), 'must begin with 01'],
    ['a blob fee of 2^256', blob({ 9: int(2n ** 256n) }), 'maxFeePerBlobGas is above'],
    ['a type 3 of twelve fields', blob({ 11: none }), 'has 11 fields, not 12'],
    ['a signed type 3', blob({ 11: none, 12: none, 13: none }), 'already signed'],
    ['more blobs than the limit', blob({ 10: Array(blobsMax + 1).fill(blobHash) }), 'has more than 1000 items'],
    ['more authorizations than the limit', setCode({ 9: Array(authorizationsMax + 1).fill([]) }), 'has more than 1000'],
    ['a type 4 without recipient', setCode({ 5: none }), 'to must be 20 bytes'],
    ['a type 4 without authorizations', setCode({ 9: [] }), 'authorizationList must not be empty'],
    ['an authorization of five', setCode({ 9: [authorization.slice(0, 5)] }), 's in authorizationList must be bytes'],
    ['an authorization of seven', setCode({ 9: authorizationOf({ 6: none }) }), 'more than six fields'],
    ['an authorization for 19 bytes', setCode({ 9: authorizationOf({ 1: new Uint8Array(19) }) }), 'must be 20 bytes'],
    ['a parity of 256', setCode({ 9: authorizationOf({ 3: int(256n) }) }), 'yParity in authorizationList is above'],
    ['a signed type 4', setCode({ 10: none, 11: none, 12: none }), 'already signed'],
    ['a key of 31 bytes', feeMarket({ 8: [[to, [new Uint8Array(31)]]] }), 'must be 32 bytes'],
  ] as const) {
    test(`refuses ${what}`, () => {
      const failure = failureOf(() => parsedTransaction(input))
      expect(failure.code).toBe('TRANSACTION_INVALID')
      expect(failure.fieldPath).toBe('parameters.unsignedTransaction')
      expect(failure.message).toContain(reason)
    })
  }

  for (const prefix of [0x00, 0x05, 0x76, 0x7f]) {
    test(`names type ${prefix} as unsupported`, () => {
      expect(failureOf(() => parsedTransaction(Uint8Array.of(prefix, 0xc0))).code).toBe('TRANSACTION_TYPE_UNSUPPORTED')
    })
  }

  test('names a blob transaction with its blobs as unsupported', () => {
    const wrapped = concatBytes(Uint8Array.of(3), encodeRlp([[], [], [], []]))
    const failure = failureOf(() => parsedTransaction(wrapped))
    expect(failure.code).toBe('TRANSACTION_TYPE_UNSUPPORTED')
    expect(failure.message).toContain('send it without them')
  })

  test('reads contents that fill a body of 1 MiB: 15,000 storage keys, 20,000 entries, 500,000 bytes of data', () => {
    for (const input of [
      feeMarket({ 8: [[to, Array.from({ length: 15_000 }, () => new Uint8Array(32))]] }),
      feeMarket({ 8: Array.from({ length: 20_000 }, () => [to, []]) }),
      legacy({ 5: new Uint8Array(500_000) }),
    ]) {
      expect(bytesToHex(signingDigest(parsedTransaction(input)))).toBe(keccak256(input).slice(2))
    }
  })
})

describe('decodeTransactionHex', () => {
  test('takes hex with and without 0x, in either case', () => {
    expect(decodeTransactionHex('0xAb01')).toEqual(Uint8Array.of(0xab, 1))
    expect(decodeTransactionHex('aB01')).toEqual(Uint8Array.of(0xab, 1))
  })

  for (const text of ['0xabc', 'zz', '0x0xab', 'ab cd', '0XAB', 'ａｂ']) {
    test(`refuses ${JSON.stringify(text)}`, () => {
      expect(failureOf(() => decodeTransactionHex(text)).code).toBe('TRANSACTION_INVALID')
    })
  }

  test('throws nothing but Failure', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        try {
          decodeTransactionHex(text)
        } catch (error) {
          expect(error).toBeInstanceOf(Failure)
        }
      }),
    )
  })
})

test('serializeSigned asserts on a signature that no signer here makes', () => {
  const transaction = parsedTransaction(legacy())
  for (const r of ['0'.repeat(64), 'a'.repeat(63)]) {
    expect(() => serializeSigned(transaction, { ...sign(transaction), r })).toThrow('64 hex digits')
  }
})
