import { bytesToHex } from '@noble/hashes/utils.js'
import type { Value } from '../../language/expression_values.ts'
import { Misencoded, type Reading, readingOf, readText, TooMuch, Unsupported } from '../reading.ts'
import type { AbiParameter, AbiType } from './abi_types.ts'

/** The most values of one call. Lists and tuples count, since an array of empty tuples takes no bytes at all. */
export const abiValuesMax = 5_000

/**
 * Reads the arguments of a call by name (Solidity, "Contract ABI Specification", formal specification of the encoding).
 * Misencoded unless `data` begins with their canonical encoding: every tail begins where the one before it ends, every
 * padding is zero, every value is within its type.
 */
export function readAbiArguments(data: Uint8Array, parameters: readonly AbiParameter[]): Reading {
  return readingOf(abiValuesMax, () => {
    const context = { data, valuesCount: 0, opaqueBytes: 0 }
    const { value, end } = readTuple(context, { at: 0, parameters })
    return { kind: 'read', args: value, parameters, unreadBytes: data.length - end, opaqueBytes: context.opaqueBytes }
  })
}

type Context = { readonly data: Uint8Array; valuesCount: number; opaqueBytes: number }
/** `end` is where the next value's tail begins. */
type Read<T extends Value = Value> = { readonly value: T; readonly end: number }
type Tuple = { readonly at: number; readonly parameters: readonly AbiParameter[] }

function readTuple(context: Context, { at, parameters }: Tuple): Read<ReadonlyMap<string, Value>> {
  const { value, end } = readSequence(context, { at, types: parameters.map(({ type }) => type) })
  const named = new Map(parameters.map(({ name }, index) => [name, value[index] ?? '']))
  // A rule could not tell two arguments of one name apart.
  if (named.size !== parameters.length) throw new Unsupported()
  return { value: named, end }
}

/** Reads the heads one after the other, and the tails of the dynamic values in the same order. */
function readSequence(
  context: Context,
  { at, types }: { readonly at: number; readonly types: readonly AbiType[] },
): Read<readonly Value[]> {
  let head = at
  let end = at + sumOf(types.map(shapeOf))
  const value = types.map((type) => {
    if (!shapeOf(type).isDynamic) {
      const read = readValue(context, { at: head, type })
      head = read.end
      return read.value
    }
    if (readWord(context, head) !== BigInt(end - at)) throw new Misencoded()
    head += wordBytes
    const read = readValue(context, { at: end, type })
    end = read.end
    return read.value
  })
  return { value, end }
}

function readValue(context: Context, { at, type }: { readonly at: number; readonly type: AbiType }): Read {
  context.valuesCount += 1
  if (context.valuesCount > abiValuesMax) throw new TooMuch()
  switch (type.kind) {
    case 'tuple':
      return readTuple(context, { at, parameters: type.components })
    case 'array':
      return readArray(context, { at, element: type.element, length: type.length })
    case 'bytes': {
      const { bytes, end } = readBytes(context, at)
      context.opaqueBytes += bytes.length
      return { value: `0x${bytesToHex(bytes)}`, end }
    }
    case 'string': {
      const { bytes, end } = readBytes(context, at)
      return { value: readText(bytes), end }
    }
    case 'fixedPoint':
      throw new Unsupported()
    default:
      return { value: readElementary(context, { at, type }), end: at + wordBytes }
  }
}

type Elementary = Extract<AbiType, { readonly kind: 'address' | 'bool' } | { readonly kind: 'fixedBytes' | 'integer' }>

function readElementary(context: Context, { at, type }: { readonly at: number; readonly type: Elementary }): Value {
  const word = readWord(context, at)
  switch (type.kind) {
    case 'address':
      return `0x${within(word, 160).toString(16).padStart(40, '0')}`
    case 'bool':
      return within(word, 1) === 1n
    case 'integer': {
      if (!type.signed) return within(word, type.bits)
      const signed = BigInt.asIntN(256, word)
      if (BigInt.asIntN(type.bits, signed) !== signed) throw new Misencoded()
      return signed
    }
    case 'fixedBytes': {
      const padding = BigInt(8 * (wordBytes - type.length))
      if (BigInt.asUintN(Number(padding), word) !== 0n) throw new Misencoded()
      return `0x${(word >> padding).toString(16).padStart(2 * type.length, '0')}`
    }
  }
}

type ArrayAt = { readonly at: number; readonly element: AbiType; readonly length: number | undefined }

function readArray(context: Context, { at, element, length }: ArrayAt): Read<readonly Value[]> {
  const count = length ?? readLength(context, at)
  const start = length === undefined ? at + wordBytes : at
  if (start + count * shapeOf(element).headBytes > context.data.length) throw new Misencoded()
  if (context.valuesCount + count > abiValuesMax) throw new TooMuch()
  return readSequence(context, { at: start, types: Array(count).fill(element) })
}

function readBytes(context: Context, at: number): { readonly bytes: Uint8Array; readonly end: number } {
  const length = readLength(context, at)
  const start = at + wordBytes
  const end = start + Math.ceil(length / wordBytes) * wordBytes
  if (end > context.data.length) throw new Misencoded()
  if (context.data.subarray(start + length, end).some((byte) => byte !== 0)) throw new Misencoded()
  return { bytes: context.data.subarray(start, start + length), end }
}

function readLength(context: Context, at: number): number {
  const length = readWord(context, at)
  if (length > BigInt(context.data.length)) throw new Misencoded()
  return Number(length)
}

const wordBytes = 32

function readWord({ data }: Context, at: number): bigint {
  if (at + wordBytes > data.length) throw new Misencoded()
  return BigInt(`0x${bytesToHex(data.subarray(at, at + wordBytes))}`)
}

function within(word: bigint, bits: number): bigint {
  if (BigInt.asUintN(bits, word) !== word) throw new Misencoded()
  return word
}

/** `headBytes` is the space of a value in its sequence's head. A dynamic value has its offset there. */
type Shape = { readonly isDynamic: boolean; readonly headBytes: number }
/** A cache: a list asks for the shape of its items once per item, at every level. */
const shapes = new WeakMap<AbiType, Shape>()

function shapeOf(type: AbiType): Shape {
  const shape = shapes.get(type) ?? newShapeOf(type)
  shapes.set(type, shape)
  return shape
}

function newShapeOf(type: AbiType): Shape {
  switch (type.kind) {
    case 'tuple': {
      const parts = type.components.map((component) => shapeOf(component.type))
      return staticOrDynamic(parts, sumOf(parts))
    }
    case 'array': {
      const element = shapeOf(type.element)
      return type.length === undefined ? dynamic : staticOrDynamic([element], type.length * element.headBytes)
    }
    case 'bytes':
    case 'string':
      return dynamic
    default:
      return { isDynamic: false, headBytes: wordBytes }
  }
}

const dynamic: Shape = { isDynamic: true, headBytes: wordBytes }

function staticOrDynamic(parts: readonly Shape[], headBytes: number): Shape {
  return parts.some(({ isDynamic }) => isDynamic) ? dynamic : { isDynamic: false, headBytes }
}

function sumOf(shapes: readonly Shape[]): number {
  return shapes.reduce((sum, { headBytes }) => sum + headBytes, 0)
}
