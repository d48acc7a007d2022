import { concatBytes } from '@noble/hashes/utils.js'
import { base58 } from '@scure/base'
import { describe, expect, test } from 'vitest'
import { failureOf } from '../../../../test/support/failures.ts'
import { parseSolanaTransaction, signerPlace, solanaTransactionBytesMax, withSignature } from './solana_transaction.ts'

const key = (index: number) => new Uint8Array(32).fill(index)
const signature = new Uint8Array(64)

type Parts = {
  readonly signatures?: readonly Uint8Array[]
  readonly prefix?: readonly number[]
  readonly header?: readonly number[]
  readonly keys?: readonly Uint8Array[]
  readonly instructions?: readonly (readonly number[])[]
  readonly tail?: readonly number[]
}

/** Two signers, the second of them read only, and a program that is called with both. */
function transaction({
  signatures = [signature, signature],
  prefix = [],
  header = [2, 1, 1],
  keys = [key(1), key(2), key(3)],
  instructions = [[2, 2, 0, 1, 3, 7, 8, 9]],
  tail = [],
}: Parts = {}): Uint8Array {
  return concatBytes(
    Uint8Array.of(signatures.length),
    ...signatures,
    Uint8Array.of(...prefix, ...header, keys.length),
    ...keys,
    key(9),
    Uint8Array.of(instructions.length, ...instructions.flat(), ...tail),
  )
}

const lookup = (...indexes: readonly number[]) => [1, ...key(8), ...indexes]

test('reads the slots, the message and what its header says', () => {
  const parsed = parseSolanaTransaction(transaction())
  expect(parsed.message).toEqual({
    version: 'legacy',
    signersCount: 2,
    readonlySignersCount: 1,
    readonlyOthersCount: 1,
    keys: [key(1), key(2), key(3)].map((bytes) => base58.encode(bytes)),
    recentBlockhash: base58.encode(key(9)),
    instructions: [{ program: 2, accounts: [0, 1], data: Uint8Array.of(7, 8, 9) }],
    lookups: [],
  })
})

test('a signature goes into its own slot and leaves the others as they are', () => {
  const theirs = new Uint8Array(64).fill(5)
  const parsed = parseSolanaTransaction(transaction({ signatures: [theirs, signature] }))
  const place = signerPlace(parsed, key(2))
  expect(place).toBe(1)
  const ours = new Uint8Array(64).fill(6)
  expect(withSignature(parsed, { place, signature: ours })).toEqual(transaction({ signatures: [theirs, ours] }))
})

test('a key that only takes part, or that is missing, is no signer', () => {
  const parsed = parseSolanaTransaction(transaction())
  for (const other of [3, 4]) {
    expect(failureOf(() => signerPlace(parsed, key(other))).message).toContain('none of its signers')
  }
})

describe('refuses', () => {
  const v0 = { prefix: [0x80], tail: [0] }
  for (const [what, bytes, reason] of [
    ['nothing', new Uint8Array(), 'ends early, in signatures'],
    ['more than a packet', new Uint8Array(solanaTransactionBytesMax + 1), 'is longer than 1232 bytes'],
    ['a byte too many', transaction({ tail: [0] }), 'has 1 bytes too many'],
    ['a slot too few', transaction({ signatures: [signature] }), 'has 1 slots for signatures and 2 signers'],
    ['a slot too many', transaction({ signatures: [signature, signature, signature] }), 'has 3 slots'],
    ['a header of more keys than there are', transaction({ header: [2, 1, 2] }), 'counts more keys'],
    ['a fee payer that is read only', transaction({ header: [2, 2, 0] }), 'fee payer must be'],
    ['no signer', transaction({ signatures: [], header: [0, 0, 0] }), 'fee payer must be'],
    ['a key twice', transaction({ keys: [key(1), key(2), key(1)] }), 'has a key twice'],
    ['a call of the fee payer', transaction({ instructions: [[0, 0, 0]] }), 'calls the fee payer'],
    ['a call of what is not there', transaction({ instructions: [[3, 0, 0]] }), 'a program that is none of its keys'],
    ['an account that is not there', transaction({ instructions: [[2, 1, 3, 0]] }), 'an account that is not there'],
    [
      'a program from a table',
      transaction({ ...v0, instructions: [[3, 0, 0]], tail: lookup(1, 7, 0) }),
      'none of its keys',
    ],
    ['a table without lookups', transaction({ ...v0, tail: lookup(0, 0) }), 'looks nothing up'],
    ['a message of version 0 without its tables', transaction({ ...v0, tail: [] }), 'ends early, in lookup tables'],
    [
      'a length of two bytes that fits one',
      transaction({ instructions: [[2, 0x80, 0x00, 0]] }),
      'canonical compact-u16',
    ],
    ['a length above 65,535', transaction({ instructions: [[2, 0xff, 0xff, 0x7f]] }), 'canonical compact-u16'],
    ['a length of four bytes', transaction({ instructions: [[2, 0x80, 0x80, 0x80, 0x01]] }), 'canonical compact-u16'],
  ] as const) {
    test(what, () => {
      const failure = failureOf(() => parseSolanaTransaction(bytes))
      expect(failure.code).toBe('TRANSACTION_INVALID')
      expect(failure.fieldPath).toBe('parameters.unsignedTransaction')
      expect(failure.message).toContain(reason)
    })
  }

  test('a future version, by its name', () => {
    const failure = failureOf(() => parseSolanaTransaction(transaction({ prefix: [0x81], tail: [0] })))
    expect(failure.code).toBe('TRANSACTION_TYPE_UNSUPPORTED')
    expect(failure.message).toContain('message version 1')
  })
})
