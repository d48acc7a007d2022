import { bytesToHex, concatBytes } from '@noble/hashes/utils.js'
import type { Value } from '../../language/expression_values.ts'
import { type ByteReader, byteReader } from '../byte_reader.ts'
import { invalid } from '../unsigned_transaction.ts'

/** A field of a message, as conditions name it. `read` turns bytes into another value and may refuse them. */
export type ProtobufField = { readonly number: number; readonly name: string } & (
  | { readonly type: 'integer' | 'flag' }
  /** `names` are the names of an enum by their numbers, from 0 on. */
  | { readonly type: 'enum'; readonly names: readonly string[] }
  /** Lower-case hex unless `read` says otherwise. */
  | { readonly type: 'bytes'; readonly required?: true; readonly read?: (bytes: Uint8Array, name: string) => Value }
  | { readonly type: 'message' | 'list'; readonly fields: readonly ProtobufField[] }
)

/** Has every field of the message. An absent field has its default, an absent message is undefined. */
export type ProtobufMessage = { readonly [name: string]: Value | undefined }

/** In all lists of a message together. Tron allows fewer: a contract has eight active permissions of five keys. */
const listItemsMax = 100
const varint = 0
const lengthDelimited = 2

/**
 * Reads a message of protobuf 3 in the one canonical form that encoders write: fields in ascending order, none with its
 * default value, numbers in their shortest form. Unknown fields and numbers below zero are refused. Throws
 * TRANSACTION_INVALID.
 */
export function readMessage(bytes: Uint8Array, fields: readonly ProtobufField[], what: string): ProtobufMessage {
  return readInner(bytes, { fields, what, room: { items: listItemsMax } })
}

/** `room.items`: how many items the lists of this message and of those around it may still have. */
type Inner = { readonly fields: readonly ProtobufField[]; readonly what: string; readonly room: { items: number } }

function readInner(bytes: Uint8Array, { fields, what, room }: Inner): ProtobufMessage {
  const reader = byteReader(bytes)
  const message: Record<string, Value | undefined> = {}
  const lists = new Map<string, Value[]>()
  for (const field of fields) message[field.name] = defaultOf(field)
  let lastNumber = 0
  while (reader.left() > 0) {
    const tag = readVarint(reader, what)
    const number = Number(tag >> 3n)
    const field = fields.find((candidate) => candidate.number === number)
    if (field === undefined) throw invalid(`${what} has a field ${number} that is not known here`)
    const name = `${field.name} of ${what}`
    const expectedType =
      field.type === 'integer' || field.type === 'flag' || field.type === 'enum' ? varint : lengthDelimited
    if (Number(tag & 7n) !== expectedType) throw invalid(`${name} has another type`)
    const isNextItem = field.type === 'list' && number === lastNumber
    if (number <= lastNumber && !isNextItem) throw invalid(`the fields of ${what} are not in ascending order`)
    lastNumber = number
    if (field.type === 'list') room.items -= 1
    if (room.items < 0) throw invalid(`has more than ${listItemsMax} items in its lists`)
    const value = expectedType === varint ? readNumber(reader, field, name) : readBytes(reader, field, { name, room })
    if (field.type !== 'list') {
      message[field.name] = value
      continue
    }
    const items = lists.get(field.name) ?? []
    items.push(value)
    lists.set(field.name, items)
    message[field.name] = items
  }
  const missing = fields.find((field) => field.type === 'bytes' && field.required && message[field.name] === '')
  if (missing !== undefined) throw invalid(`${what} has no ${missing.name}`)
  return message
}

function defaultOf(field: ProtobufField): Value | undefined {
  switch (field.type) {
    case 'integer':
      return 0n
    case 'flag':
      return false
    case 'enum':
      return field.names[0]
    case 'bytes':
      return ''
    case 'message':
      return undefined
    case 'list':
      return []
  }
}

function readNumber(reader: ByteReader, field: ProtobufField, name: string): Value {
  const value = readVarint(reader, name)
  if (value === 0n) throw invalid(`${name} is zero, which must not be written`)
  if (field.type === 'flag' && value === 1n) return true
  const named = field.type === 'enum' ? field.names[Number(value)] : undefined
  if (named !== undefined) return named
  if (field.type !== 'integer') throw invalid(`${name} has a value that is not known here`)
  return value
}

function readBytes(
  reader: ByteReader,
  field: ProtobufField,
  { name, room }: Pick<Inner, 'room'> & { readonly name: string },
): Value {
  const length = readVarint(reader, name)
  const bytes = reader.bytes(Number(length), name)
  if (field.type === 'message' || field.type === 'list')
    return readInner(bytes, { fields: field.fields, what: name, room })
  if (bytes.length === 0) throw invalid(`${name} is empty, which must not be written`)
  return field.type === 'bytes' && field.read !== undefined ? field.read(bytes, name) : bytesToHex(bytes)
}

/** Seven bits a byte, the lowest seven first. */
function readVarint(reader: ByteReader, name: string): bigint {
  let value = 0n
  for (let shift = 0n; shift < 63n; shift += 7n) {
    const byte = reader.byte(name)
    value += BigInt(byte & 0x7f) << shift
    if (byte >= 0x80) continue
    if (byte === 0 && shift > 0n) throw invalid(`a number in ${name} is not in its shortest form`)
    return value
  }
  throw invalid(`a number in ${name} is below zero or above 2^63 - 1`)
}

/** The bytes of a length-delimited field. */
export function bytesField(number: number, bytes: Uint8Array): Uint8Array {
  const head: number[] = [(number << 3) | lengthDelimited]
  let rest = bytes.length
  for (; rest > 0x7f; rest >>>= 7) head.push((rest & 0x7f) | 0x80)
  return concatBytes(Uint8Array.of(...head, rest), bytes)
}
