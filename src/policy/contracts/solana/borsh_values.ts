import { isUtf8 } from 'node:buffer'
import { bytesToHex } from '@noble/hashes/utils.js'
import { base58 } from '@scure/base'
import type { Value } from '../../language/values.ts'
import { type DocumentNode, isAbsent, itemsAt, memberAt, optionalItemsAt } from '../document.ts'
import { Misencoded, type Reading, readingOf, TooMuch, Unsupported } from '../reading.ts'

/** The most values in all calls of a transaction. Lists and structs count, since empty ones take no bytes. */
export const borshValuesMax = 20_000
/** The number of values read so far. */
export type BorshCount = { values: number }
/** The most levels of a value, since a type may contain itself. */
const depthMax = 32

/**
 * Reads fields that follow one another in Borsh (https://borsh.io), with types from an IDL, and returns them by name.
 * Integers are bigint, keys base58, `bytes` lower-case hex, floating-point numbers their decimal text. A struct is a
 * map, or a list if its fields have no names. A variant of an enum is its name, or a map from its name to its fields.
 * An option that is none has no entry in its map.
 *
 * Unsupported when a field has no such value: `coption`, an option that is none within a list, a type that is not
 * serialized with Borsh. Bytes after the fields are left unread: programs of Anchor ignore them.
 */
export function readBorshFields(
  definitions: Definitions,
  {
    fields,
    data,
    count,
  }: { readonly fields: readonly DocumentNode[]; readonly data: Uint8Array; readonly count: BorshCount },
): Reading {
  return readingOf(borshValuesMax, () => {
    const context: Context = { data, at: 0, count, opaqueBytes: 0, definitions }
    const args = readNamed(fields, { context, bound: new Map(), depth: 0 })
    return { kind: 'read', args, unreadBytes: data.length - context.at, opaqueBytes: context.opaqueBytes }
  })
}

export type Definitions = ReadonlyMap<string, DocumentNode>
type Context = {
  readonly data: Uint8Array
  readonly definitions: Definitions
  readonly count: BorshCount
  at: number
  opaqueBytes: number
}
/** The argument for a parameter of a definition: a type with the scope in which to read it, or a length. */
type Bound = { readonly type: DocumentNode; readonly scope: Scope } | { readonly length: number }
type Scope = { readonly context: Context; readonly bound: ReadonlyMap<string, Bound>; readonly depth: number }
/** `none` is an option without a value. */
const none = Symbol('none')

/** The types that an IDL defines, by name. */
export function definitionsOf(idl: DocumentNode): Definitions {
  // Before Anchor 0.30 an account was its own definition.
  const all = [...optionalItemsAt(memberAt(idl, 'accounts')), ...optionalItemsAt(memberAt(idl, 'types'))]
  const definitions = all.filter((definition) => !isAbsent(memberAt(definition, 'type')))
  return new Map(definitions.map((definition) => [String(memberAt(definition, 'name').value), definition]))
}

function readNamed(fields: readonly DocumentNode[], scope: Scope): ReadonlyMap<string, Value> {
  const named = new Map<string, Value>()
  for (const field of fields) {
    const name = String(memberAt(field, 'name').value)
    // A rule could not tell two fields of one name apart.
    if (named.has(name)) throw new Unsupported()
    const value = readType(memberAt(field, 'type'), scope)
    if (value !== none) named.set(name, value)
  }
  return named
}

function readType(type: DocumentNode, { context, bound, depth }: Scope): Value | typeof none {
  context.count.values += 1
  if (context.count.values > borshValuesMax || depth > depthMax) throw new TooMuch()
  const scope = { context, bound, depth: depth + 1 }
  if (typeof type.value === 'string') return readPrimitive(type.value, context)
  const [kind = ''] = Object.keys(type.value ?? {})
  const inner = memberAt(type, kind)
  switch (kind) {
    case 'vec': {
      const count = readUnsigned(context, 4)
      // A list may have more items than bytes only if they are empty.
      if (count > borshValuesMax && count > context.data.length - context.at) throw new Misencoded()
      if (inner.value === 'u8') context.opaqueBytes += Number(count)
      return readItems(inner, count, scope)
    }
    case 'array': {
      const [item, length] = itemsAt(inner)
      if (item === undefined || length === undefined) throw new Unsupported()
      return readItems(item, lengthOf(length, scope), scope)
    }
    case 'option':
      return readFlag(context) ? readType(inner, scope) : none
    case 'defined':
      return readDefined(inner, scope)
    case 'generic': {
      const found = bound.get(String(inner.value))
      if (found === undefined || 'length' in found) throw new Unsupported()
      return readType(found.type, { ...found.scope, depth: depth + 1 })
    }
    default:
      throw new Unsupported()
  }
}

function readItems(item: DocumentNode, count: bigint, scope: Scope): readonly Value[] {
  if (count > borshValuesMax) throw new TooMuch()
  return Array.from({ length: Number(count) }, () => some(readType(item, scope)))
}

function some(value: Value | typeof none): Value {
  if (value === none) throw new Unsupported()
  return value
}

function lengthOf(length: DocumentNode, { bound }: Scope): bigint {
  if (typeof length.value === 'number') return BigInt(length.value)
  const found = bound.get(String(memberAt(length, 'generic').value))
  if (found === undefined || !('length' in found)) throw new Unsupported()
  return BigInt(found.length)
}

function readDefined(defined: DocumentNode, scope: Scope): Value | typeof none {
  const name = typeof defined.value === 'string' ? defined.value : memberAt(defined, 'name').value
  const definition = scope.context.definitions.get(String(name))
  if (definition === undefined) throw new Unsupported()
  const serialization = memberAt(definition, 'serialization')
  if (!isAbsent(serialization) && serialization.value !== 'borsh') throw new Unsupported()
  const inner = { ...scope, bound: boundOf(definition, defined, scope) }
  const type = memberAt(definition, 'type')
  switch (memberAt(type, 'kind').value) {
    case 'struct':
      return readFields(memberAt(type, 'fields'), inner)
    case 'enum':
      return readVariant(itemsAt(memberAt(type, 'variants')), inner)
    case 'type':
      return readType(memberAt(type, 'alias'), inner)
    default:
      return readType(memberAt(type, 'value'), inner)
  }
}

function boundOf(definition: DocumentNode, defined: DocumentNode, scope: Scope): ReadonlyMap<string, Bound> {
  const given = optionalItemsAt(memberAt(defined, 'generics'))
  return new Map(
    optionalItemsAt(memberAt(definition, 'generics')).flatMap((generic, index): readonly [string, Bound][] => {
      const name = String(typeof generic.value === 'string' ? generic.value : memberAt(generic, 'name').value)
      const argument = given[index]
      if (argument === undefined) return []
      const type = memberAt(argument, 'type')
      return [[name, isAbsent(type) ? { length: lengthIn(memberAt(argument, 'value')) } : { type, scope }]]
    }),
  )
}

function lengthIn({ value }: DocumentNode): number {
  if (!/^[0-9]{1,9}$/.test(String(value))) throw new Unsupported()
  return Number(value)
}

/** Reads named fields, or types in a row as in a tuple. */
function readFields(fields: DocumentNode, scope: Scope): Value {
  const items = optionalItemsAt(fields)
  if (items.some((item) => isAbsent(memberAt(item, 'name')))) return items.map((item) => some(readType(item, scope)))
  return readNamed(items, scope)
}

function readVariant(variants: readonly DocumentNode[], scope: Scope): Value {
  const variant = variants[Number(readUnsigned(scope.context, 1))]
  if (variant === undefined) throw new Misencoded()
  const name = String(memberAt(variant, 'name').value)
  const fields = memberAt(variant, 'fields')
  return optionalItemsAt(fields).length === 0 ? name : new Map([[name, readFields(fields, scope)]])
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

function readText(bytes: Uint8Array): string {
  if (!isUtf8(bytes)) throw new Misencoded()
  return Buffer.from(bytes).toString()
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
