import { expect, test } from 'vitest'
import { newApiKey, newAuthenticator, newPolicy, newUser, startOrganization } from '../support/organization.ts'
import { newPasskey } from '../support/passkeys.ts'
import { generateApiKey } from '../support/stamping.ts'

/** What waits for approvals that nobody can give waits for ever, so it is denied at once (rule 4 of docs/policies.md). */

const waits = 'ACTIVITY_STATUS_CONSENSUS_NEEDED'

async function startWith(consensusOf: (userId: string) => string) {
  const organization = await startOrganization()
  const { done, submit, anotherUser } = organization
  const [ada, bob] = [await anotherUser('ada'), await anotherUser('bob')]
  const policyOf = (userId: string) =>
    newPolicy({ effect: 'EFFECT_ALLOW', condition: "activity.kind == 'CREATE_WALLET'", consensus: consensusOf(userId) })
  const ask = (by: Parameters<typeof submit>[2] = bob) => submit('create_wallet', { walletName: 'w', accounts: [] }, by)
  const refused = async (by?: Parameters<typeof submit>[2]) => {
    const answer = await ask(by)
    expect([answer.status, answer.body.activity?.status]).toEqual([403, undefined])
  }
  const waiting = async (by?: Parameters<typeof submit>[2]) => {
    const answer = await ask(by)
    expect(answer.body.activity?.status, JSON.stringify(answer.body)).toBe(waits)
  }
  return {
    ...organization,
    ada,
    bob,
    refused,
    waiting,
    allow: (userId: string) => done('create_policy', policyOf(userId)),
  }
}

test('two factors of a user who has a key and its sessions: denied until there is a second one', async () => {
  const { done, ada, allow, refused, waiting } = await startWith(
    (userId) => `credentials.filter(used, used.user_id == '${userId}').count() >= 2`,
  )
  await allow(ada.userId)
  for (const _ of [1, 2]) await done('stamp_login', { publicKey: generateApiKey().publicKey }, ada)
  await refused()
  await refused(ada)
  const passkey = newPasskey('ES256')
  await done('create_authenticators', { userId: ada.userId, authenticators: [newAuthenticator({ passkey })] }, ada)
  await waiting()
  await waiting(ada)
})

test('a key and a session of one user, which are one factor: denied until another login opens a session', async () => {
  const typed = (userId: string, type: string) =>
    `credentials.any(used, used.user_id == '${userId}' && used.type == '${type}')`
  const { done, ada, allow, refused, waiting } = await startWith(
    (userId) => `${typed(userId, 'CREDENTIAL_TYPE_API_KEY_P256')} && ${typed(userId, 'CREDENTIAL_TYPE_LOGIN')}`,
  )
  await allow(ada.userId)
  await done('stamp_login', { publicKey: generateApiKey().publicKey }, ada)
  await refused()
  const [passkey, { publicKey }] = [newPasskey('ES256'), generateApiKey()]
  await done('create_authenticators', { userId: ada.userId, authenticators: [newAuthenticator({ passkey })] }, ada)
  await done('stamp_login', { publicKey }, { passkey })
  await waiting()
})

test('two factors of any users: each user with a key and a session has one', async () => {
  const { done, ada, bob, allow, refused, waiting, anotherUser } = await startWith(() => 'credentials.count() >= 4')
  await allow('')
  for (const user of [ada, bob]) await done('stamp_login', { publicKey: generateApiKey().publicKey }, user)
  await refused()
  await anotherUser('cy')
  await waiting()
})

test('an API key that has expired: denied, also by the tag of a user who has nothing else', async () => {
  const byKey = (userId: string) =>
    `credentials.any(used, used.user_id == '${userId}' && used.type == 'CREDENTIAL_TYPE_API_KEY_P256')`
  for (const consensusOf of [byKey, (userId: string) => `approvers.any(user, user.id == '${userId}')`]) {
    const { done, clock, allow, refused, waiting, submit, bob } = await startWith(consensusOf)
    const { publicKey } = generateApiKey()
    const apiKeys = [newApiKey({ publicKey, expirationSeconds: '60' })]
    const { userIds } = await done('create_users', { users: [newUser({ userName: 'short', apiKeys })] })
    await allow(userIds[0])
    await waiting()
    clock.nowMs += 60_000
    await refused()
    await done('create_api_keys', {
      userId: userIds[0],
      apiKeys: [newApiKey({ publicKey: generateApiKey().publicKey })],
    })
    await waiting()
    expect((await submit('create_wallet', { walletName: 'w', accounts: [] }, bob)).body.activity.status).toBe(waits)
  }
})

test('a user without a key who has an address may log in, and what asks for that user waits', async () => {
  const { done, allow, waiting } = await startWith((userId) => `approvers.any(user, user.id == '${userId}')`)
  const users = [newUser({ userName: 'mail', userEmail: 'mail@example.org' })]
  const { userIds } = await done('create_users', { users })
  await allow(userIds[0])
  await waiting()
})
