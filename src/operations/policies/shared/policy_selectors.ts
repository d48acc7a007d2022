import Type from 'typebox'
import { expressionCharactersMax, list, namedFields, oneOf } from '../../../contract/fields/fields.ts'
import { named } from '../../../contract/fields/named.ts'
import { compileCondition, compileConsensus, refuseNeverEqual } from '../../../policy/decision/policy_expressions.ts'
import { quoted } from '../../../policy/language/reading/print.ts'
import { fieldInvalid } from '../../../protocol/wire/failures.ts'
import { labelCharactersMax } from '../../../protocol/wire/labels.ts'

/**
 * Older types write policies as selectors, which must all hold. Selectors use the names of the policy language, so a
 * policy of selectors is stored as the equivalent expressions.
 */
export const selectorsMax = 20
const targetsMax = 100

const operators = [
  'OPERATOR_EQUAL',
  'OPERATOR_MORE_THAN',
  'OPERATOR_MORE_THAN_OR_EQUAL',
  'OPERATOR_LESS_THAN',
  'OPERATOR_LESS_THAN_OR_EQUAL',
  'OPERATOR_CONTAINS',
  'OPERATOR_NOT_EQUAL',
  'OPERATOR_IN',
  'OPERATOR_NOT_IN',
  'OPERATOR_CONTAINS_ONE',
  'OPERATOR_CONTAINS_ALL',
] as const
type Operator = (typeof operators)[number]

const subject = Type.String({
  pattern: '^[a-z_][a-z0-9_]{0,63}(\\.[a-z_][a-z0-9_]{0,63}){1,7}$',
  expected: 'a field of a keyword of the policy language, such as activity.type or user.id',
  ...named('SelectorSubject'),
})
const operator = oneOf(operators, named('Operator'))
const target = Type.String({
  maxLength: labelCharactersMax,
  expected: `a text of at most ${labelCharactersMax} characters`,
})

export const Selector = namedFields('SelectorV2', {
  subject,
  operator,
  targets: list(target, { itemsMin: 1, itemsMax: targetsMax }),
})
export const SelectorOfOne = namedFields('Selector', { subject, operator, target })

type Selector = { readonly subject: string; readonly operator: Operator; readonly targets: readonly string[] }

const selectorsPath = 'parameters.selectors'
/** Selectors on `user` are about approvers: one approver must meet all of them. */
const ofUser = 'user.'

/** Converts selectors to expressions. Throws a `Failure` that names the selector. */
export function expressionsOf(selectors: readonly Selector[]): { condition?: string; consensus?: string } {
  const clauses = selectors.map((selector, index) => {
    const fieldPath = `${selectorsPath}[${index}]`
    return { clause: clauseOf(selector, fieldPath), fieldPath, isOfUser: selector.subject.startsWith(ofUser) }
  })
  const ofUsers = clauses.filter(({ isOfUser }) => isOfUser).map(({ clause }) => clause)
  const ofOthers = clauses.filter(({ isOfUser }) => !isOfUser).map(({ clause }) => clause)
  const expressions = {
    ...(ofOthers.length === 0 ? {} : { condition: withinLength(ofOthers.join(' && ')) }),
    ...(ofUsers.length === 0 ? {} : { consensus: withinLength(byOneUser(ofUsers)) }),
  }
  // Clauses beyond that length would take long to judge.
  for (const { clause, fieldPath, isOfUser } of clauses) {
    const compiled = isOfUser ? compileConsensus(byOneUser([clause]), fieldPath) : compileCondition(clause, fieldPath)
    refuseNeverEqual(compiled, fieldPath)
  }
  return expressions
}

function byOneUser(clauses: readonly string[]): string {
  return `approvers.any(user, ${clauses.join(' && ')})`
}

function clauseOf({ subject, operator, targets }: Selector, fieldPath: string): string {
  const literals = targets.map(literalOf)
  const each = literals.map((literal) => `${subject}.contains(${literal})`)
  switch (operator) {
    case 'OPERATOR_IN':
      return `${subject} in [${literals.join(', ')}]`
    case 'OPERATOR_NOT_IN':
      return `!(${subject} in [${literals.join(', ')}])`
    case 'OPERATOR_CONTAINS_ONE':
      return `(${each.join(' || ')})`
    case 'OPERATOR_CONTAINS_ALL':
      return each.join(' && ')
  }
  if (targets.length !== 1) throw fieldInvalid(`${fieldPath}.targets`, `one target for ${operator}`)
  return operator === 'OPERATOR_CONTAINS' ? each.join() : `${subject} ${comparisons[operator]} ${literals.join()}`
}

const comparisons = {
  OPERATOR_EQUAL: '==',
  OPERATOR_NOT_EQUAL: '!=',
  OPERATOR_MORE_THAN: '>',
  OPERATOR_MORE_THAN_OR_EQUAL: '>=',
  OPERATOR_LESS_THAN: '<',
  OPERATOR_LESS_THAN_OR_EQUAL: '<=',
} as const

/** Targets are texts even for numbers and booleans, so a target that reads as one becomes one. */
function literalOf(target: string): string {
  return /^(true|false|0|-?[1-9][0-9]*)$/.test(target) ? target : quoted(target)
}

function withinLength(expression: string): string {
  if (expression.length <= expressionCharactersMax) return expression
  const expected = `no more than fits into an expression of ${expressionCharactersMax} characters`
  throw fieldInvalid(selectorsPath, expected)
}
