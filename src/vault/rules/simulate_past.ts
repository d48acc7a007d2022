import type { Need } from '../../contract/needs.ts'
import { draftId } from '../../contract/policy_draft.ts'
import type { Activity, Vote } from '../../contract/records/activity.ts'
import type { Simulation, SimulationParameters, SimulationResult } from '../../contract/simulation.ts'
import { readerOf } from '../../deciding/organization/organization_reader.ts'
import { together } from '../../deciding/organization/reads_needed.ts'
import { boundOf, goneUser, submissionOf } from '../../deciding/organization/submitted.ts'
import type { Approval } from '../../deciding/rules/approver_facts.ts'
import type { CompiledPolicy } from '../../deciding/rules/compiled_policies.ts'
import { readRequest } from '../../deciding/rules/request_of_activity.ts'
import type { RuleQuestion } from '../../deciding/rules/rules.ts'
import { stepsOfPoliciesMax } from '../../policy/language/running/run.ts'
import type { Pause } from '../../protocol/tools/pause.ts'
import type { Reading } from '../caller/request_context.ts'
import type { Organization } from '../state/organization.ts'
import { resolveNeeds } from '../state/resolve.ts'
import { foundRequestOf } from './open_request.ts'
import { createPastLedger } from './past_ledger.ts'
import { roomForClauses, simulatedRuling } from './simulated_ruling.ts'

type Past = NonNullable<SimulationParameters['past']>

const limitDefault = 10
/** The activities of one page of the store. */
const pageItems = 100
/** The most pages that one answer may read. A search for a time reads activities from the newest on. */
const pagesMax = 6

/**
 * The steps of one answer, after which it ends: as many as the policies may take for one activity. To read a byte of a
 * request counts as a step too.
 */
const stepsOfAnswerMax = stepsOfPoliciesMax

type AskedOfPast = {
  readonly organization: Organization
  readonly policies: readonly CompiledPolicy[]
  readonly past: Past
}

/**
 * Returns the rulings that these policies would have made on past activities. Each ruling uses the approvals that the
 * activity had, the time of its last vote, and the current state of the records that it names. `spent` knows only the
 * activities that this simulation reads. The answer ends where its steps do, but has one activity at least.
 */
export async function simulatePast(context: Reading, asked: AskedOfPast): Promise<SimulationResult> {
  const { policies } = asked
  const found = findPast(context, asked.organization, asked.past)
  const activities = await firstOf(found.activities, context.pause)
  const questions = await questionsOf(context, asked, activities)
  const room = roomForClauses()
  const meter = { steps: bytesOf(activities) }
  const simulations: Simulation[] = []
  for (const { activityId, type, status } of activities) {
    if (simulations.length > 0 && meter.steps > stepsOfAnswerMax) break
    await context.pause()
    const question = questions.get(activityId)
    if (question === undefined) throw new Error(`activity ${activityId} was not read`)
    const isTraced = (policyId: string) => policyId === draftId
    const simulation = await simulatedRuling({ ...question, meter }, policies, { isTraced, room })
    simulations.push({ activityId, type, status, ...simulation })
  }
  const isWhole = simulations.length === found.activities.length
  const nextAfter = isWhole ? found.nextAfter : simulations.at(-1)?.activityId
  return { simulations, ...(nextAfter === undefined ? {} : { nextAfter }) }
}

/** The newest activities, as many as one answer may read. Each may have a megabyte. */
async function firstOf(activities: readonly Activity[], pause: Pause): Promise<readonly Activity[]> {
  let bytes = 0
  for (const [index, activity] of activities.entries()) {
    bytes += bytesOf([activity])
    if (index > 0 && bytes > stepsOfAnswerMax) return activities.slice(0, index)
    // A request that is read here is not read again below.
    boundOf(activity)
    await pause()
  }
  return activities
}

function bytesOf(activities: readonly Activity[]): number {
  return activities.reduce((sum, activity) => sum + submissionOf(activity).message.length, 0)
}

/** The question to the rules about each activity, by its id, with the sums of the activities that were decided before. */
async function questionsOf(
  context: Reading,
  { organization, policies }: AskedOfPast,
  activities: readonly Activity[],
): Promise<ReadonlyMap<string, RuleQuestion>> {
  const requests = together(
    activities.map((activity) => () => {
      const nowMs = activity.votes.at(-1)?.createdAtMs ?? activity.createdAtMs
      return { activity, nowMs, found: foundRequestOf(context, organization, activity) }
    }),
  )
  // An activity that waited for votes may have signed, and counted, after a later submission.
  const inOrderOfDecision = requests.toReversed().toSorted((one, other) => one.nowMs - other.nowMs)
  const ledger = createPastLedger(organization, policies)
  const questions = new Map<string, RuleQuestion>()
  for (const { activity, found, nowMs } of inOrderOfDecision) {
    await context.pause()
    const request = await readRequest(context, found)
    const { activityId, status, votes } = activity
    const { userId: submitterId, isUnstamped: isGranted } = submissionOf(activity)
    const past = { acting: { ...request, submitterId }, nowMs }
    const approvals = votes.flatMap((vote) => pastApproval(organization, vote))
    const counts = ledger.countsFor(past)
    const { pause } = context
    const given = { approvals, allApprovals: undefined }
    questions.set(activityId, { ...request, ...counts, organization, ...given, submitterId, isGranted, nowMs, pause })
    if (status === 'ACTIVITY_STATUS_COMPLETED') ledger.count(past)
  }
  return questions
}

/** Returns the approval that a vote of the organization was, also if its user is gone. */
function pastApproval(organization: Organization, vote: Vote): readonly Approval[] {
  const isApproval = vote.selection === 'VOTE_SELECTION_APPROVED'
  if (!isApproval || vote.isUnstamped || vote.organizationId !== organization.head.organizationId) return []
  const { publicKey, attested } = vote
  const user = organization.listed('user', vote.userId) ?? goneUser(vote)
  return [{ user, publicKey, ...(attested && { attested }) }]
}

type Found = { readonly activities: readonly Activity[]; readonly nextAfter?: string }

/** Finds the activities to simulate. `nextAfter` says where the next query goes on, if there may be more. */
function findPast(context: Reading, organization: Organization, past: Past): Found {
  const { limit = limitDefault, createdFrom = '0', createdTo, filterByType = [] } = past
  const [fromMs, toMs] = [Number(createdFrom) * 1000, Number(createdTo ?? Number.MAX_SAFE_INTEGER) * 1000]
  const types = filterByType.length === 0 ? {} : { types: filterByType }
  const found: Activity[] = []
  let { after } = past
  for (let page = 0; page < pagesMax; page += 1) {
    const need: Need = {
      need: 'activities',
      ...types,
      page: { limit: pageItems, ...(after === undefined ? {} : { after }) },
    }
    const activities = readerOf(resolveNeeds(context, organization, [need])).activities.page()
    for (const activity of activities) {
      if (activity.createdAtMs < fromMs) return { activities: found }
      if (found.length === Number(limit) && after !== undefined) return { activities: found, nextAfter: after }
      after = activity.activityId
      if (activity.createdAtMs < toMs) found.push(activity)
    }
    if (activities.length === 0) return { activities: found }
  }
  return { activities: found, ...(after === undefined ? {} : { nextAfter: after }) }
}
