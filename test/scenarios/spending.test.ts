import { serializeTransaction } from 'viem'
import { expect, test } from 'vitest'
import { type Hand, type Place, withDatabase } from '../support/database.ts'
import { startInProcess } from '../support/in_process.ts'
import {
  type Ask,
  expectRefused,
  newAccount,
  newMfaPolicy,
  newPolicy,
  organizationOf,
  repeated,
  startOrganization,
  type TestOrganization,
} from '../support/organization.ts'

/** Limits on the amounts that a key signs within a time, as policies set them. */

const hourMs = 60 * 60 * 1000
const effect = 'EFFECT_ALLOW'
const limit = (max: number) => `spent('eth.tx.value', '24h') + eth.tx.value <= ${max}`

/** Starts an organization with a user outside the root quorum who may spend 100 wei a day with each key. */
async function start() {
  const organization = await startOrganization()
  const { done, anotherUser } = organization
  const ada = await anotherUser('ada')
  const { addresses, walletId } = await done('create_wallet', { walletName: 'hot', accounts: [newAccount()] })
  const mine = `approvers.any(user, user.id == '${ada.userId}')`
  const { policyId } = await done('create_policy', newPolicy({ effect, consensus: mine, condition: limit(100) }))
  return { ...organization, ada, walletId, policyId, signWith: addresses[0] as string, spend: spenderOf(organization) }
}

let nonce = 0
function spenderOf({ submit }: TestOrganization) {
  return (value: number | bigint, signWith: string, ask: Ask = {}) => {
    nonce += 1
    const fields = { type: 'eip1559', chainId: 1, nonce, value: BigInt(value), to: `0x${'11'.repeat(20)}` } as const
    const unsignedTransaction = serializeTransaction(fields)
    return submit('sign_transaction', { signWith, unsignedTransaction, type: 'TRANSACTION_TYPE_ETHEREUM' }, ask)
  }
}

test('a key signs amounts up to the limit, and again once the time is over', async () => {
  const { spend, signWith, ada, clock } = await start()
  expect((await spend(60, signWith, ada)).status).toBe(200)
  expectRefused(await spend(41, signWith, ada), 403)
  // The refused amount was not counted.
  expect((await spend(40, signWith, ada)).status).toBe(200)
  expectRefused(await spend(1, signWith, ada), 403)
  expect((await spend(0, signWith, ada)).status).toBe(200)
  clock.nowMs += 23 * hourMs
  expectRefused(await spend(1, signWith, ada), 403)
  clock.nowMs += hourMs
  expect((await spend(100, signWith, ada)).status).toBe(200)
  expectRefused(await spend(1, signWith, ada), 403)
})

test('of requests at once as many are allowed as the limit has room for', async () => {
  const { spend, signWith, ada } = await start()
  const answers = await Promise.all(repeated(8, () => spend(30, signWith, ada)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(3)
  for (const answer of answers.filter(({ status }) => status !== 200)) expectRefused(answer, 403)
})

test('the same request twice is one signature, and counts once', async () => {
  const { server, organizationId, spend, signWith, ada, clock } = await start()
  const unsignedTransaction = serializeTransaction({ type: 'eip1559', chainId: 1, value: 60n })
  const body = {
    type: 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2',
    timestampMs: String(clock.nowMs),
    organizationId,
    parameters: { signWith, unsignedTransaction, type: 'TRANSACTION_TYPE_ETHEREUM' },
  }
  const send = () => server.post('/public/v1/submit/sign_transaction', body, ada.apiKey)
  const answers = [...(await Promise.all([send(), send()])), await send()]
  expect(new Set(answers.map(({ body: { activity } }) => activity.id)).size).toBe(1)
  expect((await spend(40, signWith, ada)).status).toBe(200)
  expectRefused(await spend(1, signWith, ada), 403)
})

test('amounts that the root quorum signs count as well', async () => {
  const { spend, signWith, ada } = await start()
  expect((await spend(1000, signWith)).status).toBe(200)
  expectRefused(await spend(1, signWith, ada), 403)
})

test('each key has its own sum, and a key that has several addresses only one', async () => {
  const { spend, signWith, walletId, ada, done } = await start()
  const { addresses } = await done('create_wallet_accounts', {
    walletId,
    accounts: [newAccount({ path: "m/44'/60'/0'/0/1" }), newAccount({ addressFormat: 'ADDRESS_FORMAT_COMPRESSED' })],
  })
  const [another, sameKey] = addresses
  expect((await spend(100, signWith, ada)).status).toBe(200)
  expect((await spend(100, another, ada)).status).toBe(200)
  expectRefused(await spend(1, sameKey, ada), 403)
  expectRefused(await spend(1, signWith.toLowerCase(), ada), 403)
})

test('counting begins with the first policy that names the field, and goes on with the next one', async () => {
  const { spend, signWith, ada, done, policyId } = await start()
  await done('delete_policy', { policyId })
  expect((await spend(1000, signWith)).status).toBe(200)
  const consensus = `approvers.any(user, user.id == '${ada.userId}')`
  const first = await done(
    'create_policy',
    newPolicy({ effect, policyName: 'first', consensus, condition: limit(100) }),
  )
  expect((await spend(60, signWith, ada)).status).toBe(200)
  const condition = "spent('eth.tx.value', '7d') + eth.tx.value <= 100"
  await done('create_policy', newPolicy({ effect, policyName: 'second', consensus, condition }))
  await done('delete_policy', first)
  expectRefused(await spend(41, signWith, ada), 403)
  expect((await spend(40, signWith, ada)).status).toBe(200)
})

test('a policy that denies amounts above a limit still denies them after an absurd amount', async () => {
  const { spend, signWith, ada, done, policyId } = await start()
  await done('update_policy', { policyId, policyCondition: "activity.kind == 'SIGN_TRANSACTION'" })
  const condition = "spent('eth.tx.value', '24h') + eth.tx.value > 100"
  await done('create_policy', newPolicy({ effect: 'EFFECT_DENY', policyName: 'no more', condition }))
  expect((await spend(60, signWith, ada)).status).toBe(200)
  expectRefused(await spend(2n ** 256n - 1n, signWith, ada), 403, 'denied this action')
  // The root quorum signs what it likes. What it signs counts.
  expect((await spend(2n ** 256n - 1n, signWith)).status).toBe(200)
  expectRefused(await spend(0, signWith, ada), 403, 'denied this action')
})

test('an approval that comes when the limit is reached signs nothing', async () => {
  const { spend, submit, found, signWith, ada, anotherUser, done, policyId } = await start()
  const bob = await anotherUser('bob')
  await done('update_policy', { policyId, policyConsensus: 'approvers.count() >= 2' })
  const waiting = [await spend(60, signWith, ada), await spend(60, signWith, ada)].map(({ body }) => body.activity)
  expect(waiting.map(({ status }) => status)).toEqual(repeated(2, () => 'ACTIVITY_STATUS_CONSENSUS_NEEDED'))
  const approve = (index: number) => submit('approve_activity', { fingerprint: waiting[index].fingerprint }, bob)
  const answers = await Promise.all([approve(0), approve(1)])
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 403])
  const { activities } = await found('list_activities', { filterByType: ['ACTIVITY_TYPE_SIGN_TRANSACTION_V2'] })
  const statuses = activities.map(({ status }: { status: string }) => status)
  expect(statuses.toSorted()).toEqual(['ACTIVITY_STATUS_COMPLETED', 'ACTIVITY_STATUS_CONSENSUS_NEEDED'])
})

test('another field than the value is counted where a policy names it', async () => {
  const { spend, signWith, ada, done, policyId } = await start()
  await done('update_policy', { policyId, policyCondition: "spent('eth.tx.nonce', '1h') < 1 && eth.tx.value < 5" })
  expect((await spend(1, signWith, ada)).status).toBe(200)
  expectRefused(await spend(1, signWith, ada), 403)
})

test.each([
  ['while the server runs', false],
  ['before a restart', true],
])(
  'whoever has the database cannot make room by older sums, %s: the books of the vault have them',
  async (_when, isRestarted) => {
    const { server, organizationId, rootUserId, rootKey, spend, signWith, ada, clock } = await start()
    await spend(60, signWith, ada)
    const place: Place = { table: 'records', where: { organization_id: organizationId, kind: 'signed_amounts' } }
    const before = withDatabase(server.folder, (hand) => hand.one(place))
    expect((await spend(40, signWith, ada)).status).toBe(200)
    const putBack = [
      (hand: Hand) => hand.update(place, { version: before.version ?? null, sealed: before.sealed ?? null }),
      (hand: Hand) => hand.remove(place),
    ]
    for (const tamper of putBack) {
      withDatabase(server.folder, tamper)
      const on = isRestarted ? await startInProcess({ folder: server.folder, nowMs: () => clock.nowMs }) : server
      const restarted = organizationOf({ server: on, clock }, { organizationId, rootUserId, apiKey: rootKey })
      expectRefused(await spenderOf(restarted)(1, signWith, ada), 403)
      if (isRestarted) await on.close()
    }
  },
)

test.each([
  ['create_mfa_policy', (userId: string) => newMfaPolicy({ userId, condition: limit(5) }), 'parameters.condition'],
  ['create_session_profile', () => ({ sessionProfileName: 'p', scope: limit(5) }), 'parameters.scope'],
])('%s has none: it is refused', async (operation, parametersOf, fieldPath) => {
  const { submit, ada } = await start()
  expectRefused(
    await submit(operation, parametersOf(ada.userId)),
    400,
    fieldPath,
    'spending limits and velocity controls are for policies',
  )
})
