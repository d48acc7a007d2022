import type { Vote } from '../../../contract/records/activity.ts'
import type { User } from '../../../contract/records/records.ts'
import { approvalsIn } from '../../../deciding/rules/approver_facts.ts'
import { type CompiledPolicy, compiledPolicies } from '../../../deciding/rules/compiled_policies.ts'
import { evaluatePolicies } from '../../../deciding/rules/evaluate_policies.ts'
import { compileMfaOf, type Mfa } from '../../../deciding/rules/mfa_steps.ts'
import { policyInputOf, type RuleQuestion, type Ruling } from '../../../deciding/rules/rules.ts'
import { supposedVotes } from '../../../deciding/rules/supposed_votes.ts'
import { allApprovalsIn } from '../../../deciding/rules/votes_of_denials.ts'
import { namesCredentials } from '../../../policy/about_rules/spoken_of.ts'
import { decide, isQuorumComplete } from '../../../policy/decision/decide.ts'
import { newPolicyMeters, type PolicyMeters } from '../../../policy/decision/evaluate_policies.ts'
import { compileExpressions } from '../../../policy/decision/policy_expressions.ts'

/** The users for each of whom the rules are asked whether that user's approval is the last one needed. */
const judgedMax = 32

/** `isWhole`: every voter was judged. */
type Able = { readonly able: readonly string[]; readonly isWhole: boolean }

type Waiting = {
  readonly voters: readonly string[]
  readonly ruling: Ruling
  readonly votes: readonly Vote[]
  readonly mfa: Mfa
  /** Whether the submitter owes a step. Nobody else votes before it is taken. */
  readonly waitsForSubmitter: boolean
}

/**
 * The voters of whom one approval more is enough, by some credential that the user can use and with the last step that
 * an MFA policy asks for. All questions together take the steps of one request at most: only the consensus of the policies
 * that matter is asked again.
 */
export async function ableVoters(asked: RuleQuestion, waiting: Waiting): Promise<Able> {
  const { voters, ruling, votes, mfa, waitsForSubmitter } = waiting
  const { organization, submitterId, bound, isGranted, nowMs, pause } = asked
  const { rootQuorum } = organization.head
  await compileMfaOf(organization, voters.slice(0, judgedMax), pause)
  const isDenied = ruling.evaluations.some(({ outcome }) => outcome === 'OUTCOME_DENY_EXPLICIT')
  const meters = newPolicyMeters()
  const policies = await policiesLeft(asked, { ruling, meters })
  const tellsCredentials = policies?.some(
    ({ consensus }) => consensus !== undefined && namesCredentials(consensus.root),
  )
  const able: string[] = []
  let isWhole = voters.length <= judgedMax && policies !== undefined
  for (const user of voters.slice(0, judgedMax).flatMap((userId) => organization.listed('user', userId) ?? [])) {
    if (await isEnough(user)) able.push(user.userId)
    await pause()
  }
  return { able, isWhole }

  async function isEnough(user: User): Promise<boolean> {
    // An approval after which a step is due does not count.
    const counting = supposedVotes(user, { organization, nowMs }).filter((vote) => countedWith(vote).includes(vote))
    const [first] = counting
    if (first === undefined) return false
    if (isQuorumComplete(approvedWith(first))) return true
    if (waitsForSubmitter ? isDenied : !ruling.voterIds.includes(user.userId)) return false
    for (const vote of tellsCredentials ? counting : [first]) if (await isAllowedBy(vote)) return true
    return false
  }

  async function isAllowedBy(given: Vote): Promise<boolean> {
    if (policies === undefined) return false
    await pause()
    const approvals = approvalsIn(organization, countedWith(given))
    const input = policyInputOf({ ...asked, approvals, allApprovals: allApprovalsIn(organization, [...votes, given]) })
    const evaluations = await evaluatePolicies(policies, input, { pause, meters })
    if (evaluations === undefined) isWhole = false
    const approved = approvedWith(given)
    const ownerId = approved.approverIds.some((userId) => userId === submitterId)
      ? bound.ownerOf(submitterId)
      : undefined
    const decision = evaluations && decide({ ...approved, submitterId, ownerId, isGranted, evaluations })
    return decision?.kind === 'allow'
  }

  function countedWith(given: Vote): readonly Vote[] {
    return mfa.counted([...votes, given])
  }

  function approvedWith(given: Vote) {
    return { rootQuorum, approverIds: countedWith(given).map(({ userId }) => userId) }
  }
}

/**
 * The policies whose outcome one more approval may change, without what no approval changes: those that wait or allow,
 * and the denials with a consensus whose time and condition hold. Undefined if that takes too many steps to tell.
 */
async function policiesLeft(
  asked: RuleQuestion,
  { ruling, meters }: { readonly ruling: Ruling; readonly meters: PolicyMeters },
): Promise<readonly CompiledPolicy[] | undefined> {
  if (ruling.evaluations.length === 0) return []
  const policies = await compiledPolicies(asked.organization, asked.pause)
  const waits = new Set(
    ruling.evaluations.flatMap(({ policyId, outcome }) =>
      outcome === 'OUTCOME_REQUIRES_CONSENSUS' || outcome === 'OUTCOME_ALLOW' ? [policyId] : [],
    ),
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
