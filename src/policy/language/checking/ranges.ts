import { message } from '../message.ts'
import { constantOf } from '../names/pieces.ts'
import type { Range, Type } from '../names/types.ts'
import { Problem } from '../problem.ts'
import type { Expression } from '../syntax.ts'

/** A side of a comparison, or a list with the type of its items. `source` is its text, for messages. */
export type RangedSide = { readonly expression: Expression; readonly type: Type; readonly source: string }

/** How a field stands to a number. Lists are compared by `==` with each of their items. */
export type Relation = '==' | '<' | '<=' | '>' | '>='

const flipped: Readonly<Record<Relation, Relation>> = { '==': '==', '<': '>', '<=': '>=', '>': '<', '>=': '<=' }

/**
 * The written numbers beside a field that never has them, or beside which a comparison never or always holds. At the
 * very end of the range one that always holds says that the field exists, as `eth.tx.value >= 0` does.
 */
export function problemsOfRange(left: RangedSide, relation: Relation, right: RangedSide): readonly Problem[] {
  return [...problemsBeside(left, relation, right), ...problemsBeside(right, flipped[relation], left)]
}

function problemsBeside({ expression, type, source }: RangedSide, relation: Relation, other: RangedSide) {
  const range = type.kind === 'int' || type.kind === 'uint' ? type.range : undefined
  // The items of a written list are not all of the type of the first.
  if (range === undefined || expression.kind === 'list') return []
  const { min, max } = range
  const span = max === undefined ? message`${min} or more` : message`from ${min} to ${max}`
  const numbers = other.expression.kind === 'list' ? other.expression.items : [other.expression]
  return numbers.flatMap((written) => {
    const value = constantOf(written)
    const verdict = value === undefined ? undefined : verdictOf(relation, value, range)
    if (value === undefined || verdict === undefined) return []
    if (relation === '==') return [new Problem(written.start, message`${source} is never ${value}; it is ${span}`)]
    const reason =
      verdict === 'never'
        ? message`${source} is never ${relation} ${value}; it is ${span}`
        : message`${source} is always ${relation} ${value}; it is ${span}`
    return [new Problem(written.start, reason)]
  })
}

function verdictOf(relation: Relation, value: bigint, { min, max }: Range): 'never' | 'always' | undefined {
  const [isBelow, isAbove] = [value < min, max !== undefined && value > max]
  switch (relation) {
    case '==':
      return isBelow || isAbove ? 'never' : undefined
    case '<':
      return value <= min ? 'never' : isAbove ? 'always' : undefined
    case '<=':
      return isBelow ? 'never' : isAbove ? 'always' : undefined
    case '>':
      return isBelow ? 'always' : value === max || isAbove ? 'never' : undefined
    case '>=':
      return isBelow ? 'always' : isAbove ? 'never' : undefined
  }
}
