import type { User } from '../../../contract/records/records.ts'
import { type Approval, everyApproval } from '../../../deciding/rules/approver_facts.ts'
import { type CompiledPolicy, compiledPolicies } from '../../../deciding/rules/compiled_policies.ts'
import { evaluatePolicies } from '../../../deciding/rules/evaluate_policies.ts'
import { policyInputOf, type RuleQuestion, type Ruling } from '../../../deciding/rules/rules.ts'
import { decide, isQuorumComplete } from '../../../policy/decision/decide.ts'
import { newPolicyMeters, type PolicyMeters } from '../../../policy/decision/evaluate_policies.ts'
import { compileExpressions } from '../../../policy/decision/policy_expressions.ts'

/** The users for each of whom the rules are asked whether that user's approval is the last one needed. */
const judgedMax = 32

/** `isWhole`: every voter was judged. */
type Able = { readonly able: readonly string[]; readonly isWhole: boolean }

/**
 * The voters of whom one approval more is enough, by some credential of the user. All questions together take the steps
 * of one request at most: only the consensus of the policies that matter is asked again.
 */
export async function ableVoters(
  asked: RuleQuestion,
  { voters, ruling }: { readonly voters: readonly string[]; readonly ruling: Ruling },
): Promise<Able> {
  const { organization, approvals, voted, submitterId, bound, isGranted, pause } = asked
  const { rootQuorum } = organization.head
  const meters = newPolicyMeters()
  const policies = await policiesLeft(asked, { ruling, meters })
  const able: string[] = []
  let isWhole = voters.length <= judgedMax && policies !== undefined
  for (const user of voters.slice(0, judgedMax).flatMap((userId) => organization.listed('user', userId) ?? [])) {
    if (await isEnough(user)) able.push(user.userId)
    await pause()
  }
  return { able, isWhole }

  async function isEnough(user: User): Promise<boolean> {
    const byEach = everyApproval(user)
    if (isQuorumComplete(approvedWith(byEach))) return true
    if (!ruling.voterIds.includes(user.userId)) return false
    // All of them together are several approvals, where that makes a difference.
    return ruling.countsCredentials ? isAllowedByOne(byEach) : isAllowedBy(byEach)
  }

  async function isAllowedByOne(given: readonly Approval[]): Promise<boolean> {
    for (const one of given) if (await isAllowedBy([one])) return true
    return false
  }

  async function isAllowedBy(given: readonly Approval[]): Promise<boolean> {
    if (policies === undefined) return false
    await pause()
    const input = policyInputOf({ ...asked, approvals: [...approvals, ...given], voted: [...voted, ...given] })
    const evaluations = await evaluatePolicies(policies, input, { pause, meters })
    if (evaluations === undefined) isWhole = false
    const approved = approvedWith(given)
    const ownerId = approved.approverIds.some((userId) => userId === submitterId)
      ? bound.ownerOf(submitterId)
      : undefined
    const decision = evaluations && decide({ ...approved, submitterId, ownerId, isGranted, evaluations })
    return decision?.kind === 'allow'
  }

  function approvedWith(given: readonly Approval[]) {
    return { rootQuorum, approverIds: [...approvals, ...given].map(({ user }) => user.userId) }
  }
}

/**
 * The policies whose outcome one more approval may change, without what no approval changes: those that wait, and the
 * denials with a consensus whose time and condition hold. Undefined if that takes too many steps to tell.
 */
async function policiesLeft(
  asked: RuleQuestion,
  { ruling, meters }: { readonly ruling: Ruling; readonly meters: PolicyMeters },
): Promise<readonly CompiledPolicy[] | undefined> {
  if (ruling.voterIds.length === 0 || ruling.evaluations.length === 0) return []
  const policies = await compiledPolicies(asked.organization, asked.pause)
  const waits = new Set(
    ruling.evaluations.flatMap(({ policyId, outcome }) => (outcome === 'OUTCOME_REQUIRES_CONSENSUS' ? [policyId] : [])),
  )
  const denials = policies.filter(({ effect, consensus }) => effect === 'EFFECT_DENY' && consensus.text !== '')
  const alone = denials.map((policy) => ({ ...policy, consensus: anything.consensus }))
  const found = await evaluatePolicies(alone, policyInputOf(asked), { pause: asked.pause, meters })
  if (found === undefined) return undefined
  const matching = denials.filter((_denial, index) => found[index]?.outcome === 'OUTCOME_DENY_EXPLICIT')
  const { condition, time } = anything
  return [...matching, ...policies.filter(({ policyId }) => waits.has(policyId))].map((policy) => ({
    ...policy,
    condition,
    time,
  }))
}

/** Expressions that are always true. */
const anything = compileExpressions({})
