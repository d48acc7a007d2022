import { expect, test } from 'vitest'
import { newAuthenticator, newPolicy, startOrganization } from '../support/organization.ts'
import { newPasskey } from '../support/passkeys.ts'
import { generateApiKey } from '../support/stamping.ts'

/** A consensus that asks for two credentials of one user asks for two factors, as steps of MFA policies do. */

async function startWithTwo() {
  const organization = await startOrganization()
  const { done, submit, anotherUser } = organization
  const [cy, bob] = [await anotherUser('cy'), await anotherUser('bob')]
  await done(
    'create_policy',
    newPolicy({
      effect: 'EFFECT_ALLOW',
      condition: "activity.kind == 'CREATE_WALLET'",
      consensus: `credentials.filter(used, used.user_id == '${cy.userId}').count() >= 2`,
    }),
  )
  async function voting() {
    const asked = await submit('create_wallet', { walletName: 'w', accounts: [] }, bob)
    const { fingerprint } = asked.body.activity
    return async (by: Parameters<typeof submit>[2]) =>
      (await submit('approve_activity', { fingerprint }, by)).body.activity?.status
  }
  return { ...organization, cy, voting }
}

const waits = 'ACTIVITY_STATUS_CONSENSUS_NEEDED'

test('a key and a session that it opened are one credential of a consensus, and another passkey is the second', async () => {
  const { done, cy, voting } = await startWithTwo()
  const [session, passkey] = [generateApiKey(), newPasskey('ES256')]
  await done('stamp_login', { publicKey: session.publicKey }, cy)
  await done('create_authenticators', { userId: cy.userId, authenticators: [newAuthenticator({ passkey })] }, cy)
  const approve = await voting()
  expect(await approve(cy)).toBe(waits)
  expect(await approve({ apiKey: session })).toBe(waits)
  expect(await approve({ passkey })).toBe('ACTIVITY_STATUS_COMPLETED')
})

test('one key that is registered as two passkeys is one credential of a consensus', async () => {
  const { done, cy, voting } = await startWithTwo()
  const passkey = newPasskey('ES256')
  const twin = { ...passkey, credentialId: Buffer.from('another credential id') }
  for (const one of [passkey, twin]) {
    const authenticators = [newAuthenticator({ passkey: one })]
    await done('create_authenticators', { userId: cy.userId, authenticators }, cy)
  }
  const approve = await voting()
  expect(await approve({ passkey })).toBe(waits)
  expect(await approve({ passkey: twin })).not.toBe('ACTIVITY_STATUS_COMPLETED')
  expect(await approve(cy)).toBe('ACTIVITY_STATUS_COMPLETED')
})

test('a key that approves after its session does not take the session away from a rule that asks for one', async () => {
  const { done, submit, anotherUser } = await startOrganization()
  const [ada, bob] = [await anotherUser('ada'), await anotherUser('bob')]
  const apiKey = generateApiKey()
  await done('stamp_login', { publicKey: apiKey.publicKey }, ada)
  const bySession = `credentials.any(used, used.user_id == '${ada.userId}' && used.type == 'CREDENTIAL_TYPE_LOGIN')`
  await done(
    'create_policy',
    newPolicy({
      effect: 'EFFECT_ALLOW',
      condition: "activity.kind == 'CREATE_WALLET'",
      consensus: `approvers.any(user, user.id == '${bob.userId}') && ${bySession}`,
    }),
  )
  const asked = await submit('create_wallet', { walletName: 'w', accounts: [] }, { apiKey })
  const { fingerprint } = asked.body.activity
  const approve = async (by: Parameters<typeof submit>[2]) =>
    (await submit('approve_activity', { fingerprint }, by)).body.activity?.status
  expect(await approve(ada)).toBe(waits)
  expect(await approve(bob)).toBe('ACTIVITY_STATUS_COMPLETED')
})
