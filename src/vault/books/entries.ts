import { hexOf, uuidOf } from '../../protocol/wire/identifiers.ts'
import { type BookedHead, type HeadName, makersMax } from './booked_head.ts'
import { EntryError } from './entry_error.ts'
import type { Piece } from './head_table.ts'
import { idBytes } from './ids.ts'
import { logEntryLength } from './transparency/journal_entries.ts'

/**
 * The entries of the journal. A payload is a sequence of entries. The first byte of an entry is its kind. Numbers are
 * big-endian. Times and versions take six bytes. Ids, tags and keys take 16 bytes.
 *
 *   head   1 | flags | count of below | organization | maker | version | tag | change | time |
 *          for each head below: maker | version | tag | change
 *   count  2 | length of the amount | name | count key | time | kept until | amount
 *   began  3 | flags | journal id | time
 *   keys   4 | - | count, 2 bytes | time | keys
 *   member 5 | length of the amount | group | name | count key | time | kept until | amount
 *   forget 6 | - | group
 *   7 to 13: the transparency log, see `transparency/journal_entries.ts`
 */
export type HeadEntry = {
  readonly organizationId: string
  readonly head: BookedHead
  readonly atMs: number
  /** The head was converted from a mark file. A head without a maker may follow it once. */
  readonly mayBeNext: boolean
}

export type CountEntry = {
  /** The group of names that are forgotten together. Most names have none. */
  readonly group?: string
  readonly name: string
  /** The key of the request that counts, see `countKeyOf`. The same key counts once. */
  readonly countKey: string
  readonly amount: bigint
  readonly atMs: number
  /** `foreverMs` if the amount counts as long as its group exists. */
  readonly untilMs: number
}

/** The greatest time that an entry can hold. */
export const foreverMs = 2 ** 48 - 1

export type BeganEntry = { readonly journalId: string; readonly atMs: number; readonly forgetsHeads: boolean }

/** The keys of changes that are on the books, and the tags of heads: 16 bytes each. */
export type KeysEntry = { readonly keys: Uint8Array; readonly atMs: number }

export type EntryReader = {
  /** Takes the bytes of the entry, for `decodeHead`. There may be millions of entries, and few are decoded. */
  head(entry: Piece): void
  count(entry: CountEntry): void
  /** All earlier counts of the group are forgotten. Later ones count: a backup may bring its record back. */
  forget(group: string): void
  began(entry: BeganEntry): void
  keys(entry: KeysEntry): void
  /** Takes the bytes of an entry that keeps the transparency log. */
  log(entry: Piece): void
}

const kinds = { head: 1, count: 2, began: 3, keys: 4, member: 5, forget: 6 } as const
const numberBytes = 6
/** The offset of the organization's id in the entry of a head. */
export const headIdOffset = 3
const headFixedBytes = headIdOffset + 4 * idBytes + 2 * numberBytes
const belowBytes = 3 * idBytes + numberBytes
const countFixedBytes = 2 + 2 * idBytes + 2 * numberBytes
const memberFixedBytes = countFixedBytes + idBytes
const forgetBytes = 2 + idBytes
const beganBytes = 2 + idBytes + numberBytes
const keysFixedBytes = 4 + numberBytes
const amountMax = 2n ** 256n - 1n
export const keysPerEntryMax = 4096

export function encodeHead({ organizationId, head, atMs, mayBeNext }: HeadEntry): Buffer {
  if (head.below.size > makersMax)
    throw new EntryError(`more than ${makersMax} journals made heads of ${organizationId}`)
  const out = Buffer.allocUnsafe(headFixedBytes + head.below.size * belowBytes)
  out[0] = kinds.head
  out[1] = mayBeNext ? 1 : 0
  out[2] = head.below.size
  let at = writeId(out, hexOf(organizationId), headIdOffset)
  at = writeName(out, head.maker, head, at)
  at = out.writeUIntBE(atMs, at, numberBytes)
  for (const [maker, name] of head.below) at = writeName(out, maker, name, at)
  return out
}

export function encodeCount({ group, name, countKey, amount, atMs, untilMs }: CountEntry): Buffer {
  if (amount < 0n) throw new EntryError('an amount is not below zero')
  // The sum of several amounts may exceed `amountMax`. No limit asks for a larger sum, so the cap changes no answer.
  const digits = (amount < amountMax ? amount : amountMax).toString(16)
  const amountBytes = Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex')
  const out = Buffer.allocUnsafe((group === undefined ? countFixedBytes : memberFixedBytes) + amountBytes.length)
  out[0] = group === undefined ? kinds.count : kinds.member
  out[1] = amountBytes.length
  let at = group === undefined ? 2 : writeId(out, group, 2)
  at = writeId(out, name, at)
  at = writeId(out, countKey, at)
  at = out.writeUIntBE(atMs, at, numberBytes)
  at = out.writeUIntBE(untilMs, at, numberBytes)
  amountBytes.copy(out, at)
  return out
}

export function encodeForget(group: string): Buffer {
  const out = Buffer.alloc(forgetBytes)
  out[0] = kinds.forget
  writeId(out, group, 2)
  return out
}

export function encodeBegan({ journalId, atMs, forgetsHeads }: BeganEntry): Buffer {
  const out = Buffer.allocUnsafe(beganBytes)
  out[0] = kinds.began
  out[1] = forgetsHeads ? 1 : 0
  out.writeUIntBE(atMs, writeId(out, journalId, 2), numberBytes)
  return out
}

export function encodeKeys({ keys, atMs }: KeysEntry): Buffer {
  const count = keys.length / idBytes
  if (!Number.isInteger(count) || count > keysPerEntryMax) throw new EntryError(`${keys.length} bytes of keys`)
  const out = Buffer.allocUnsafe(keysFixedBytes + keys.length)
  out[0] = kinds.keys
  out[1] = 0
  out.writeUInt16BE(count, 2)
  out.set(keys, out.writeUIntBE(atMs, 4, numberBytes))
  return out
}

/** Reads the entries of a payload. Throws `EntryError` if the bytes are not a payload. */
export function readEntries(payload: Uint8Array, reader: EntryReader): void {
  const bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength)
  let at = 0
  while (at < bytes.length) {
    const length = entryLength(bytes, at)
    if (length === undefined || !(at + length <= bytes.length)) throw new EntryError('an entry ends too early')
    const piece = { bytes, start: at, end: at + length }
    if (bytes[at] === kinds.head) reader.head(piece)
    else if (logEntryLength(bytes, at) !== undefined) reader.log(piece)
    else readEntry(bytes.subarray(at, at + length), reader)
    at += length
  }
}

function entryLength(bytes: Buffer, at: number): number | undefined {
  switch (bytes[at]) {
    case kinds.head:
      return headFixedBytes + (bytes[at + 2] ?? 0) * belowBytes
    case kinds.count:
      return countFixedBytes + (bytes[at + 1] ?? 0)
    case kinds.member:
      return memberFixedBytes + (bytes[at + 1] ?? 0)
    case kinds.forget:
      return forgetBytes
    case kinds.began:
      return beganBytes
    case kinds.keys:
      return at + 4 > bytes.length ? undefined : keysFixedBytes + bytes.readUInt16BE(at + 2) * idBytes
    default: {
      const length = logEntryLength(bytes, at)
      if (length !== undefined) return length
      throw new EntryError(`there is no entry of the kind ${bytes[at]}: a newer program wrote it`)
    }
  }
}

function readEntry(entry: Buffer, reader: EntryReader): void {
  switch (entry[0]) {
    case kinds.count:
      reader.count(readCount(entry, 2))
      break
    case kinds.member:
      reader.count({ group: entry.toString('hex', 2, 2 + idBytes), ...readCount(entry, 2 + idBytes) })
      break
    case kinds.forget:
      reader.forget(entry.toString('hex', 2, forgetBytes))
      break
    case kinds.began:
      reader.began({
        forgetsHeads: entry[1] === 1,
        journalId: entry.toString('hex', 2, 2 + idBytes),
        atMs: entry.readUIntBE(2 + idBytes, numberBytes),
      })
      break
    case kinds.keys:
      reader.keys({ atMs: entry.readUIntBE(4, numberBytes), keys: entry.subarray(keysFixedBytes) })
  }
}

/** Reads a count from its name on. */
function readCount(entry: Buffer, nameAt: number): CountEntry {
  const keyAt = nameAt + idBytes
  const timeAt = keyAt + idBytes
  return {
    name: entry.toString('hex', nameAt, keyAt),
    countKey: entry.toString('hex', keyAt, timeAt),
    atMs: entry.readUIntBE(timeAt, numberBytes),
    untilMs: entry.readUIntBE(timeAt + numberBytes, numberBytes),
    amount: BigInt(`0x${entry.toString('hex', timeAt + 2 * numberBytes) || '0'}`),
  }
}

/** Returns the version and the time of a head entry. A start needs no more to decide whether the entry counts. */
export function headPlaceOf(entry: Piece | Buffer): { readonly version: number; readonly atMs: number } {
  const { bytes, start } = 'bytes' in entry ? entry : { bytes: entry, start: 0 }
  return {
    version: bytes.readUIntBE(start + headIdOffset + 2 * idBytes, numberBytes),
    atMs: bytes.readUIntBE(start + headFixedBytes - numberBytes, numberBytes),
  }
}

/** Decodes the whole entry. */
export function decodeHead(entry: Buffer): HeadEntry {
  const { maker, name } = readName(entry, headIdOffset + idBytes)
  const below = new Map<string, HeadName>()
  for (let at = headFixedBytes; at < entry.length; at += belowBytes) {
    const named = readName(entry, at)
    below.set(named.maker, named.name)
  }
  return {
    organizationId: uuidOf(entry.toString('hex', headIdOffset, headIdOffset + idBytes)),
    head: { ...name, maker, below },
    atMs: entry.readUIntBE(headFixedBytes - numberBytes, numberBytes),
    mayBeNext: entry[1] === 1,
  }
}

function writeName(out: Buffer, maker: string, { version, tag, changeKey }: HeadName, start: number): number {
  const at = out.writeUIntBE(version, writeId(out, maker, start), numberBytes)
  return writeId(out, changeKey, writeId(out, tag, at))
}

function readName(entry: Buffer, at: number): { readonly maker: string; readonly name: HeadName } {
  const afterMaker = at + idBytes
  const afterVersion = afterMaker + numberBytes
  const version = entry.readUIntBE(afterMaker, numberBytes)
  const tag = entry.toString('hex', afterVersion, afterVersion + idBytes)
  const changeKey = entry.toString('hex', afterVersion + idBytes, afterVersion + 2 * idBytes)
  return { maker: entry.toString('hex', at, afterMaker), name: { version, tag, changeKey } }
}

function writeId(out: Buffer, hex: string, at: number): number {
  if (hex.length !== 2 * idBytes || out.write(hex, at, idBytes, 'hex') !== idBytes) {
    throw new EntryError(`${JSON.stringify(hex)} is not 16 bytes in hex`)
  }
  return at + idBytes
}
