import { lazily } from '../../../protocol/tools/lazily.ts'
import type { JsonValue } from '../../../protocol/wire/json.ts'
import { type DocumentNode, isAbsent, itemsAt, memberAt, optionalItemsAt } from '../document.ts'

/**
 * A type of an IDL as values are read by it. It is made once, because a call may have thousands of values of a type
 * whose text is long.
 */
export type BorshType =
  | { readonly kind: 'primitive'; readonly name: string }
  | { readonly kind: 'vec' | 'option'; readonly inner: BorshType }
  | { readonly kind: 'array'; readonly item: BorshType; readonly length: BorshLength }
  | ({ readonly kind: 'defined'; readonly definition: () => BorshDefinition | undefined } & Arguments)
  | ({ readonly kind: 'generic' } & Parameter)
  | { readonly kind: 'unsupported' }

/** `given`: the arguments for the parameters of the definition, in their order. */
type Arguments = { readonly given: readonly BorshArgument[] }
/** A parameter of the definition around the type, by its place. Undefined if the definition has none of this name. */
type Parameter = { readonly parameter: number | undefined }
export type BorshLength = number | Parameter
/** An argument for a parameter: a type, or the text of a length. */
export type BorshArgument = { readonly type: BorshType } | { readonly length: string }

export type BorshDefinition =
  | { readonly kind: 'fields'; readonly fields: BorshFields }
  | { readonly kind: 'enum'; readonly variants: readonly BorshVariant[] }
  | { readonly kind: 'alias'; readonly type: BorshType }
  /** It is not serialized with Borsh. */
  | { readonly kind: 'unsupported' }

/** Named fields, or types in a row as in a tuple. */
export type BorshFields =
  | { readonly kind: 'named'; readonly fields: readonly BorshField[] }
  | { readonly kind: 'row'; readonly types: readonly BorshType[] }
export type BorshField = { readonly name: string; readonly type: BorshType }
/** A variant without fields is its name. */
export type BorshVariant = { readonly name: string; readonly fields: () => BorshFields | undefined }

/** A definition as the IDL writes it, and as values are read by it. */
export type Definition = { readonly value: JsonValue | undefined; readonly read: () => BorshDefinition }
export type Definitions = ReadonlyMap<string, Definition>

/** The types that may be named where a type stands, and the places of the parameters of the definition around it. */
type Names = { readonly definitions: Definitions; readonly parameters: ReadonlyMap<string, number> }

/** The types that an IDL defines, by name. */
export function definitionsOf(idl: DocumentNode): Definitions {
  // Before Anchor 0.30 an account was its own definition.
  const all = [...optionalItemsAt(memberAt(idl, 'accounts')), ...optionalItemsAt(memberAt(idl, 'types'))]
  const definitions = new Map<string, Definition>()
  for (const node of all) {
    if (isAbsent(memberAt(node, 'type'))) continue
    definitions.set(textOf(memberAt(node, 'name')), {
      value: node.value,
      read: lazily(() => definitionOf(node, definitions)),
    })
  }
  return definitions
}

export function argumentsOf(fields: readonly DocumentNode[], definitions: Definitions): readonly BorshField[] {
  return fields.map((field) => fieldOf(field, { definitions, parameters: new Map() }))
}

function definitionOf(node: DocumentNode, definitions: Definitions): BorshDefinition {
  const serialization = memberAt(node, 'serialization')
  if (!isAbsent(serialization) && serialization.value !== 'borsh') return { kind: 'unsupported' }
  const generics = optionalItemsAt(memberAt(node, 'generics'))
  const names: Names = { definitions, parameters: new Map(generics.map((generic, at) => [nameIn(generic), at])) }
  const type = memberAt(node, 'type')
  switch (memberAt(type, 'kind').value) {
    case 'struct':
      return { kind: 'fields', fields: fieldsOf(optionalItemsAt(memberAt(type, 'fields')), names) }
    case 'enum':
      return { kind: 'enum', variants: itemsAt(memberAt(type, 'variants')).map((one) => variantOf(one, names)) }
    case 'type':
      return { kind: 'alias', type: typeOf(memberAt(type, 'alias'), names) }
    default:
      return { kind: 'alias', type: typeOf(memberAt(type, 'value'), names) }
  }
}

function variantOf(variant: DocumentNode, names: Names): BorshVariant {
  return {
    name: textOf(memberAt(variant, 'name')),
    fields: lazily(() => {
      const fields = optionalItemsAt(memberAt(variant, 'fields'))
      return fields.length === 0 ? undefined : fieldsOf(fields, names)
    }),
  }
}

function fieldsOf(fields: readonly DocumentNode[], names: Names): BorshFields {
  return fields.some((field) => isAbsent(memberAt(field, 'name')))
    ? { kind: 'row', types: fields.map((field) => typeOf(field, names)) }
    : { kind: 'named', fields: fields.map((field) => fieldOf(field, names)) }
}

function fieldOf(field: DocumentNode, names: Names): BorshField {
  return { name: textOf(memberAt(field, 'name')), type: typeOf(memberAt(field, 'type'), names) }
}

function typeOf(type: DocumentNode, names: Names): BorshType {
  if (typeof type.value === 'string') return { kind: 'primitive', name: type.value }
  const [kind = ''] = Object.keys(type.value ?? {})
  const inner = memberAt(type, kind)
  switch (kind) {
    case 'vec':
    case 'option':
      return { kind, inner: typeOf(inner, names) }
    case 'array': {
      const [item, length] = itemsAt(inner)
      if (item === undefined || length === undefined) return { kind: 'unsupported' }
      return { kind, item: typeOf(item, names), length: lengthOf(length, names) }
    }
    case 'defined':
      return {
        kind,
        definition: lazily(() => names.definitions.get(nameIn(inner))?.read()),
        given: optionalItemsAt(memberAt(inner, 'generics')).map((argument) => argumentOf(argument, names)),
      }
    case 'generic':
      return { kind, ...parameterOf(inner, names) }
    default:
      return { kind: 'unsupported' }
  }
}

function lengthOf(length: DocumentNode, names: Names): BorshLength {
  return typeof length.value === 'number' ? length.value : parameterOf(memberAt(length, 'generic'), names)
}

function parameterOf(name: DocumentNode, { parameters }: Names): Parameter {
  return { parameter: parameters.get(textOf(name)) }
}

function argumentOf(argument: DocumentNode, names: Names): BorshArgument {
  const type = memberAt(argument, 'type')
  return isAbsent(type) ? { length: textOf(memberAt(argument, 'value')) } : { type: typeOf(type, names) }
}

/** A name is a text, or stands in an object. */
function nameIn(place: DocumentNode): string {
  return textOf(typeof place.value === 'string' ? place : memberAt(place, 'name'))
}

function textOf({ value }: DocumentNode): string {
  return String(value)
}
