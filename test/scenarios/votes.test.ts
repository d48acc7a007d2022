import { describe, expect, test } from 'vitest'
import type { Limits } from '../../src/contract/limits.ts'
import { type Flow, loginsOf, passcodeFor } from '../support/logins.ts'
import {
  expectRefused,
  newApiKey,
  newAuthenticator,
  newPolicy,
  newPrivateKey,
  type Parameters,
  startOrganization,
  type TestOrganization,
} from '../support/organization.ts'
import { newPasskey } from '../support/passkeys.ts'
import { type ApiKeyPair, generateApiKey } from '../support/stamping.ts'

/** Activities of an organization whose root quorum is more than one user. */

const hourMs = 60 * 60 * 1000

type Member = { readonly userId: string; readonly apiKey: ApiKeyPair }
type Voting = TestOrganization & {
  readonly root: Member
  readonly others: readonly Member[]
  readonly outsider: Member
}

/** Starts an organization with three root users, of whom two must approve, and a user outside the quorum. */
async function startQuorum(limits: Partial<Limits> = {}): Promise<Voting> {
  const organization = await startOrganization({ limits })
  const { rootUserId, rootKey, anotherUser, done } = organization
  const others = [await anotherUser('second'), await anotherUser('third')]
  const outsider = await anotherUser('outsider')
  const userIds = [rootUserId, ...others.map(({ userId }) => userId)]
  expect(await done('update_root_quorum', { threshold: 2, userIds })).toStrictEqual({})
  return { ...organization, root: { userId: rootUserId, apiKey: rootKey }, others, outsider }
}

/** Submits an activity, which then waits for one more approval. */
async function submitted({ submit }: Voting, organizationName = 'Renamed') {
  const { status, body } = await submit('update_organization_name', { organizationName })
  expect(status, JSON.stringify(body)).toBe(200)
  return body.activity
}

const nameOf = async ({ found }: Voting) => (await found('whoami')).organizationName

describe('an approval by a session', () => {
  async function bySession() {
    const organization = await startQuorum()
    const { submit, done, rootUserId, others } = organization
    const session = generateApiKey()
    await done('stamp_login', { publicKey: session.publicKey, expirationSeconds: '60' })
    const given = { organizationName: 'Renamed' }
    const { fingerprint } = (await submit('update_organization_name', given, { apiKey: session })).body.activity
    const approve = async (apiKey = others[0]?.apiKey) =>
      (await submit('approve_activity', { fingerprint }, { apiKey: apiKey as ApiKeyPair })).body
    const end = async () => {
      const { apiKeys } = await organization.found('get_api_keys', { userId: rootUserId })
      const { apiKeyId } = apiKeys.find(
        (key: { credential: { publicKey: string } }) => key.credential.publicKey === session.publicKey,
      )
      // Its own user may end it, without the quorum.
      await done('delete_api_keys', { userId: rootUserId, apiKeyIds: [apiKeyId] })
    }
    return { ...organization, session, approve, end }
  }

  test('counts after the session has expired, which can approve nothing any more', async () => {
    const { clock, approve, session, found } = await bySession()
    clock.nowMs += hourMs
    expect(await approve(session)).toMatchObject({ code: 16 })
    expect((await approve()).activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
    expect((await found('whoami')).organizationName).toBe('Renamed')
  })

  test('counts no more once the session was ended, also after its time', async () => {
    for (const waitMs of [0, hourMs]) {
      const { clock, approve, end, others, found } = await bySession()
      clock.nowMs += waitMs
      await end()
      expect((await approve()).activity.status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED')
      expect((await found('whoami')).organizationName).not.toBe('Renamed')
      expect((await approve(others[1]?.apiKey)).activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
    }
  })
})

test('an approval counts no more once its key was deleted, also where the same key is added again', async () => {
  const organization = await startQuorum()
  const { clock, submit, done, found, others } = organization
  const [second, third] = others as [Member, Member]
  const more = generateApiKey()
  const addKey = () =>
    done('create_api_keys', { userId: second.userId, apiKeys: [newApiKey({ publicKey: more.publicKey })] }, second)
  const { apiKeyIds } = await addKey()
  const asked = (await submit('update_organization_name', { organizationName: 'Other' }, { apiKey: more })).body
    .activity
  await done('delete_api_keys', { userId: second.userId, apiKeyIds }, second)
  clock.nowMs += 1
  await addKey()
  const approved = await submit('approve_activity', { fingerprint: asked.fingerprint }, third)
  expect(approved.body.activity.status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED')
  expect((await found('whoami')).organizationName).not.toBe('Other')
})

test('a parent with a quorum of several cannot submit for a sub-organization: nobody could vote there', async () => {
  const organization = await startQuorum()
  const { submit, found, others } = organization
  const { publicKey } = generateApiKey()
  const rootUser = { userName: 'embedded', userEmail: 'embedded@example.org', apiKeys: [newApiKey({ publicKey })] }
  const rootUsers = [{ ...rootUser, authenticators: [], oauthProviders: [] }]
  const asked = await submit('create_sub_organization', {
    subOrganizationName: 'sub',
    rootUsers,
    rootQuorumThreshold: 1,
  })
  const { fingerprint } = asked.body.activity
  const { body } = await submit('approve_activity', { fingerprint }, { apiKey: others[0]?.apiKey as ApiKeyPair })
  const [result] = Object.values(body.activity.result) as readonly { readonly subOrganizationId: string }[]
  const organizationId = result?.subOrganizationId ?? ''
  const passcode = { otpType: 'OTP_TYPE_EMAIL', contact: 'embedded@example.org', appName: 'Test' }
  const refused = await submit('init_otp', passcode, { organizationId })
  expectRefused(refused, 403, 'the rules of the parent')
  expect((await found('list_activities', {}, { organizationId })).activities).toEqual([])
})

describe('with a threshold of two', () => {
  test('nothing happens before the second approval, and then it does', async () => {
    const organization = await startQuorum()
    const { others, submit, found, outsider } = organization
    const [second, third] = others
    const before = await nameOf(organization)
    const waiting = await submitted(organization)
    expect(waiting).toMatchObject({
      status: 'ACTIVITY_STATUS_CONSENSUS_NEEDED',
      result: {},
      canApprove: false,
      canReject: true,
    })
    expect(await nameOf(organization)).toBe(before)

    const seenBy = async (apiKey?: ApiKeyPair) =>
      (await found('get_activity', { activityId: waiting.id }, apiKey ? { apiKey } : {})).activity
    expect(await seenBy(second?.apiKey)).toMatchObject({ canApprove: true, canReject: true })
    expect(await seenBy(outsider.apiKey)).toMatchObject({ canApprove: false, canReject: false })

    const { fingerprint } = waiting
    const approved = await submit('approve_activity', { fingerprint }, { apiKey: second?.apiKey ?? outsider.apiKey })
    expect(approved.status, JSON.stringify(approved.body)).toBe(200)
    expect(approved.body.activity).toMatchObject({
      id: waiting.id,
      type: 'ACTIVITY_TYPE_UPDATE_ORGANIZATION_NAME',
      status: 'ACTIVITY_STATUS_COMPLETED',
      result: { updateOrganizationNameResult: { organizationName: 'Renamed' } },
      canApprove: false,
      canReject: false,
    })
    expect(approved.body.activity.votes.map((vote: { userId: string }) => vote.userId)).toEqual([
      organization.rootUserId,
      second?.userId,
    ])
    expect(await nameOf(organization)).toBe('Renamed')

    // A third vote on a completed activity changes nothing.
    const late = await submit('reject_activity', { fingerprint }, { apiKey: third?.apiKey ?? outsider.apiKey })
    expect(late.body.activity).toMatchObject({ status: 'ACTIVITY_STATUS_COMPLETED', votes: { length: 2 } })
  })

  test('several approvals of one user count as one', async () => {
    const organization = await startQuorum()
    const { fingerprint } = await submitted(organization)
    for (let time = 0; time < 3; time += 1) {
      const { body } = await organization.submit('approve_activity', { fingerprint })
      expect(body.activity).toMatchObject({ status: 'ACTIVITY_STATUS_CONSENSUS_NEEDED', votes: { length: 1 } })
    }
  })

  test('where the threshold has become one, the submitter of a waiting activity can have it run', async () => {
    const organization = await startQuorum()
    const { root, others, submit, found } = organization
    const { id, fingerprint } = await submitted(organization)
    const lowered = await submit('update_root_quorum', { threshold: 1, userIds: [root.userId] })
    const vote = { fingerprint: lowered.body.activity.fingerprint }
    await submit('approve_activity', vote, { apiKey: others[0]?.apiKey ?? root.apiKey })
    expect((await found('get_activity', { activityId: id })).activity).toMatchObject({ canApprove: true })
    const { body } = await submit('approve_activity', { fingerprint })
    expect(body.activity).toMatchObject({ status: 'ACTIVITY_STATUS_COMPLETED', canApprove: false })
    expect(await nameOf(organization)).toBe('Renamed')
  })

  test('one rejection ends the activity', async () => {
    const organization = await startQuorum()
    const [second, third] = organization.others
    const { fingerprint } = await submitted(organization)
    const apiKey = second?.apiKey ?? organization.rootKey
    const { body } = await organization.submit('reject_activity', { fingerprint }, { apiKey })
    expect(body.activity).toMatchObject({ status: 'ACTIVITY_STATUS_REJECTED', result: {} })
    const late = await organization.submit(
      'approve_activity',
      { fingerprint },
      { apiKey: third?.apiKey ?? organization.rootKey },
    )
    expect(late.body.activity.status).toBe('ACTIVITY_STATUS_REJECTED')
    expect(await nameOf(organization)).not.toBe('Renamed')
  })

  test('a user outside of the quorum can neither vote nor submit', async () => {
    const organization = await startQuorum()
    const { apiKey } = organization.outsider
    const { fingerprint } = await submitted(organization)
    for (const name of ['approve_activity', 'reject_activity']) {
      expectRefused(await organization.submit(name, { fingerprint }, { apiKey }), 403)
    }
    expectRefused(await organization.submit('update_organization_name', { organizationName: 'No' }, { apiKey }), 403)
  })

  test('a user changes its own credentials without the quorum', async () => {
    const { submit, outsider } = await startQuorum()
    const parameters = { userId: outsider.userId, apiKeys: [newApiKey()] }
    const { body } = await submit('create_api_keys', parameters, { apiKey: outsider.apiKey })
    expect(body.activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
  })

  test('the same bytes from another member are its approval', async () => {
    const organization = await startQuorum()
    const { server, clock, organizationId, rootKey, others, outsider } = organization
    clock.nowMs += 1
    const body = {
      type: 'ACTIVITY_TYPE_UPDATE_ORGANIZATION_NAME',
      timestampMs: String(clock.nowMs),
      organizationId,
      parameters: { organizationName: 'Both' },
    }
    const path = '/public/v1/submit/update_organization_name'
    const first = await server.post(path, body, rootKey)
    expect(first.body.activity.status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED')
    expectRefused(await server.post(path, body, outsider.apiKey), 403)
    const second = await server.post(path, body, others[0]?.apiKey ?? rootKey)
    expect(second.body.activity).toMatchObject({ id: first.body.activity.id, status: 'ACTIVITY_STATUS_COMPLETED' })
  })

  test('two last votes that race run the activity once', async () => {
    const organization = await startQuorum()
    const { others, submit } = organization
    const walletName = 'only one'
    const { body } = await submit('create_wallet', { walletName, accounts: [] })
    const { fingerprint } = body.activity
    const votes = await Promise.all(others.map(({ apiKey }) => submit('approve_activity', { fingerprint }, { apiKey })))
    const results = votes.map((vote) => vote.body.activity.result.createWalletResult.walletId)
    expect(new Set(results).size).toBe(1)
    expect((await organization.found('list_wallets')).wallets).toHaveLength(1)
  })

  test('approvals lapse after a day and must be given again', async () => {
    const organization = await startQuorum()
    const { clock, submit, others, rootKey } = organization
    const { fingerprint } = await submitted(organization)
    clock.nowMs += 24 * hourMs
    const vote = async (apiKey: ApiKeyPair) =>
      (await submit('approve_activity', { fingerprint }, { apiKey })).body.activity
    expect(await vote(others[0]?.apiKey ?? rootKey)).toMatchObject({ status: 'ACTIVITY_STATUS_CONSENSUS_NEEDED' })
    // The submitter's comes first: an earlier one of somebody else could be let go at a moment of choice.
    expect(await vote(rootKey)).toMatchObject({ status: 'ACTIVITY_STATUS_CONSENSUS_NEEDED' })
    expect(await vote(others[0]?.apiKey ?? rootKey)).toMatchObject({ status: 'ACTIVITY_STATUS_COMPLETED' })
  })

  test('the vote of a member who has left the quorum does not count', async () => {
    const organization = await startQuorum()
    const { others, submit } = organization
    const [second, third] = others as [Member, Member]
    const { fingerprint } = await submitted(organization)
    const vote = async (given: Parameters, { apiKey }: Member) =>
      (await submit('approve_activity', given, { apiKey })).body.activity

    const userIds = [second.userId, third.userId]
    const left = (await submit('update_root_quorum', { threshold: 2, userIds })).body.activity
    expect(await vote({ fingerprint: left.fingerprint }, second)).toMatchObject({ status: 'ACTIVITY_STATUS_COMPLETED' })

    expect(await vote({ fingerprint }, second)).toMatchObject({ status: 'ACTIVITY_STATUS_CONSENSUS_NEEDED' })
    expect(await vote({ fingerprint }, third)).toMatchObject({ status: 'ACTIVITY_STATUS_COMPLETED' })
  })

  test('a vote by a key that is deleted does not count', async () => {
    const organization = await startQuorum()
    const { others, submit, root, rootUserId, rootKey } = organization
    const [second, third] = others as [Member, Member]
    const { fingerprint } = await submitted(organization)

    // The submitter's key is deleted. Another key remains, so the member could still approve.
    const newKey = generateApiKey()
    const apiKeys = [newApiKey({ publicKey: newKey.publicKey })]
    const { body } = await submit('create_api_keys', { userId: rootUserId, apiKeys })
    expect(body.activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
    const keys = (await organization.found('get_api_keys', { userId: root.userId })).apiKeys
    const old = keys.find(
      (key: { credential: { publicKey: string } }) => key.credential.publicKey === rootKey.publicKey,
    )
    await submit('delete_api_keys', { userId: rootUserId, apiKeyIds: [old.apiKeyId] }, { apiKey: newKey })

    const vote = async (apiKey: ApiKeyPair) =>
      (await submit('approve_activity', { fingerprint }, { apiKey })).body.activity
    expect(await vote(second.apiKey)).toMatchObject({ status: 'ACTIVITY_STATUS_CONSENSUS_NEEDED' })
    expect(await vote(third.apiKey)).toMatchObject({ status: 'ACTIVITY_STATUS_COMPLETED' })
  })

  test('one member alone cannot make the organization wait for more than it can carry', async () => {
    const organization = await startQuorum({ pendingActivitiesMax: 2 })
    const { fingerprint } = await submitted(organization)
    await submitted(organization)
    const { submit } = organization
    expectRefused(await submit('update_organization_name', { organizationName: 'Third' }), 429, 'at most 2 activities')
    expect((await submit('reject_activity', { fingerprint })).status).toBe(200)
    await submitted(organization)
  })

  test('users outside the quorum cannot fill it either: a tenth is kept for the quorum', async () => {
    const { submit, anotherUser, done, rootUserId } = await startOrganization({ limits: { pendingActivitiesMax: 10 } })
    const [second, outsider] = [await anotherUser('second'), await anotherUser('outsider')]
    await done('create_policy', newPolicy({ effect: 'EFFECT_ALLOW', consensus: 'approvers.count() >= 2' }))
    await done('update_root_quorum', { threshold: 2, userIds: [rootUserId, second.userId] })
    const ask = (walletName: string, asked = {}) => submit('create_wallet', { walletName, accounts: [] }, asked)
    for (let index = 0; index < 9; index += 1) expect((await ask(`w${index}`, outsider)).status).toBe(200)
    expectRefused(await ask('w9', outsider), 429, 'at most 9 activities')
    expect((await ask('w9')).status).toBe(200)
    expectRefused(await ask('w10'), 429, 'at most 10 activities')
  })

  test('one user outside the quorum cannot take the places of the others', async () => {
    const { submit, anotherUser, done, rootUserId } = await startOrganization({ limits: { pendingActivitiesMax: 100 } })
    const [second, outsider, other] = [
      await anotherUser('second'),
      await anotherUser('outsider'),
      await anotherUser('o'),
    ]
    await done('create_policy', newPolicy({ effect: 'EFFECT_ALLOW', consensus: 'approvers.count() >= 2' }))
    await done('update_root_quorum', { threshold: 2, userIds: [rootUserId, second.userId] })
    const ask = (walletName: string, asked = {}) => submit('create_wallet', { walletName, accounts: [] }, asked)
    for (let index = 0; index < 10; index += 1) expect((await ask(`w${index}`, outsider)).status).toBe(200)
    expectRefused(await ask('w10', outsider), 429, 'at most 10 activities')
    const { body } = await ask('w10', other)
    expect(body.activity.status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED')
    expect((await ask('w11')).status).toBe(200)
  })

  test.each([
    ['sign_transaction', { unsignedTransaction: '02zz', type: 'TRANSACTION_TYPE_ETHEREUM' }, 'unsignedTransaction'],
    [
      'sign_raw_payload',
      { payload: '{}', encoding: 'PAYLOAD_ENCODING_EIP712', hashFunction: 'HASH_FUNCTION_NO_OP' },
      'payload',
    ],
  ])('%s of what cannot be read is refused, and nobody is asked to vote on it', async (name, parameters, field) => {
    const { submit, found, anotherUser, done, rootUserId } = await startOrganization()
    const { privateKeys } = await done('create_private_keys', { privateKeys: [newPrivateKey()] })
    const second = await anotherUser('second')
    await done('update_root_quorum', { threshold: 2, userIds: [rootUserId, second.userId] })
    expectRefused(await submit(name, { ...parameters, signWith: privateKeys[0].privateKeyId }), 400, field)
    const { activities } = await found('list_activities', { filterByStatus: ['ACTIVITY_STATUS_CONSENSUS_NEEDED'] })
    expect(activities).toEqual([])
  })

  test('wrong passcodes are counted, because an organization could otherwise guess those of its users', async () => {
    const organization = await startQuorum()
    const { others, submit, server } = organization
    const apiKey = others[0]?.apiKey ?? organization.root.apiKey
    const approved = async (name: string, parameters: Parameters) => {
      const waiting = await submit(name, parameters)
      const { fingerprint, id: activityId } = waiting.body.activity
      expect((await submit('approve_activity', { fingerprint }, { apiKey })).status).toBe(200)
      // The flow's id is for its submitter only.
      return (await organization.found('get_activity', { activityId })).activity
    }
    const done = async (name: string, parameters: Parameters) =>
      Object.values((await approved(name, parameters)).result)[0]
    const { startFlow, encrypted } = await loginsOf({ server, done })
    const guess = async (flow: Flow, passcode: string) => {
      const encryptedOtpBundle = await encrypted(flow, passcode, generateApiKey())
      return approved('verify_otp', { otpId: flow.otpId, encryptedOtpBundle })
    }
    const refused = {
      status: 'ACTIVITY_STATUS_FAILED',
      failure: { message: expect.stringContaining('Invalid OTP code') },
    }
    for (const [contact, wrongOnes, last] of [
      ['user@example.org', 2, { status: 'ACTIVITY_STATUS_COMPLETED' }],
      ['victim@example.org', 3, refused],
    ] as const) {
      const flow = await startFlow(contact)
      for (let time = 0; time < wrongOnes; time += 1) expect(await guess(flow, 'WRONGCODE')).toMatchObject(refused)
      expect(await guess(flow, await passcodeFor(server, contact))).toMatchObject(last)
    }
  })

  test('an activity that can no longer be done fails at the last vote and changes nothing else', async () => {
    const organization = await startQuorum()
    const { others, submit, rootKey } = organization
    const apiKey = others[0]?.apiKey ?? rootKey
    const create = { walletName: 'same', accounts: [] }
    const first = (await submit('create_wallet', create)).body.activity
    const second = (await submit('create_wallet', create)).body.activity
    await submit('approve_activity', { fingerprint: first.fingerprint }, { apiKey })
    const { body } = await submit('approve_activity', { fingerprint: second.fingerprint }, { apiKey })
    expect(body.activity).toMatchObject({
      status: 'ACTIVITY_STATUS_FAILED',
      result: {},
      failure: { code: 3, message: expect.stringContaining('parameters.walletName'), details: expect.any(Array) },
    })
    expect((await organization.found('list_wallets')).wallets).toHaveLength(1)
  })
})

describe('a user whose approval a policy waits for', async () => {
  const organization = await startOrganization()
  const { submit, done, found, clock, anotherUser } = organization
  const [ada, bob, eve] = [await anotherUser('ada'), await anotherUser('bob'), await anotherUser('eve')]
  await done(
    'create_policy',
    newPolicy({
      ...{ policyName: 'mornings', effect: 'EFFECT_ALLOW', time: "CronSpan('0 0 * * *', '8h', 'UTC')" },
      ...{
        consensus: `approvers.any(user, user.id == '${ada.userId}')`,
        condition: "activity.kind == 'CREATE_USER_TAG'",
      },
    }),
  )
  let tags = 0
  /** Bob asks in the morning. In the evening the policy is closed. */
  async function askedThisMorning() {
    clock.nowMs += 24 * hourMs - (clock.nowMs % (24 * hourMs)) + hourMs
    tags += 1
    const { body } = await submit('create_user_tag', { userTagName: `tag ${tags}`, userIds: [] }, bob)
    expect(body.activity.status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED')
    clock.nowMs += 12 * hourMs
    return body.activity
  }
  const vote = (
    name: 'approve_activity' | 'reject_activity',
    { fingerprint }: { fingerprint: string },
    { apiKey }: Member,
  ) => submit(name, { fingerprint }, { apiKey })

  test('may reject also while the times of the policy are closed, and learns how it ended', async () => {
    const waiting = await askedThisMorning()
    const { body } = await vote('reject_activity', waiting, ada)
    expect(body.activity.status).toBe('ACTIVITY_STATUS_REJECTED')
    const ask = { apiKey: ada.apiKey }
    expect((await found('get_activity', { activityId: waiting.id }, ask)).activity.status).toBe(
      'ACTIVITY_STATUS_REJECTED',
    )
    expectRefused(await vote('approve_activity', waiting, eve), 403, 'you are not one of its voters')
  })

  test('may be one who is only told from who approved first', async () => {
    const condition = "activity.kind == 'CREATE_WALLET'"
    const consensus = `approvers.any(user, user.id != approvers[0].id && user.id == '${eve.userId}')`
    await done('create_policy', newPolicy({ policyName: 'four eyes', effect: 'EFFECT_ALLOW', condition, consensus }))
    const asked = await submit('create_wallet', { walletName: 'two', accounts: [] }, bob)
    expectRefused(await vote('approve_activity', asked.body.activity, ada), 403, 'you are not one of its voters')
    const { body } = await vote('approve_activity', asked.body.activity, eve)
    expect(body.activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
  })

  test('may approve again with the credential that a rule asks for, which changes nothing before', async () => {
    const passkey = newPasskey('ES256')
    const cy = await anotherUser('cy')
    await done('create_authenticators', { userId: cy.userId, authenticators: [newAuthenticator({ passkey })] })
    const byPasskey = "used.type == 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR'"
    await done(
      'create_policy',
      newPolicy({
        ...{ policyName: 'passkeys', effect: 'EFFECT_ALLOW', condition: "activity.kind == 'CREATE_PRIVATE_KEY_TAG'" },
        consensus: `credentials.any(used, used.user_id == '${cy.userId}' && ${byPasskey})`,
      }),
    )
    const asked = await submit('create_private_key_tag', { privateKeyTagName: 'cold', privateKeyIds: [] }, bob)
    const { fingerprint, status } = asked.body.activity
    expect(status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED')
    for (const time of [1, 2]) {
      const { body } = await vote('approve_activity', { fingerprint }, cy)
      expect([time, body.activity.status]).toEqual([time, 'ACTIVITY_STATUS_CONSENSUS_NEEDED'])
      expect(body.activity.votes).toHaveLength(2)
    }
    const { body } = await submit('approve_activity', { fingerprint }, { passkey })
    expect(body.activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
  })

  test('is told why an approval does not count then, and may give it later', async () => {
    const waiting = await askedThisMorning()
    expectRefused(await vote('approve_activity', waiting, ada), 403, 'no policy waits for your approval now: its times')
    for (const name of ['approve_activity', 'reject_activity'] as const) {
      expectRefused(await vote(name, waiting, eve), 403, 'you are not one of its voters')
    }
    clock.nowMs += 12 * hourMs
    // The submission has not lapsed: it was given less than a day ago at 00:30.
    clock.nowMs -= hourMs / 2
    expect((await vote('approve_activity', waiting, ada)).body.activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
  })
})

test.each([
  ['alone', false],
  ['beside one that waits', true],
])('a user may reject after a root user voted while the policy that asks is closed, %s', async (_name, isBeside) => {
  const { submit, done, clock, anotherUser, rootKey, rootUserId } = await startOrganization()
  const [ada, bob, eve] = [await anotherUser('ada'), await anotherUser('bob'), await anotherUser('eve')]
  const second = await anotherUser('second')
  const bothWith = ({ userId }: Member) => `approvers.count() > 2 && approvers.any(user, user.id == '${userId}')`
  const condition = "activity.kind == 'CREATE_USER_TAG'"
  const time = "CronSpan('0 0 * * *', '8h', 'UTC')"
  const policy = { effect: 'EFFECT_ALLOW', condition }
  await done('create_policy', newPolicy({ ...policy, policyName: 'mornings', time, consensus: bothWith(ada) }))
  if (isBeside) await done('create_policy', newPolicy({ ...policy, policyName: 'always', consensus: bothWith(eve) }))
  await done('update_root_quorum', { threshold: 2, userIds: [rootUserId, second.userId] })
  clock.nowMs += 24 * hourMs - (clock.nowMs % (24 * hourMs)) + hourMs
  const { body } = await submit('create_user_tag', { userTagName: 'tag', userIds: [] }, bob)
  const { fingerprint } = body.activity
  clock.nowMs += 12 * hourMs
  const voted = await submit('approve_activity', { fingerprint }, { apiKey: rootKey })
  expect(voted.body.activity.status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED')
  const rejected = await submit('reject_activity', { fingerprint }, { apiKey: ada.apiKey })
  expect(rejected.body.activity?.status, JSON.stringify(rejected.body)).toBe('ACTIVITY_STATUS_REJECTED')
})

test('a fingerprint of no activity is not found', async () => {
  const { submit } = await startOrganization()
  const fingerprint = `sha256:${'0'.repeat(64)}`
  expectRefused(
    await submit('approve_activity', { fingerprint }),
    404,
    'No activity found with fingerprint. Consensus activities must target an existing activity by fingerprint',
  )
  expectRefused(await submit('approve_activity', { fingerprint: 'sha256:' }), 400, 'parameters.fingerprint')
})
