import { expect, test } from 'vitest'
import { invite } from '../../../test/support/invitations.ts'
import { absentId, expectRefused, newAuthenticator, startOrganization } from '../../../test/support/organization.ts'

const organization = await startOrganization()
const { submit, query, done, found, anotherUser } = organization

test('the link of a deleted invitation is nobody’s', async () => {
  const { invitationId, userId, linkKey } = await invite(organization)
  expect(await done('delete_invitation', { invitationId })).toEqual({ invitationId })
  const parameters = { invitationId, userId, authenticator: newAuthenticator() }
  expectRefused(await submit('accept_invitation', parameters, { apiKey: linkKey }), 401, 'could not find public key')
  expectRefused(await query('whoami', {}, { apiKey: linkKey }), 401)
  const { invitations, users } = (await found('get_organization')).organizationData
  expect(invitations).toMatchObject([{ invitationId, status: 'INVITATION_STATUS_REVOKED' }])
  expect(users).toHaveLength(1)
})

test('an invitation ends once', async () => {
  const deleted = await invite(organization)
  await done('delete_invitation', { invitationId: deleted.invitationId })
  const accepted = await invite(organization)
  const { invitationId, userId, linkKey } = accepted
  await done('accept_invitation', { invitationId, userId, authenticator: newAuthenticator() }, { apiKey: linkKey })
  for (const invitationId of [deleted.invitationId, accepted.invitationId]) {
    const text = 'the invitation was accepted or deleted before; delete_users removes a user'
    expectRefused(await submit('delete_invitation', { invitationId }), 400, text)
  }
})

test('an unknown invitation, and a user outside of the root quorum, are refused', async () => {
  const { invitationId } = await invite(organization)
  const { apiKey } = await anotherUser()
  expectRefused(await submit('delete_invitation', { invitationId: absentId }), 404)
  expectRefused(await submit('delete_invitation', { invitationId }, { apiKey }), 403)
})
