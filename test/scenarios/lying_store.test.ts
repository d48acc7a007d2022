import { cpSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serializeTransaction } from 'viem'
import { describe, expect, test } from 'vitest'
import type { Commit, Found, Read } from '../../src/protocol/reads.ts'
import type { Store } from '../../src/service/store/store.ts'
import { clientOf, ethereumAccount, p256, signingOf } from '../support/client.ts'
import { withDatabase } from '../support/database.ts'
import { type Leaking, startLeaking } from '../support/leaked_key.ts'
import { type Branch, barrier, lyingStoreOn, startAfterCrash } from '../support/lying_store.ts'
import { newPolicy } from '../support/organization.ts'
import { generateApiKey } from '../support/stamping.ts'
import { resultOf } from '../support/two_organizations.ts'

/**
 * A database that answers commits and reads as it likes. Acknowledged changes hold all the same, also after a restart,
 * and no change is shown as done that is not in force.
 */

/** Expects that no request is answered with 200, by any key, here and after a restart on the same database. */
async function expectNothingAnswered(started: Leaking, database: Branch): Promise<void> {
  const { server, liar, sign, tag, apiKey, leaked, organizationId, signWith } = started
  liar.show(database)
  liar.answerCommitsWith((commit) => database.store.commit(commit))
  const live = [
    await sign('by the leaked key').post(leaked),
    await sign('by the root key').post(apiKey),
    await tag('another').post(apiKey),
  ]
  expect(live.map(({ status }) => status)).toEqual([500, 500, 500])
  const restarted = await startAfterCrash(server, database)
  for (const key of [leaked, apiKey]) {
    const client = clientOf(restarted, { organizationId, apiKey: key })
    expect((await client.activity('sign_raw_payload', signingOf(signWith, 'after a restart'))).status).toBe(500)
    expect((await client.query('whoami')).status).toBe(500)
  }
}

/** Expects that the revoked key signs nothing on any of these databases, here and after a restart. */
async function expectRevoked(started: Leaking, databases: readonly Branch[]): Promise<void> {
  const { server, liar, sign, leaked, organizationId, signWith } = started
  for (const database of databases) {
    liar.show(database)
    liar.answerCommitsWith((commit) => database.store.commit(commit))
    expect((await sign('by the leaked key').post(leaked)).status).not.toBe(200)
    const restarted = await startAfterCrash(server, database)
    const client = clientOf(restarted, { organizationId, apiKey: leaked })
    expect((await client.activity('sign_raw_payload', signingOf(signWith, 'after a restart'))).status).not.toBe(200)
  }
}

describe.each([1, 16, 64])('with %i other changes in flight that are decided on the same head,', (others) => {
  test('a revocation that is acknowledged holds on every branch, and of all of them one is acknowledged', async () => {
    const started = await startLeaking()
    const { server, liar, revoke, tag, apiKey } = started
    const old = await liar.branch()
    // Each commit is written to its own branch, where nothing contradicts it. The database calls all committed.
    const branches: Branch[] = []
    const everybodyDecided = barrier(others + 1)
    let written = 0
    liar.answerCommitsWith(async (commit) => {
      await everybodyDecided()
      written += 1
      if (written <= 3) {
        const branch = await liar.branch()
        expect(await branch.store.commit(commit)).toBe('committed')
        branches.push(branch)
      }
      return 'committed'
    })
    const revocation = revoke()
    const requests = [revocation, ...Array.from({ length: others }, (_, index) => tag(`tag ${index}`))]
    const answers = await Promise.all(requests.map((request) => request.post(apiKey)))
    const acknowledged = answers.filter(({ status }) => status === 200)
    expect(acknowledged).toHaveLength(1)
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 500]))
    expect(server.incidents.length).toBe(others)
    await expectNothingAnswered(started, old)
    if (answers[0]?.status === 200) await expectRevoked(started, [old, ...branches])
  })

  test('payments keep to a limit, whatever the database says of their commits', async () => {
    const { server, liar, ask, organizationId, apiKey } = await startLeaking()
    const { leaked: payer } = await newPayer(server, { organizationId, apiKey })
    const old = await liar.branch()
    const { signWith } = payer
    let released = 0
    liar.answerCommitsWith(async () => {
      released += 1
      return 'committed'
    })
    const pay = (nonce: number) => ask('sign_transaction', paymentOf(signWith, nonce))
    const answers = await Promise.all(Array.from({ length: others + 1 }, (_, index) => pay(index).post(payer.apiKey)))
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1)
    expect(released).toBeLessThanOrEqual(1)
    liar.honestly()
    expect((await pay(1_000).post(payer.apiKey)).status).toBe(403)
    const restarted = clientOf(await startAfterCrash(server, old), { organizationId, apiKey: payer.apiKey })
    expect((await restarted.activity('sign_transaction', paymentOf(signWith, 1_001))).status).toBe(403)
  })
})

/** Makes a user outside the quorum who may sign payments of 100 a day altogether. */
async function newPayer(
  server: Leaking['server'],
  { organizationId, apiKey }: Pick<Leaking, 'organizationId' | 'apiKey'>,
) {
  const root = clientOf(server, { organizationId, apiKey })
  const payer = generateApiKey()
  const user = { userName: 'payer', apiKeys: [p256(payer)], authenticators: [], oauthProviders: [], userTags: [] }
  const users = await resultOf(root.activity('create_users', { users: [user] }))
  const [userId] = users.activity.result.createUsersResult.userIds
  const accounts = [ethereumAccount("m/44'/60'/0'/0/7")]
  const wallet = await resultOf(root.activity('create_wallet', { walletName: 'hot', accounts }))
  const [signWith] = wallet.activity.result.createWalletResult.addresses
  const consensus = `approvers.any(user, user.id == '${userId}')`
  const condition = "spent('eth.tx.value', '24h') + eth.tx.value <= 100"
  await resultOf(root.activity('create_policy', newPolicy({ effect: 'EFFECT_ALLOW', consensus, condition })))
  return { leaked: { apiKey: payer, signWith: String(signWith) } }
}

function paymentOf(signWith: string, nonce: number) {
  const fields = { type: 'eip1559', chainId: 1, nonce, value: 100n, to: `0x${'11'.repeat(20)}` } as const
  return { signWith, unsignedTransaction: serializeTransaction(fields), type: 'TRANSACTION_TYPE_ETHEREUM' }
}

describe('a revocation whose commit is called a conflict', () => {
  /** Writes each attempt to its own branch and acknowledges none. */
  async function startConflicting() {
    const started = await startLeaking()
    const { liar, revoke, apiKey } = started
    const branches: Branch[] = []
    liar.answerCommitsWith(async (commit) => {
      const branch = await liar.branch()
      await branch.store.commit(commit)
      branches.push(branch)
      return 'conflict'
    })
    const revocation = revoke()
    expect((await revocation.post(apiKey)).status).toBe(503)
    liar.honestly()
    const [branch] = branches
    if (branch === undefined) throw new Error('the revocation was decided')
    return { ...started, branch, revocation }
  }

  test('is not shown as done when its head shows up all the same', async () => {
    const { server, liar, branch, revocation, apiKey } = await startConflicting()
    liar.show(branch)
    expect((await revocation.post(apiKey)).status).toBe(500)
    expect(server.incidents.at(-1)).toMatchObject([
      { error: { message: expect.stringContaining('is a fork') } },
      expect.anything(),
    ])
  })

  test('is not shown as done by its row beside the old head', async () => {
    const { server, liar, branch, revocation, apiKey, leaked, sign } = await startConflicting()
    liar.showMixed(mixed(server.store, { activitiesOf: branch.store }))
    expect((await revocation.post(apiKey)).status).toBe(500)
    const { organizationId } = clientOf(server, { organizationId: JSON.parse(revocation.body).organizationId, apiKey })
    const list = JSON.stringify({ organizationId })
    expect((await liar.post('/public/v1/query/list_activities', list, apiKey)).status).toBe(500)
    // Nothing was revoked, and nothing was said to be.
    liar.honestly()
    expect((await sign('still a user').post(leaked)).status).toBe(200)
    expect((await revocation.post(apiKey)).status).toBe(200)
    expect((await sign('not any more').post(leaked)).status).toBe(401)
  })
})

/** Shows heads and records of one database, and activities of another. */
function mixed(store: Store, { activitiesOf }: { readonly activitiesOf: Store }): Store['find'] {
  const isOfActivity = ({ read }: Read) => read === 'request' || read === 'activity' || read === 'activities'
  return async (reads) => {
    const [own, other] = await Promise.all([store.find(reads), activitiesOf.find(reads)])
    return reads.map((read, index) => (isOfActivity(read) ? other : own)[index] as Found)
  }
}

describe('a revocation whose outcome is not known', () => {
  test('is in force once it shows up, and nothing older is answered from then on', async () => {
    const started = await startLeaking()
    const { liar, server, revoke, sign, leaked, apiKey } = started
    const old = await liar.branch()
    liar.answerCommitsWith(async (commit) => {
      await server.store.commit(commit)
      throw new Error('the connection broke')
    })
    const revocation = revoke()
    expect((await revocation.post(apiKey)).status).toBe(503)
    liar.honestly()
    expect((await revocation.post(apiKey)).status).toBe(200)
    expect((await sign('late').post(leaked)).status).toBe(401)
    await expectNothingAnswered(started, old)
  })

  test('is a fork when it shows up after another change was acknowledged without it', async () => {
    const started = await startLeaking()
    const { liar, revoke, tag, apiKey } = started
    let kept: Branch | undefined
    liar.answerCommitsWith(async (commit) => {
      kept = await liar.branch()
      await kept.store.commit(commit)
      throw new Error('the connection broke')
    })
    expect((await revoke().post(apiKey)).status).toBe(503)
    liar.honestly()
    expect((await tag('in its place').post(apiKey)).status).toBe(200)
    if (kept === undefined) throw new Error('the revocation was decided')
    await expectNothingAnswered(started, kept)
  })
})

describe('a grant that was revoked does not come back by sending its bytes again', () => {
  test.each([
    ['while the server runs', false],
    ['after a restart', true],
  ])('with its activity dropped, %s', async (_when, isRestarted) => {
    const { server, organizationId, userId, apiKey, liar } = await startLeaking()
    const friend = generateApiKey()
    const grant = liar.activity('create_api_keys', { organizationId, parameters: { userId, apiKeys: [p256(friend)] } })
    const granted = await grant.post(apiKey)
    expect(granted.status).toBe(200)
    const apiKeyIds = granted.body.activity.result.createApiKeysResult.apiKeyIds
    const root = clientOf(server, { organizationId, apiKey })
    await resultOf(root.activity('delete_api_keys', { userId, apiKeyIds }))
    withDatabase(server.folder, (hand) => {
      hand.remove({ table: 'activities', where: { activity_id: granted.body.activity.id } })
    })
    const on = isRestarted ? await startAfterCrash(server, server) : server
    expect((await on.post(grant.path, grant.body, apiKey)).status).toBe(500)
    expect((await clientOf(on, { organizationId, apiKey: friend }).query('whoami')).status).toBe(401)
    expect((await clientOf(on, { organizationId, apiKey }).query('whoami')).status).toBe(200)
  })
})

test.each([
  ['while the server runs', false],
  ['after a restart', true],
])('a vote that was acknowledged is not taken back with the row of its activity, %s', async (_when, isRestarted) => {
  const { server, organizationId, userId, apiKey } = await startLeaking()
  const root = clientOf(server, { organizationId, apiKey })
  const second = generateApiKey()
  const user = { userName: 'second', apiKeys: [p256(second)], authenticators: [], oauthProviders: [], userTags: [] }
  const users = await resultOf(root.activity('create_users', { users: [user] }))
  const userIds = [userId, ...users.activity.result.createUsersResult.userIds]
  await resultOf(root.activity('update_root_quorum', { threshold: 2, userIds }))
  const waiting = (await resultOf(root.activity('create_user_tag', { userTagName: 'both', userIds: [] }))).activity
  const place = { table: 'activities', where: { activity_id: waiting.id } } as const
  const before = withDatabase(server.folder, (hand) => hand.one(place))
  const other = clientOf(server, { organizationId, apiKey: second })
  const rejected = await resultOf(other.activity('reject_activity', { fingerprint: waiting.fingerprint }))
  expect(rejected.activity.status).toBe('ACTIVITY_STATUS_REJECTED')
  withDatabase(server.folder, (hand) => hand.update(place, before))
  const on = isRestarted ? await startAfterCrash(server, server) : server
  const approve = clientOf(on, { organizationId, apiKey: second })
  expect((await approve.activity('approve_activity', { fingerprint: waiting.fingerprint })).status).toBe(500)
  const tags = await resultOf(clientOf(on, { organizationId, apiKey }).query('list_user_tags'))
  expect(tags.userTags).toEqual([])
})

/** The points of a change at which the machine stops, and the state of the disk then. */
const crashes = {
  decided: { isWritten: false, isConfirmed: false },
  committed: { isWritten: true, isConfirmed: false },
  confirmed: { isWritten: true, isConfirmed: 'maybe' },
  synced: { isWritten: true, isConfirmed: true },
} as const

describe.each(Object.entries(crashes))(
  'after a crash when a revocation is %s,',
  (state, { isWritten, isConfirmed }) => {
    /** Copies the server's disk at that moment, with the database before the change and as it is. */
    async function crash() {
      const started = await startLeaking()
      const { server, liar, revoke, apiKey } = started
      const old = await liar.branch()
      const revocation = revoke()
      let snapshot: { readonly journal: Leaking['server']['folder']; readonly database: Branch } | undefined
      const take = async () => {
        snapshot = { journal: copyJournal(server.folder), database: await liar.branch() }
      }
      const confirm = server.vault.confirm
      liar.answerCommitsWith(async (commit: Commit) => {
        if (state === 'decided') await take()
        const outcome = await server.store.commit(commit)
        if (state === 'committed') await take()
        return outcome
      })
      server.vault.confirm = async (request) => {
        const confirming = confirm(request)
        if (state === 'confirmed') await take()
        const confirmed = await confirming
        if (state === 'synced') await take()
        return confirmed
      }
      expect((await revocation.post(apiKey)).status).toBe(200)
      if (snapshot === undefined) throw new Error(`no copy was made at ${state}`)
      return { ...started, ...snapshot, old, revocation }
    }

    test('an honest database has it whole or not at all, and its bytes sent again make it whole', async () => {
      const { journal, database, revocation, apiKey, leaked, organizationId, signWith } = await crash()
      const again = await startAfterCrash({ folder: journal }, database)
      const signed = await clientOf(again, { organizationId, apiKey: leaked }).activity(
        'sign_raw_payload',
        signingOf(signWith, 'before it is sent again'),
      )
      expect(signed.status).toBe(isWritten ? 401 : 200)
      expect((await again.post(revocation.path, revocation.body, apiKey)).status).toBe(200)
      const late = await clientOf(again, { organizationId, apiKey: leaked }).query('whoami')
      expect(late.status).toBe(401)
      expect(again.incidents).toEqual([])
    })

    test('a database that keeps the old head is refused if it was acknowledged, or else decided on anew, and then for good', async () => {
      const { journal, database, old, revocation, apiKey, leaked, organizationId } = await crash()
      const again = await startAfterCrash({ folder: journal }, old)
      const { status } = await again.post(revocation.path, revocation.body, apiKey)
      if (isConfirmed === true) expect(status).toBe(500)
      if (isConfirmed === false) expect(status).toBe(200)
      expect([200, 500]).toContain(status)
      if (status !== 200) return
      expect((await clientOf(again, { organizationId, apiKey: leaked }).query('whoami')).status).toBe(401)
      // The first decision, if it was written, is a fork now.
      if (!isWritten) return
      const liar = lyingStoreOn(again)
      liar.show(database)
      expect((await liar.post('/public/v1/query/whoami', JSON.stringify({ organizationId }), apiKey)).status).toBe(500)
    })
  },
)

function copyJournal(folder: string): string {
  const copy = mkdtempSync(join(tmpdir(), 'claviger-journal-'))
  for (const part of ['vault', 'mark']) cpSync(join(folder, part), join(copy, part), { recursive: true })
  return copy
}
