import { conjunctsOf } from '../language/contradictions/conjuncts.ts'
import { demandedBy } from '../language/contradictions/demands.ts'
import { noVariables } from '../language/contradictions/needs.ts'
import { type Expression, partsOf } from '../language/syntax.ts'

/** The field of each item that says its user. */
const userFields: ReadonlyMap<string, string> = new Map([
  ['approvers', 'id'],
  ['credentials', 'user_id'],
])

/**
 * The ids that a consensus excepts by a test such as `approvers.any(user, user.id != '…')`. It reads as “not this user”,
 * and any other user alone makes it true, also beside the one who is excepted. A test that asks for more is meant so.
 */
export function exceptedUsers(consensus: Expression): readonly string[] {
  return [...new Set(exceptedIn(consensus, false))]
}

function* exceptedIn(expression: Expression, isNegated: boolean): Iterable<string> {
  if (expression.kind === 'predicate' && expression.method === 'any' && !isNegated) yield* exceptedBy(expression)
  for (const part of partsOf(expression)) yield* exceptedIn(part, isNegated !== (expression.kind === 'not'))
}

function exceptedBy({ of, variable, body }: Expression & { readonly kind: 'predicate' }): readonly string[] {
  const field = of.kind === 'name' ? userFields.get(of.name) : undefined
  const found = conjunctsOf({ expression: body, isNegated: false, variables: noVariables }).map((conjunct) => {
    const { of: read, values } = demandedBy(conjunct) ?? {}
    const isUser = read?.kind === 'field' && read.name === field
    if (!isUser || read.of.kind !== 'name' || read.of.name !== variable) return undefined
    return values !== undefined && 'except' in values ? [...values.except] : undefined
  })
  return found.includes(undefined) ? [] : found.flatMap((ids) => ids ?? [])
}
