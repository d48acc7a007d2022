import {
  type CompiledExpression,
  compileCondition,
  compileScope,
  neverEqualInMfaPolicy,
  refuseNeverEqual,
} from '../../policy/decision/policy_expressions.ts'
import { namedControls } from '../../policy/velocity/named_controls.ts'
import { Failure } from '../../protocol/wire/failures.ts'

/** Refuses an invalid condition of an MFA policy with a `Failure` that names field and column. */
export function checkMfaCondition(condition: string, fieldPath: string): void {
  const compiled = compileCondition(condition, fieldPath)
  checkStateless({ ...compiled, neverEqual: neverEqualInMfaPolicy(compiled) }, fieldPath)
}

/** Refuses an invalid scope of a session profile with a `Failure` that names field and column. */
export function checkScope(scope: string, fieldPath: string): void {
  checkStateless(compileScope(scope, fieldPath), fieldPath)
}

/** Refuses `spent` and `controls` too: spending is counted for the limits of policies only. */
function checkStateless(compiled: CompiledExpression, fieldPath: string): void {
  refuseNeverEqual(compiled, fieldPath)
  const { spentTerms, root } = compiled
  if (spentTerms.length === 0 && namedControls(root).length === 0) return
  throw new Failure('POLICY_CONDITION_INVALID', {
    fieldPath,
    reason: 'spending limits and velocity controls are for policies: leave out `spent` and `controls`',
  })
}
