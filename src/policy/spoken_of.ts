import type { Approvals } from './evaluate_policies.ts'
import { evaluate } from './language/evaluate.ts'
import { type Expression, partsOf } from './language/syntax.ts'

/**
 * Whether a consensus expression speaks of somebody, and so gives a vote: one of its predicates over `approvers` or
 * `credentials` holds for what is theirs, or it counts or looks through those lists without a predicate, as
 * `approvers.count() >= 2` does, and then speaks of everybody.
 */
export function isSpokenOf(consensus: Expression, theirs: Approvals): boolean {
  if (isListOfApprovals(consensus)) return true
  if (consensus.kind !== 'predicate' || !isListOfApprovals(consensus.of)) {
    return partsOf(consensus).some((part) => isSpokenOf(part, theirs))
  }
  const holds = evaluate({ ...consensus, method: 'any' }, { keywords: theirs })
  return holds.kind === 'value' && holds.value === true
}

function isListOfApprovals(expression: Expression): boolean {
  return expression.kind === 'name' && (expression.name === 'approvers' || expression.name === 'credentials')
}
