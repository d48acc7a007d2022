import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { Failure } from '../protocol/failures.ts'
import type { JsonValue } from '../protocol/json.ts'

type Check<T extends TSchema> = (value: JsonValue, rootPath: string) => Static<T>

/**
 * Compiles a schema into a check that returns the value typed, or refuses it with the path of the first field at fault
 * and what was expected there. Nothing is coerced, dropped or filled in: the body is what the caller signed.
 */
export function compileCheck<T extends TSchema>(schema: T): Check<T> {
  const validator = Compile(schema)
  return (value, rootPath) => {
    if (validator.Check(value)) return value
    throw firstFailure(schema, validator.Errors(value), rootPath)
  }
}

/**
 * `null` for an optional field means absent: clients in other languages send it so. Only fields that the schema has are
 * dropped: an unknown one stays, to be refused whatever its value.
 */
export function withoutKnownNulls(schema: TSchema, value: JsonValue): JsonValue {
  return dropKnownNulls(schema, value)
}

function dropKnownNulls(schema: unknown, value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((item) => dropKnownNulls(memberOf(schema, 'items'), item))
  const properties = memberOf(schema, 'properties')
  if (value === null || typeof value !== 'object' || properties === undefined) return value
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, member]) => [name, memberOf(properties, name), member] as const)
      .filter(([, known, member]) => known === undefined || member !== null)
      .map(([name, known, member]) => [name, dropKnownNulls(known, member)]),
  )
}

/** For what has been checked before: no null in it has a meaning. */
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
  const unknown = errors.find(({ keyword }) => keyword === 'additionalProperties')
  if (unknown !== undefined) {
    const path = pathOf(rootPath, unknown.instancePath, namesIn(unknown.params, 'additionalProperties')[0])
    return new Failure('FIELD_INVALID', { fieldPath: path, expected: 'left out: there is no such field here' })
  }
  if (error.keyword === 'required') {
    const name = namesIn(error.params, 'requiredProperties')[0]
    const path = pathOf(rootPath, error.instancePath, name)
    return new Failure('FIELD_INVALID', { fieldPath: path, expected: 'present', reason: `missing field \`${name}\`` })
  }
  return new Failure('FIELD_INVALID', {
    fieldPath: pathOf(rootPath, error.instancePath),
    expected: expectedAt(schema, error.schemaPath) ?? error.message.replace(/^must (be )?/, ''),
  })
}

function namesIn(parameters: object, member: string): readonly string[] {
  const names: unknown = Object.entries(parameters).find(([key]) => key === member)?.[1]
  return Array.isArray(names) ? names.map(String) : []
}

/** The `expected` text of the schema that refused; the last step of the path is the keyword in it. */
function expectedAt(schema: TSchema, schemaPath: string): string | undefined {
  const steps = schemaPath.split('/').slice(1, -1)
  const at = steps.reduce((inner: unknown, step) => memberOf(inner, decodeURIComponent(step)), schema)
  const expected = memberOf(at, 'expected')
  return typeof expected === 'string' ? expected : undefined
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined
}

/** `/accounts/2/path` under `parameters` is `parameters.accounts[2].path`. Known names are no digits, so digits are an index. */
function pathOf(rootPath: string, instancePath: string, member?: string): string {
  const known = instancePath
    .split('/')
    .slice(1)
    .reduce((path, step) => {
      return /^\d+$/.test(step) ? `${path}[${step}]` : joined(path, step)
    }, rootPath)
  return member === undefined ? known : joined(known, shortened(member))
}

function joined(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`
}

const nameCharactersMax = 64

/** An unknown name is the caller's, of any length. */
function shortened(name: string): string {
  return name.length <= nameCharactersMax ? name : `${name.slice(0, nameCharactersMax)}…`
}
