import { expect, test } from 'vitest'
import { createSubmit } from '../../src/service/submit.ts'
import { activityRequest, clientOf, ethereumAccount, p256, signingOf } from '../support/client.ts'
import { startInProcess } from '../support/in_process.ts'
import { passcodeFor } from '../support/logins.ts'
import { lyingStoreOn, startAfterCrash } from '../support/lying_store.ts'
import { generateApiKey, stampWith } from '../support/stamping.ts'
import { resultOf } from '../support/two_organizations.ts'

/** JSON, and what else these tests look into without a type. */
type Loose = ReturnType<typeof JSON.parse>

const otp = { otpType: 'OTP_TYPE_EMAIL', contact: 'a@example.org', appName: 'T', otpLength: 6, alphanumeric: false }
const older = (r: { path: string; body: string }) => ({
  path: r.path,
  body: r.body.replace('ACTIVITY_TYPE_VERIFY_OTP_V2', 'ACTIVITY_TYPE_VERIFY_OTP'),
})

test('a hostile database behind an honest service learns nothing from guesses that are not counted', async () => {
  const server = await startInProcess()
  const { organizationId, apiKey } = await server.createOrganization()
  const rootKey = generateApiKey()
  const liar = lyingStoreOn(server)
  const sub = await liar
    .activity('create_sub_organization', {
      organizationId,
      parameters: {
        subOrganizationName: 's',
        rootQuorumThreshold: 1,
        rootUsers: [
          {
            userName: 'r',
            apiKeys: [{ apiKeyName: 'k', publicKey: rootKey.publicKey, curveType: 'API_KEY_CURVE_P256' }],
            authenticators: [],
            oauthProviders: [],
          },
        ],
      },
    })
    .post(apiKey)
  const childId = (Object.values(sub.body.activity.result)[0] as Loose).subOrganizationId
  const made = await liar.activity('init_otp', { organizationId: childId, parameters: otp }).post(rootKey)
  const { otpId } = Object.values(made.body.activity.result)[0] as Loose
  const otpCode = await passcodeFor(server, otp.contact)
  let parentReads = 0,
    broken = false
  const gate = Promise.withResolvers<void>()
  const store = {
    ...server.store,
    find: async (reads: Loose) => {
      if (broken) throw new Error('disk')
      if (reads.some((r: Loose) => r.organizationId === organizationId)) parentReads += 1
      return server.store.find(reads)
    },
    commit: async (c: Loose) => {
      await gate.promise
      return server.store.commit(c)
    },
  }
  const submit = createSubmit({
    store,
    vault: server.vault,
    log: { debug() {}, info() {}, warn() {}, error() {} } as never,
  })
  const send = (r: { path: string; body: string }) => {
    const body = Buffer.from(r.body)
    return submit({
      path: r.path,
      body,
      stamps: [{ header: 'x-stamp', value: stampWith(rootKey, body) }],
      dialect: 'spec',
      sourceAddress: '127.0.0.1',
    })
  }
  const busy = send(
    activityRequest('create_user_tag', {
      organizationId: childId,
      parameters: { userTagName: 't', userIds: [] },
      timestampMs: Date.now(),
    } as never),
  )
  await new Promise((r) => setTimeout(r, 300))
  async function guess(code: string) {
    parentReads = 0
    const r = older(
      activityRequest('verify_otp', {
        organizationId: childId,
        parameters: { otpId, otpCode: code },
        timestampMs: Date.now(),
      } as never),
    )
    const answer = send({ ...r, body: r.body.replace('{', '{"generateAppProofs":true,') })
    await new Promise((r) => setTimeout(r, 150))
    return { answer, parentReads }
  }
  const wrong = []
  for (let i = 0; i < 6; i += 1) wrong.push(await guess(`${100000 + i}`))
  const right = await guess(otpCode)
  broken = true
  gate.resolve()
  const statuses = await Promise.all([...wrong, right].map(async (g) => (await g.answer).status))
  await busy
  broken = false
  const real = await send(
    older(
      activityRequest('verify_otp', {
        organizationId: childId,
        parameters: { otpId, otpCode },
        timestampMs: Date.now() + 1,
      } as never),
    ),
  )
  // No guess was decided, and none used the passcode up.
  expect([...statuses, real.status]).toEqual([...statuses.map(() => 503), 200])
  expect(right.parentReads).toBe(0)
})

test('a hostile database and a restart: the same verify_otp gives no second token', async () => {
  const server = await startInProcess()
  const { organizationId, apiKey } = await server.createOrganization()
  const liar = lyingStoreOn(server)
  const made = await liar.activity('init_otp', { organizationId, parameters: otp }).post(apiKey)
  const { otpId } = Object.values(made.body.activity.result)[0] as Loose
  const otpCode = await passcodeFor(server, otp.contact)
  const old = await liar.branch()
  const r = older(
    activityRequest('verify_otp', { organizationId, parameters: { otpId, otpCode }, timestampMs: Date.now() } as never),
  )
  const idOf = (a: Loose) =>
    a.status === 200
      ? JSON.parse(
          Buffer.from(
            (Object.values(a.body.activity.result)[0] as Loose).verificationToken.split('.')[1],
            'base64url',
          ).toString(),
        ).id
      : a.status
  const first = idOf(await server.post(r.path, r.body, apiKey))
  const restarted = await startAfterCrash(server, old)
  const second = idOf(await restarted.post(r.path, r.body, apiKey))
  expect(typeof second === 'string' && second !== first).toBe(false)
})

test('what a query shows of a revocation is durable', async () => {
  const server = await startInProcess()
  const { organizationId, userId, apiKey } = await server.createOrganization()
  const root = clientOf(server, { organizationId, apiKey })
  const leaked = generateApiKey()
  const made = await resultOf(root.activity('create_api_keys', { userId, apiKeys: [p256(leaked)] }))
  const [apiKeyId] = made.activity.result.createApiKeysResult.apiKeyIds
  const wallet = await resultOf(
    root.activity('create_wallet', { walletName: 'w', accounts: [ethereumAccount("m/44'/60'/0'/0/0")] }),
  )
  const [signWith] = wallet.activity.result.createWalletResult.addresses
  const liar = lyingStoreOn(server)
  const old = await liar.branch()
  const never = new Promise<never>(() => {})
  liar.answerCommitsWith(async (c) => {
    await server.store.commit(c)
    return never
  })
  void liar.activity('delete_api_keys', { organizationId, parameters: { userId, apiKeyIds: [apiKeyId] } }).post(apiKey)
  await new Promise((r) => setTimeout(r, 300))
  await root.query('get_api_keys', { userId })
  await clientOf(server, { organizationId, apiKey: leaked }).query('whoami')
  const restarted = await startAfterCrash(server, old)
  const signed = await clientOf(restarted, { organizationId, apiKey: leaked }).activity(
    'sign_raw_payload',
    signingOf(signWith, 'x'),
  )
  expect(signed.status).not.toBe(200)
})
