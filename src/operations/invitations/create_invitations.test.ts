import { describe, expect, test } from 'vitest'
import { invite, linkIn, newInvitation } from '../../../test/support/invitations.ts'
import {
  absentId,
  expectRefused,
  newAuthenticator,
  type Parameters,
  repeated,
  startOrganization,
  timestamp,
  uuid,
} from '../../../test/support/organization.ts'
import { takeMails } from '../../../test/support/recovery.ts'

const organization = await startOrganization({ limits: { invitationsMax: 3 } })
const { server, clock, organizationId, rootUserId, submit, query, done, found, anotherUser } = organization
const { userTagId } = await done('create_user_tag', { userTagName: 'approver', userIds: [] })
const dayMs = 24 * 60 * 60 * 1_000

let createdCount = 0
/** Each person has an address of their own. */
const create = (...given: Parameters[]) => {
  const invitations = given.map((one) => {
    createdCount += 1
    return newInvitation(rootUserId, { receiverUserEmail: `person.${createdCount}@example.com`, ...one })
  })
  return submit('create_invitations', { invitations })
}

async function invitationsNow() {
  return (await found('get_organization')).organizationData.invitations
}

test('each person gets a link of their own, which nothing but the mail has', async () => {
  const receiverUserTags = [userTagId]
  const { body } = await create(
    { receiverUserTags, receiverUserEmail: 'ada@example.com' },
    { receiverUserName: 'Bob', receiverUserEmail: 'bob@example.com' },
  )
  const { invitationIds } = body.activity.result.createInvitationsResult
  expect(invitationIds).toEqual([uuid, uuid])

  const mails = await takeMails(server)
  expect(mails).toMatchObject([
    { to: 'ada@example.com', subject: 'Join First' },
    { to: 'bob@example.com', subject: 'Join First' },
  ])
  const [first, second] = mails.map(linkIn)
  if (first === undefined || second === undefined) throw new Error('there are two mails')
  expect([first.invitationId, second.invitationId]).toEqual(invitationIds)
  expect(first.link).toContain(`https://keys.example/#/invitation/${organizationId}/`)
  expect(mails[0]?.text).toContain('“root” invites you to join “First” as “Ada”.')
  expect(mails[0]?.html).toContain(`<a class="action" href="${first.link}">Join with a passkey</a>`)
  expect(first.linkKey).not.toEqual(second.linkKey)
  expect(JSON.stringify([body, await invitationsNow()])).not.toContain(first.linkKey.publicKey)

  expect((await invitationsNow())[0]).toStrictEqual({
    invitationId: invitationIds[0],
    receiverUserName: 'Ada',
    receiverEmail: 'ada@example.com',
    receiverUserTags: [userTagId],
    accessType: 'ACCESS_TYPE_WEB',
    status: 'INVITATION_STATUS_CREATED',
    createdAt: timestamp,
    updatedAt: timestamp,
    senderUserId: rootUserId,
  })
  for (const invitationId of invitationIds) await done('delete_invitation', { invitationId })
})

test('the same bytes sent again send no second mail', async () => {
  const { body } = await create({})
  const path = '/public/v1/submit/create_invitations'
  const again = await server.post(path, body.activity.votes[0].message, organization.rootKey)
  expect(again.body.activity.id).toBe(body.activity.id)
  expect(await takeMails(server)).toHaveLength(1)
  await done('delete_invitation', { invitationId: body.activity.result.createInvitationsResult.invitationIds[0] })
})

test('the mail names the user who asked, whoever is named as the sender', async () => {
  const { userId } = await anotherUser('colleague')
  const { mail, invitationId } = await invite(organization, { senderUserId: userId })
  expect(mail.text).toContain('“root” invites you to join “First”')
  expect(mail.text).not.toContain('colleague')
  const shown = (await invitationsNow()).find((one: Parameters) => one.invitationId === invitationId)
  expect(shown.senderUserId).toBe(userId)
  await done('delete_invitation', { invitationId })
})

test('texts of the request are escaped in the mail', async () => {
  const { mail, invitationId } = await invite(organization, { receiverUserName: `<b onclick='x'>&amp;` })
  expect(mail.html).toContain('as “&#60;b onclick=&#39;x&#39;&#62;&#38;amp;”.')
  expect(mail.html).not.toContain('<b ')
  await done('delete_invitation', { invitationId })
})

test('as many may be open as the limit says; ended ones make room, the oldest first', async () => {
  const before = await invitationsNow()
  expect(before).toHaveLength(3)
  expect(before.every(({ status }: Parameters) => status === 'INVITATION_STATUS_REVOKED')).toBe(true)
  const open = await invite(organization)
  const isThere = async (id: string) => (await invitationsNow()).some((one: Parameters) => one.invitationId === id)
  expect(await isThere(before[0].invitationId)).toBe(false)
  expect(await isThere(before[1].invitationId)).toBe(true)
  expect((await create({}, {})).status).toBe(200)
  expectRefused(await create({}), 429, 'at most 3 invitations that are open')
  // An expired one cannot be accepted any more.
  clock.nowMs += 7 * dayMs
  expect((await create({})).status).toBe(200)
  expect(await isThere(open.invitationId)).toBe(false)
  const authenticator = newAuthenticator()
  const parameters = { invitationId: open.invitationId, userId: open.userId, authenticator }
  expectRefused(await submit('accept_invitation', parameters, { apiKey: open.linkKey }), 401)
})

test('one address gets three invitations in three minutes at most, however often they are deleted', async () => {
  clock.nowMs += 7 * dayMs
  const to = (receiverUserEmail: string) => ({ receiverUserEmail })
  const refused = await create(to('eve@example.com'), to('EVE@example.com'), to('eve@example.com'))
  expect(refused.status).toBe(200)
  for (const invitationId of refused.body.activity.result.createInvitationsResult.invitationIds) {
    await done('delete_invitation', { invitationId })
  }
  await takeMails(server)
  const text = 'invitations[0].receiverUserEmail: at most 3 invitations to one address within 3 minutes'
  expectRefused(await create(to('eve@Example.com')), 429, text)
  expect(await takeMails(server)).toEqual([])
  clock.nowMs += 3 * 60 * 1_000
  expect((await create(to('eve@example.com'))).status).toBe(200)
})

test('four to one address in a request are refused at once: with votes they would wait for ever', async () => {
  const to = (receiverUserEmail: string) => ({ receiverUserEmail })
  const addresses = ['fay@example.com', 'fay@Example.com', 'gil@example.com', 'fay@example.com', 'FAY@example.com']
  const text = 'invitations[4].receiverUserEmail must be one of at most 3 to the same address'
  expectRefused(await create(...addresses.map(to)), 400, text)
})

describe('invalid requests are refused', () => {
  for (const [claim, change, status, text] of [
    ['no name', { receiverUserName: '' }, 400, 'invitations[0].receiverUserName must be a text'],
    ['a malformed address', { receiverUserEmail: 'ada' }, 400, 'invitations[0].receiverUserEmail must be an e-mail'],
    ['an unknown tag', { receiverUserTags: [absentId] }, 404, `there is no user tag ${absentId}`],
    ['an unknown sender', { senderUserId: absentId }, 404, `there is no user ${absentId}`],
    ['an unknown access type', { accessType: 'ALL' }, 400, 'invitations[0].accessType must be one of'],
    ['programs', { accessType: 'ACCESS_TYPE_API' }, 400, 'create_api_only_users makes users with API keys'],
  ] as const) {
    test(claim, async () => {
      await takeMails(server)
      expectRefused(await create(change), status, text)
      expect(await takeMails(server)).toEqual([])
    })
  }

  test('none and 101 invitations', async () => {
    expectRefused(await create(), 400, 'parameters.invitations must be a list of 1 to 100')
    expectRefused(await create(...repeated(101, () => ({}))), 400, 'parameters.invitations must be a list of 1 to 100')
  })

  test('a user outside of the root quorum, and a user of the parent', async () => {
    const { apiKey } = await anotherUser()
    const parameters = { invitations: [newInvitation(rootUserId)] }
    expectRefused(await submit('create_invitations', parameters, { apiKey }), 403)
    const sub = await organization.subOrganization()
    const below = { invitations: [newInvitation(sub.rootUserId)] }
    expectRefused(await submit('create_invitations', below, { organizationId: sub.organizationId }), 400, 'mismatch')
    expect((await query('whoami', {}, { apiKey })).status).toBe(200)
  })
})

test('a server that does not know its own address mails no link', async () => {
  const nameless = await startOrganization({ ownIssuer: null })
  const parameters = { invitations: [newInvitation(nameless.rootUserId)] }
  const { status, body } = await nameless.submit('create_invitations', parameters)
  expect([status, body.message]).toEqual([400, expect.stringContaining('ask its operator to set CLAVIGER_PUBLIC_URL')])
})
