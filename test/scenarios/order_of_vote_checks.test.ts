import { describe, expect, test } from 'vitest'
import { askVault } from '../support/ask_vault.ts'
import {
  allowOffice,
  type By,
  byFault,
  type Fault,
  office,
  readingProfile,
  type StampedRequest,
  scopeFault,
  sendStamped,
  sessionsOf,
  stampedFaults,
  stampedRequest,
  testOrder,
} from '../support/order_of_checks.ts'
import { expectRefused, newMfaPolicy, startOrganization } from '../support/organization.ts'
import type { ApiKeyPair } from '../support/stamping.ts'

/** A vote with two faults is answered for the fault that is checked first. So is another user's copy of the bytes. */

const organization = await startOrganization()
const { clock, rootUserId, rootKey, anotherUser, done } = organization
const sessionProfileId = await readingProfile(organization)
const keys = new Map<string, (by: By) => ApiKeyPair>()
const voters: string[] = []
for (const isOutsider of [true, false]) {
  for (const owesStep of [true, false]) {
    const user = await anotherUser(`${isOutsider ? 'outsider' : 'voter'} ${owesStep ? 'with a step' : 'without one'}`)
    if (!isOutsider) voters.push(user.userId)
    const condition = "activity.type == 'ACTIVITY_TYPE_UPDATE_ORGANIZATION_NAME'"
    if (owesStep) await done('create_mfa_policy', newMfaPolicy({ userId: user.userId, condition }))
    keys.set(nameOf({ isOutsider, owesStep }), await sessionsOf(organization, { ...user, sessionProfileId }))
  }
}
await allowOffice(organization)
await done('update_root_quorum', { threshold: 2, userIds: [rootUserId, ...voters] }, office)

function nameOf({ isOutsider, owesStep }: By): string {
  return [isOutsider, owesStep].map(Boolean).join()
}

function keyOf(by: By): ApiKeyPair {
  const keysOfUser = keys.get(nameOf(by))
  if (keysOfUser === undefined) throw new Error('every user has keys')
  return keysOfUser(by)
}

/** Submits an activity that waits for one more approval, and returns its request as it was sent. */
async function submitted(): Promise<StampedRequest & { readonly fingerprint: string }> {
  const request = stampedRequest(organization, {
    path: '/public/v1/submit/update_organization_name',
    type: 'ACTIVITY_TYPE_UPDATE_ORGANIZATION_NAME',
    parameters: { organizationName: `Renamed ${clock.nowMs}` },
  })
  const answer = await sendStamped(organization, request, () => rootKey)
  expect(answer.body.activity?.status, JSON.stringify(answer.body)).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED')
  return { ...request, fingerprint: answer.body.activity.fingerprint }
}

const old = await submitted()
clock.nowMs += 2 * 3_600_000
const waiting = await submitted()

const approvalOf = (fingerprint: string, by: By = {}): StampedRequest => ({
  ...stampedRequest(organization, {
    path: '/public/v1/submit/approve_activity',
    type: 'ACTIVITY_TYPE_APPROVE_ACTIVITY',
    parameters: { fingerprint },
  }),
  by,
})
const copyOf = (request: StampedRequest, by: By = {}): StampedRequest => ({ ...request, by })
const send = (request: StampedRequest) => sendStamped(organization, request, keyOf)

const { path, json, stamps, envelope, organization: named, key, signature, expiry, address, time } = stampedFaults
const identity = [key, signature, expiry, address]
const rights = [
  [scopeFault],
  [byFault('a user who was not asked', 403, 'you are not one of its voters', { isOutsider: true })],
  [byFault('a step that is due', 403, 'asks for', { owesStep: true })],
]

describe('approve_activity', () => {
  testOrder<StampedRequest>(
    [
      ...[path, json, stamps, envelope, named],
      ...identity,
      time,
      [
        {
          name: 'a parameter too many',
          status: 400,
          text: 'surprise must be left out',
          apply: (vote) => ({ ...vote, parameters: { ...vote.parameters, surprise: 1 } }),
        },
      ],
      [
        {
          name: 'no such activity',
          status: 404,
          text: 'No activity found with fingerprint',
          apply: (vote) => ({ ...vote, parameters: { ...vote.parameters, fingerprint: `sha256:${'0'.repeat(64)}` } }),
        },
      ],
      ...rights,
    ],
    { valid: () => approvalOf(waiting.fingerprint), send },
  )
})

describe("another user's copy of the bytes", () => {
  const isOld: Fault<StampedRequest> = {
    ...{ name: 'bytes of two hours ago', status: 400, text: 'timestampMs is outside the accepted window' },
    apply: (vote) => ({ ...vote, body: old.body, parameters: old.parameters }),
  }
  testOrder<StampedRequest>([stamps, ...identity, [isOld], ...rights], { valid: () => copyOf(waiting), send })
})

test('an approval without a fault is cast, by a vote and by a copy of the bytes', async () => {
  // One after the other: a name that was approved before another one was given is not given any more.
  const voted = await send(approvalOf((await submitted()).fingerprint))
  const copied = await send(copyOf(await submitted()))
  const answers = [voted, copied]
  expect(answers.map(({ body }) => body.activity?.status)).toEqual(Array(2).fill('ACTIVITY_STATUS_COMPLETED'))
})

describe('an activity that has ended', async () => {
  const ended = await submitted()
  expect((await send(approvalOf(ended.fingerprint))).status).toBe(200)
  const votes = {
    'by a vote': (by: By) => approvalOf(ended.fingerprint, by),
    'by a copy': (by: By) => copyOf(ended, by),
  }

  test.each(Object.entries(votes))('tells a narrow session no more than one that waits, %s', async (_, voteOf) => {
    expectRefused(await send(voteOf({ isNarrow: true })), 403, "the scope of this session's profile")
    expectRefused(await send(voteOf({ isNarrow: true, isOutsider: true })), 403, "the scope of this session's profile")
  })

  test.each(Object.entries(votes))('is shown to those who were asked, whatever they owe, %s', async (_, voteOf) => {
    expectRefused(await send(voteOf({ isOutsider: true })), 403, 'you are not one of its voters')
    expect((await send(voteOf({ owesStep: true }))).body.activity?.status).toBe('ACTIVITY_STATUS_COMPLETED')
  })
})

test('a trial of a vote is refused as the vote is, and casts none', async () => {
  const trialOf = async ({ by, path, body, parameters }: StampedRequest) => {
    const asked = { path, body: JSON.stringify({ ...body, parameters }) }
    return (await askVault(organization.server, asked, { stampedBy: keyOf(by), isTrial: true, ...office })).answer
  }
  const { fingerprint } = await submitted()
  for (const one of rights.flat()) {
    const answer = await trialOf(one.apply(approvalOf(fingerprint)))
    const body = answer.kind === 'answer' ? JSON.parse(Buffer.from(answer.body).toString('utf8')) : undefined
    expectRefused({ status: answer.kind === 'answer' ? answer.status : 0, body }, one.status, one.text)
  }
  expect(await trialOf(approvalOf(fingerprint))).toEqual({ kind: 'allowed', userId: expect.any(String) })
  const { activity } = await organization.found('get_activity', { activityId: await idOf(fingerprint) }, office)
  expect([activity.status, activity.votes.length]).toEqual(['ACTIVITY_STATUS_CONSENSUS_NEEDED', 1])
})

async function idOf(fingerprint: string): Promise<string> {
  const { activities } = await organization.found('list_activities', {}, office)
  return activities.find((activity: { fingerprint: string }) => activity.fingerprint === fingerprint).id
}
