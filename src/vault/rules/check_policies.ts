import { type PolicyCheck, unseenView } from '../../contract/policy_check.ts'
import type { Supposed } from '../../contract/policy_draft.ts'
import type { MfaPolicy } from '../../contract/records/records.ts'
import { compileMfaOf, conditionOf } from '../../deciding/rules/mfa_steps.ts'
import { proofsOfCredentials } from '../../operations/mfa_policies/shared/possible_proofs.ts'
import type { CompiledPolicy } from '../../policy/decision/policy_evaluator.ts'
import { holdsWhenever } from '../../policy/denials/holds_whenever.ts'
import { unseenBy } from '../../policy/denials/unseen.ts'
import { unseenExports } from '../../policy/denials/unseen_exports.ts'
import { isAsStrong } from '../../policy/taking_steps.ts'
import { onlyControls } from '../../policy/velocity/named_controls.ts'
import { onceFor } from '../../protocol/tools/once_for.ts'
import type { Pause } from '../../protocol/tools/pause.ts'
import { inSteps } from '../../protocol/tools/steps.ts'
import { Failure, orFailure } from '../../protocol/wire/failures.ts'
import type { Organization } from '../state/organization.ts'
import { neverEqualIn } from './never_equal.ts'
import { supposedPolicies } from './supposed_policies.ts'

/**
 * Returns the denials and MFA policies that do not see every signing request, leaving out what others see in their place,
 * the policies that allow by velocity controls alone, and the written texts that nothing ever equals.
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
  const mfaPolicies = await blindMfaPolicies(organization, policies, pause)
  return {
    denials,
    mfaPolicies,
    allowances,
    neverEqual: [...(await neverEqualIn(organization, policies, { names, pause }))],
  }
}

/** `denials` deny some requests, whose steps nobody has to take. They do not bind enough of the root quorum. */
async function blindMfaPolicies(
  organization: Organization,
  denials: readonly CompiledPolicy[],
  pause: Pause,
): Promise<PolicyCheck['mfaPolicies']> {
  const users = organization.allListed('user')
  const { rootQuorum } = organization.head
  await compileMfaOf(
    organization,
    users.map(({ userId }) => userId),
    pause,
  )
  const found: PolicyCheck['mfaPolicies'] = []
  for (const user of users) {
    const { userId, mfaPolicies = [] } = user
    const proofs = proofsOfCredentials(user)
    const guards = mfaPolicies.flatMap((policy): Guarded[] => {
      const guard = guardOf(policy)
      return guard === undefined ? [] : [{ policy, guard }]
    })
    const binding = rootQuorum.userIds.includes(userId) ? [] : denials
    const ordered = guards.toSorted((one, other) => one.policy.order - other.policy.order)
    for (const [index, { policy, guard }] of ordered.entries()) {
      const { mfaPolicyId, mfaPolicyName, requiredAuthenticationMethods: steps } = policy
      const isLess = ({ policy: other }: Guarded) => !isAsStrong(other.requiredAuthenticationMethods, steps, proofs)
      // Fewer or other steps do not stand for those that are asked here, and come instead of those after them.
      const lesser = new Set(ordered.filter(isLess).map((other) => other.guard))
      const others = [...binding, ...ordered.map((other) => other.guard)]
      const signing = await inSteps(unseenBy(guard, others, lesser), pause)
      const unseen = [...signing, ...(await inSteps(unseenExports(guard, others, lesser), pause))]
      const behind: string[] = []
      for (const earlier of ordered.slice(0, index).filter(isLess)) {
        const isAlwaysFirst = await inSteps(holdsWhenever(earlier.guard, guard), pause)
        if (isAlwaysFirst) behind.push(earlier.policy.mfaPolicyId)
      }
      if (unseen.length === 0 && behind.length === 0) continue
      const gaps = { unseen: unseen.map(unseenView), ...(behind.length === 0 ? {} : { behind }) }
      found.push({ userId, mfaPolicyId, mfaPolicyName, ...gaps })
    }
  }
  return found
}

type Guarded = { readonly policy: MfaPolicy; readonly guard: CompiledPolicy }

/** An MFA policy sees what a denial with its condition sees. Undefined for one that no longer compiles. */
const guardOf = onceFor((policy: MfaPolicy): CompiledPolicy | undefined => {
  const condition = orFailure(() => conditionOf(policy))
  if (condition instanceof Failure) return undefined
  return { policyId: policy.mfaPolicyId, effect: 'EFFECT_DENY', condition }
})
