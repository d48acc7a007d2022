import { Failure } from '../../protocol/wire/failures.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../protocol/wire/json.ts'
import type { AcceptedType, Query } from '../define.ts'
import { compileCheck } from './check_object.ts'

const checks = new WeakMap<object, (value: JsonValue, rootPath: string) => unknown>()

/**
 * Reads parameters into the form of the operation's newest type. `generateAppProofs` is removed first: clients put it
 * beside the parameters or among them, for any operation. `path`: the place of the parameters in the body.
 */
export function readParameters(accepted: AcceptedType, parameters: JsonValue, path = 'parameters'): unknown {
  const given = readFields(accepted.parameters, parameters, path)
  return accepted.upgrade(given as never)
}

export function readQueryParameters(query: Query, body: JsonObject): unknown {
  return readFields(query.parameters, body, '')
}

function readFields(schema: Query['parameters'], value: JsonValue, rootPath: string): unknown {
  const check = checks.get(schema) ?? compileCheck(schema)
  checks.set(schema, check)
  return check(withoutAppProofs(value, rootPath), rootPath)
}

function withoutAppProofs(value: JsonValue, rootPath: string): JsonValue {
  if (!isJsonObject(value)) return value
  if (!Object.hasOwn(value, 'generateAppProofs')) return value
  const { generateAppProofs, ...rest } = value
  if (generateAppProofs !== null && typeof generateAppProofs !== 'boolean') {
    const fieldPath = rootPath === '' ? 'generateAppProofs' : `${rootPath}.generateAppProofs`
    throw new Failure('FIELD_INVALID', { fieldPath, expected: 'true or false' })
  }
  return rest
}
