import { expect, test } from 'vitest'
import { expectRefused, newAccount, newPolicy, type Parameters, startOrganization } from '../support/organization.ts'
import { generateApiKey } from '../support/stamping.ts'

/** What a session may do that was opened with a profile. */

async function startSession(scope: string) {
  const organization = await startOrganization()
  const { done } = organization
  const { sessionProfileId } = await done('create_session_profile', { sessionProfileName: 'limited', scope })
  const session = generateApiKey()
  await done('stamp_login', { publicKey: session.publicKey, sessionProfileId })
  const { addresses } = await done('create_wallet', { walletName: 'hot', accounts: [newAccount()] })
  return { ...organization, session, signWith: addresses[0] as string }
}

const payload = (signWith: string): Parameters => ({
  signWith,
  payload: 'ab'.repeat(32),
  encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
  hashFunction: 'HASH_FUNCTION_NO_OP',
})
const signing = "activity.resource == 'PRIVATE_KEY' && activity.action == 'SIGN'"
const refusal = "the scope of this session's profile does not allow this"

test('does what its scope says, of a root user too, and asks who it is', async () => {
  const { submit, query, session, signWith } = await startSession(signing)
  const apiKey = session
  expect((await submit('sign_raw_payload', payload(signWith), { apiKey })).status).toBe(200)
  expectRefused(await submit('create_wallet', { walletName: 'b', accounts: [] }, { apiKey }), 403, refusal)
  expectRefused(await query('list_wallets', {}, { apiKey }), 403, refusal)
  expect((await query('whoami', {}, { apiKey })).status).toBe(200)
})

test('reads where its scope says so', async () => {
  const { submit, query, session } = await startSession("activity.action == 'READ'")
  expect((await query('list_wallets', {}, { apiKey: session })).status).toBe(200)
  expectRefused(await submit('create_wallet', { walletName: 'b', accounts: [] }, { apiKey: session }), 403, refusal)
})

test('a scope with an error for a request does not allow it', async () => {
  const { submit, session, signWith } = await startSession(`wallet.label == 'hot' && ${signing}`)
  expect((await submit('sign_raw_payload', payload(signWith), { apiKey: session })).status).toBe(200)
  const refused = await submit('create_wallet', { walletName: 'b', accounts: [] }, { apiKey: session })
  expectRefused(refused, 403, `${refusal}: column 1`)
})

test('learns which clause of the rules decided if it may read them, and else which rule only', async () => {
  const scopes = ["activity.action in ['CREATE', 'READ']", "activity.action == 'CREATE'"]
  const explanations = scopes.map(async (scope) => {
    const { submit, done, anotherUser } = await startSession('true')
    const { sessionProfileId } = await done('create_session_profile', { sessionProfileName: 'another', scope })
    const ada = await anotherUser('ada')
    const session = generateApiKey()
    await done('stamp_login', { publicKey: session.publicKey, sessionProfileId }, ada)
    await done('create_policy', newPolicy({ condition: "activity.resource == 'WALLET'" }))
    const refused = await submit('create_wallet', { walletName: 'b', accounts: [] }, { apiKey: session })
    expectRefused(refused, 403, 'The following policies denied this action')
    return refused.body.details.at(-1).policyEvaluations[0].explanation
  })
  expect(await Promise.all(explanations)).toEqual([
    "condition: `activity.resource == 'WALLET'` is true, `activity.resource` is 'WALLET'",
    undefined,
  ])
})

test('votes on what it could ask for itself, and on nothing else', async () => {
  const { submit, done, session, anotherUser, rootUserId, signWith } = await startSession(signing)
  const second = await anotherUser('second')
  await done('update_root_quorum', { threshold: 2, userIds: [rootUserId, second.userId] })
  const asked = async (name: string, parameters: Parameters) =>
    (await submit(name, parameters, { apiKey: second.apiKey })).body.activity
  const vote = ({ fingerprint }: Parameters) => submit('approve_activity', { fingerprint }, { apiKey: session })
  const signature = await asked('sign_raw_payload', payload(signWith))
  expect((await vote(signature)).body.activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
  expectRefused(await vote(await asked('create_wallet', { walletName: 'b', accounts: [] })), 403, refusal)
})

test('a scope that is none is refused when the profile is made', async () => {
  const { submit } = await startOrganization()
  const profile = { sessionProfileName: 'broken', scope: "activity.kind = 'X'" }
  expectRefused(await submit('create_session_profile', profile), 400, 'parameters.scope')
})
