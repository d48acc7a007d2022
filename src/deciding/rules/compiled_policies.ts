import type { Policy } from '../../contract/records/records.ts'
import { compileCondition, compileExpressions, type ExpressionPaths } from '../../policy/decision/policy_expressions.ts'
import { onceFor, onceForEach } from '../../protocol/tools/once_for.ts'
import type { Pause } from '../../protocol/tools/pause.ts'
import { Failure, orFailure } from '../../protocol/wire/failures.ts'
import type { SeenOrganization } from '../organization/seen_organization.ts'

export type CompiledPolicy = ReturnType<typeof compilePolicy>
/** A policy of the organization. `problem`: why it no longer compiles. */
export type StoredPolicy = CompiledPolicy & { readonly problem?: string }

/**
 * Returns all policies of an organization in order of creation. To compile one takes milliseconds, the first time and
 * again once its record is read anew, and there may be a thousand.
 */
export async function compiledPolicies(
  organization: Pick<SeenOrganization, 'allListed'>,
  pause: Pause,
): Promise<readonly StoredPolicy[]> {
  return onceForEach(compiledOf, organization.allListed('policy'), pause)
}

/** Compiles the expressions of a policy. `paths` are the fields that a refusal names. */
export function compilePolicy(
  { policyId, effect, ...expressions }: Pick<Policy, 'policyId' | 'effect' | 'condition' | 'consensus' | 'time'>,
  paths?: ExpressionPaths,
) {
  return { policyId, effect, ...compileExpressions(expressions, paths) }
}

/**
 * A stored policy may no longer compile, when the language has become narrower since. Then it never applies, and its
 * `problem` keeps other policies from granting anything: it might deny. Its sums are still counted where that is known.
 */
export const compiledOf = onceFor((policy: Policy): StoredPolicy => {
  const compiled = orFailure(() => compilePolicy(policy))
  if (!(compiled instanceof Failure)) return compiled
  const { policyId, effect, condition = '' } = policy
  const never = compilePolicy({ policyId, effect, condition: '1 == 2', time: '1 == 2' })
  const alone = orFailure(() => compileCondition(condition))
  return { ...never, condition: alone instanceof Failure ? never.condition : alone, problem: compiled.message }
})
