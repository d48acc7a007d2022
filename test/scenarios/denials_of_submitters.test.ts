import { sign } from 'node:crypto'
import { serializeTransaction } from 'viem'
import { describe, expect, test } from 'vitest'
import { loginsOf } from '../support/logins.ts'
import {
  newAccount,
  newApiKey,
  newAuthenticator,
  newPolicy,
  type Parameters,
  startOrganization,
  type TestOrganization,
} from '../support/organization.ts'
import { newPasskey } from '../support/passkeys.ts'
import { type ApiKeyPair, generateApiKey } from '../support/stamping.ts'

/** A denial that names who asked, or who approved, does not end when that approval counts no more. */

const waits = 'ACTIVITY_STATUS_CONSENSUS_NEEDED'
const completed = 'ACTIVITY_STATUS_COMPLETED'
const creatingWallets = "activity.resource == 'WALLET' && activity.action == 'CREATE'"

type Member = { readonly userId: string; readonly apiKey: ApiKeyPair }
const by = ({ userId }: Pick<Member, 'userId'>) => `approvers.any(user, user.id == '${userId}')`

async function start() {
  const organization = await startOrganization()
  const { done, anotherUser } = organization
  const [ada, bob, cy] = [await anotherUser('ada'), await anotherUser('bob'), await anotherUser('cy')]
  const allowance = { effect: 'EFFECT_ALLOW', policyName: 'by Ada', consensus: by(ada), condition: creatingWallets }
  await done('create_policy', newPolicy(allowance))
  return { ...organization, ada, bob, cy }
}

type Started = Awaited<ReturnType<typeof start>>

let wallets = 0
async function asks({ submit }: TestOrganization, user: Pick<Member, 'apiKey'>): Promise<string> {
  const { body } = await submit('create_wallet', { walletName: `wallet ${++wallets}`, accounts: [] }, user)
  expect(body.activity?.status, JSON.stringify(body)).toBe(waits)
  return body.activity.fingerprint
}

async function approves({ submit }: TestOrganization, user: object, fingerprint: string) {
  const { status, body } = await submit('approve_activity', { fingerprint }, user)
  return body.activity?.status ?? status
}

/** The user deletes the key that asked, and keeps another one: nobody's rule is needed. */
async function deletesKey({ submit, found }: TestOrganization, { userId, apiKey }: Member): Promise<ApiKeyPair> {
  const kept = generateApiKey()
  const apiKeys = [newApiKey({ publicKey: kept.publicKey })]
  expect((await submit('create_api_keys', { userId, apiKeys }, { apiKey })).status).toBe(200)
  const { user } = await found('get_user', { userId })
  const { apiKeyId } = user.apiKeys.find((key: KeyView) => key.credential.publicKey === apiKey.publicKey)
  expect((await submit('delete_api_keys', { userId, apiKeyIds: [apiKeyId] }, { apiKey: kept })).status).toBe(200)
  return kept
}

type KeyView = { readonly credential: { readonly publicKey: string } }

const ends: Readonly<Record<string, (started: Started) => Promise<unknown>>> = {
  'at once': async () => undefined,
  'after a day': async ({ clock }) => {
    clock.nowMs += 24 * 3_600_000
  },
  'without the key that asked': (started) => deletesKey(started, started.bob),
}

describe.each(Object.entries(ends))('a denial of what a user asks for holds %s', (_name, end) => {
  const denials: Readonly<Record<string, (started: Started) => object>> = {
    'by the id': ({ bob }) => ({ consensus: by(bob) }),
    'by the name': () => ({ consensus: "approvers.any(user, user.alias == 'bob')" }),
    'by the credential': ({ bob }) => ({
      consensus: `credentials.any(used, used.user_id == '${bob.userId}' && used.type == 'CREDENTIAL_TYPE_API_KEY_P256')`,
    }),
    'by the key': ({ bob }) => ({
      consensus: `credentials.any(used, used.public_key == '${bob.apiKey.publicKey}')`,
    }),
    'unless somebody else approves': ({ bob, cy }) => ({ consensus: `${by(bob)} && !${by(cy)}` }),
  }
  test.each(Object.entries(denials))('%s', async (_how, denial) => {
    const started = await start()
    const { ada, bob, done } = started
    const fingerprint = await asks(started, bob)
    await end(started)
    const { policyId } = await done('create_policy', newPolicy({ policyName: 'Bob does nothing', ...denial(started) }))
    expect(await approves(started, ada, fingerprint)).toBe(403)
    // The root quorum is above all policies, and the denial was the only reason.
    await done('delete_policy', { policyId })
    expect(await approves(started, ada, fingerprint)).toBe(completed)
  })
})

test('a denial by a tag holds for the user who has the tag by now', async () => {
  const started = await start()
  const { ada, bob, done, clock } = started
  const fingerprint = await asks(started, bob)
  const { userTagId } = await done('create_user_tag', { userTagName: 'Suspended', userIds: [bob.userId] })
  const consensus = `approvers.any(user, user.tags.contains('${userTagId}'))`
  await done('create_policy', newPolicy({ policyName: 'no suspended', consensus }))
  clock.nowMs += 24 * 3_600_000
  expect(await approves(started, ada, fingerprint)).toBe(403)
})

test('an approval that has ended is none of those that a denial misses', async () => {
  const started = await start()
  const { ada, bob, done, clock } = started
  await done('create_policy', newPolicy({ effect: 'EFFECT_ALLOW', policyName: 'by Bob', consensus: by(bob) }))
  await done('create_policy', newPolicy({ policyName: 'nothing without Cy', consensus: `!${by(started.cy)}` }))
  const fingerprint = await asks(started, started.cy)
  clock.nowMs += 24 * 3_600_000
  expect(await approves(started, ada, fingerprint)).toBe(403)
})

test('a limit of what a user asks for holds also without the key that asked', async () => {
  const started = await start()
  const { ada, bob, done, submit } = started
  const { addresses } = await done('create_wallet', { walletName: 'hot', accounts: [newAccount()] })
  const signing = { consensus: by(ada), condition: "activity.kind == 'SIGN_TRANSACTION' && eth.tx.data == '0x'" }
  await done('create_policy', newPolicy({ effect: 'EFFECT_ALLOW', policyName: 'Ada pays', ...signing }))
  const condition = "spent('eth.tx.value', '24h') + eth.tx.value > 1000"
  await done('create_policy', newPolicy({ policyName: '1000 a day for Bob', consensus: by(bob), condition }))
  const fingerprints: string[] = []
  for (const nonce of [0, 1, 2]) {
    const to = '0x1f9090aae28b8a3dceadf281b0f12828e676c326'
    const transaction = { type: 'eip1559', chainId: 1, gas: 21_000n, to, value: 900n, nonce } as const
    const unsignedTransaction = serializeTransaction(transaction)
    const signed = { signWith: addresses[0], type: 'TRANSACTION_TYPE_ETHEREUM', unsignedTransaction }
    fingerprints.push((await submit('sign_transaction', signed, bob)).body.activity.fingerprint)
  }
  await deletesKey(started, bob)
  const votes: unknown[] = []
  for (const fingerprint of fingerprints) votes.push(await approves(started, ada, fingerprint))
  expect(votes).toEqual([completed, 403, 403])
})

test('a denial by a passkey holds also without that passkey', async () => {
  const started = await start()
  const { ada, bob, done, submit } = started
  const passkey = newPasskey('ES256')
  const made = await done('create_authenticators', {
    userId: bob.userId,
    authenticators: [newAuthenticator({ passkey })],
  })
  const { body } = await submit('create_wallet', { walletName: 'by passkey', accounts: [] }, { passkey })
  const { fingerprint } = body.activity
  const consensus =
    "credentials.any(used, used.type == 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR' && used.credential_id != '')"
  await done('create_policy', newPolicy({ policyName: 'no passkeys', consensus }))
  await done('delete_authenticators', { userId: bob.userId, authenticatorIds: made.authenticatorIds })
  expect(await approves(started, ada, fingerprint)).toBe(403)
})

test('a denial holds where a token stamped the submission', async () => {
  const started = await start()
  const { ada, done } = started
  const { newMailUser, tokenFor } = await loginsOf(started)
  const { userId, contact } = await newMailUser()
  const key = generateApiKey()
  const parameters = { walletName: 'by a token', accounts: [] }
  const asked = await submitByToken(started, 'create_wallet', parameters, { token: await tokenFor(contact, key), key })
  expect(asked.activity?.status, JSON.stringify(asked)).toBe(waits)
  const isAsked = { consensus: by({ userId }) }
  const { policyId } = await done('create_policy', newPolicy({ policyName: 'nothing of this user', ...isAsked }))
  const { fingerprint } = asked.activity
  expect(await approves(started, ada, fingerprint)).toBe(403)
  await done('delete_policy', { policyId })
  const byToken = "credentials.any(used, used.type == 'CREDENTIAL_TYPE_OTP_AUTH_KEY_P256')"
  await done('create_policy', newPolicy({ policyName: 'nothing by a token', consensus: byToken }))
  expect(await approves(started, ada, fingerprint)).toBe(403)
})

async function submitByToken(
  { server, clock, organizationId }: TestOrganization,
  name: string,
  parameters: Parameters,
  { token, key }: { readonly token: string; readonly key: ApiKeyPair },
) {
  clock.nowMs += 1
  const type = `ACTIVITY_TYPE_${name.toUpperCase()}`
  const body = Buffer.from(JSON.stringify({ type, timestampMs: String(clock.nowMs), organizationId, parameters }))
  const value = JSON.stringify({
    publicKeyAttestation: token,
    scheme: 'STAMP_ATTESTED_SCHEME_P256_VERIFICATION_TOKEN',
    publicKey: key.publicKey,
    signature: sign('sha256', body, key.privateKey).toString('hex'),
  })
  const stamps = [{ header: 'x-stamp-attested', value }] as const
  const answer = await server.submit({ path: `/public/v1/submit/${name}`, body, stamps, dialect: 'spec' })
  return JSON.parse(Buffer.from(answer.body).toString())
}
