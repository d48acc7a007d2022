import { expect, test } from 'vitest'
import type { Activity } from '../../src/contract/records/activity.ts'
import { openActivity, sealActivity } from '../../src/vault/state/sealed_activity.ts'
import {
  newApiKey,
  newPolicy,
  newVelocityControl,
  startOrganization,
  type TestOrganization,
} from '../support/organization.ts'
import { openVaultSeals } from '../support/seals.ts'

/**
 * Each decision of a server in the process of a test is made again, from records alone (`support/decided_again.ts`). These
 * are decisions that no vault made: whoever holds the master seed can seal them.
 */

const createTag = "activity.kind == 'CREATE_USER_TAG'"
const completed = { status: 'ACTIVITY_STATUS_COMPLETED' } as const

/** Seals what becomes of an activity's newest version, as the next version or as another activity, and commits that. */
async function forge(
  { server, organizationId }: TestOrganization,
  { id: activityId }: { readonly id: string },
  change: (activity: Activity) => Activity,
): Promise<void> {
  const seals = await openVaultSeals(server)
  const [found] = await server.store.find([{ read: 'activity', organizationId, activityId }])
  if (found?.read !== 'activity' || found.row === undefined) throw new Error('the activity is there')
  const made = change(openActivity(seals, organizationId, found.row))
  const version = made.activityId === activityId ? found.row.version + 1 : 1
  const { type, status } = made
  const sealed = sealActivity(seals, made, version)
  const activity = {
    organizationId,
    activityId: made.activityId,
    requestKey: made.activityId,
    type,
    status,
    version,
    sealed,
  }
  const nothing = { readSet: [], heads: [], records: [], lookups: [], outbox: [], erasures: [] }
  await server.store.commit({ ...nothing, activities: [activity] })
}

/** The same activity again, a moment later. */
const again = (activity: Activity, change: Partial<Activity['votes'][number]>): Activity => ({
  ...activity,
  activityId: activity.activityId.replace(/^.{8}/, '01234567') as Activity['activityId'],
  votes: activity.votes.map((vote) => ({ ...vote, ...change })),
})

/** An organization with two root users who both must approve, a third user, and an activity that waits for one of them. */
async function startWaiting() {
  const organization = await startOrganization()
  const { done, submit, rootUserId, anotherUser } = organization
  const [second, outsider] = [await anotherUser('second'), await anotherUser('outsider')]
  await done('update_root_quorum', { threshold: 2, userIds: [rootUserId, second.userId] })
  const { body } = await submit('update_organization_name', { organizationName: 'Renamed' })
  const vote = ({ userId, apiKey }: typeof second) => ({ userId, publicKey: apiKey.publicKey }) as const
  return { ...organization, second, outsider, waiting: body.activity, vote }
}

const withVote = (activity: Activity, given: object): Activity => {
  const [submission] = activity.votes
  if (submission === undefined) throw new Error('an activity has a submission')
  return { ...activity, ...completed, votes: [...activity.votes, { ...submission, voteId: 'forged', ...given }] }
}

test('an approval that the root quorum asks for is decided again as it was', async () => {
  const { submit, waiting, second } = await startWaiting()
  const approved = await submit('approve_activity', { fingerprint: waiting.fingerprint }, second)
  expect(approved.body.activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
})

test('an activity that no rule allowed is found: a user approves who has no vote', async () => {
  const organization = await startWaiting()
  const { waiting, outsider, vote } = organization
  const forged = forge(organization, waiting, (activity) => withVote(activity, vote(outsider)))
  await expect(forged).rejects.toThrow('others decide about this activity')
})

test('a vote by a key that was deleted before is found', async () => {
  const organization = await startWaiting()
  const { waiting, second, vote, done, found } = organization
  const { userId } = second
  const { apiKeys } = await found('get_api_keys', { userId })
  await done('create_api_keys', { userId, apiKeys: [newApiKey()] }, second)
  await done('delete_api_keys', { userId, apiKeyIds: [apiKeys[0].apiKeyId] }, second)
  const forged = forge(organization, waiting, (activity) => withVote(activity, vote(second)))
  await expect(forged).rejects.toThrow('ACTIVITY_STATUS_COMPLETED, and it should be ACTIVITY_STATUS_CONSENSUS_NEEDED')
})

test('an activity that waited without the quorum, or runs without its last approval, is found', async () => {
  const organization = await startWaiting()
  const forged = forge(organization, organization.waiting, (activity) => ({ ...again(activity, {}), ...completed }))
  await expect(forged).rejects.toThrow('ACTIVITY_STATUS_COMPLETED, and it should be ACTIVITY_STATUS_CONSENSUS_NEEDED')
})

test('more than a velocity control leaves is found, and an outcome of a policy that was none', async () => {
  const organization = await startOrganization()
  const { done, submit, anotherUser, clock } = organization
  const ada = await anotherUser('ada')
  const aggregation = { method: 'VELOCITY_CONTROL_AGGREGATION_METHOD_COUNT', threshold: '1' }
  const filter = { activity: [{ activityType: 'ACTIVITY_TYPE_CREATE_USER_TAG' }] }
  await done(
    'create_velocity_control',
    newVelocityControl({ dataSource: { activityExecution: { filter } }, aggregation }),
  )
  const condition = `${createTag} && controls.daily`
  const { policyId } = await done('create_policy', newPolicy({ effect: 'EFFECT_ALLOW', condition }))
  const { body } = await submit('create_user_tag', { userTagName: 'one', userIds: [] }, ada)
  expect(body.activity.status).toBe(completed.status)
  const message = (vote: Activity['votes'][number]) => vote.message.replace('"one"', '"two"')
  const twice = (activity: Activity) =>
    again(activity, { createdAtMs: clock.nowMs + 1, message: activity.votes.map(message)[0] ?? '' })
  await expect(forge(organization, body.activity, twice)).rejects.toThrow('No policies evaluated to outcome: Allow')
  await done('update_policy', { policyId, policyCondition: createTag })
  const denied = (activity: Activity) =>
    again(twice(activity), { policiesByOutcome: { OUTCOME_DENY_EXPLICIT: [policyId] } })
  await expect(forge(organization, body.activity, denied)).rejects.toThrow('OUTCOME_DENY_EXPLICIT')
})
