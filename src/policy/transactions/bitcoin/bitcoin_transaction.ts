import type { Steps } from '../../../protocol/tools/steps.ts'
import { type ByteReader, byteReader } from '../byte_reader.ts'
import { invalid } from '../unsigned_transaction.ts'
import type { BitcoinOutput } from './bitcoin_digests.ts'
import { readCompactSize } from './psbt_maps.ts'

export type BitcoinInput = {
  /** The hash of the transaction that is spent from, as it stands in the bytes: explorers show it in reverse. */
  readonly hash: Uint8Array
  readonly index: number
  readonly script: Uint8Array
  readonly sequence: number
}

/** A transaction as it stands in bytes, signed or not. */
export type RawTransaction = {
  readonly version: number
  readonly inputs: readonly BitcoinInput[]
  readonly outputs: readonly BitcoinOutput[]
  readonly lockTime: number
  /** All but the witnesses, in order. The id is the hash of these bytes (BIP-141). */
  readonly withoutWitnesses: readonly Uint8Array[]
}

/** `name` stands in refusals. Without a maximum the length of the bytes is the bound. */
type Form = {
  readonly name: string
  readonly inputsMax?: number
  readonly outputsMax?: number
  /** Whether the form of BIP-144 is read too. */
  readonly mayHaveWitnesses?: true
}

/** A legal transaction may have tens of thousands of items. */
const itemsInARow = 500

/**
 * Reads a transaction that fills the bytes, in its only canonical form. More inputs or outputs than the maximum are
 * refused before one of them is read. Throws TRANSACTION_INVALID.
 */
export function* readTransaction(bytes: Uint8Array, form: Form): Steps<RawTransaction> {
  const { name, inputsMax, outputsMax } = form
  const reader = byteReader(bytes)
  const version = reader.integer(4, name) | 0
  const hasWitnesses = form.mayHaveWitnesses === true && bytes[4] === 0 && bytes[5] === 1
  if (hasWitnesses) reader.bytes(2, name)
  const start = reader.position()
  const inputs = yield* readList(reader, { name, items: 'inputs', max: inputsMax }, () => readInput(reader, name))
  const outputs = yield* readList(reader, { name, items: 'outputs', max: outputsMax }, () => readOutput(reader, name))
  const end = reader.position()
  if (hasWitnesses) yield* skipWitnesses(reader, { name, count: inputs.length })
  const lockTime = reader.integer(4, name)
  if (reader.left() > 0) throw invalid(`${name} has ${reader.left()} bytes too many`)
  const withoutWitnesses = [bytes.subarray(0, 4), bytes.subarray(start, end), bytes.subarray(-4)]
  return { version, inputs, outputs, lockTime, withoutWitnesses }
}

/** Reads the amount, then the script with its length. */
export function readOutput(reader: ByteReader, name: string): BitcoinOutput {
  return { amount: reader.integer64(name), script: reader.bytes(readCompactSize(reader, name), name) }
}

type List = { readonly name: string; readonly items: string; readonly max?: number | undefined }

function* readList<T>(reader: ByteReader, { name, items, max = Infinity }: List, readItem: () => T): Steps<T[]> {
  const count = readCompactSize(reader, `the number of ${items} in ${name}`)
  if (count > max) throw invalid(`has more than ${max} ${items}`)
  const read: T[] = []
  // Each item takes bytes, so a missing item ends the loop early.
  while (read.length < count) {
    if (read.length % itemsInARow === 0) yield
    read.push(readItem())
  }
  return read
}

function readInput(reader: ByteReader, name: string): BitcoinInput {
  const hash = reader.bytes(32, name)
  const index = reader.integer(4, name)
  const script = reader.bytes(readCompactSize(reader, name), name)
  return { hash, index, script, sequence: reader.integer(4, name) }
}

type Witnesses = { readonly name: string; readonly count: number }

/** BIP-144: a stack for each input. If all stacks are empty, the form without witnesses is the canonical one. */
function* skipWitnesses(reader: ByteReader, { name, count }: Witnesses): Steps<void> {
  let items = 0
  for (let input = 0; input < count; input += 1) {
    for (let left = readCompactSize(reader, name); left > 0; left -= 1) {
      if (items % itemsInARow === 0) yield
      reader.bytes(readCompactSize(reader, name), name)
      items += 1
    }
  }
  if (items === 0) throw invalid(`${name} is not in its canonical form`)
}
