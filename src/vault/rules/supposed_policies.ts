import { draftId, type Supposed } from '../../contract/policy_draft.ts'
import { compiledPolicies, compilePolicy, type StoredPolicy } from '../../deciding/rules/compiled_policies.ts'
import { expressionPathsIn } from '../../policy/decision/policy_expressions.ts'
import type { Pause } from '../../protocol/tools/pause.ts'
import { Failure } from '../../protocol/wire/failures.ts'
import type { Organization } from '../state/organization.ts'

/** The policies of an organization without those that are left out, and with the draft as the last. */
export async function supposedPolicies(
  organization: Organization,
  { policy, withoutPolicyIds = [] }: Supposed,
  pause: Pause,
): Promise<readonly StoredPolicy[]> {
  const unknown = withoutPolicyIds.findIndex((policyId) => !organization.isListed('policy', policyId))
  if (unknown !== -1) {
    throw new Failure('NOT_FOUND', { fieldPath: `withoutPolicyIds[${unknown}]`, expected: 'the id of a policy' })
  }
  const kept = (await compiledPolicies(organization, pause)).filter(
    ({ policyId }) => !withoutPolicyIds.some((without) => without === policyId),
  )
  if (policy === undefined) return kept
  return [...kept, compilePolicy({ ...policy, policyId: draftId }, expressionPathsIn('policy'))]
}
