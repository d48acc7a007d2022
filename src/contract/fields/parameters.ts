import type { Static, TSchema } from 'typebox'
import { fieldInvalid } from '../../protocol/wire/failures.ts'
import { isJsonObject, type JsonValue } from '../../protocol/wire/json.ts'
import { compileCheck } from './check_object.ts'

const checks = new WeakMap<TSchema, (value: JsonValue, rootPath: string) => unknown>()

/**
 * Reads parameters by their schema. `generateAppProofs` is removed first: clients put it beside the parameters or among
 * them, for any operation. `path`: the place of the parameters in the body, empty for the body itself.
 */
export function readParameters<P extends TSchema>(schema: P, parameters: JsonValue, path: string): Static<P> {
  const check = checks.get(schema) ?? compileCheck(schema)
  checks.set(schema, check)
  return check(withoutAppProofs(parameters, path), path) as Static<P> // The check was compiled from this schema.
}

function withoutAppProofs(value: JsonValue, rootPath: string): JsonValue {
  if (!isJsonObject(value)) return value
  if (!Object.hasOwn(value, 'generateAppProofs')) return value
  const { generateAppProofs, ...rest } = value
  if (generateAppProofs !== null && typeof generateAppProofs !== 'boolean') {
    const fieldPath = rootPath === '' ? 'generateAppProofs' : `${rootPath}.generateAppProofs`
    throw fieldInvalid(fieldPath, 'true or false')
  }
  return rest
}
