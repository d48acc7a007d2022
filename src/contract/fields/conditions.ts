import {
  type CompiledExpression,
  compileCondition,
  compileScope,
  neverEqualIn,
  neverEqualInMfaPolicy,
  refuseNeverEqual,
} from '../../policy/decision/policy_expressions.ts'
import { namedControls } from '../../policy/velocity/named_controls.ts'
import type { Steps } from '../../protocol/tools/steps.ts'
import { Failure } from '../../protocol/wire/failures.ts'

/** Refuses an invalid condition of an MFA policy with a `Failure` that names field and column. */
export function* checkMfaCondition(condition: string, fieldPath: string): Steps<void> {
  const compiled = compileCondition(condition, fieldPath)
  refuseNeverEqual({ kind: compiled.kind, neverEqual: yield* neverEqualInMfaPolicy(compiled) }, fieldPath)
  refuseCounted(compiled, fieldPath)
}

/** Refuses an invalid scope of a session profile with a `Failure` that names field and column. */
export function* checkScope(scope: string, fieldPath: string): Steps<void> {
  const compiled = compileScope(scope, fieldPath)
  refuseNeverEqual({ kind: compiled.kind, neverEqual: yield* neverEqualIn(compiled) }, fieldPath)
  refuseCounted(compiled, fieldPath)
}

/** Refuses `spent` and `controls`: spending is counted for the limits of policies only. */
function refuseCounted({ spentTerms, root }: CompiledExpression, fieldPath: string): void {
  if (spentTerms.length === 0 && namedControls(root).length === 0) return
  throw new Failure('POLICY_CONDITION_INVALID', {
    fieldPath,
    reason: 'spending limits and velocity controls are for policies: leave out `spent` and `controls`',
  })
}
