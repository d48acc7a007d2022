import type { Static, TSchema } from 'typebox'
import Schema from 'typebox/schema'
import { Failure, fieldInvalid } from '../../protocol/wire/failures.ts'
import type { JsonValue } from '../../protocol/wire/json.ts'

type Check<T extends TSchema> = (value: JsonValue, rootPath: string) => Static<T>

/**
 * Compiles a schema into a check that returns the typed value. It refuses a wrong value with the path of the first
 * wrong field and what was expected there. Nothing is coerced or filled in, because the caller signed the body. Clients
 * in other languages send `null` for an absent optional field, so `null` means absent there.
 */
export function compileCheck<T extends TSchema>(schema: T): Check<T> {
  const validator = Schema.Compile(schema)
  return (value, rootPath) => {
    const given = normalized(schema, value, rootPath)
    if (validator.Check(given)) return given
    const [, errors] = validator.Errors(given)
    throw firstFailure(schema, errors, rootPath)
  }
}

const spellingOf = Symbol('spelling')

/** Members for the schema of a text that is read in one spelling. The key is a symbol: no document shows it. */
export function spelledBy(spelled: (text: string) => string) {
  return { [spellingOf]: spelled }
}

export const lowerCase = spelledBy((text) => text.toLowerCase())

const faultOf = Symbol('fault')

/** Members for the schema of a text with rules that no pattern says: `fault` returns what is expected of a text instead. */
export function faultBy(fault: (text: string) => string | undefined) {
  return { [faultOf]: fault }
}

/**
 * Drops null only in fields that the schema has; an unknown field is refused, whatever its value. A list that is too
 * long is refused before its items are read, so the schema bounds the time of a check.
 */
function normalized(schema: unknown, value: JsonValue, path: string): JsonValue {
  if (Array.isArray(value)) {
    const itemsMax = memberOf(schema, 'maxItems')
    if (typeof itemsMax === 'number' && value.length > itemsMax) throw unexpected(path, schema)
    const items = memberOf(schema, 'items')
    return items === undefined ? value : value.map((item, index) => normalized(items, item, `${path}[${index}]`))
  }
  if (typeof value === 'string') return normalizedText(schema, value, path)
  const properties = memberOf(schema, 'properties')
  if (value === null || typeof value !== 'object' || properties === undefined) return value
  const kept: [string, JsonValue][] = []
  for (const [name, member] of Object.entries(value)) {
    const known = memberOf(properties, name)
    if (known === undefined) {
      throw fieldInvalid(joined(path, shortened(name)), 'left out: there is no such field here')
    }
    if (member !== null) kept.push([name, normalized(known, member, joined(path, name))])
  }
  return Object.fromEntries(kept)
}

function normalizedText(schema: unknown, text: string, path: string): string {
  const fault = memberOf(schema, faultOf)
  const expected: unknown = typeof fault === 'function' ? fault(text) : undefined
  if (typeof expected === 'string') throw fieldInvalid(path, expected)
  const spelled = memberOf(schema, spellingOf)
  return typeof spelled === 'function' ? String(spelled(text)) : text
}

function unexpected(fieldPath: string, schema: unknown): Failure {
  const expected = memberOf(schema, 'expected')
  return fieldInvalid(fieldPath, typeof expected === 'string' ? expected : 'of another form')
}

/** Drops every member that is null. For checked values only, in which null has no meaning. */
export function withoutNulls(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== null)
      .map(([key, member]) => [key, withoutNulls(member)]),
  )
}

type SchemaError = {
  readonly keyword: string
  readonly schemaPath: string
  readonly instancePath: string
  readonly params: object
  readonly message: string
}

function firstFailure(schema: TSchema, errors: readonly SchemaError[], rootPath: string): Failure {
  const [error] = errors
  if (error === undefined) throw new Error('a refused value has an error')
  const fieldPath = pathOf(rootPath, error.instancePath)
  if (error.keyword !== 'required') return unexpected(fieldPath, schemaAt(schema, error.schemaPath))
  const name = firstMissing(error.params)
  const property = schemaAt(schema, `${error.schemaPath}/properties/${name}`)
  return new Failure('FIELD_INVALID', {
    fieldPath: joined(fieldPath, name),
    expected: 'present',
    reason: `missing field \`${name}\`${memberOf(property, 'minItems') === 0 ? emptyListHint : ''}`,
  })
}

/** Clients in Go and Java send null for an empty list. */
const emptyListHint = ': null counts as absent, and [] is an empty list'

function firstMissing(parameters: object): string {
  const names: unknown = memberOf(parameters, 'requiredProperties')
  return Array.isArray(names) ? String(names[0]) : ''
}

function schemaAt(schema: TSchema, schemaPath: string): unknown {
  const steps = schemaPath.split('/').slice(1)
  return steps.reduce((at: unknown, step) => memberOf(at, decodeURIComponent(step)), schema)
}

function memberOf(value: unknown, name: string | symbol): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined
}

/**
 * `/accounts/2/path` under `parameters` is `parameters.accounts[2].path`. No field name is digits, so digits are an
 * index.
 */
function pathOf(rootPath: string, instancePath: string): string {
  const steps = instancePath.split('/').slice(1)
  return steps.reduce((path, step) => (/^\d+$/.test(step) ? `${path}[${step}]` : joined(path, step)), rootPath)
}

function joined(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`
}

const nameCharactersMax = 64

/** The caller chose an unknown name, so it may have any length. */
function shortened(name: string): string {
  return name.length <= nameCharactersMax ? name : `${name.slice(0, nameCharactersMax).toWellFormed()}…`
}
