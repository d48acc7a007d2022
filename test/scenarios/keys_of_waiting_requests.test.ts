import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { by } from '../support/changed_since.ts'
import { clientSignatureOf, loginsOf } from '../support/logins.ts'
import { expectRefused, newApiKey, newPolicy, newUser, type Parameters } from '../support/organization.ts'
import { startOrganizationWithIssuer } from '../support/organization_with_issuer.ts'
import { generateApiKey } from '../support/stamping.ts'

/** A backend asks for many users. A key for which it asked for one of them is kept for that one. */

const organization = await startOrganizationWithIssuer()
const { clock, idToken, done, submit, anotherUser } = organization
const { tokenFor, newMailUser } = await loginsOf(organization)
const [backend, ada] = [await anotherUser('backend'), await anotherUser('ada')]
const resources = ['AUTH', 'CREDENTIAL', 'USER'].map((resource) => `activity.resource == '${resource}'`)
const consensus = `${by(backend.userId)} && ${by(ada.userId)}`
await done('create_policy', newPolicy({ effect: 'EFFECT_ALLOW', condition: resources.join(' || '), consensus }))

type Asks = (publicKey: string) => Promise<readonly [operation: string, parameters: Parameters]>
type ForSomebody = () => Promise<Asks>

/** For each operation: how the backend asks for a key for one more user, each time anew. */
const loginByCode: ForSomebody = async () => {
  const { contact } = await newMailUser()
  return async (publicKey) => {
    // No more codes go to an address in a while.
    clock.nowMs += 300_000
    const clientKey = generateApiKey()
    const verificationToken = await tokenFor(contact, clientKey)
    const clientSignature = clientSignatureOf({ verificationToken, clientKey, publicKey })
    return ['otp_login', { verificationToken, publicKey, clientSignature }]
  }
}
const loginByIdentity: ForSomebody = async () => {
  const { userId, apiKey } = await anotherUser(`user ${crypto.randomUUID()}`)
  const oauthProviders = [{ providerName: 'Issuer', oidcToken: idToken({ sub: userId }) }]
  await done('create_oauth_providers', { userId, oauthProviders }, { apiKey })
  return async (publicKey) => {
    const nonce = createHash('sha256').update(publicKey).digest('hex')
    return ['oauth_login', { oidcToken: idToken({ sub: userId, nonce }), publicKey }]
  }
}
const keyOfUser: ForSomebody = async () => {
  const { userId } = await anotherUser(`user ${crypto.randomUUID()}`)
  return async (publicKey) => ['create_api_keys', { userId, apiKeys: [newApiKey({ publicKey })] }]
}
const newOne: ForSomebody = async () => {
  const userName = `user ${crypto.randomUUID()}`
  return async (publicKey) => ['create_users', { users: [newUser({ userName, apiKeys: [newApiKey({ publicKey })] })] }]
}

async function ask(asks: Asks, publicKey: string) {
  clock.nowMs += 1_000
  const [operation, parameters] = await asks(publicKey)
  return submit(operation, parameters, backend)
}

test.each([
  ['otp_login', loginByCode],
  ['oauth_login', loginByIdentity],
  ['create_api_keys', keyOfUser],
  ['create_users', newOne],
])('a key for which %s waits goes to no other user for whom the same backend asks', async (_, forSomebody) => {
  const [first, second] = [await forSomebody(), await forSomebody()]
  const { publicKey } = generateApiKey()
  const waiting = await ask(first, publicKey)
  expect(waiting.body.activity.status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED')
  expectRefused(await ask(second, publicKey), 400, 'asked for by a request that waits')
  const { fingerprint } = waiting.body.activity
  const ended = await submit('approve_activity', { fingerprint }, ada)
  expect(ended.body.activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
})

test.each([
  ['otp_login', loginByCode],
  ['oauth_login', loginByIdentity],
  ['create_api_keys', keyOfUser],
])('a backend may ask by %s again for the same user', async (_, forSomebody) => {
  const somebody = await forSomebody()
  const { publicKey } = generateApiKey()
  for (const time of [1, 2]) {
    const { body } = await ask(somebody, publicKey)
    expect(body.activity?.status, `${time} ${body.message}`).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED')
  }
})

test('a key for which a login waits goes to no other user by another operation of the same backend', async () => {
  const [login, other] = [await loginByCode(), await keyOfUser()]
  const { publicKey } = generateApiKey()
  await ask(login, publicKey)
  expectRefused(await ask(other, publicKey), 400, 'asked for by a request that waits')
})
