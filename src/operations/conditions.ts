import { compileCondition } from '../policy/policy_expressions.ts'
import { Failure } from '../protocol/failures.ts'

/**
 * Throws a `Failure` that names field and column of what is no condition. `spent` is one of the language, and nothing
 * counts what was spent yet: a rule with it would silently have no effect.
 */
export function checkCondition(condition: string, fieldPath: string): void {
  const { spentTerms } = compileCondition(condition, fieldPath)
  if (spentTerms.length === 0) return
  throw new Failure('POLICY_CONDITION_INVALID', {
    fieldPath,
    reason: 'what was spent is not counted yet: leave out `spent`',
  })
}
