import { activityFacts } from '../../contract/activity_facts.ts'
import type { BoundActivity, Facts, OrganizationReader } from '../../contract/define.ts'
import { recoveryCredentialType } from '../../contract/records/records.ts'
import { type Explanation, explainAll } from '../../policy/about_rules/explain.ts'
import { isSpokenOf, namesCredentials } from '../../policy/about_rules/spoken_of.ts'
import { type Decision, decide, isQuorumComplete, type Question } from '../../policy/decision/decide.ts'
import type { PolicyEvaluation } from '../../policy/decision/effects.ts'
import { withoutEqualOnes } from '../../policy/decision/equal_approvals.ts'
import type { PolicyInput } from '../../policy/decision/policy_evaluator.ts'
import type { Struct } from '../../policy/language/expression_values.ts'
import type { StepMeter } from '../../policy/language/running/environment.ts'
import { stepsMax, stepsOfPoliciesMax } from '../../policy/language/running/run.ts'
import { lazily } from '../../protocol/tools/lazily.ts'
import type { Pause } from '../../protocol/tools/pause.ts'
import { finished, inSteps, oneStep, type Steps } from '../../protocol/tools/steps.ts'
import { Failure } from '../../protocol/wire/failures.ts'
import type { SeenCaller } from '../caller/seen_caller.ts'
import type { SeenOrganization } from '../organization/seen_organization.ts'
import {
  type Approval,
  approvalForms,
  byCredentials,
  mayStillApprove,
  possibleApprovals,
  withoutUser,
} from './approver_facts.ts'
import { type CompiledPolicy, compiledPolicies, type StoredPolicy } from './compiled_policies.ts'
import type { Counts } from './counts.ts'
import { approvalsWithEnded } from './ended_approvals.ts'
import { evaluatePolicies } from './evaluate_policies.ts'
import { type Acting, type Controls, controlsFor, controlsOver, countedBy } from './sum_controls.ts'
import { pathsCountedOf, type Spent, spentBy } from './sum_spending.ts'

/** A question to the rules of an organization about an activity. */
export type RuleQuestion = {
  /** The organization whose rules decide: the activity's own, or the parent whose user submits it. */
  readonly organization: SeenOrganization
  /** The approvals that count. */
  readonly approvals: readonly Approval[]
  /**
   * All approvals so far, the submission among them, also those that count no more: denials see them (`allApprovalsIn`).
   * Undefined where all of them count, as of a submission that is decided now.
   */
  readonly allApprovals: readonly Approval[] | undefined
  readonly submitterId: string
  readonly nowMs: number
  readonly pause: Pause
  /** Whether the auth proxy asks, which the root quorum has allowed before. */
  readonly isGranted?: boolean | undefined
  /** Counts the steps of the ruling. It limits nothing. */
  readonly meter?: StepMeter | undefined
} & SeenRequest

/** A request as the rules see it. */
export type SeenRequest = {
  readonly bound: BoundActivity
  /** The facts that conditions see. Throws a `Failure` if the content of the request cannot be read. */
  readonly facts: () => Struct
  /** The sums that the signing key has spent before (`spentBy`). */
  readonly spent: Spent
  /** The velocity controls of the organization that decides, for the request with these facts, of this user. */
  readonly controls: (acting: Pick<Acting, 'facts' | 'submitterId'> & Pick<RuleQuestion, 'organization'>) => Controls
  /** The smart contract interfaces by which the facts name a call. Throws as `facts` does. */
  readonly smartContractInterfaceIds: () => readonly string[]
}

/**
 * `evaluations` has the outcome of each policy. It is empty if the root quorum decided alone. `voterIds` names the
 * users whose approval a policy waits for. Members of the root quorum may vote as well.
 */
export type Ruling = Decision & {
  readonly evaluations: readonly PolicyEvaluation[]
  /** The explanation of each policy's outcome. */
  readonly explanations: () => Promise<readonly Explanation[]>
  readonly voterIds: readonly string[]
  /** The same by each of these policies. */
  readonly votersOfPolicies: ReadonlyMap<string, readonly string[]>
  /** Whether such a policy names `credentials`: further credentials of users who have approved may matter to it. */
  readonly countsCredentials: boolean
  /** The smart contract interfaces by which the policies were shown a call. */
  readonly smartContractInterfaceIds: readonly string[]
}

/** Returns the ruling on an activity. `supposed` are in the place of the policies that are in force. */
export async function rule(asked: RuleQuestion, supposed?: readonly StoredPolicy[]): Promise<Ruling> {
  const { organization, approvals, submitterId, bound, pause, isGranted } = asked
  const { policy } = bound.operation
  // Users may change their own credentials without a rule, as long as their own approval counts.
  const isStoodBy = approvals.some(({ user }) => user.userId === submitterId)
  const ownerId = isStoodBy ? bound.ownerOf(submitterId) : undefined
  if (typeof policy === 'string' && policy !== 'rootQuorumOnly')
    return ruleOneTime(asked, ownerId, oneTimeReasons[policy])
  const { rootQuorum } = organization.head
  const approved = { rootQuorum, approverIds: approvals.map(({ user }) => user.userId) }
  const asksPolicies = typeof policy === 'object' && !isQuorumComplete(approved)
  const policies = asksPolicies ? (supposed ?? (await compiledPolicies(organization, pause))) : []
  const broken = policies.find(({ problem }) => problem !== undefined)
  if (broken !== undefined) return ruleByQuorumAlone({ ...approved, submitterId }, brokenReason(broken))
  const input = lazily(() => policyInputOf(asked))
  const evaluations = policies.length === 0 ? [] : await evaluatePolicies(policies, input(), asked)
  if (evaluations === undefined) return ruleByQuorumAlone({ ...approved, submitterId }, stepsReason)
  const decision = decide({ ...approved, submitterId, ownerId, isGranted, evaluations })
  const waitsFor = decision.kind === 'consensus' ? await votersOf(policies, evaluations, asked) : nobody
  const explanations = () => explainAll(policies, input(), { evaluations, pause })
  const smartContractInterfaceIds = evaluations.length === 0 ? [] : asked.smartContractInterfaceIds()
  return { ...decision, evaluations, explanations, ...waitsFor, smartContractInterfaceIds }
}

/**
 * The ruling when some policy cannot be asked. It might deny, so no policy grants anything. The root quorum can decide,
 * and mend the policies.
 */
function ruleByQuorumAlone(asked: Omit<Question, 'ownerId' | 'evaluations' | 'isGranted'>, reason: string): Ruling {
  const decision = decide({ ...asked, ownerId: undefined })
  return { ...decision, ...(decision.kind === 'deny' ? { reason } : {}), ...withoutPolicies }
}

const stepsReason = `the policies of this organization take more than ${stepsOfPoliciesMax} steps together for this request, so that only its root quorum can decide, and update or delete policies: the longest conditions take the most`

function brokenReason({ policyId, problem }: StoredPolicy): string {
  return `the policy ${policyId} no longer compiles, so that only the root quorum can decide, and update or delete it: ${problem}`
}

const nobody = { voterIds: [], votersOfPolicies: new Map<string, readonly string[]>(), countsCredentials: false }
const withoutPolicies = { evaluations: [], explanations: async () => [], ...nobody, smartContractInterfaceIds: [] }

const oneTimeReasons = {
  recoveryOnly: 'only a recovery credential of this user may stamp this',
  invitationOnly: 'only the link of this invitation may stamp this',
} as const

/**
 * Allows only a one-time key: a recovery credential, or the key of an invitation, which looks like one here. A user with
 * another credential adds a passkey with create_authenticators, which asks for no mail.
 */
function ruleOneTime({ approvals }: RuleQuestion, ownerId: string | undefined, reason: string): Ruling {
  const isByOneTime = byCredentials(approvals).some(({ user, publicKey }) => {
    const apiKey = user.apiKeys.find((candidate) => candidate.publicKey === publicKey)
    return user.userId === ownerId && apiKey?.credentialType === recoveryCredentialType
  })
  if (isByOneTime) return { kind: 'allow', ...withoutPolicies }
  return { kind: 'deny', reason, ...withoutPolicies }
}

/**
 * Whether anything asks for the facts of a new request: policies do, MFA policies of the user, a session's scope, and
 * the sums of spending limits and velocity controls, which count what a root user signs too.
 */
export async function asksFacts(
  { user, organization, sessionProfileId }: SeenCaller,
  { target, bound }: Pick<ReadRequest, 'target' | 'bound'>,
  pause: Pause,
): Promise<boolean> {
  const { rootQuorum } = organization.head
  const isAllowed = isQuorumComplete({ rootQuorum, approverIds: [user.userId] })
  const hasOwnRules = sessionProfileId !== undefined || (user.mfaPolicies ?? []).length > 0
  const isCounted = (await pathsCountedOf(target, bound, pause)).size > 0 || controlsOver(target, bound).length > 0
  return !isAllowed || hasOwnRules || isCounted
}

/**
 * Returns the request as the rules see it. Its facts are read here, in steps. Without `asksFacts` they are read if
 * somebody asks for them nevertheless: uploaded interfaces may be megabytes.
 */
export async function seenOf(
  request: ReadRequest,
  context: Counts & { readonly pause: Pause },
  { asksFacts = true }: { readonly asksFacts?: boolean } = {},
): Promise<SeenRequest> {
  const { target, bound, reader } = request
  const { type, parameters, operation } = bound
  const { nowMs, pause } = context
  const read = asksFacts ? await readFacts(request, pause) : lazily(() => finished(factsOf(request)))
  return {
    bound,
    facts: lazily(() => ({
      ...read().keywords,
      activity: activityFacts({ type, policy: operation.policy, parameters }),
    })),
    spent: spentBy(target, request, context),
    controls({ organization, ...acting }) {
      const isElsewhere = organization.head.organizationId !== target.head.organizationId
      const countedIn = countedBy(organization, context)
      return controlsFor(organization, { bound, reader, ...acting, isElsewhere }, { nowMs, countedIn })
    },
    smartContractInterfaceIds: () => read().interfaceIds ?? [],
  }
}

/** A request with the records that its operation needs. */
type ReadRequest = {
  /** The organization that the activity is about. */
  readonly target: SeenOrganization
  readonly bound: BoundActivity
  /** Reads what the operation needs. Undefined if some of that does not exist any more. */
  readonly reader: OrganizationReader | undefined
}

/** Reads the facts in steps. Content that cannot be read is refused when somebody asks for the facts. */
async function readFacts(request: ReadRequest, pause: Pause): Promise<() => Facts> {
  try {
    const facts = await inSteps(factsOf(request), pause)
    return () => facts
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return () => {
      throw error
    }
  }
}

function factsOf({ target, bound, reader }: ReadRequest): Steps<Facts> {
  if (reader === undefined) return oneStep(() => ({ keywords: {} }))
  // All interfaces count. The head lists them: an interface that could be hidden would hide a call from the rules.
  return bound.facts({
    organization: reader,
    contractInterfaces: () => target.allListed('smart_contract_interface'),
  })
}

/** Returns everything that policies are evaluated on. */
export function policyInputOf({
  organization,
  approvals,
  allApprovals,
  submitterId,
  nowMs,
  facts,
  spent,
  ...asked
}: RuleQuestion): PolicyInput {
  const controls = asked.controls({ organization, facts, submitterId })
  const [counted, ...otherForms] = approvalForms(approvals)
  const keywords = {
    ...facts(),
    get controls() {
      return controls.struct
    },
  }
  return {
    condition: { keywords, spent, controlText: controls.textOf },
    approvals: counted,
    otherForms,
    withEnded: approvalsWithEnded({ approvals, allApprovals, submitterId }),
    everybody: () => possibleApprovals(organization.allListed('user'), { nowMs, approvals }),
    nowMs,
  }
}

/**
 * The users of whom a waiting policy speaks, and whether one names credentials. Other requests get their turn in
 * between. The policies share the steps of the search: what one leaves, the next ones have. A policy whose share is used
 * up speaks of each user that was not looked at yet: the ruling says what a vote does.
 */
async function votersOf(
  policies: readonly CompiledPolicy[],
  evaluations: readonly PolicyEvaluation[],
  { organization, nowMs, pause, meter: counting }: Pick<RuleQuestion, 'organization' | 'nowMs' | 'pause' | 'meter'>,
): Promise<Pick<Ruling, 'voterIds' | 'votersOfPolicies' | 'countsCredentials'>> {
  const waiting = policies.filter((_policy, index) => evaluations[index]?.outcome === 'OUTCOME_REQUIRES_CONSENSUS')
  if (waiting.length === 0) return nobody
  const all = organization.allListed('user').filter((user) => mayStillApprove(user, { nowMs }))
  const everybody = lazily(() => possibleApprovals(all, { nowMs }))
  const users = all.map((user) => ({ user, theirs: possibleApprovals([user], { nowMs }) }))
  const votersOfPolicies = new Map<string, readonly string[]>()
  let countsCredentials = false
  let stepsLeft = stepsOfPoliciesMax
  for (const [index, { policyId, consensus }] of waiting.entries()) {
    const found: string[] = []
    const share = stepsLeft / (waiting.length - index)
    const meter = { steps: 0 }
    const apart = lazily(() => withoutEqualOnes(consensus.root, everybody(), { stepsMax: share, meter }))
    for (const { user, theirs } of users) {
      await pause()
      const budget = { stepsMax: Math.min(share, meter.steps + stepsMax), meter }
      if (isSpokenOf(consensus.root, { theirs, others: () => withoutUser(apart(), user) }, budget))
        found.push(user.userId)
    }
    votersOfPolicies.set(policyId, found)
    stepsLeft -= meter.steps
    countsCredentials ||= namesCredentials(consensus.root)
  }
  if (counting !== undefined) counting.steps += stepsOfPoliciesMax - stepsLeft
  const asked = new Set([...votersOfPolicies.values()].flat())
  const voterIds = users.map(({ user }) => user.userId).filter((userId) => asked.has(userId))
  return { voterIds, votersOfPolicies, countsCredentials }
}
