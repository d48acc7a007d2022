import { equalBytes } from '@noble/curves/utils.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { RawOldTx, RawTx } from '@scure/btc-signer/script.js'
import type { Steps } from '../../../protocol/tools/steps.ts'
import { byteReader } from '../byte_reader.ts'
import { invalid, unsupported } from '../unsigned_transaction.ts'
import type { BitcoinOutput, BitcoinTransaction } from './bitcoin_digests.ts'
import { isPayToScriptHash, isWitnessProgram } from './bitcoin_scripts.ts'
import { type PsbtMap, psbtReader, readCompactSize, readMap, serializePsbt, valueOfType } from './psbt_maps.ts'

export type Psbt = {
  readonly transaction: BitcoinTransaction
  /** The outputs that the inputs spend, in the same order. */
  readonly spent: readonly SpentOutput[]
  readonly maps: { readonly global: PsbtMap; readonly inputs: readonly PsbtMap[]; readonly outputs: readonly PsbtMap[] }
}

/** `isVerified`: the output stands so in the previous transaction, whose hash the input names. */
export type SpentOutput = BitcoinOutput & { readonly isVerified: boolean }

export const psbtInputsMax = 500
/** Each may carry the whole transaction that it spends from. */
const inputsInARow = 16
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
  const global = readMap(reader)
  requireVersion(global)
  const unsigned = valueOfType(global, globalTypes.unsignedTransaction, 'the unsigned transaction')
  if (unsigned === undefined) throw invalid('has no unsigned transaction')
  const transaction = readUnsigned(unsigned)
  requireUsable(transaction)
  yield
  const inputs = transaction.inputs.map(() => readMap(reader))
  const outputs = transaction.outputs.map(() => readMap(reader))
  reader.end()
  const spent: SpentOutput[] = []
  for (const [index, map] of inputs.entries()) {
    if (index % inputsInARow === 0) yield
    spent.push(readSpent(map, { transaction, index }))
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

function readUnsigned(bytes: Uint8Array): BitcoinTransaction {
  const name = 'the unsigned transaction'
  const { version, inputs, outputs, lockTime } = readWith(RawOldTx, bytes, name)
  if (inputs.some(({ finalScriptSig }) => finalScriptSig.length > 0)) {
    throw invalid(`${name} is already signed: an input has a script`)
  }
  const spends = inputs.map(({ txid, index, sequence }) => ({ txid: bytesToHex(txid), index, sequence }))
  return { version, inputs: spends, outputs, lockTime }
}

type Coder<T> = { readonly decode: (bytes: Uint8Array) => T; readonly encode: (value: T) => Uint8Array }

/** Reads with a coder, whose errors become refusals. A coder that writes the same bytes back has read all of them. */
function readWith<T>(coder: Coder<T>, bytes: Uint8Array, name: string): T {
  let value: T
  let again: Uint8Array
  try {
    value = coder.decode(bytes)
    again = coder.encode(value)
  } catch {
    throw invalid(`${name} cannot be read`)
  }
  if (!equalBytes(again, bytes)) throw invalid(`${name} is not in its canonical form`)
  return value
}

function requireUsable({ inputs, outputs }: BitcoinTransaction): void {
  if (inputs.length === 0 || outputs.length === 0) throw invalid('must have an input and an output')
  if (inputs.length > psbtInputsMax) throw invalid(`has more than ${psbtInputsMax} inputs`)
  if (outputs.length > psbtOutputsMax) throw invalid(`has more than ${psbtOutputsMax} outputs`)
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

function readSpent(map: PsbtMap, { transaction, index }: InputAt): SpentOutput {
  const name = `input ${index}`
  const nonWitness = valueOfType(map, inputTypes.nonWitnessUtxo, `the non-witness UTXO of ${name}`)
  const witness = valueOfType(map, inputTypes.witnessUtxo, `the witness UTXO of ${name}`)
  const verified = nonWitness && outputOfPrevious(nonWitness, { transaction, index })
  const claimed = witness && readOutput(witness, name)
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

function outputOfPrevious(bytes: Uint8Array, { transaction, index }: InputAt): BitcoinOutput {
  const name = `the non-witness UTXO of input ${index}`
  const { version, inputs, outputs, lockTime } = readWith(RawTx, bytes, name)
  // BIP-141: the id is the hash of the form without witnesses.
  const txid = sha256(sha256(RawOldTx.encode({ version, inputs, outputs, lockTime }))).toReversed()
  const spent = transaction.inputs[index]
  if (bytesToHex(txid) !== spent?.txid) throw invalid(`${name} is another transaction than the input spends`)
  const output = outputs[spent.index]
  if (output === undefined) throw invalid(`${name} has no such output`)
  return output
}

/** Reads the amount, then the script with its length. */
function readOutput(bytes: Uint8Array, name: string): BitcoinOutput {
  const reader = byteReader(bytes)
  const where = `the witness UTXO of ${name}`
  const amount = reader.integer64(where)
  const script = reader.bytes(readCompactSize(reader, where), where)
  reader.end()
  return { amount, script }
}
