import { compileCondition, refuseNeverEqual } from '../../policy/policy_expressions.ts'
import { namedControls } from '../../policy/velocity/named_controls.ts'
import { Failure } from '../../protocol/wire/failures.ts'

/**
 * Refuses an invalid condition of an MFA policy or session scope with a `Failure` that names field and column. It
 * refuses `spent` and `controls` too: spending is counted for the limits of policies only.
 */
export function checkStatelessCondition(condition: string, fieldPath: string): void {
  const compiled = compileCondition(condition, fieldPath)
  refuseNeverEqual(compiled, fieldPath)
  const { spentTerms, root } = compiled
  if (spentTerms.length === 0 && namedControls(root).length === 0) return
  throw new Failure('POLICY_CONDITION_INVALID', {
    fieldPath,
    reason: 'spending limits and velocity controls are for policies: leave out `spent` and `controls`',
  })
}
