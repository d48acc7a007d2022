import { isDeepStrictEqual } from 'node:util'
import type { Activity } from '../../../contract/records/activity.ts'
import { NotRecorded, type RecordedOrganization } from '../../../deciding/organization/recorded_organization.ts'
import { bodyOf, operationOfActivity } from '../../../deciding/organization/submitted.ts'
import type { Counts } from '../../../deciding/rules/counts.ts'
import type { CountedVote } from '../../../deciding/votes/count_vote.ts'
import { decideAgain } from '../../../deciding/votes/decide_again.ts'
import { Failure, orFailure } from '../../../protocol/wire/failures.ts'
import { type Outcome, right, unchecked, wrong } from './findings.ts'
import type { RecordedVersion } from './waiting_versions.ts'

/** `counted`: what the vote does by the rules of its time. `sumsAsked`: the records of sums that these rules have read. */
export type DecidedVersion = {
  readonly outcome: Outcome
  readonly counted?: CountedVote | undefined
  readonly sumsAsked: ReadonlySet<string>
}

/** Decides about the last vote of a version again, and compares what became of the activity. */
export async function decidedVersion(
  organization: RecordedOrganization,
  version: RecordedVersion,
): Promise<DecidedVersion> {
  const sumsAsked = new Set<string>()
  const decided = await decide(organization, version, (_organizationId, [, recordId]) => {
    if (recordId !== undefined) sumsAsked.add(recordId)
    return []
  })
  if (decided instanceof NotRecorded) return { outcome: unchecked(decided.message), sumsAsked }
  if (decided instanceof Failure && !(await isReadable(version)))
    return { outcome: unchecked(unreadableHere), sumsAsked }
  const counted = decided instanceof Failure ? {} : { counted: decided }
  const fault = faultOf(decided, version.activity)
  if (fault === undefined) return { outcome: right, sumsAsked, ...counted }
  const isByCounts = sumsAsked.size > 0 && (await mayHaveCountedMore(organization, version, decided))
  return { outcome: isByCounts ? unchecked(countedMore) : wrong(fault), sumsAsked, ...counted }
}

export const unreadableHere = 'decisions about requests that this version of the command cannot read'
const countedMore = 'decisions that rest on more than the entries add up to: what a vault has counted and did not keep'

type Decided = CountedVote | Failure | NotRecorded | undefined

async function decide(
  organization: RecordedOrganization,
  version: RecordedVersion,
  amounts: Counts['decisionCounts']['amounts'],
): Promise<Decided> {
  try {
    return await decideAgain({ ...version, target: organization, home: organization, counted: { amounts } })
  } catch (error) {
    if (error instanceof Failure || error instanceof NotRecorded) return error
    throw error
  }
}

/**
 * Whether greater sums than those of the entries explain a decision. The books of a vault count what leaves it, also if
 * that is not committed then. Less than the entries have it never counts.
 */
async function mayHaveCountedMore(
  organization: RecordedOrganization,
  version: RecordedVersion,
  decided: Decided,
): Promise<boolean> {
  const { activity } = version
  const isStricter = decided !== undefined && 'move' in decided && decided.move === 'runs' && isWaiting(activity)
  if (isStricter || faultOfStatus(decided, activity) === undefined) return true
  const amount = { atMs: activity.updatedAtMs, amount: greatestAmount }
  return faultOfStatus(await decide(organization, version, () => [amount]), activity) === undefined
}

const greatestAmount = 2n ** 512n

function isWaiting({ status }: Activity): boolean {
  return status.endsWith('_NEEDED')
}

/** Whether the request may still be asked: the form of requests may have become stricter since. */
export async function isReadable({ activity, before }: RecordedVersion): Promise<boolean> {
  if (before !== undefined) return true
  const bound = orFailure(() => operationOfActivity(activity).accepted.read(bodyOf(activity).parameters))
  if (bound instanceof Failure) return false
  try {
    await bound.check(() => undefined)
    return true
  } catch (error) {
    if (error instanceof Failure) return false
    throw error
  }
}

/** Says how the activity differs from what the rules make of it. */
function faultOf(decided: Decided, activity: Activity): string | undefined {
  const fault = faultOfStatus(decided, activity)
  if (fault !== undefined || decided === undefined || !('voted' in decided)) return fault
  const [last, expected] = [activity.votes.at(-1), decided.voted.votes.at(-1)]
  const names = ['policiesByOutcome', 'smartContractInterfaceIds'] as const
  const other = names.find((name) => !isDeepStrictEqual(last?.[name], expected?.[name]))
  return other && `its ${other} are not those of the rules of that time`
}

function faultOfStatus(decided: Decided, { status, votes }: Activity): string | undefined {
  const begins = `it has the status ${status}, and by the rules of that time`
  if (decided === undefined) return `${begins} this vote changes nothing`
  if (decided instanceof Error) return `${begins} it is refused: ${decided.message}`
  const { move, expectedStatus } = decided
  // Something else may have kept an activity from running that had waited.
  const hasFailed = move === 'runs' && votes.length > 1 && status === 'ACTIVITY_STATUS_FAILED'
  return hasFailed || status === expectedStatus ? undefined : `${begins} ${expectedStatus}`
}
