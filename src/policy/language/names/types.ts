import { type Message, message } from '../message.ts'
import type { Expression } from '../syntax.ts'
import { type Form, wordOf } from './forms.ts'

/**
 * The static type of an expression. `any` is known only with the request, such as an argument of a contract call. int
 * and uint are both integers and mix freely. The names tell the range of a field.
 */
export type Type =
  | { readonly kind: 'bool' | 'timestamp' }
  | { readonly kind: 'int' | 'uint'; readonly range?: Range }
  | AnyType
  | StringType
  | ListType
  | { readonly kind: 'map'; readonly item: Type }
  | StructType

export type ListType = { readonly kind: 'list'; readonly item: Type; readonly itemsMax?: number }

/** The least and the greatest number that a field has. */
export type Range = { readonly min: bigint; readonly max?: bigint }

/** The form of texts that something holds by names of its own, which `keys` match. `name` describes these, for messages. */
type KeyedForm = Form & { readonly keys?: { readonly name: Message; readonly pattern: RegExp } }

type AnyType = { readonly kind: 'any'; readonly form?: KeyedForm; readonly piece?: Piece }

/** `form` says how the texts of the field look, and `oneOf` holds them if they are few. Other texts are as people wrote them. */
type StringType = {
  readonly kind: 'string'
  readonly form?: KeyedForm
  readonly oneOf?: readonly string[]
  readonly piece?: Piece
  /** The value is one of these written texts, or of `among`. */
  readonly written?: readonly Literal[]
  /** The value is that of one of these fields, which have texts of several forms. */
  readonly among?: readonly Fields[]
}

/** The types of fields whose texts have forms. */
export type Fields = AnyType | StringType

export type Literal = Expression & { readonly kind: 'string' }

/** A slice or a character of a text. Undefined is what only the request decides. */
export type Piece = { readonly from: number | undefined; readonly length: number | undefined }

/** `name` includes its article, for messages, and is the template of one. */
export type StructType = {
  readonly kind: 'struct'
  readonly name: string
  readonly fields: ReadonlyMap<string, Type>
  /** The type of every other field, if the organization names fields of its own. */
  readonly others?: Type
}

export const bool: Type = { kind: 'bool' }
export const int: Type = { kind: 'int' }
/** Unsigned, up to 256 bits. */
export const uint: Type = { kind: 'uint' }
export const intFrom = (min: bigint, max?: bigint): Type => ({
  kind: 'int',
  range: { min, ...(max === undefined ? {} : { max }) },
})
/** Integers of so many bits, with and without a sign. */
export const signed = (bits: 32n): Type => intFrom(-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n)
export const unsigned = (bits: 8n | 31n | 32n | 64n | 256n): Type => intFrom(0n, 2n ** bits - 1n)
export const string: Type = { kind: 'string' }
export const timestamp: Type = { kind: 'timestamp' }
export const any: Type = { kind: 'any' }

export const listOf = (item: Type, itemsMax?: number): Type => ({
  kind: 'list',
  item,
  ...(itemsMax === undefined ? {} : { itemsMax }),
})
/** How many items such a list has. */
export const countOf = ({ itemsMax }: Pick<ListType, 'itemsMax'>): Type =>
  intFrom(0n, itemsMax === undefined ? undefined : BigInt(itemsMax))
export const mapOf = (item: Type): Type => ({ kind: 'map', item })
export const stringOf = (...oneOf: readonly string[]): Type => ({
  kind: 'string',
  oneOf,
  form: wordOf(oneOf, { template: oneOf.join(', '), values: [] }),
})
export const text = (form: KeyedForm): Type => ({ kind: 'string', form })
export const anyOf = (form: KeyedForm): Type => ({ kind: 'any', form })
export const struct = (name: string, fields: Readonly<Record<string, Type>>): StructType => ({
  kind: 'struct',
  name,
  fields: new Map(Object.entries(fields)),
})

export function isInteger({ kind }: Type): boolean {
  return kind === 'int' || kind === 'uint'
}

/** Whether such values can be compared with `==` and stand in a written list. */
export function isScalar({ kind }: Type): boolean {
  return ['bool', 'int', 'uint', 'string', 'timestamp', 'any'].includes(kind)
}

/** Returns the name of a type for messages: `a list`. */
export function describe(type: Type): Message {
  switch (type.kind) {
    case 'bool':
      return message`a boolean`
    case 'int':
    case 'uint':
      return message`an integer`
    case 'string':
      return message`a string`
    case 'timestamp':
      return message`a timestamp`
    case 'any':
      return message`a value that the request decides`
    case 'list':
      return message`a list`
    case 'map':
      return message`a map`
    case 'struct':
      return { template: type.name, values: [] }
  }
}
