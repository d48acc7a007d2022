import { isStruct, kindOf, type Struct, type Value } from '../expression_values.ts'
import { print } from '../reading/print.ts'
import type { Expression } from '../syntax.ts'
import { EvaluationError } from './evaluation_error.ts'
import { isNothing, isUnreadable } from './unreadable.ts'

/** Throws `EvaluationError` if there is no such field, or if it cannot be read. */
export function fieldValue(expression: Expression & { readonly kind: 'field' }, of: Value): Value {
  if (isStruct(of) && isUnreadable(of, expression.name))
    throw new EvaluationError('UNREADABLE', expression, () => `cannot be told from the request: ${print(expression)}`)
  if (isStruct(of) && isNothing(of, expression.name))
    throw new EvaluationError('MISSING_FIELD', expression, absence(expression), { isNothing: true })
  if (isStruct(of)) return member(of, expression.name, expression)
  throw new EvaluationError('TYPE_MISMATCH', expression, () => `${print(expression.of)} is ${kindOf(of)}, not a struct`)
}

/** Only own fields count, not those that every object inherits. */
export function member(struct: Struct, name: string, expression: Expression, path?: string): Value {
  const value = Object.hasOwn(struct, name) ? struct[name] : undefined
  return present(value, expression, path)
}

export function present(value: Value | undefined, expression: Expression, path?: string): Value {
  if (value === undefined) throw new EvaluationError('MISSING_FIELD', expression, absence(expression, path))
  return value
}

function absence(expression: Expression, path?: string): () => string {
  return () => `field does not exist: ${path ?? print(expression)}`
}
