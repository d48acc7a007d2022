import type { TSchema } from 'typebox'
import { nameOf, referenceTo } from '../../../contract/fields/named.ts'

type Json = { readonly [member: string]: unknown }

/** A schema as the document has it. In it, and in its place, a named one is a reference. */
export function schemaAsJson(schema: TSchema): Json {
  return JSON.parse(JSON.stringify(schema, referToNamed), describeExpected)
}

/**
 * The named schemas in these, and in one another, by their names in the order of the alphabet. Throws if two differ that
 * have the same name.
 */
export function namedSchemas(schemas: readonly TSchema[]): Json {
  const found = new Map<string, Json>()
  for (const schema of schemas) collect(schema, found)
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)))
}

function collect(schema: unknown, found: Map<string, Json>): void {
  if (typeof schema !== 'object' || schema === null) return
  const name = nameOf(schema)
  if (name !== undefined) {
    const json = schemaAsJson(withoutName(schema))
    const known = found.get(name)
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(json)) {
      throw new Error(`two schemas have the name ${name}`)
    }
    found.set(name, json)
  }
  for (const part of Object.values(schema)) collect(part, found)
}

/** Marks have symbols as keys, which entries leave out. */
function withoutName(schema: object): TSchema {
  return Object.fromEntries(Object.entries(schema))
}

function referToNamed(_key: string, value: unknown): unknown {
  const name = nameOf(value)
  return name === undefined ? value : { $ref: referenceTo(name) }
}

/**
 * `expected` is how our schemas tell a caller what is right; readers of the document find it as the description, unless
 * the schema says the same by itself.
 */
function describeExpected(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('expected' in value)) return value
  const { expected, ...rest } = value
  if (typeof expected !== 'string') return value
  const isPlain = 'enum' in rest || expected === 'an object'
  return isPlain ? rest : { ...rest, description: `Must be ${expected}.` }
}
