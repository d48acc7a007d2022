import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { by } from '../support/changed_since.ts'
import { newPolicy } from '../support/organization.ts'
import { startOrganizationWithIssuer } from '../support/organization_with_issuer.ts'
import { type ApiKeyPair, generateApiKey } from '../support/stamping.ts'

/** A login by an identity that waits for votes is that of the user who had the identity at the first approval. */

const { clock, idToken, done, query, submit, anotherUser } = await startOrganizationWithIssuer()
const [backend, ada, ben] = [await anotherUser('backend'), await anotherUser('ada'), await anotherUser('ben')]
const consensus = [backend, ada, ben].map(({ userId }) => by(userId)).join(' && ')
await done('create_policy', newPolicy({ effect: 'EFFECT_ALLOW', condition: "activity.resource == 'AUTH'", consensus }))

type Person = { readonly userId: string; readonly apiKey: ApiKeyPair }

async function addIdentity({ userId, apiKey }: Person, sub: string): Promise<readonly string[]> {
  const oauthProviders = [{ providerName: 'Issuer', oidcToken: idToken({ sub }) }]
  return (await done('create_oauth_providers', { userId, oauthProviders }, { apiKey })).providerIds
}

/** A login of a new user, and a function that ends it by the approvals of both. */
async function waitingLogin(sub: string) {
  const owner = await anotherUser(sub)
  const providerIds = await addIdentity(owner, sub)
  const session = generateApiKey()
  const nonce = createHash('sha256').update(session.publicKey).digest('hex')
  const login = { oidcToken: idToken({ sub, nonce }), publicKey: session.publicKey }
  const { fingerprint } = (await submit('oauth_login', login, backend)).body.activity
  const approve = async (approver: Person) => {
    clock.nowMs += 1_000
    return (await submit('approve_activity', { fingerprint }, approver)).body.activity
  }
  const remove = async () => {
    clock.nowMs += 1_000
    await done('delete_oauth_providers', { userId: owner.userId, providerIds }, owner)
  }
  return { owner, session, approve, remove }
}

test.each([
  ['before the first vote after its own', []],
  ['between two votes', [ada]],
])('a login fails if another user got its identity %s', async (name, earlier) => {
  const { session, approve, remove } = await waitingLogin(name)
  for (const approver of earlier) await approve(approver)
  await remove()
  await addIdentity(await anotherUser(`other ${name}`), name)
  if (earlier.length === 0) await approve(ada)
  const ended = await approve(ben)
  expect(ended.status).toBe('ACTIVITY_STATUS_FAILED')
  expect(ended.failure.code).toBe(9)
  expect(ended.failure.message).toContain('ask again')
  expect(ended.failure.message).toContain('an identity of the user ')
  expect((await query('whoami', {}, { apiKey: session })).status).toBe(401)
})

test('a login fails if its user removed the identity and added it again', async () => {
  const { owner, approve, remove } = await waitingLogin('again')
  await approve(ada)
  await remove()
  clock.nowMs += 1_000
  await addIdentity(owner, 'again')
  const ended = await approve(ben)
  expect(ended.status).toBe('ACTIVITY_STATUS_FAILED')
  expect(ended.failure.message).toContain('ask again')
})

test('a login opens for its user, who got another identity meanwhile', async () => {
  const { owner, session, approve } = await waitingLogin('same')
  await approve(ada)
  await addIdentity(owner, 'further')
  expect((await approve(ben)).status).toBe('ACTIVITY_STATUS_COMPLETED')
  expect((await query('whoami', {}, { apiKey: session })).body.userId).toBe(owner.userId)
})
