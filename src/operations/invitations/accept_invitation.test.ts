import { describe, expect, test } from 'vitest'
import { type Invited, invite } from '../../../test/support/invitations.ts'
import {
  absentId,
  expectRefused,
  newAuthenticator,
  type Parameters,
  repeated,
  startOrganization,
} from '../../../test/support/organization.ts'
import { newPasskey } from '../../../test/support/passkeys.ts'
import { generateApiKey } from '../../../test/support/stamping.ts'

const organization = await startOrganization()
const { server, clock, organizationId, rootUserId, submit, query, done, found, anotherUser } = organization
const dayMs = 24 * 60 * 60 * 1_000

const asked = ({ invitationId, userId }: Invited, given: Parameters = {}) => ({
  ...{ invitationId, userId, authenticator: newAuthenticator() },
  ...given,
})
const accept = (invited: Invited, given: Parameters = {}) =>
  submit('accept_invitation', asked(invited, given), { apiKey: invited.linkKey })
const usersNow = async () => (await found('get_organization')).organizationData.users

test('the invited person becomes a user with the passkey and the tags, and is in no quorum', async () => {
  const { userTagId } = await done('create_user_tag', { userTagName: 'approver', userIds: [] })
  const gone = await done('create_user_tag', { userTagName: 'gone', userIds: [] })
  const receiverUserTags = [userTagId, gone.userTagId]
  const invited = await invite(organization, { receiverUserTags, receiverUserEmail: 'Ada@example.com' })
  await done('delete_user_tags', { userTagIds: [gone.userTagId] })
  expect(await usersNow()).toHaveLength(1)
  const who = { organizationId, organizationName: 'First', userId: invited.userId, username: 'Ada' }
  expect(await found('whoami', {}, { apiKey: invited.linkKey })).toEqual(who)

  const passkey = newPasskey('ES256')
  const { body } = await accept(invited, { authenticator: newAuthenticator({ passkey }) })
  const { invitationId, userId } = invited
  expect(body.activity).toMatchObject({
    type: 'ACTIVITY_TYPE_ACCEPT_INVITATION_V2',
    status: 'ACTIVITY_STATUS_COMPLETED',
    intent: { acceptInvitationIntentV2: { invitationId, userId } },
    result: { acceptInvitationResult: { invitationId, userId } },
  })
  expect((await found('get_user', { userId })).user).toMatchObject({
    ...{ userId, userName: 'Ada', userEmail: 'Ada@example.com', apiKeys: [], oauthProviders: [] },
    userTags: [userTagId],
    authenticators: [{ authenticatorName: expect.any(String) }],
  })
  expect(await found('whoami', {}, { passkey })).toEqual(who)
  const { invitations, rootQuorum } = (await found('get_organization', {}, { passkey })).organizationData
  expect(invitations).toMatchObject([{ invitationId, status: 'INVITATION_STATUS_ACCEPTED' }])
  expect(rootQuorum).toEqual({ threshold: 1, userIds: [rootUserId] })
  expectRefused(await submit('update_organization_name', { organizationName: 'Mine' }, { passkey }), 403)
})

test('its explanation names the invitation as what decided, and no rule', async () => {
  const { body } = await accept(await invite(organization))
  const { explanation } = await found('explain_activity', { activityId: body.activity.id })
  const decides = explanation.sections.find(({ kind }: { kind: string }) => kind === 'rule').rows[0]
  expect(decides).toEqual({ label: 'decides', value: { kind: 'code', code: 'invitationLink' } })
})

test('a link works once; only the bytes that succeeded are answered again', async () => {
  const invited = await invite(organization)
  const { body } = await accept(invited)
  const before = await usersNow()
  expectRefused(await accept(invited), 401, 'could not find public key in organization')
  expectRefused(await query('whoami', {}, { apiKey: invited.linkKey }), 401)
  const path = '/public/v1/submit/accept_invitation'
  const again = await server.post(path, body.activity.votes[0].message, invited.linkKey)
  expect([again.status, again.body.activity.id]).toEqual([200, body.activity.id])
  expect(await usersNow()).toEqual(before)
})

test('one of two simultaneous acceptances makes a user', async () => {
  const invited = await invite(organization)
  const before = await usersNow()
  const statuses = (await Promise.all(repeated(2, () => accept(invited)))).map(({ status }) => status)
  expect(statuses.sort()).toEqual([200, 401])
  expect(await usersNow()).toHaveLength(before.length + 1)
})

test('a link is refused from its expiry on', async () => {
  const invited = await invite(organization)
  clock.nowMs += 7 * dayMs - 5_000
  expect((await query('whoami', {}, { apiKey: invited.linkKey })).status).toBe(200)
  clock.nowMs += 5_000
  expectRefused(await accept(invited), 401, 'expired api key publicKey')
  expectRefused(await query('whoami', {}, { apiKey: invited.linkKey }), 401)
})

describe('anybody else is refused', () => {
  const text = 'only the link of this invitation may stamp this'

  test('a root user, a user, a stranger and a user of another organization', async () => {
    const invited = await invite(organization)
    expectRefused(await submit('accept_invitation', asked(invited)), 403, text)
    expectRefused(await submit('accept_invitation', asked(invited, { userId: rootUserId })), 403, text)
    const { apiKey, userId } = await anotherUser()
    expectRefused(await submit('accept_invitation', asked(invited, { userId }), { apiKey }), 403, text)
    expectRefused(await submit('accept_invitation', asked(invited), { apiKey: generateApiKey() }), 401)
    const other = await server.createOrganization()
    const elsewhere = { organizationId: other.organizationId, apiKey: invited.linkKey }
    expectRefused(await submit('accept_invitation', asked(invited), elsewhere), 401)
    expectRefused(await submit('accept_invitation', asked(invited), { apiKey: other.apiKey }), 401)
    expect((await accept(invited)).status).toBe(200)
  })

  test('the link of another invitation, for either person', async () => {
    const [one, other] = [await invite(organization), await invite(organization)]
    expectRefused(await accept(one, { userId: other.userId }), 403, text)
    const wrong = 'parameters.invitationId must be the invitation whose link stamps the request'
    expectRefused(await accept(one, { invitationId: other.invitationId }), 400, wrong)
    for (const invited of [one, other]) expect((await accept(invited)).status).toBe(200)
  })

  test('an invitation of a sub-organization by its parent’s root user', async () => {
    await done('set_organization_feature', { name: 'FEATURE_NAME_SUB_ORGANIZATION_MAILS', value: 'TEXTS' })
    const sub = await organization.subOrganization()
    const below = { organizationId: sub.organizationId, apiKey: sub.apiKey }
    const invited = await invite(organization, { senderUserId: sub.rootUserId }, below)
    const ask = { organizationId: sub.organizationId }
    expectRefused(await submit('accept_invitation', asked(invited), ask), 400, 'organization mismatch')
    expect((await submit('accept_invitation', asked(invited), { ...ask, apiKey: invited.linkKey })).status).toBe(200)
  })
})

describe('a refused request leaves the invitation open', () => {
  const at = 'parameters.authenticator'
  const taken = newPasskey('ES256')
  for (const [claim, change, status, text] of [
    ['an unknown invitation', { invitationId: absentId }, 404, `there is no invitation ${absentId}`],
    ['another user', { userId: absentId }, 403, 'only the link of this invitation'],
    ['no passkey', { authenticator: null }, 400, `${at} must be present`],
    ['another challenge', { authenticator: newAuthenticator({ challenge: 'AAAA' }) }, 400, `${at}.challenge must be`],
    ['a passkey of a user', { authenticator: newAuthenticator({ passkey: taken }) }, 400, `already in use: ${at}`],
  ] as const) {
    test(claim, async () => {
      if (claim === 'a passkey of a user') {
        const authenticators = [newAuthenticator({ passkey: taken })]
        await done('create_authenticators', { userId: rootUserId, authenticators })
      }
      const invited = await invite(organization)
      expectRefused(await accept(invited, change), status, text)
      expect((await accept(invited)).status).toBe(200)
    })
  }
})
