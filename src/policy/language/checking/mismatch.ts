import { type Message, message } from '../message.ts'
import { describe, isInteger, type Type } from '../names/types.ts'
import { Problem } from '../problem.ts'
import type { Expression, Span } from '../syntax.ts'

/** Whether values of the types can be compared, as far as the types tell. */
export function areComparable(left: Type, right: Type): boolean {
  return (
    left.kind === right.kind || left.kind === 'any' || right.kind === 'any' || (isInteger(left) && isInteger(right))
  )
}

export function mismatch({ start }: Span, expected: Message, found: Type, hint: Message | '' = ''): Problem {
  return new Problem(start, message`expected ${expected}, found ${describe(found)}${hint}`)
}

export function hintOfQuotes(expression: Expression): Message | '' {
  const isQuotedInteger = expression.kind === 'string' && /^-?[0-9]+$/.test(expression.value)
  return isQuotedInteger ? message`; write ${expression.value} without quotes` : ''
}
