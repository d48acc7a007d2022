import type { Policy } from '../operations/records.ts'
import { compileCondition, compileConsensus, compileTime } from '../policy/policy_expressions.ts'
import { onceFor } from './once_for.ts'
import type { Organization } from './organization.ts'

export type CompiledPolicy = ReturnType<typeof compiledOf>

/** All policies of an organization, in order of creation. */
export function compiledPolicies(organization: Organization): readonly CompiledPolicy[] {
  return organization.allListed('policy').map(compiledOf)
}

const compiledOf = onceFor(({ policyId, effect, condition = '', consensus = '', time = '' }: Policy) => ({
  policyId,
  effect,
  condition: compileCondition(condition),
  consensus: compileConsensus(consensus),
  time: compileTime(time),
}))
