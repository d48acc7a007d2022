import { print } from '../reading/print.ts'
import type { Expression } from '../syntax.ts'
import { askedByTest, type Test, type Variables, variablesIn } from './needs.ts'

/** An expression that has to be true, or false where it stands within `!`, and the variables around it. */
export type Conjunct = {
  readonly expression: Expression
  readonly isNegated: boolean
  readonly variables: Variables
}

/**
 * All that has to be so at once for an expression to be so: the operands of an `&&` and of those within it, of an `||`
 * within `!`, and of the test of an `any`, or of an `all` within `!`, which is about one item.
 */
export function conjunctsOf({ expression, isNegated, variables }: Conjunct): readonly Conjunct[] {
  const same = (part: Expression, negates = false) =>
    conjunctsOf({ expression: part, isNegated: negates ? !isNegated : isNegated, variables })
  switch (expression.kind) {
    case 'not':
      return same(expression.operand, true)
    case 'and':
    case 'or':
      if ((expression.kind === 'or') !== isNegated) break
      return expression.operands.flatMap((operand) => same(operand))
    case 'comparison': {
      const compared = comparedWithTruth(expression)
      if (compared === undefined) break
      return same(compared.truth, !compared.value)
    }
    case 'predicate':
      if (expression.method !== (isNegated ? 'all' : 'any') || isEmptyList(expression.of)) break
      return conjunctsOfTest(expression, { isNegated, variables })
  }
  return [{ expression, isNegated, variables }]
}

function isEmptyList(list: Expression): boolean {
  return list.kind === 'list' && list.items.length === 0
}

/** The branches, if one of several things has to be so: of an `||`, or of an `&&` within `!`. */
export function branchesOf({ expression, isNegated, variables }: Conjunct): readonly Conjunct[] | undefined {
  if (expression.kind !== 'and' && expression.kind !== 'or') return undefined
  return expression.operands.map((operand) => ({ expression: operand, isNegated, variables }))
}

/** The conjuncts of a test, of the filters through which its item came, and of the list, which is not empty. */
export function conjunctsOfTest(
  test: Test,
  { isNegated, variables: outer }: Pick<Conjunct, 'isNegated' | 'variables'>,
): readonly Conjunct[] {
  const item = variablesIn(test, outer).get(test.variable)
  const [list, ...bodies] = askedByTest(test, item, outer)
  const operands = list === undefined ? bodies : [{ ...list, operand: notEmpty(list.operand) }, ...bodies]
  return operands.flatMap(({ operand, variables }) => {
    const isOpposite = isNegated && operand === test.body
    return isOpposite && mayLackFields(test, item)
      ? []
      : conjunctsOf({ expression: operand, isNegated: isOpposite, variables })
  })
}

/** Whether a test may be false because its item lacks a field. Approvers and credentials lack none. */
function mayLackFields({ body, variable }: Test, item = ''): boolean {
  return !/^(approvers|credentials)/.test(item) && print(body).includes(`${variable}.`)
}

function notEmpty(list: Expression): Expression {
  const { start, end } = list
  const [left, right] = [
    { kind: 'count', of: list, start, end },
    { kind: 'integer', value: 0n, start, end },
  ] as const
  return { kind: 'comparison', operator: '>', left, right, start, end }
}

/** The operand that is compared with `true` or `false`, as in `(a == b) == false`. */
export function comparedWithTruth({ operator, left, right }: Expression & { readonly kind: 'comparison' }) {
  if (operator !== '==' && operator !== '!=') return undefined
  const [written, truth] = left.kind === 'boolean' ? [left, right] : [right, left]
  if (written.kind !== 'boolean' || !isTruth(truth)) return undefined
  return { truth, value: written.value === (operator === '==') }
}

/** Whether an expression is true or false, and no field that may be a text. */
function isTruth(expression: Expression): boolean {
  if (expression.kind === 'predicate') return expression.method !== 'filter'
  return ['not', 'and', 'or', 'comparison', 'contains'].includes(expression.kind)
}
