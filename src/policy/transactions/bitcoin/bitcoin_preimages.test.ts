import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js'
import { Transaction } from 'bitcoinjs-lib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { finished } from '../../../protocol/tools/steps.ts'
import { Failure, orFailure } from '../../../protocol/wire/failures.ts'
import { readLegacyPreimage, readWitnessPreimage } from './bitcoin_preimages.ts'

const twice = (bytes: Uint8Array) => sha256(sha256(bytes))
const hash = fc.uint8Array({ minLength: 32, maxLength: 32 })
const u32 = fc.integer({ min: 0, max: 0xffffffff })
const script = fc.uint8Array({ minLength: 1, maxLength: 60 })
const amount = fc.bigInt(0n, 2_100_000_000_000_000n)

/** A transaction that bitcoinjs-lib made, and the input that is signed. */
const signed = fc
  .record({
    inputs: fc.array(fc.tuple(hash, u32, u32), { minLength: 1, maxLength: 4 }),
    outputs: fc.array(fc.tuple(script, amount), { minLength: 1, maxLength: 4 }),
    ...{ lockTime: u32, version: fc.integer({ min: 1, max: 2 }), at: fc.nat(), script, amount },
  })
  .map(({ inputs, outputs, lockTime, version, at, ...rest }) => {
    const transaction = new Transaction()
    transaction.version = version
    transaction.locktime = lockTime
    for (const [txid, index, sequence] of inputs) transaction.addInput(txid, index, sequence)
    for (const [paid, value] of outputs) transaction.addOutput(paid, value)
    return { transaction, input: at % inputs.length, ...rest }
  })

const integer = (value: number | bigint, bytes: number) =>
  hexToBytes(
    BigInt(value)
      .toString(16)
      .padStart(2 * bytes, '0'),
  ).toReversed()

test('the preimages that bitcoinjs-lib hashes for a witness are read', () => {
  fc.assert(
    fc.property(signed, ({ transaction, input, script: code, amount: value }) => {
      const { ins, outs, version, locktime } = transaction
      const outpoints = ins.map((one) => concatBytes(one.hash, integer(one.index, 4)))
      const own = ins[input]
      if (own === undefined) throw new Error('the input is one of the transaction')
      const preimage = concatBytes(
        ...[integer(version, 4), twice(concatBytes(...outpoints))],
        ...[
          twice(concatBytes(...ins.map(({ sequence }) => integer(sequence, 4)))),
          outpoints[input] ?? new Uint8Array(),
        ],
        ...[Uint8Array.of(code.length), code, integer(value, 8), integer(own.sequence, 4)],
        twice(
          concatBytes(
            ...outs.map((out) => concatBytes(integer(out.value, 8), Uint8Array.of(out.script.length), out.script)),
          ),
        ),
        ...[integer(locktime, 4), integer(Transaction.SIGHASH_ALL, 4)],
      )
      expect(bytesToHex(twice(preimage))).toBe(
        bytesToHex(transaction.hashForWitnessV0(input, code, value, Transaction.SIGHASH_ALL)),
      )
      const spends = [{ txid: bytesToHex(own.hash.toReversed()), index: own.index }]
      expect(readWitnessPreimage(preimage)).toEqual({
        ...{ spends, amount: value, outputs: undefined, lockTime: locktime },
        ...{ fixes: 'all', takesInputs: false },
      })
    }),
  )
})

test('the preimages that bitcoinjs-lib hashes before segregated witness are read', () => {
  fc.assert(
    fc.property(signed, ({ transaction, input, script }) => {
      // bitcoinjs-lib reads the script before it hashes it.
      const code = script.map(() => 0x51)
      const prepared = transaction.clone()
      prepared.setInputScript(input, code)
      const preimage = concatBytes(prepared.toBuffer(), integer(Transaction.SIGHASH_ALL, 4))
      expect(bytesToHex(twice(preimage))).toBe(
        bytesToHex(transaction.hashForSignature(input, code, Transaction.SIGHASH_ALL)),
      )
      expect(finished(readLegacyPreimage(preimage))).toEqual({
        spends: transaction.ins.map((one) => ({ txid: bytesToHex(one.hash.toReversed()), index: one.index })),
        amount: undefined,
        outputs: transaction.outs.map((out) => ({ amount: out.value, script: out.script })),
        lockTime: transaction.locktime,
        ...{ fixes: 'all', takesInputs: false },
      })
    }),
  )
})

test('other bytes are none, and throw nothing but failures', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      const read = orFailure(() => readWitnessPreimage(bytes))
      expect(read instanceof Failure || read === undefined).toBe(true)
      expect(finished(readLegacyPreimage(bytes))).toBeUndefined()
    }),
  )
})
