import { createHash } from 'node:crypto'
import { equalBytes } from '@noble/curves/utils.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import type { Steps } from '../../../protocol/tools/steps.ts'
import { byteReader } from '../byte_reader.ts'
import { invalid, unsupported } from '../unsigned_transaction.ts'
import type { BitcoinOutput, BitcoinTransaction } from './bitcoin_digests.ts'
import { isPayToScriptHash, isWitnessProgram } from './bitcoin_scripts.ts'
import { readOutput, readTransaction } from './bitcoin_transaction.ts'
import { type PsbtMap, psbtEntriesMax, psbtReader, readMap, serializePsbt, valueOfType } from './psbt_maps.ts'

export type Psbt = {
  readonly transaction: BitcoinTransaction
  /** The outputs that the inputs spend, in the same order. */
  readonly spent: readonly SpentOutput[]
  readonly maps: { readonly global: PsbtMap; readonly inputs: readonly PsbtMap[]; readonly outputs: readonly PsbtMap[] }
}

/** `isVerified`: the output stands so in the previous transaction, whose hash the input names. */
export type SpentOutput = BitcoinOutput & { readonly isVerified: boolean }

export const psbtInputsMax = 500
export const psbtOutputsMax = 2_500
/** 21 million bitcoins. */
const amountMax = 2_100_000_000_000_000n

/** BIP-174. */
const globalTypes = { unsignedTransaction: 0x00, version: 0xfb } as const
const inputTypes = { nonWitnessUtxo: 0x00, witnessUtxo: 0x01 } as const

/**
 * Reads a PSBT of version 0 (BIP-174) whose every input states the output that it spends, so that the fee is known. The
 * amount of an input without segregated witness must come from the whole previous transaction, since no signature of
 * such an input commits to an amount. Entries that are not understood here, such as derivations, are kept as they are.
 *
 * Throws TRANSACTION_INVALID, or TRANSACTION_TYPE_UNSUPPORTED for version 2.
 */
export function* readPsbt(bytes: Uint8Array): Steps<Psbt> {
  const reader = psbtReader(bytes)
  const room = { entries: psbtEntriesMax }
  const global = yield* readMap(reader, room)
  requireVersion(global)
  const unsigned = valueOfType(global, globalTypes.unsignedTransaction, 'the unsigned transaction')
  if (unsigned === undefined) throw invalid('has no unsigned transaction')
  const transaction = yield* readUnsigned(unsigned)
  requireUsable(transaction)
  yield
  const inputs: PsbtMap[] = []
  const outputs: PsbtMap[] = []
  for (const _ of transaction.inputs) inputs.push(yield* readMap(reader, room))
  for (const _ of transaction.outputs) outputs.push(yield* readMap(reader, room))
  reader.end()
  const spent: SpentOutput[] = []
  for (const [index, map] of inputs.entries()) {
    yield
    spent.push(yield* readSpent(map, { transaction, index }))
  }
  yield
  const psbt = { transaction, spent, maps: { global, inputs, outputs } }
  if (feeOf(psbt) < 0n) throw invalid('its outputs are worth more than its inputs')
  // The readers above accept one form only. This check guards against a later change of them.
  if (!equalBytes(serializePsbt([global, ...inputs, ...outputs]), bytes)) throw invalid('is not in its canonical form')
  return psbt
}

/** In satoshi. */
export function feeOf({ transaction, spent }: Psbt): bigint {
  return sumOf(spent) - sumOf(transaction.outputs)
}

function requireVersion(global: PsbtMap): void {
  const version = valueOfType(global, globalTypes.version, 'the version')
  if (version === undefined) return
  if (version.length !== 4) throw invalid('its version must be 4 bytes')
  if (version.some((byte) => byte !== 0)) throw unsupported('a PSBT of another version than 0')
}

function* readUnsigned(bytes: Uint8Array): Steps<BitcoinTransaction> {
  const name = 'the unsigned transaction'
  const read = yield* readTransaction(bytes, { name, inputsMax: psbtInputsMax, outputsMax: psbtOutputsMax })
  const { version, inputs, outputs, lockTime } = read
  if (inputs.some(({ script }) => script.length > 0)) throw invalid(`${name} is already signed: an input has a script`)
  const spends = inputs.map(({ hash, index, sequence }) => ({ txid: shownId(hash), index, sequence }))
  return { version, inputs: spends, outputs, lockTime }
}

/** The id of a transaction in the order in which explorers show it. */
function shownId(hash: Uint8Array): string {
  return bytesToHex(hash.toReversed())
}

function requireUsable({ inputs, outputs }: BitcoinTransaction): void {
  if (inputs.length === 0 || outputs.length === 0) throw invalid('must have an input and an output')
  if (new Set(inputs.map(({ txid, index }) => `${txid}:${index}`)).size !== inputs.length) {
    throw invalid('spends an output twice')
  }
  requireAmounts(outputs)
}

function requireAmounts(outputs: readonly BitcoinOutput[]): void {
  if (outputs.some(({ amount }) => amount > amountMax) || sumOf(outputs) > amountMax) {
    throw invalid('has an amount above 21 million bitcoins')
  }
}

function sumOf(outputs: readonly BitcoinOutput[]): bigint {
  return outputs.reduce((sum, { amount }) => sum + amount, 0n)
}

type InputAt = { readonly transaction: BitcoinTransaction; readonly index: number }

function* readSpent(map: PsbtMap, { transaction, index }: InputAt): Steps<SpentOutput> {
  const name = `input ${index}`
  const nonWitness = valueOfType(map, inputTypes.nonWitnessUtxo, `the non-witness UTXO of ${name}`)
  const witness = valueOfType(map, inputTypes.witnessUtxo, `the witness UTXO of ${name}`)
  const verified = nonWitness && (yield* outputOfPrevious(nonWitness, { transaction, index }))
  const claimed = witness && readClaimed(witness, name)
  if (verified !== undefined && claimed !== undefined) {
    const agrees = verified.amount === claimed.amount && equalBytes(verified.script, claimed.script)
    if (!agrees) throw invalid(`the witness UTXO of ${name} is not what its previous transaction says`)
  }
  const output = verified ?? claimed
  if (output === undefined)
    throw invalid(`${name} must have a witness UTXO or a non-witness UTXO: its amount is unknown`)
  // P2SH may nest a witness program, as it does in the addresses of this server.
  if (verified === undefined && !isWitnessProgram(output.script) && !isPayToScriptHash(output.script)) {
    throw invalid(`${name} must have a non-witness UTXO: its signature does not commit to its amount`)
  }
  requireAmounts([output])
  return { ...output, isVerified: verified !== undefined }
}

function* outputOfPrevious(bytes: Uint8Array, { transaction, index }: InputAt): Steps<BitcoinOutput> {
  const name = `the non-witness UTXO of input ${index}`
  const { outputs, withoutWitnesses } = yield* readTransaction(bytes, { name, mayHaveWitnesses: true })
  // Half a megabyte takes a hash in JavaScript too long for a step.
  const inner = createHash('sha256')
  for (const part of withoutWitnesses) inner.update(part)
  const spent = transaction.inputs[index]
  if (shownId(sha256(inner.digest())) !== spent?.txid) {
    throw invalid(`${name} is another transaction than the input spends`)
  }
  const output = outputs[spent.index]
  if (output === undefined) throw invalid(`${name} has no such output`)
  return output
}

function readClaimed(bytes: Uint8Array, name: string): BitcoinOutput {
  const reader = byteReader(bytes)
  const output = readOutput(reader, `the witness UTXO of ${name}`)
  reader.end()
  return output
}
