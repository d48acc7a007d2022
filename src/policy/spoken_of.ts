import type { Approvals } from './evaluate_policies.ts'
import { evaluate } from './language/evaluate.ts'
import { type Expression, everyPart, partsOf } from './language/syntax.ts'
import type { Struct } from './language/values.ts'

/**
 * Whether a consensus expression speaks of a user, and so gives the user a vote: one of its predicates over `approvers`
 * or `credentials` holds for the user or one of the user's credentials. An expression that uses these lists without a
 * predicate, such as `approvers.count() >= 2`, speaks of everybody.
 */
export function isSpokenOf(consensus: Expression, theirs: Approvals): boolean {
  return speaksOf(consensus, { ...theirs })
}

/** `keywords` are the approvals of the user, and the items of written lists that tests around the expression name. */
function speaksOf(consensus: Expression, keywords: Struct): boolean {
  if (isListOfApprovals(consensus)) return true
  if (consensus.kind !== 'predicate') return partsOf(consensus).some((part) => speaksOf(part, keywords))
  const { of, variable, body } = consensus
  if (of.kind === 'list') {
    return of.items.some((item) => item.kind !== 'string' || speaksOf(body, { ...keywords, [variable]: item.value }))
  }
  if (!isListOfApprovals(of)) return partsOf(consensus).some((part) => speaksOf(part, keywords))
  // How many approve is no matter of one user.
  if ([...everyPart(body)].some((part) => part.kind === 'count' && isListOfApprovals(part.of))) return true
  const holds = evaluate({ ...consensus, method: 'any' }, { keywords })
  return holds.kind === 'value' && holds.value === true
}

function isListOfApprovals(expression: Expression): boolean {
  return expression.kind === 'name' && (expression.name === 'approvers' || expression.name === 'credentials')
}
