import { isFinal } from '../../../src/contract/records/activity.ts'
import type { Commit } from '../../../src/protocol/reads.ts'
import type { Sent } from './clients.ts'
import type { Furnished } from './furnished.ts'
import type { Witness } from './witness.ts'

type Json = ReturnType<typeof JSON.parse>
type Version = { readonly at: number } & Commit['activities'][number]

/** What an honest node shows at the end, in both organizations. */
export type Shown = { readonly activities: readonly Json[]; readonly tagNames: readonly string[] }

/**
 * Checks an honest database at the end of a history: the order of its commits, and what a node shows of it. Throws when
 * a promise is broken.
 */
export function checkFinalState(
  { commits, acknowledged }: Pick<Witness, 'commits' | 'acknowledged'>,
  shown: Shown,
  { world, sent }: { readonly world: Furnished; readonly sent: readonly Sent[] },
): void {
  const versions = commits.flatMap(({ activities }, at) => activities.map((row): Version => ({ ...row, at })))
  const byId = Map.groupBy(versions, ({ activityId }) => activityId)
  const shownById = new Map(shown.activities.map((activity) => [activity.id, activity]))
  const bytes = new Map(sent.filter(isSubmission).map((each) => [each.requestKey, each]))
  /** Several users may have stamped the same bytes: one of them submitted the activity, as its first vote says. */
  const submissions = new Map(
    [...byId].flatMap(([activityId, [first]]) => {
      const [vote] = shownById.get(activityId)?.votes ?? []
      const submission = first && bytes.get(first.requestKey)
      if (submission === undefined || vote === undefined) return []
      return [[submission.requestKey, { ...submission, by: vote.publicKey, userId: vote.userId }] as const]
    }),
  )

  requireOneActivityEach(versions)
  for (const [activityId, all] of byId) requireOneEnd(activityId, all, shownById.get(activityId))
  for (const { activityId, status } of acknowledged.values()) {
    const found = shownById.get(activityId)
    if (found === undefined) throw new Error(`the activity ${activityId} was acknowledged and is gone`)
    if (isFinal(status) && found.status !== status)
      throw new Error(`${activityId} was ${status} and is ${found.status}`)
  }

  const done = [...byId.values()].flatMap((all) => {
    const end = all.find(({ status }) => status === 'ACTIVITY_STATUS_COMPLETED')
    const submission = end && submissions.get(end.requestKey)
    return end === undefined || submission === undefined ? [] : [{ end, submission, began: all[0]?.at ?? end.at }]
  })
  const doneAs = (name: string) => done.filter(({ submission }) => submission.name === name)
  requireNothingAfterRevocation(doneAs('delete_api_keys'), versions, submissions)
  requireQuorums(done, shownById, world)
  const tags = doneAs('create_user_tag').map(({ submission }) => String(submission.parameters.userTagName))
  if (tags.sort().join() !== [...shown.tagNames].sort().join())
    throw new Error(`tags: ${tags} were made, ${shown.tagNames} are there`)
  const children = commits.flatMap(({ heads }) => heads).filter(({ version }) => version === 1)
  if (children.length !== doneAs('create_sub_organization').length) throw new Error('a sub-organization was made twice')
}

type Done = { readonly end: Version; readonly submission: Sent; readonly began: number }

const isSubmission = ({ name, request }: Sent) => request.path.includes('/submit/') && !name.endsWith('_activity')

function requireOneActivityEach(versions: readonly Version[]): void {
  const first = new Set<string>()
  for (const { requestKey, version } of versions) {
    if (version !== 1) continue
    if (first.has(requestKey)) throw new Error('the same bytes are two activities')
    first.add(requestKey)
  }
}

function requireOneEnd(activityId: string, versions: readonly Version[], shown: Json): void {
  for (const [index, { version, status }] of versions.entries()) {
    if (version !== index + 1) throw new Error(`activity ${activityId} has version ${version} in place ${index + 1}`)
    if (isFinal(status as never) !== (index === versions.length - 1))
      throw new Error(`activity ${activityId} does not end once, but ${versions.map((each) => each.status)}`)
  }
  if (shown?.status !== versions.at(-1)?.status) throw new Error(`activity ${activityId} is shown as ${shown?.status}`)
}

/** In the order of commits, nothing that the key stamped begins after its deletion. */
function requireNothingAfterRevocation(
  deletions: readonly Done[],
  versions: readonly Version[],
  submissions: ReadonlyMap<string, Sent>,
): void {
  const deletedAt = new Map(deletions.flatMap(({ end, submission }) => submission.deletes.map((key) => [key, end.at])))
  for (const { version, at, requestKey } of versions) {
    const by = version === 1 ? submissions.get(requestKey)?.by : undefined
    if (by !== undefined && at > (deletedAt.get(by) ?? at))
      throw new Error(`${submissions.get(requestKey)?.name} was committed after the deletion of its key`)
  }
}

/** What members asked for was done with the approvals of enough distinct users who were members at that time. */
function requireQuorums(
  done: readonly Done[],
  shown: ReadonlyMap<string, Json>,
  { members, parentId }: Furnished,
): void {
  let quorum = { threshold: 1, userIds: members.map(({ userId }) => userId) }
  for (const { end, submission } of done.toSorted((one, other) => one.end.at - other.end.at)) {
    const { userId, organizationId, parameters, name } = submission
    const isForOneself = name.endsWith('_api_keys') && parameters.userId === userId
    const isOfMember = members.some((member) => member.userId === userId)
    if (isOfMember && organizationId === parentId && !isForOneself) {
      const votes: readonly Json[] = shown.get(end.activityId)?.votes ?? []
      const approving = new Set(
        votes.filter(({ selection }) => selection === 'VOTE_SELECTION_APPROVED').map((vote) => vote.userId),
      )
      const counted = quorum.userIds.filter((each) => approving.has(each)).length
      if (counted < quorum.threshold)
        throw new Error(`${name} was done with ${counted} approvals of ${quorum.threshold}`)
    }
    if (name === 'update_root_quorum') quorum = parameters as typeof quorum
  }
}
