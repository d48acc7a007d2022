import { type DenialCheck, unseenView } from '../../operations/denial_check.ts'
import { unseenBy } from '../../policy/denials/unseen.ts'
import type { Pause } from '../../protocol/tools/pause.ts'
import { inSteps } from '../../protocol/tools/steps.ts'
import type { Organization } from '../state/organization.ts'
import { compiledPolicies } from './compiled_policies.ts'

/** Returns the denials that do not see every signing request, leaving out what other denials deny in their place. */
export async function checkPolicies(organization: Organization, pause: Pause): Promise<DenialCheck> {
  // A policy that no longer compiles lets nothing pass. It is reported wherever it stops a request.
  const policies = compiledPolicies(organization).filter(({ problem }) => problem === undefined)
  const names = new Map(organization.allListed('policy').map(({ policyId, policyName }) => [policyId, policyName]))
  const denials: DenialCheck['denials'] = []
  for (const policy of policies) {
    const unseen = await inSteps(unseenBy(policy, policies), pause)
    const { policyId } = policy
    if (unseen.length > 0)
      denials.push({ policyId, policyName: names.get(policyId) ?? '', unseen: unseen.map(unseenView) })
  }
  return { denials }
}
