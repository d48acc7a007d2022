import Type, { type TProperties, type TString } from 'typebox'

const schemaName = Symbol('schema name')

/**
 * Members for a schema that has a name in the document of the interface, which then has it once and refers to it. The
 * name is the one that clients know, if there is one: `Wallet` for their `v1Wallet`. The key is a symbol: no document
 * shows it.
 */
export function named(name: string) {
  return { [schemaName]: name }
}

/** The name of a schema. Undefined: it has none, and stands wherever it is used. */
export function nameOf(schema: unknown): string | undefined {
  if (typeof schema !== 'object' || schema === null) return undefined
  const name: unknown = Reflect.get(schema, schemaName)
  return typeof name === 'string' ? name : undefined
}

/** The shape, with a name, of something that answers show. */
export function view<P extends TProperties>(name: string, properties: P) {
  return Type.Object(properties, named(name))
}

/** Members of such a shape that are texts of any form. */
export function texts<const Names extends readonly string[]>(...names: Names) {
  return Object.fromEntries(names.map((name) => [name, Type.String()])) as { [N in Names[number]]: TString }
}

/** A schema in place of a named one that is not defined yet, because it holds this one. `T`: the type of its values. */
export function reference<T>(name: string) {
  return Type.Unsafe<T>({ $ref: referenceTo(name) })
}

/** The reference to a named schema in the document of the interface. */
export function referenceTo(name: string): string {
  return `#/components/schemas/${name}`
}
