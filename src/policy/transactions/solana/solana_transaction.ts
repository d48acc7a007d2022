import { equalBytes } from '@noble/curves/utils.js'
import { concatBytes } from '@noble/hashes/utils.js'
import { base58 } from '@scure/base'
import { type ByteReader, byteReader } from '../byte_reader.ts'
import { invalid, unsupported } from '../unsigned_transaction.ts'

/** `program` and `accounts` are positions among the message's keys, then the looked-up ones, writable ones first. */
export type SolanaInstruction = {
  readonly program: number
  readonly accounts: readonly number[]
  readonly data: Uint8Array
}

export type AddressTableLookup = {
  readonly tableKey: string
  readonly writableIndexes: readonly number[]
  readonly readonlyIndexes: readonly number[]
}

/** Keys are base58. The first `signersCount` keys sign. The last keys of both halves are read only. */
export type SolanaMessage = {
  readonly version: 'legacy' | 0
  readonly signersCount: number
  readonly readonlySignersCount: number
  readonly readonlyOthersCount: number
  readonly keys: readonly string[]
  readonly recentBlockhash: string
  readonly instructions: readonly SolanaInstruction[]
  /** Empty in a legacy message. */
  readonly lookups: readonly AddressTableLookup[]
}

export type SolanaTransaction = {
  /** One signature of 64 bytes for each signer, in the order of the keys; zeros if there is none yet. */
  readonly signatures: readonly Uint8Array[]
  readonly message: SolanaMessage
  /** The bytes that every signer signs. */
  readonly messageBytes: Uint8Array
}

/** The network's limit: the smallest IPv6 packet without its headers (Solana, "Transactions", size limits). */
export const solanaTransactionBytesMax = 1232
const signatureBytes = 64
const keyBytes = 32

/**
 * Reads a whole transaction (Solana, "Transactions and Instructions"): the slots for signatures, then a legacy message
 * or one of version 0. Also refuses what the network refuses whatever the state of accounts: a key that occurs twice, a
 * program that is the fee payer or comes from a lookup table, an account that does not exist in the message.
 *
 * Throws TRANSACTION_INVALID, or TRANSACTION_TYPE_UNSUPPORTED for other versions.
 */
export function parseSolanaTransaction(bytes: Uint8Array): SolanaTransaction {
  if (bytes.length > solanaTransactionBytesMax) throw invalid(`is longer than ${solanaTransactionBytesMax} bytes`)
  const reader = byteReader(bytes)
  const signatures = readList(reader, 'signatures', () => reader.bytes(signatureBytes, 'a signature'))
  const messageBytes = bytes.subarray(reader.position())
  const message = readMessage(reader)
  reader.end()
  if (signatures.length !== message.signersCount) {
    throw invalid(`has ${signatures.length} slots for signatures and ${message.signersCount} signers`)
  }
  requireConsistent(message)
  // The readers above accept one form only. This check guards against a later change of them.
  if (!equalBytes(serializeMessage(message), messageBytes)) throw invalid('is not in its canonical form')
  return { signatures, message, messageBytes }
}

/** Returns the slot of this key among the signers. Throws TRANSACTION_INVALID when the key is none of them. */
export function signerPlace({ message: { keys, signersCount } }: SolanaTransaction, publicKey: Uint8Array): number {
  const place = keys.slice(0, signersCount).indexOf(base58.encode(publicKey))
  if (place === -1) throw invalid('the key of signWith is none of its signers')
  return place
}

/** Returns the transaction with this signature in that slot and the others unchanged. */
export function withSignature(
  { signatures, messageBytes }: SolanaTransaction,
  { place, signature }: { readonly place: number; readonly signature: Uint8Array },
): Uint8Array {
  const filled = signatures.map((old, index) => (index === place ? signature : old))
  return concatBytes(lengthBytes(filled.length), ...filled, messageBytes)
}

/** Returns the 64 bytes of that slot in a signed transaction. */
export function signatureAt(
  { signatures }: SolanaTransaction,
  { place, signed }: { readonly place: number; readonly signed: Uint8Array },
): Uint8Array {
  const start = lengthBytes(signatures.length).length + place * signatureBytes
  return signed.subarray(start, start + signatureBytes)
}

/** A first byte of this value or above is a version. Below it is the number of signers of a legacy message. */
const versionFlag = 0x80

function readMessage(reader: ByteReader): SolanaMessage {
  const first = reader.byte('the message')
  if (first > versionFlag) throw unsupported(`message version ${first - versionFlag}; legacy and 0 are`)
  const isLegacy = first < versionFlag
  return {
    version: isLegacy ? 'legacy' : 0,
    signersCount: isLegacy ? first : reader.byte('the header'),
    readonlySignersCount: reader.byte('the header'),
    readonlyOthersCount: reader.byte('the header'),
    keys: readList(reader, 'keys', () => base58.encode(reader.bytes(keyBytes, 'a key'))),
    recentBlockhash: base58.encode(reader.bytes(keyBytes, 'the blockhash')),
    instructions: readList(reader, 'instructions', () => ({
      program: reader.byte('an instruction'),
      accounts: [...readBytes(reader, 'the accounts of an instruction')],
      data: readBytes(reader, 'the data of an instruction').slice(),
    })),
    lookups: isLegacy
      ? []
      : readList(reader, 'lookup tables', () => ({
          tableKey: base58.encode(reader.bytes(keyBytes, 'a lookup table')),
          writableIndexes: [...readBytes(reader, 'a lookup table')],
          readonlyIndexes: [...readBytes(reader, 'a lookup table')],
        })),
  }
}

/** The checks of `sanitize` in Solana's message, and that no key occurs twice. */
function requireConsistent(message: SolanaMessage): void {
  const { signersCount, readonlySignersCount, readonlyOthersCount, keys, instructions, lookups } = message
  if (signersCount + readonlyOthersCount > keys.length) throw invalid('its header counts more keys than there are')
  if (readonlySignersCount >= signersCount) throw invalid('its fee payer must be a signer that can be written')
  if (new Set(keys).size !== keys.length) throw invalid('has a key twice')
  if (lookups.some(({ writableIndexes, readonlyIndexes }) => writableIndexes.length + readonlyIndexes.length === 0)) {
    throw invalid('names a lookup table and looks nothing up in it')
  }
  const accountsCount = keys.length + lookedUpCount(message)
  if (accountsCount > 256) throw invalid('has more than 256 accounts')
  for (const { program, accounts } of instructions) {
    if (program === 0) throw invalid('an instruction calls the fee payer')
    if (program >= keys.length) throw invalid('an instruction calls a program that is none of its keys')
    if (accounts.some((account) => account >= accountsCount)) {
      throw invalid('an instruction has an account that is not there')
    }
  }
}

function lookedUpCount({ lookups }: SolanaMessage): number {
  return lookups.reduce((sum, { writableIndexes, readonlyIndexes }) => {
    return sum + writableIndexes.length + readonlyIndexes.length
  }, 0)
}

function readList<T>(reader: ByteReader, name: string, readItem: () => T): readonly T[] {
  const items: T[] = []
  // Each item takes bytes, so a missing item ends the loop early.
  for (let left = readLength(reader, name); left > 0; left -= 1) items.push(readItem())
  return items
}

function readBytes(reader: ByteReader, name: string): Uint8Array {
  return reader.bytes(readLength(reader, name), name)
}

/** Solana's compact-u16: seven bits a byte, the lowest first, three bytes at most, no zero byte at the end. */
function readLength(reader: ByteReader, name: string): number {
  let length = 0
  for (let shift = 0; shift < 21; shift += 7) {
    const byte = reader.byte(name)
    length += (byte & 0x7f) << shift
    if (byte >= 0x80) continue
    if (byte === 0 && shift > 0) break
    if (length > 0xffff) break
    return length
  }
  throw invalid(`the number of ${name} is not a canonical compact-u16`)
}

function lengthBytes(length: number): Uint8Array {
  const bytes: number[] = []
  let rest = length
  for (; rest > 0x7f; rest >>= 7) bytes.push((rest & 0x7f) | 0x80)
  return Uint8Array.from([...bytes, rest])
}

function serializeMessage(message: SolanaMessage): Uint8Array {
  const { version, signersCount, readonlySignersCount, readonlyOthersCount, keys, instructions, lookups } = message
  const list = <T>(items: readonly T[], serialize: (item: T) => Uint8Array) =>
    concatBytes(lengthBytes(items.length), ...items.map(serialize))
  const bytes = (values: ArrayLike<number>) => concatBytes(lengthBytes(values.length), Uint8Array.from(values))
  return concatBytes(
    Uint8Array.from(version === 0 ? [versionFlag] : []),
    Uint8Array.of(signersCount, readonlySignersCount, readonlyOthersCount),
    list(keys, (key) => base58.decode(key)),
    base58.decode(message.recentBlockhash),
    list(instructions, ({ program, accounts, data }) =>
      concatBytes(Uint8Array.of(program), bytes(accounts), bytes(data)),
    ),
    version === 0
      ? list(lookups, ({ tableKey, writableIndexes, readonlyIndexes }) =>
          concatBytes(base58.decode(tableKey), bytes(writableIndexes), bytes(readonlyIndexes)),
        )
      : new Uint8Array(0),
  )
}
