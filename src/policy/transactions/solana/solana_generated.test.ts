import { ed25519 } from '@noble/curves/ed25519.js'
import { hexToBytes } from '@noble/hashes/utils.js'
import {
  AddressLookupTableAccount,
  type Keypair,
  Keypair as Keypairs,
  PublicKey,
  Transaction,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { unlessRefused } from '../../../../test/support/failures.ts'
import { generatedRuns } from '../../../../test/support/generated_runs.ts'
import { finished } from '../../../protocol/tools/steps.ts'
import { transactionKinds } from '../transaction_kinds.ts'
import { parseSolanaTransaction, solanaTransactionBytesMax } from './solana_transaction.ts'

const seed = (first: number, index: number) => new Uint8Array(32).fill(1).with(0, first).with(1, index)
const signers = Array.from({ length: 4 }, (_, index) => Keypairs.fromSeed(seed(1, index)))
const others = Array.from({ length: 12 }, (_, index) => new PublicKey(seed(2, index)))
const table = new AddressLookupTableAccount({
  key: new PublicKey(seed(3, 0)),
  state: {
    deactivationSlot: 2n ** 64n - 1n,
    lastExtendedSlot: 0,
    lastExtendedSlotStartIndex: 0,
    addresses: others.slice(0, 6),
  },
})

const account = fc
  .tuple(
    fc.constantFrom(...signers.map(({ publicKey }) => publicKey), ...others.slice(0, 10)),
    fc.boolean(),
    fc.boolean(),
  )
  .map(([pubkey, isWritable, mayAlsoSign]) => ({
    pubkey,
    isWritable,
    isSigner: mayAlsoSign && signers.some((signer) => signer.publicKey.equals(pubkey)),
  }))
const instruction = fc
  .tuple(fc.constantFrom(...others.slice(10)), fc.array(account, { maxLength: 8 }), fc.uint8Array({ maxLength: 150 }))
  .map(([programId, keys, data]) => new TransactionInstruction({ programId, keys, data: Buffer.from(data) }))
const given = fc.record({
  payer: fc.constantFrom(...signers),
  instructions: fc.array(instruction, { maxLength: 5 }),
  recentBlockhash: fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => new PublicKey(bytes).toBase58()),
})

const generators = {
  legacy: given.map(({ payer, instructions, recentBlockhash }) =>
    new TransactionMessage({ payerKey: payer.publicKey, recentBlockhash, instructions }).compileToLegacyMessage(),
  ),
  0: given.map(({ payer, instructions, recentBlockhash }) =>
    new TransactionMessage({ payerKey: payer.publicKey, recentBlockhash, instructions }).compileToV0Message([table]),
  ),
}

function signerOf({ publicKey }: Keypair) {
  return {
    curve: 'CURVE_ED25519',
    addressFormat: 'ADDRESS_FORMAT_SOLANA',
    scheme: 'default',
    publicKey: publicKey.toBytes(),
  } as const
}

const kind = transactionKinds.TRANSACTION_TYPE_SOLANA

function signed(bytes: Uint8Array, keypair: Keypair): Uint8Array {
  const transaction = kind && finished(kind.open(bytes, signerOf(keypair)))
  const [{ message } = { message: new Uint8Array() }] = transaction?.messages ?? []
  const signature = Buffer.from(ed25519.sign(message, keypair.secretKey.subarray(0, 32))).toString('hex')
  const parts = { r: signature.slice(0, 64), s: signature.slice(64), v: '00' }
  return transaction?.serialize([parts]) ?? new Uint8Array()
}

for (const version of ['legacy', 0] as const) {
  describe(`generated messages of version ${version}`, () => {
    test('are read as web3.js reads them, and each signer fills its own slot', () => {
      fc.assert(
        fc.property(generators[version], (message) => {
          const transaction = new VersionedTransaction(message)
          let bytes = transaction.serialize()
          fc.pre(bytes.length <= solanaTransactionBytesMax)
          const parsed = parseSolanaTransaction(bytes)
          const { header } = message
          expect(parsed.message).toEqual({
            version,
            signersCount: header.numRequiredSignatures,
            readonlySignersCount: header.numReadonlySignedAccounts,
            readonlyOthersCount: header.numReadonlyUnsignedAccounts,
            keys: message.staticAccountKeys.map((key) => key.toBase58()),
            recentBlockhash: message.recentBlockhash,
            instructions: message.compiledInstructions.map(({ programIdIndex, accountKeyIndexes, data }) => ({
              program: programIdIndex,
              accounts: accountKeyIndexes,
              data: Uint8Array.from(data),
            })),
            lookups: message.addressTableLookups.map(({ accountKey, writableIndexes, readonlyIndexes }) => ({
              tableKey: accountKey.toBase58(),
              writableIndexes,
              readonlyIndexes,
            })),
          })
          expect(Buffer.from(parsed.messageBytes).equals(message.serialize())).toBe(true)

          const asked = message.staticAccountKeys
            .slice(0, header.numRequiredSignatures)
            .map((key) => signers.find(({ publicKey }) => publicKey.equals(key)))
          for (const keypair of asked.toReversed()) if (keypair !== undefined) bytes = signed(bytes, keypair)
          // web3.js signs anew: Ed25519 has one signature for a key and a message.
          transaction.sign(asked.filter((keypair) => keypair !== undefined))
          expect(Buffer.from(bytes).equals(transaction.serialize())).toBe(true)
          if (version === 'legacy') expect(Transaction.from(bytes).verifySignatures()).toBe(true)
        }),
        { numRuns: generatedRuns },
      )
    })

    test('a message that is not signed by this key is refused', () => {
      fc.assert(
        fc.property(generators[version], (message) => {
          const bytes = new VersionedTransaction(message).serialize()
          fc.pre(bytes.length <= solanaTransactionBytesMax)
          const stranger = Keypairs.fromSeed(seed(9, 9))
          expect(unlessRefused(() => signed(bytes, stranger))).toBeUndefined()
        }),
        { numRuns: Math.ceil(generatedRuns / 10) },
      )
    })
  })
}

const valid = fc
  .oneof(generators.legacy, generators[0])
  .map((message) => new VersionedTransaction(message).serialize())
  .filter(({ length }) => length <= solanaTransactionBytesMax)

test('bytes that are cut short or extended are refused', () => {
  fc.assert(
    fc.property(valid, fc.nat(), fc.uint8Array({ minLength: 1, maxLength: 4 }), (bytes, cut, more) => {
      expect(unlessRefused(() => parseSolanaTransaction(bytes.subarray(0, cut % bytes.length)))).toBeUndefined()
      expect(unlessRefused(() => parseSolanaTransaction(Uint8Array.of(...bytes, ...more)))).toBeUndefined()
    }),
    { numRuns: generatedRuns },
  )
})

test('throws nothing but Failure, and web3.js writes accepted bytes the same', () => {
  const nearlyValid = fc
    .tuple(valid, fc.nat(), fc.nat(255))
    .map(([bytes, at, byte]) => Uint8Array.from(bytes).with(at % bytes.length, byte))
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array({ maxLength: 300 }), nearlyValid), (bytes) => {
      const parsed = unlessRefused(() => parseSolanaTransaction(bytes))
      if (parsed === undefined) return
      expect(Buffer.from(VersionedTransaction.deserialize(bytes).serialize()).equals(bytes)).toBe(true)
      const first = {
        ...signerOf(signers[0] as Keypair),
        publicKey: new PublicKey(parsed.message.keys[0] ?? '').toBytes(),
      }
      const open = kind && finished(kind.open(bytes, first))
      expect(open && finished(open.struct(new Map())).struct).toBeTypeOf('object')
    }),
    { numRuns: 5 * generatedRuns },
  )
})

test('a hex text of the largest body is refused at once', () => {
  expect(unlessRefused(() => parseSolanaTransaction(hexToBytes('01'.repeat(500_000))))).toBeUndefined()
})
