import { bytesToHex } from '@noble/hashes/utils.js'
import { base58 } from '@scure/base'
import type { Value } from '../../language/expression_values.ts'
import { Misencoded, type Reading, readingOf, readText, TooMuch, Unsupported } from '../reading.ts'
import type {
  BorshArgument,
  BorshDefinition,
  BorshField,
  BorshFields,
  BorshLength,
  BorshType,
  BorshVariant,
} from './borsh_types.ts'
import { argumentAt, type Bound, resolvedType } from './resolved_type.ts'

/** The most values in all calls of a transaction. Lists and structs count, since empty ones take no bytes. */
export const borshValuesMax = 5_000
/** The number of values read so far. */
export type BorshCount = { values: number }
/** The most levels of a value, since a type may contain itself. */
const depthMax = 32
/** A row of at most so many bytes is a key or a hash, as `bytes32` of an ABI is. */
const keyBytes = 32

/**
 * Reads fields that follow one another in Borsh (https://borsh.io), with types from an IDL, and returns them by name.
 * Integers are bigint, keys base58, `bytes` lower-case hex, floating-point numbers their decimal text. A struct is a
 * map, or a list if its fields have no names. A variant of an enum is its name, or a map from its name to its fields.
 * An option that is none has no entry in its map.
 *
 * Unsupported when a field has no such value: `coption`, an option that is none within a list, a type that is not
 * serialized with Borsh. Bytes after the fields are left unread: programs of Anchor ignore them.
 */
export function readBorshFields({ fields, data, count }: BorshCall): Reading {
  return readingOf(borshValuesMax, () => {
    const context: Context = { data, at: 0, count, opaqueBytes: 0 }
    const args = readNamed(fields, { context, bound: undefined, depth: 0 })
    return { kind: 'read', args, fields, unreadBytes: data.length - context.at, opaqueBytes: context.opaqueBytes }
  })
}

type BorshCall = {
  readonly fields: readonly BorshField[]
  readonly data: Uint8Array
  readonly count: BorshCount
}
type Context = { readonly data: Uint8Array; readonly count: BorshCount; at: number; opaqueBytes: number }
/** `bound` is undefined outside of definitions. */
type Scope = { readonly context: Context; readonly bound: Bound | undefined; readonly depth: number }
/** `none` is an option without a value. */
const none = Symbol('none')

function readNamed(fields: readonly BorshField[], scope: Scope): ReadonlyMap<string, Value> {
  const named = new Map<string, Value>()
  for (const { name, type } of fields) {
    // A rule could not tell two fields of one name apart.
    if (named.has(name)) throw new Unsupported()
    const value = readType(type, scope)
    if (value !== none) named.set(name, value)
  }
  return named
}

function readType(type: BorshType, scope: Scope): Value | typeof none {
  const { context, depth } = scope
  context.count.values += 1
  if (context.count.values > borshValuesMax || depth > depthMax) throw new TooMuch()
  const inner = { ...scope, depth: depth + 1 }
  switch (type.kind) {
    case 'primitive':
      return readPrimitive(type.name, context)
    case 'vec': {
      const count = readUnsigned(context, 4)
      // A list may have more items than bytes only if they are empty.
      if (count > borshValuesMax && count > context.data.length - context.at) throw new Misencoded()
      if (isByte(type.inner, scope)) context.opaqueBytes += Number(count)
      return readItems(type.inner, count, inner)
    }
    case 'array': {
      const count = lengthOf(type.length, scope)
      if (count > keyBytes && isByte(type.item, scope)) context.opaqueBytes += Number(count)
      return readItems(type.item, count, inner)
    }
    case 'option':
      return readFlag(context) ? readType(type.inner, inner) : none
    case 'defined':
      return readDefined(type.definition(), {
        context,
        bound: { given: type.given, outer: scope.bound },
        depth: depth + 1,
      })
    case 'generic': {
      const found = argumentIn(type.parameter, scope)
      if (!('type' in found)) throw new Unsupported()
      return readType(found.type, { ...inner, bound: scope.bound?.outer })
    }
    case 'unsupported':
      throw new Unsupported()
  }
}

function readItems(item: BorshType, count: bigint, scope: Scope): readonly Value[] {
  if (count > borshValuesMax) throw new TooMuch()
  return Array.from({ length: Number(count) }, () => some(readType(item, scope)))
}

function some(value: Value | typeof none): Value {
  if (value === none) throw new Unsupported()
  return value
}

function isByte(type: BorshType, { bound }: Scope): boolean {
  const { type: found } = resolvedType({ type, bound })
  return found.kind === 'primitive' && (found.name === 'u8' || found.name === 'i8')
}

function argumentIn(parameter: number | undefined, { bound }: Scope): BorshArgument {
  const argument = argumentAt(parameter, bound)
  if (argument === undefined) throw new Unsupported()
  return argument
}

function lengthOf(length: BorshLength, scope: Scope): bigint {
  if (typeof length === 'number') return BigInt(length)
  const found = argumentIn(length.parameter, scope)
  if (!('length' in found) || !/^[0-9]{1,9}$/.test(found.length)) throw new Unsupported()
  return BigInt(found.length)
}

function readDefined(definition: BorshDefinition | undefined, scope: Scope): Value | typeof none {
  switch (definition?.kind) {
    case 'fields':
      return readFields(definition.fields, scope)
    case 'enum':
      return readVariant(definition.variants, scope)
    case 'alias':
      return readType(definition.type, scope)
    default:
      throw new Unsupported()
  }
}

function readFields(fields: BorshFields, scope: Scope): Value {
  return fields.kind === 'named'
    ? readNamed(fields.fields, scope)
    : fields.types.map((type) => some(readType(type, scope)))
}

function readVariant(variants: readonly BorshVariant[], scope: Scope): Value {
  const variant = variants[Number(readUnsigned(scope.context, 1))]
  if (variant === undefined) throw new Misencoded()
  const fields = variant.fields()
  return fields === undefined ? variant.name : new Map([[variant.name, readFields(fields, scope)]])
}

function readPrimitive(name: string, context: Context): Value {
  const [, sign, bits] = /^([ui])([0-9]+)$/.exec(name) ?? []
  if (bits !== undefined) {
    const value = readUnsigned(context, Number(bits) / 8)
    return sign === 'i' ? BigInt.asIntN(Number(bits), value) : value
  }
  switch (name) {
    case 'bool':
      return readFlag(context)
    case 'bytes':
      return bytesToHex(takeOpaque(context))
    case 'string':
      return readText(take(context, readUnsigned(context, 4)))
    case 'f32':
      return String(viewOf(take(context, 4n)).getFloat32(0, true))
    case 'f64':
      return String(viewOf(take(context, 8n)).getFloat64(0, true))
    case 'pubkey':
    case 'publicKey':
      return base58.encode(take(context, 32n))
    default:
      throw new Unsupported()
  }
}

function readFlag(context: Context): boolean {
  const flag = readUnsigned(context, 1)
  if (flag > 1n) throw new Misencoded()
  return flag === 1n
}

function readUnsigned(context: Context, size: number): bigint {
  const digits = bytesToHex(take(context, BigInt(size)).toReversed())
  return BigInt(`0x${digits}`)
}

function take(context: Context, size: bigint): Uint8Array {
  const { data, at } = context
  if (size > BigInt(data.length - at)) throw new Misencoded()
  context.at = at + Number(size)
  return data.subarray(at, context.at)
}

function takeOpaque(context: Context): Uint8Array {
  const bytes = take(context, readUnsigned(context, 4))
  context.opaqueBytes += bytes.length
  return bytes
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
