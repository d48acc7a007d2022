import { finished, type Steps } from '../tools/steps.ts'

/** A string of bytes or a list of items (Ethereum Yellow Paper, appendix B). */
export type RlpItem = Uint8Array | readonly RlpItem[]

/** Levels of lists. An access list, the deepest item that Ethereum signs, needs four. */
export const rlpDepthMax = 8
/** Items in all. An access list in the largest payload of a request, which has 512 KiB, has 68,400. */
export const rlpItemsMax = 70_000
const itemsInARow = 1_000

export type RlpDecoded =
  | { readonly kind: 'decoded'; readonly item: RlpItem }
  | { readonly kind: 'malformed'; readonly reason: string }

/**
 * Reads exactly one item that fills `bytes`, in its only canonical form: encoding the result gives the same bytes. The
 * strings in the result are views into `bytes`, not copies.
 */
export function decodeRlp(bytes: Uint8Array): RlpDecoded {
  return finished(decodeRlpInSteps(bytes))
}

/** The same for very many items. */
export function* decodeRlpInSteps(bytes: Uint8Array): Steps<RlpDecoded> {
  try {
    const room = { items: rlpItemsMax }
    const body = readBody(bytes, { start: 0, limit: bytes.length, room })
    const item = yield* readItem(bytes, body, { depth: 1, room })
    if (body.limit !== bytes.length) throw new Malformed('bytes follow the RLP item')
    return { kind: 'decoded', item }
  } catch (error) {
    if (error instanceof Malformed) return { kind: 'malformed', reason: error.message }
    throw error
  }
}

/** The canonical encoding of an item, written into one piece of memory: a transaction may have very many items. */
export function encodeRlp(item: RlpItem): Uint8Array {
  const bytes = new Uint8Array(encodedLength(item))
  writeItem(bytes, 0, item)
  return bytes
}

/** The canonical RLP form of an unsigned integer: big-endian without leading zeros, nothing for zero. */
export function integerBytes(value: bigint): Uint8Array {
  const bytes: number[] = []
  for (let rest = value; rest > 0n; rest >>= 8n) bytes.unshift(Number(rest & 0xffn))
  return Uint8Array.from(bytes)
}

const stringOffset = 0x80
const listOffset = 0xc0
/** Up to this length the prefix holds the length itself, above it the length of the length. */
const shortLengthMax = 55

/** Never leaves this file: `decodeRlp` turns it into a value. */
class Malformed extends Error {}

type Place = {
  readonly depth: number
  /** How many items may follow. */
  readonly room: { items: number }
}
type Body = { readonly isList: boolean; readonly start: number; readonly limit: number }

function* readItem(bytes: Uint8Array, body: Body, { depth, room }: Place): Steps<RlpItem> {
  if (!body.isList) return readString(bytes, body)
  if (depth > rlpDepthMax) throw new Malformed(`RLP lists are nested more than ${rlpDepthMax} deep`)
  const items: RlpItem[] = []
  for (let next = body.start; next < body.limit; ) {
    const inner = readBody(bytes, { start: next, limit: body.limit, room })
    if (room.items % itemsInARow === 0) yield
    // Tens of thousands of strings have no generator each.
    items.push(inner.isList ? yield* readItem(bytes, inner, { depth: depth + 1, room }) : readString(bytes, inner))
    next = inner.limit
  }
  return items
}

type Window = { readonly start: number; readonly limit: number; readonly room: Place['room'] }

/** Where the content of the next item stands. */
function readBody(bytes: Uint8Array, { start, limit, room }: Window): Body {
  room.items -= 1
  if (room.items < 0) throw new Malformed(`there are more than ${rlpItemsMax} RLP items`)
  const prefix = start < limit ? bytes[start] : undefined
  if (prefix === undefined) throw new Malformed('the RLP item ends early')
  if (prefix < stringOffset) return { isList: false, start, limit: start + 1 }
  const isList = prefix >= listOffset
  const body = readLength(bytes, { start, limit, prefix, offset: isList ? listOffset : stringOffset })
  if (!isList && body.limit === body.start + 1 && Number(bytes[body.start]) < stringOffset) {
    throw new Malformed('a single byte below 0x80 is its own RLP encoding')
  }
  return { isList, ...body }
}

function readString(bytes: Uint8Array, { start, limit }: Body): Uint8Array {
  return bytes.subarray(start, limit)
}

type Prefix = { readonly start: number; readonly limit: number; readonly prefix: number; readonly offset: number }

function readLength(bytes: Uint8Array, { start, limit, prefix, offset }: Prefix): Omit<Body, 'isList'> {
  const short = prefix - offset
  if (short <= shortLengthMax) return bounded({ start: start + 1, length: short, limit })
  const lengthEnd = start + 1 + (short - shortLengthMax)
  if (lengthEnd > limit) throw new Malformed('the RLP item ends early')
  const digits = bytes.subarray(start + 1, lengthEnd)
  if (digits[0] === 0) throw new Malformed('an RLP length has a leading zero')
  // A number may not hold eight digits exactly, but a length that large exceeds `limit` anyway.
  const length = digits.reduce((sum, digit) => sum * 256 + digit, 0)
  if (length <= shortLengthMax) throw new Malformed('a short RLP length is written in the long form')
  return bounded({ start: lengthEnd, length, limit })
}

function bounded({ start, length, limit }: { start: number; length: number; limit: number }) {
  if (length > limit - start) throw new Malformed('the RLP item ends early')
  return { start, limit: start + length }
}

function encodedLength(item: RlpItem): number {
  if (isItsOwnEncoding(item)) return 1
  const length = contentLength(item)
  return prefixLength(length) + length
}

/** Lists are nested a few levels only, so their lengths are found again at each level. */
function contentLength(item: RlpItem): number {
  if (item instanceof Uint8Array) return item.length
  let length = 0
  for (const inner of item) length += encodedLength(inner)
  return length
}

function isItsOwnEncoding(item: RlpItem): item is Uint8Array {
  return item instanceof Uint8Array && item.length === 1 && Number(item[0]) < stringOffset
}

function prefixLength(length: number): number {
  return length <= shortLengthMax ? 1 : 1 + integerBytes(BigInt(length)).length
}

/** Writes the item at `start`, and returns the index after it. */
function writeItem(bytes: Uint8Array, start: number, item: RlpItem): number {
  const isString = item instanceof Uint8Array
  const length = contentLength(item)
  const isBare = isItsOwnEncoding(item)
  let next = isBare ? start : writePrefix(bytes, { start, length, offset: isString ? stringOffset : listOffset })
  if (isString) {
    bytes.set(item, next)
    return next + length
  }
  for (const inner of item) next = writeItem(bytes, next, inner)
  return next
}

function writePrefix(
  bytes: Uint8Array,
  { start, length, offset }: { readonly start: number; readonly length: number; readonly offset: number },
): number {
  if (length <= shortLengthMax) {
    bytes[start] = offset + length
    return start + 1
  }
  const digits = integerBytes(BigInt(length))
  bytes[start] = offset + shortLengthMax + digits.length
  bytes.set(digits, start + 1)
  return start + 1 + digits.length
}
