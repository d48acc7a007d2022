import { compileCondition } from '../../policy/policy_expressions.ts'
import { Failure } from '../../protocol/wire/failures.ts'

/**
 * Throws a `Failure` that names field and column of what is no condition for MFA policies and scopes of sessions. Only
 * policies have spending limits: what these two name is not counted.
 */
export function checkStatelessCondition(condition: string, fieldPath: string): void {
  const { spentTerms } = compileCondition(condition, fieldPath)
  if (spentTerms.length === 0) return
  throw new Failure('POLICY_CONDITION_INVALID', {
    fieldPath,
    reason: 'spending limits are for policies: leave out `spent`',
  })
}
