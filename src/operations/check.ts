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

/** `null` for an optional field means absent: clients in other languages send it so. */
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

/** The `expected` text of the innermost schema on the way to the one that refused. */
function expectedAt(schema: TSchema, schemaPath: string): string | undefined {
  let at: unknown = schema
  let expected: string | undefined
  for (const step of ['', ...schemaPath.split('/').slice(1)]) {
    if (step !== '') at = memberOf(at, decodeURIComponent(step))
    const text = memberOf(at, 'expected')
    if (typeof text === 'string') expected = text
  }
  return expected
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined
}

/** `/accounts/2/path` under `parameters` is `parameters.accounts[2].path`. */
function pathOf(rootPath: string, instancePath: string, member?: string): string {
  const steps = instancePath.split('/').slice(1).map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
  if (member !== undefined) steps.push(member)
  return steps.reduce((path, step) => {
    if (/^\d+$/.test(step)) return `${path}[${step}]`
    return path === '' ? step : `${path}.${step}`
  }, rootPath)
}
