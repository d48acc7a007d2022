import { type PolicyCheck, unseenView } from '../../contract/policy_check.ts'
import type { Supposed } from '../../contract/policy_draft.ts'
import { unseenBy } from '../../policy/denials/unseen.ts'
import { onlyControls } from '../../policy/velocity/named_controls.ts'
import type { Pause } from '../../protocol/tools/pause.ts'
import { inSteps } from '../../protocol/tools/steps.ts'
import type { Organization } from '../state/organization.ts'
import { neverEqualIn } from './never_equal.ts'
import { supposedPolicies } from './supposed_policies.ts'

/**
 * Returns the denials that do not see every signing request, leaving out what other denials deny in their place, the
 * policies that allow by velocity controls alone, and the written texts that nothing ever equals.
 */
export async function checkPolicies(
  organization: Organization,
  parameters: Supposed,
  pause: Pause,
): Promise<PolicyCheck> {
  // A policy that no longer compiles lets nothing pass. It is reported wherever it stops a request.
  const supposed = await supposedPolicies(organization, parameters, pause)
  const policies = supposed.filter(({ problem }) => problem === undefined)
  const names = new Map(organization.allListed('policy').map(({ policyId, policyName }) => [policyId, policyName]))
  const denials: PolicyCheck['denials'] = []
  const allowances: PolicyCheck['allowances'] = []
  for (const policy of policies) {
    const unseen = await inSteps(unseenBy(policy, policies), pause)
    const { policyId, effect, condition } = policy
    const named = { policyId, policyName: names.get(policyId) ?? '' }
    if (unseen.length > 0) denials.push({ ...named, unseen: unseen.map(unseenView) })
    const controls = effect === 'EFFECT_ALLOW' ? onlyControls(condition.root) : []
    if (controls.length > 0) allowances.push({ ...named, controls: [...controls] })
  }
  return { denials, allowances, neverEqual: [...(await neverEqualIn(organization, policies, { names, pause }))] }
}
