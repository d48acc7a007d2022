import { expect, test } from 'vitest'
import { activityRequest } from '../support/client.ts'
import {
  type Answer,
  newApiKey,
  newAuthenticator,
  newUser,
  type Parameters,
  startOrganization,
} from '../support/organization.ts'
import { newPasskey, type SoftPasskey } from '../support/passkeys.ts'
import { recover } from '../support/recovery.ts'
import { type ApiKeyPair, generateApiKey } from '../support/stamping.ts'

/** The same bytes are the same activity, also when it removed the credential that stamped them. */

const organization = await startOrganization()
const { server, clock, organizationId, done, found } = organization
await done('create_policy', {
  policyName: 'credentials and users',
  effect: 'EFFECT_ALLOW',
  condition: "activity.resource in ['CREDENTIAL', 'USER']",
  notes: '',
})

let count = 0
/** Makes a user with two API keys and a passkey. */
async function newMember() {
  const [key, other, passkey] = [generateApiKey(), generateApiKey(), newPasskey('ES256')]
  const apiKeys = [key, other].map(({ publicKey }, index) => newApiKey({ publicKey, apiKeyName: `key ${index}` }))
  const userEmail = `user${++count}@example.org`
  const user = newUser({ userName: userEmail, userEmail, apiKeys, authenticators: [newAuthenticator({ passkey })] })
  const [userId] = (await done('create_users', { users: [user] })).userIds
  const shown = (await found('get_user', { userId })).user
  return {
    ...{ userId, userEmail, key, other, passkey },
    apiKeyId: shown.apiKeys[0].apiKeyId as string,
    authenticatorId: shown.authenticators[0].authenticatorId as string,
  }
}
type Member = Awaited<ReturnType<typeof newMember>>
type Signer = ApiKeyPair | SoftPasskey

/** What removes the signer's own credential: the operation, its parameters and the signer. */
const removals: Readonly<
  Record<
    string,
    (own: Member) => Promise<readonly [string, Parameters, Signer]> | readonly [string, Parameters, Signer]
  >
> = {
  'the own API key is deleted': ({ userId, apiKeyId, key }) => [
    'delete_api_keys',
    { userId, apiKeyIds: [apiKeyId] },
    key,
  ],
  'the own passkey is deleted': ({ userId, authenticatorId, passkey }) => [
    'delete_authenticators',
    { userId, authenticatorIds: [authenticatorId] },
    passkey,
  ],
  'the user is deleted': ({ userId, key }) => ['delete_users', { userIds: [userId] }, key],
  'a login ends the session that asked for it': async ({ key }) => {
    const session = generateApiKey()
    await done('stamp_login', { publicKey: session.publicKey }, { apiKey: key })
    return ['stamp_login', { publicKey: generateApiKey().publicKey, invalidateExisting: true }, session]
  },
  'a recovery ends its credential': async ({ userEmail, userId }) => {
    const { recoveryKey } = await recover(organization, { email: userEmail })
    return ['recover_user', { userId, authenticator: newAuthenticator({ passkey: newPasskey('ES256') }) }, recoveryKey]
  },
}

for (const [what, removalOf] of Object.entries(removals)) {
  test(`where ${what}, its bytes are answered again, and no others`, async () => {
    const member = await newMember()
    const [name, parameters, signer] = await removalOf(member)
    const send = (by: Signer, more: Parameters = {}): Promise<Answer> => {
      const { path, body } = activityRequest(name, { organizationId, parameters, timestampMs: clock.nowMs, ...more })
      return server.post(path, body, by)
    }
    clock.nowMs += 1
    const first = await send(signer)
    expect(first.status, JSON.stringify(first.body)).toBe(200)
    expect(shownBy(await send(signer))).toEqual(shownBy(first))
    clock.nowMs += 2 * 60 * 60 * 1000
    const { path, body } = activityRequest(name, { organizationId, parameters, timestampMs: Number(timeOf(first)) })
    expect(shownBy(await server.post(path, body, signer))).toEqual(shownBy(first))
    expect((await server.post(path, body, generateApiKey())).status).toBe(401)
    expect((await send(signer)).status).toBe(401)
    expect((await server.post('/public/v1/query/whoami', { organizationId }, signer)).status).toBe(401)
  })
}

/** Without the views of users, which change with their credentials. */
function shownBy({ status, body }: Answer) {
  const { votes: _, ...activity } = body.activity ?? body
  return { status, activity }
}
const timeOf = ({ body }: Answer) => JSON.parse(body.activity.votes[0].message).timestampMs
