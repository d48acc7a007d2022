import { comparedWithTruth, conjunctsOf } from '../language/contradictions/conjuncts.ts'
import { demandedBy } from '../language/contradictions/demands.ts'
import { noVariables, type Test } from '../language/contradictions/needs.ts'
import { both, isNone, numbersAmong } from '../language/contradictions/possible_values.ts'
import { type Expression, partsOf } from '../language/syntax.ts'

/** The field of each item that says its user. */
const userFields: ReadonlyMap<string, string> = new Map([
  ['approvers', 'id'],
  ['credentials', 'user_id'],
])

/**
 * The ids that a consensus excepts by a test such as `approvers.any(user, user.id != '…')`, or by a count of at least one
 * of such users. It reads as “not this user”, and any other user alone makes it true, also beside the one who is excepted.
 * A test that asks for more is meant so.
 */
export function exceptedUsers(consensus: Expression): readonly string[] {
  return [...new Set(exceptedIn({ expression: consensus, isNegated: false }))]
}

/** An expression, or that it is false. */
type Claim = { readonly expression: Expression; readonly isNegated: boolean }

function* exceptedIn(claim: Claim): Iterable<string> {
  const { expression, isNegated } = claim
  const test = asksForOne(claim)
  if (test !== undefined) yield* exceptedBy(test)
  const isFalse = expression.kind === 'comparison' && comparedWithTruth(expression)?.value === false
  const negates = expression.kind === 'not' || isFalse
  for (const part of partsOf(expression)) yield* exceptedIn({ expression: part, isNegated: isNegated !== negates })
}

type TestOfOne = { readonly test: Test; readonly isNegated: boolean }

/** The test of which one item is enough. `isNegated`: an item of which it is false. */
function asksForOne({ expression, isNegated }: Claim): TestOfOne | undefined {
  if (expression.kind === 'predicate') {
    return expression.method === (isNegated ? 'all' : 'any') ? { test: expression, isNegated } : undefined
  }
  const { of, values } = demandedBy({ expression, isNegated, variables: noVariables }) ?? {}
  if (of?.kind !== 'count' || of.of.kind !== 'predicate' || values === undefined) return undefined
  const isEnough = (count: bigint) => !isNone(both(values, numbersAmong([count])))
  return isEnough(1n) && !isEnough(0n) ? { test: of.of, isNegated: false } : undefined
}

function exceptedBy({ test, isNegated }: TestOfOne): readonly string[] {
  const { of, variable, body } = test
  const before = of.kind === 'predicate' && of.method === 'filter' ? exceptedBy({ test: of, isNegated: false }) : []
  const list = listOf(test)
  const field = list.kind === 'name' ? userFields.get(list.name) : undefined
  const found = conjunctsOf({ expression: body, isNegated, variables: noVariables }).map((conjunct) => {
    const { of: read, values } = demandedBy(conjunct) ?? {}
    const isUser = read?.kind === 'field' && read.name === field
    if (!isUser || read.of.kind !== 'name' || read.of.name !== variable) return undefined
    return values !== undefined && 'except' in values ? [...values.except] : undefined
  })
  const isMore = found.includes(undefined) || (of.kind === 'predicate' && before.length === 0)
  return isMore ? [] : [...before, ...found.flatMap((ids) => ids ?? [])]
}

/** The list of a test, before its filters. */
function listOf({ of }: Test): Expression {
  return of.kind === 'predicate' && of.method === 'filter' ? listOf(of) : of
}
