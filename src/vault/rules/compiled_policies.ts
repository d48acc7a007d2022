import type { Policy } from '../../operations/records/records.ts'
import { compileExpressions, type ExpressionPaths } from '../../policy/policy_expressions.ts'
import { onceFor } from '../../protocol/tools/once_for.ts'
import type { Organization } from '../state/organization.ts'

export type CompiledPolicy = ReturnType<typeof compilePolicy>

/** Returns all policies of an organization in order of creation. */
export function compiledPolicies(organization: Organization): readonly CompiledPolicy[] {
  return organization.allListed('policy').map(compiledOf)
}

/** Compiles the expressions of a policy. `paths` are the fields that a refusal names. */
export function compilePolicy(
  { policyId, effect, ...expressions }: Pick<Policy, 'policyId' | 'effect' | 'condition' | 'consensus' | 'time'>,
  paths?: ExpressionPaths,
) {
  return { policyId, effect, ...compileExpressions(expressions, paths) }
}

const compiledOf = onceFor((policy: Policy) => compilePolicy(policy))
