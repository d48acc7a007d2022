import { expect, test } from 'vitest'
import {
  expectRefused,
  newApiKey,
  newAuthenticator,
  newPolicy,
  newUser,
  repeated,
  startOrganization,
} from '../support/organization.ts'
import { newPasskey } from '../support/passkeys.ts'
import { generateApiKey } from '../support/stamping.ts'

test('what two of a hundred users decide by passkey is stopped by nobody who adds credentials', async () => {
  const { done, submit, anotherUser } = await startOrganization()
  const { userTagId } = await done('create_user_tag', { userTagName: 'Treasury', userIds: [] })
  const [bob, mallory] = [await anotherUser('bob'), await anotherUser('mallory')]
  const passkeys = [newPasskey('ES256'), newPasskey('ES256')]
  const treasury = passkeys.map((passkey, index) =>
    newUser({ userName: `treasury ${index}`, userTags: [userTagId], authenticators: [newAuthenticator({ passkey })] }),
  )
  await done('create_users', { users: treasury })
  for (const first of [0, 20, 40, 60, 80]) {
    const named = (index: number) => ({ userName: `user ${first + index}` })
    const users = repeated(first === 80 ? 15 : 20, (index) =>
      newUser({ ...named(index), apiKeys: [newApiKey()], authenticators: [newAuthenticator()] }),
    )
    await done('create_users', { users })
  }
  const { userId } = mallory
  await submit('create_api_keys', { userId, apiKeys: repeated(9, () => newApiKey()) }, mallory)
  await submit('create_authenticators', { userId, authenticators: repeated(10, () => newAuthenticator()) }, mallory)
  for (const _ of repeated(10, () => '')) {
    const { publicKey } = generateApiKey()
    await submit('stamp_login', { publicKey }, mallory)
  }

  const byPasskey =
    "credentials.any(used, used.user_id == user.id && used.type == 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR')"
  const consensus = `approvers.filter(user, user.tags.contains('${userTagId}') && ${byPasskey}).count() >= 2`
  const condition = "activity.resource == 'WALLET' && activity.action == 'CREATE'"
  for (const policyName of repeated(14, (index) => `two of the treasury ${index}`)) {
    await done('create_policy', newPolicy({ effect: 'EFFECT_ALLOW', policyName, consensus, condition }))
  }
  const { body } = await submit('create_wallet', { walletName: 'shared', accounts: [] }, bob)
  expect(body.activity?.status, JSON.stringify(body)).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED')
  const { fingerprint } = body.activity
  expectRefused(await submit('reject_activity', { fingerprint }, mallory), 403)
  const statuses: unknown[] = []
  for (const passkey of passkeys) {
    statuses.push((await submit('approve_activity', { fingerprint }, { passkey })).body.activity?.status)
  }
  expect(statuses).toEqual(['ACTIVITY_STATUS_CONSENSUS_NEEDED', 'ACTIVITY_STATUS_COMPLETED'])
}, 120_000)
