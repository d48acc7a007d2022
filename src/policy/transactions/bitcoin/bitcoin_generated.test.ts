import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js'
import { bytesToHex, concatBytes } from '@noble/hashes/utils.js'
import { Transaction as ScureTransaction } from '@scure/btc-signer'
import { taprootTweakPrivKey } from '@scure/btc-signer/utils.js'
import { Psbt, Transaction } from 'bitcoinjs-lib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { prepareBitcoinjs } from '../../../../test/support/bitcoinjs.ts'
import { unlessRefused } from '../../../../test/support/failures.ts'
import { generatedRuns } from '../../../../test/support/generated_runs.ts'
import { finished } from '../../../protocol/tools/steps.ts'
import type { OpenTransaction } from '../transaction_kind.ts'
import { transactionKinds } from '../transaction_kinds.ts'
import { ownScript, type ScriptKind, scriptKinds } from './bitcoin_scripts.ts'
import { readPsbt } from './psbt.ts'

prepareBitcoinjs()

const parsePsbt = (bytes: Uint8Array) => finished(readPsbt(bytes))
const ourKey = new Uint8Array(32).fill(0x46)
const theirKey = new Uint8Array(32).fill(0x47)
const ours = secp256k1.getPublicKey(ourKey)
const theirs = secp256k1.getPublicKey(theirKey)

const input = fc.record({
  kind: fc.constantFrom(...scriptKinds),
  isOurs: fc.boolean(),
  amount: fc.bigInt(1_000n, 10_000_000n),
  place: fc.nat(2),
  sequence: fc.constantFrom(0xffffffff, 0xfffffffd, 0, 5),
  hasPrevious: fc.boolean(),
  hasWitness: fc.boolean(),
  sighash: fc.constantFrom(undefined, 1),
  salt: fc.nat(),
})
const output = fc.record({
  kind: fc.constantFrom(...scriptKinds, 'OP_RETURN' as const),
  share: fc.bigInt(0n, 1_000n),
})
const given = fc.record({
  inputs: fc.uniqueArray(input, { minLength: 1, maxLength: 5, selector: ({ salt }) => salt }),
  outputs: fc.array(output, { minLength: 1, maxLength: 4 }),
  version: fc.constantFrom(1, 2),
  lockTime: fc.constantFrom(0, 800_000, 1_700_000_000),
})
type Given = typeof given extends fc.Arbitrary<infer T> ? T : never
type Input = Given['inputs'][number]

const scriptOf = (kind: ScriptKind, publicKey: Uint8Array) => ownScript(kind, publicKey)

/** The transaction whose output an input spends, with other outputs. */
function previousOf({ kind, isOurs, amount, place, hasWitness, salt }: Input): Transaction {
  const previous = new Transaction()
  previous.addInput(new Uint8Array(32).fill(salt % 256), salt % 2 ** 31)
  if (hasWitness) previous.setWitness(0, [new Uint8Array(3)])
  for (let index = 0; index < place; index += 1) previous.addOutput(new Uint8Array(5), 7n)
  previous.addOutput(scriptOf(kind, isOurs ? ours : theirs).script, amount)
  return previous
}

function psbtOf({ inputs, outputs, version, lockTime }: Given): Psbt {
  const psbt = new Psbt()
  psbt.setVersion(version).setLocktime(lockTime)
  for (const given of inputs) {
    const { kind, isOurs, amount, place, sequence, hasPrevious, sighash } = given
    const publicKey = isOurs ? ours : theirs
    const { script, redeemScript, witnessScript } = scriptOf(kind, publicKey)
    const previous = previousOf(given)
    const isLegacy = kind === 'P2PKH'
    psbt.addInput({
      hash: previous.getId(),
      index: place,
      sequence,
      ...(hasPrevious || isLegacy ? { nonWitnessUtxo: previous.toBuffer() } : {}),
      ...(isLegacy ? {} : { witnessUtxo: { script, value: amount } }),
      ...(redeemScript && { redeemScript }),
      ...(witnessScript && { witnessScript }),
      ...(kind === 'P2TR' ? { tapInternalKey: publicKey.subarray(1) } : {}),
      ...(sighash === undefined ? {} : { sighashType: sighash }),
    })
  }
  const total = inputs.reduce((sum, { amount }) => sum + amount, 0n)
  for (const { kind, share } of outputs) {
    const script = kind === 'OP_RETURN' ? Uint8Array.of(0x6a, 1, 5) : scriptOf(kind, theirs).script
    psbt.addOutput({ script, value: (total * share) / 1_000n / BigInt(outputs.length) })
  }
  return psbt
}

const kind = transactionKinds.TRANSACTION_TYPE_BITCOIN
const structOf = (transaction: OpenTransaction) => finished(transaction.struct(new Map())).struct
const signer = {
  curve: 'CURVE_SECP256K1',
  addressFormat: undefined,
  scheme: 'default',
  publicKey: ours,
} as const

function signed(bytes: Uint8Array, addressFormat?: 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2WPKH'): Uint8Array {
  const transaction = kind && finished(kind.open(bytes, { ...signer, addressFormat }))
  const signatures = transaction?.messages.map(({ message, scheme }) => {
    const signature = bytesToHex(
      scheme === 'taproot'
        ? schnorr.sign(message, taprootTweakPrivKey(ourKey))
        : secp256k1.sign(message, ourKey, { prehash: false }),
    )
    return { r: signature.slice(0, 64), s: signature.slice(64), v: '00' }
  })
  return transaction?.serialize(signatures ?? []) ?? new Uint8Array()
}

type Claim = { readonly kind: ScriptKind; readonly amount: bigint }
type PsbtInput = Psbt['data']['inputs'][number]

/** The PSBT with these claims in place of spent outputs that no previous transaction proves. */
function withClaims(psbt: Psbt, claims: readonly (Claim | undefined)[]): Uint8Array {
  const claiming = new Psbt()
  claiming.setVersion(psbt.version).setLocktime(psbt.locktime)
  for (const [at, input] of psbt.data.inputs.entries()) {
    const claim = input.nonWitnessUtxo === undefined ? claims[at] : undefined
    const source = psbt.txInputs[at] ?? { hash: new Uint8Array(32), index: 0 }
    claiming.addInput({ ...source, ...(claim === undefined ? input : spentAs(claim)) })
  }
  for (const { script, value } of psbt.txOutputs) claiming.addOutput({ script, value })
  return claiming.toBuffer()
}

function spentAs({ kind: scriptKind, amount }: Claim) {
  const { script, redeemScript, witnessScript } = ownScript(scriptKind, ours)
  return {
    witnessUtxo: { script, value: amount },
    ...(redeemScript && { redeemScript }),
    ...(witnessScript && { witnessScript }),
  }
}

/** Whether a signature that was made for a request is one of the true transaction, as bitcoinjs-lib sees it. */
function holdsIn(truth: Psbt, { index, partialSig, tapKeySig }: { readonly index: number } & PsbtInput): boolean {
  const signature = tapKeySig === undefined ? partialSig && { partialSig } : { tapKeySig }
  if (signature === undefined) return false
  const checked = truth.clone().updateInput(index, signature)
  try {
    return checked.validateSignaturesOfInput(index, isValid)
  } catch {
    // A signature of another kind than the spent output.
    return false
  }
}

function feeIn(psbt: Psbt): bigint {
  const spent = psbt.data.inputs.map(({ witnessUtxo, nonWitnessUtxo }, at) => {
    const { index = 0 } = psbt.txInputs[at] ?? {}
    return witnessUtxo?.value ?? Transaction.fromBuffer(nonWitnessUtxo ?? new Uint8Array()).outs[index]?.value ?? 0n
  })
  const sum = (amounts: readonly bigint[]) => amounts.reduce((before, amount) => before + amount, 0n)
  return sum(spent) - sum(psbt.txOutputs.map(({ value }) => value))
}

function isValid(publicKey: Uint8Array, digest: Uint8Array, signature: Uint8Array): boolean {
  return publicKey.length === 32
    ? schnorr.verify(signature, digest, publicKey)
    : secp256k1.verify(signature, digest, publicKey, { prehash: false })
}

const other = {
  publicKey: theirs,
  sign: (digest: Uint8Array) => secp256k1.sign(digest, theirKey, { prehash: false }),
  signSchnorr: (digest: Uint8Array) => schnorr.sign(digest, taprootTweakPrivKey(theirKey)),
}
const otherTweaked = {
  ...other,
  publicKey: concatBytes(Uint8Array.of(2), schnorr.getPublicKey(taprootTweakPrivKey(theirKey))),
}

describe('generated PSBTs', () => {
  test('are read as bitcoinjs-lib made them, and once signed it verifies, finalizes and extracts them', () => {
    fc.assert(
      fc.property(
        given.filter(({ inputs }) => inputs.some(({ isOurs }) => isOurs)),
        (content) => {
          const psbt = psbtOf(content)
          const bytes = psbt.toBuffer()
          const { transaction, spent } = parsePsbt(bytes)
          expect(transaction).toEqual({
            version: content.version,
            lockTime: content.lockTime,
            inputs: psbt.txInputs.map(({ hash, index, sequence }) => ({
              txid: bytesToHex(Uint8Array.from(hash).toReversed()),
              index,
              sequence,
            })),
            outputs: psbt.txOutputs.map(({ script, value }) => ({ script: Uint8Array.from(script), amount: value })),
          })
          expect(spent.map(({ amount }) => amount)).toEqual(content.inputs.map(({ amount }) => amount))

          const answer = Psbt.fromBuffer(signed(bytes))
          for (const [index, { isOurs, kind: scriptKind }] of content.inputs.entries()) {
            if (isOurs) expect(answer.validateSignaturesOfInput(index, isValid)).toBe(true)
            else {
              expect(answer.data.inputs[index]).toEqual(Psbt.fromBuffer(bytes).data.inputs[index])
              answer.signInput(index, scriptKind === 'P2TR' ? otherTweaked : other, [0, 1])
            }
          }
          expect(answer.validateSignaturesOfAllInputs(isValid)).toBe(true)
          const scure = ScureTransaction.fromPSBT(answer.toBuffer(), {
            allowUnknownOutputs: true,
            allowLegacyWitnessUtxo: true,
          })
          scure.finalize()
          answer.finalizeAllInputs()
          expect(bytesToHex(scure.extract())).toBe(answer.extractTransaction(true).toHex())
        },
      ),
      { numRuns: generatedRuns },
    )
  })

  test('show a fee only if no signature holds where the spent outputs are others and pay another fee', () => {
    const claim = fc.record({ kind: fc.constantFrom(...scriptKinds), amount: fc.bigInt(0n, 20_000_000n) })
    const claimed = fc.record({ content: given, claims: fc.array(fc.option(claim, { nil: undefined })) })
    const counts = { shown: 0, held: 0 }
    fc.assert(
      fc.property(claimed, ({ content, claims }) => {
        const truth = psbtOf({ ...content, inputs: content.inputs.map((one) => ({ ...one, isOurs: true })) })
        const request = withClaims(truth, claims)
        const answer = unlessRefused(() => signed(request))
        if (answer === undefined) return
        const { fee } = unlessRefused(() => kind && structOf(finished(kind.open(request, signer)))) ?? {}
        const holds = Psbt.fromBuffer(answer).data.inputs.some((input, index) => holdsIn(truth, { index, ...input }))
        counts.shown += Number(fee !== undefined)
        counts.held += Number(holds)
        if (fee !== undefined && holds) expect(fee).toBe(feeIn(truth))
      }),
      { numRuns: 2 * generatedRuns },
    )
    // Otherwise the property says nothing.
    expect(counts.shown).toBeGreaterThan(0)
    expect(counts.held).toBeGreaterThan(0)
  })

  test('named by an address, only the inputs that pay to it are signed', () => {
    fc.assert(
      fc.property(given, (content) => {
        const psbt = psbtOf(content)
        const bytes = unlessRefused(() => signed(psbt.toBuffer(), 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2WPKH'))
        const isSigned = content.inputs.map(({ isOurs, kind: scriptKind }) => isOurs && scriptKind === 'P2WPKH')
        if (!isSigned.includes(true)) {
          expect(bytes).toBeUndefined()
          return
        }
        const { inputs } = Psbt.fromBuffer(bytes ?? new Uint8Array()).data
        expect(inputs.map(({ partialSig, tapKeySig }) => partialSig !== undefined || tapKeySig !== undefined)).toEqual(
          isSigned,
        )
      }),
      { numRuns: generatedRuns },
    )
  })

  test('that are cut short or have extra bytes are refused', () => {
    fc.assert(
      fc.property(given, fc.nat(), fc.uint8Array({ minLength: 1, maxLength: 4 }), (content, cut, more) => {
        const bytes = psbtOf(content).toBuffer()
        expect(unlessRefused(() => parsePsbt(bytes.subarray(0, cut % bytes.length)))).toBeUndefined()
        expect(unlessRefused(() => parsePsbt(concatBytes(bytes, more)))).toBeUndefined()
      }),
      { numRuns: generatedRuns },
    )
  })

  test('with a byte changed, or no PSBT at all: nothing but Failure is thrown', () => {
    const nearlyValid = fc.tuple(given, fc.nat(), fc.nat(255)).map(([content, at, byte]) => {
      const bytes = Uint8Array.from(psbtOf(content).toBuffer())
      return bytes.with(at % bytes.length, byte)
    })
    const arbitrary = fc
      .uint8Array({ maxLength: 300 })
      .map((rest) => concatBytes(Buffer.from('psbt\xff', 'latin1'), rest))
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array(), arbitrary, nearlyValid), (bytes) => {
        const open = unlessRefused(() => kind && finished(kind.open(bytes, signer)))
        expect(open === undefined ? {} : finished(open.struct(new Map())).struct).toBeTypeOf('object')
      }),
      { numRuns: 5 * generatedRuns },
    )
  })
})
