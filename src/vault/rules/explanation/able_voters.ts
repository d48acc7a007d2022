import type { Vote } from '../../../contract/records/activity.ts'
import type { User } from '../../../contract/records/records.ts'
import { approvalsIn } from '../../../deciding/rules/approver_facts.ts'
import { type CompiledPolicy, compiledPolicies } from '../../../deciding/rules/compiled_policies.ts'
import { allApprovalsIn } from '../../../deciding/rules/ended_approvals.ts'
import { evaluatePolicies } from '../../../deciding/rules/evaluate_policies.ts'
import { compileMfaOf, type Mfa } from '../../../deciding/rules/mfa_steps.ts'
import { policyInputOf, type RuleQuestion, type Ruling } from '../../../deciding/rules/rules.ts'
import { supposedVotes } from '../../../deciding/rules/supposed_votes.ts'
import { namesCredentials } from '../../../policy/about_rules/spoken_of.ts'
import { decide, isQuorumComplete } from '../../../policy/decision/decide.ts'
import { newPolicyMeters, type PolicyMeters } from '../../../policy/decision/policy_evaluator.ts'
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
}

/**
 * The voters of whom one approval more is enough, by some credential that the user can use and with the last step that
 * an MFA policy asks for. All questions together take the steps of one request at most: only the consensus of the policies
 * that matter is asked again.
 */
export async function ableVoters(asked: RuleQuestion, waiting: Waiting): Promise<Able> {
  const { voters, ruling, votes, mfa } = waiting
  const { organization, submitterId, bound, isGranted, nowMs, pause } = asked
  const { rootQuorum } = organization.head
  await compileMfaOf(organization, voters.slice(0, judgedMax), pause)
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
 * The policies whose time and condition hold, without these: one more approval may change what their consensus says, also
 * of one that does not wait. An allowance of exactly two approvals says no to one, and waits for nobody. Undefined if that
 * takes too many steps to tell.
 */
async function policiesLeft(
  asked: RuleQuestion,
  { ruling, meters }: { readonly ruling: Ruling; readonly meters: PolicyMeters },
): Promise<readonly CompiledPolicy[] | undefined> {
  if (ruling.evaluations.length === 0) return []
  const policies = await compiledPolicies(asked.organization, asked.pause)
  const { condition, consensus, time } = anything
  const alone = policies.map((policy) => ({ ...policy, consensus }))
  const found = await evaluatePolicies(alone, policyInputOf(asked), { pause: asked.pause, meters })
  return found?.flatMap(({ outcome }, index) => {
    const policy = policies[index]
    return policy !== undefined && appliesBy.has(outcome) ? [{ ...policy, condition, time }] : []
  })
}

/** The outcomes of a policy whose time and condition hold, and which asks for no consensus. */
const appliesBy: ReadonlySet<string> = new Set(['OUTCOME_ALLOW', 'OUTCOME_REQUIRES_CONSENSUS', 'OUTCOME_DENY_EXPLICIT'])

/** Expressions that are always true. */
const anything = compileExpressions({})
