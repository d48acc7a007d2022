import { randomUUID } from 'node:crypto'
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { noOrganizationId } from '../../src/protocol/log/log_entry.ts'
import { logIdOf } from '../../src/protocol/log/log_id.ts'
import { tileWidth } from '../../src/protocol/log/tree/tiles.ts'
import type { Store } from '../../src/service/store/store.ts'
import { startPublisher } from '../../src/service/transparency/publisher.ts'
import { startScrubber } from '../../src/service/transparency/scrubber.ts'
import { newTarget } from '../support/bundles.ts'
import { clientOf, ethereumAccount, p256, signingOf } from '../support/client.ts'
import { type Hand, type Place, withDatabase } from '../support/database.ts'
import type { Server } from '../support/in_process.ts'
import { loggedEntries } from '../support/logged_entries.ts'
import { scrub } from '../support/scrub.ts'
import { copyDatabaseIn } from '../support/server_database.ts'
import { soon } from '../support/soon.ts'
import { generateApiKey } from '../support/stamping.ts'
import { start } from '../support/start.ts'
import { makeChild, resultOf } from '../support/two_organizations.ts'

const path = (number: number) => `m/44'/60'/0'/0/${number}`

/** An organization with a wallet of two accounts, in entries 0 and 1 of the log. */
async function furnished(server: Server) {
  const { organizationId, userId, apiKey } = await server.createOrganization()
  const root = clientOf(server, { organizationId, apiKey })
  const accounts = [ethereumAccount(path(0)), ethereumAccount(path(1))]
  const made = await resultOf(root.activity('create_wallet', { walletName: 'w', accounts }))
  const { walletId, addresses } = made.activity.result.createWalletResult
  const sign = (on: Server, text: string) =>
    resultOf(clientOf(on, { organizationId, apiKey }).activity('sign_raw_payload', signingOf(addresses[0], text)))
  const exported = (address: string) =>
    resultOf(root.activity('export_wallet_account', { address, targetPublicKey: newTarget().targetPublicKey }))
  return { organizationId, userId, apiKey, root, walletId, addresses, sign, exported }
}

/** Stores the log, so that the journal forgets its whole bundles. Returns the id of the log. */
async function publish({ vault, store }: Server): Promise<string> {
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  const publisher = startPublisher({ vault, store, log, everyMs: 5 })
  await soon(async () => expect((await vault.publishLog({ stored: [] })).bundles).toEqual([]))
  await publisher.close()
  return logIdOf((await vault.publishLog({ stored: [] })).origin)
}

const honest = { late: 0, unconfirmed: 0, incidents: 0, told: [] }

test('an honest database gives no incident, whatever was changed, deleted and decided at once', async () => {
  const server = await start()
  const { organizationId, userId, root, walletId, addresses, sign, exported } = await furnished(server)
  await exported(addresses[1])
  await exported(addresses[0])
  const more = [ethereumAccount(path(2)), ethereumAccount(path(3))]
  await resultOf(root.activity('create_wallet_accounts', { walletId, accounts: more }))
  const { accounts } = await resultOf(root.query('list_wallet_accounts', { walletId }))
  const walletAccountIds = [accounts[1].walletAccountId, accounts[3].walletAccountId]
  await resultOf(root.activity('delete_wallet_accounts', { walletAccountIds, deleteWithoutExport: true }))
  const gone = await resultOf(root.activity('create_wallet', { walletName: 'gone', accounts: more }))
  const { walletId: goneId } = gone.activity.result.createWalletResult
  await resultOf(root.activity('delete_wallets', { walletIds: [goneId], deleteWithoutExport: true }))
  const childKey = generateApiKey()
  const child = await makeChild(root, 'child', childKey)
  const inChild = clientOf(server, { organizationId: child.organizationId, apiKey: childKey })
  await resultOf(inChild.activity('create_wallet', { walletName: 'c', accounts: more }))
  await resultOf(inChild.activity('delete_sub_organization', { deleteWithoutExport: true }))
  // Signatures at once, equal ones among them, and two voters at once.
  await Promise.all(Array.from({ length: 300 }, (_, at) => sign(server, `at once ${at % 250}`)))
  const keys = [generateApiKey(), generateApiKey()]
  const users = keys.map((key, at) => ({
    ...{ userName: `voter ${at}`, apiKeys: [p256(key)], authenticators: [], oauthProviders: [], userTags: [] },
  }))
  const voters = (await resultOf(root.activity('create_users', { users }))).activity.result.createUsersResult.userIds
  await resultOf(root.activity('update_root_quorum', { threshold: 2, userIds: [userId, ...voters] }))
  for (let at = 0; at < 5; at += 1) {
    const asked = await resultOf(root.activity('sign_raw_payload', signingOf(addresses[0], `vote ${at}`)))
    const { fingerprint } = asked.activity
    await Promise.all(
      keys.map((key) =>
        clientOf(server, { organizationId, apiKey: key }).activity('approve_activity', { fingerprint }),
      ),
    )
  }
  const before = await scrub(server, server.store)
  expect(before).toMatchObject({ late: 0, incidents: 0, told: [] })
  await publish(server)
  // Only a decision that another one overtook is left unconfirmed.
  const after = await scrub(server, server.store)
  expect(after).toMatchObject({ late: 0, incidents: 0, told: [], entries: before.entries })
  expect(after.unconfirmed).toBeLessThanOrEqual(before.unconfirmed)
  expect(after.entries).toBeGreaterThan(tileWidth)
  await server.close()
  const later = await start({ folder: server.folder })
  expect(await scrub(later, later.store)).toEqual(after)
})

const placeOf = (organizationId: string, activityId: string): Place => ({
  table: 'activities',
  where: { organization_id: organizationId, activity_id: activityId },
})

const flipped = (row: ReturnType<Hand['one']>) => {
  const sealed = Uint8Array.from(row.sealed as Uint8Array)
  sealed[40] = (sealed[40] ?? 0) ^ 1
  return { sealed }
}

/** An organization with second versions of an activity and of an account, and with a bundle that only the database has. */
async function attacked() {
  const server = await start()
  const { organizationId, userId, root, walletId, addresses, sign, exported } = await furnished(server)
  const { accounts } = await resultOf(root.query('list_wallet_accounts', { walletId }))
  const accountPlace: Place = {
    table: 'records',
    where: { organization_id: organizationId, kind: 'wallet_account', record_id: accounts[0].walletAccountId },
  }
  const olderAccount = withDatabase(server.folder, (hand) => hand.one(accountPlace))
  await exported(addresses[0])
  const signed = await sign(server, 'signed')
  await Promise.all(Array.from({ length: 260 }, (_, at) => sign(server, String(at))))
  const voter = generateApiKey()
  const users = [{ userName: 'v', apiKeys: [p256(voter)], authenticators: [], oauthProviders: [], userTags: [] }]
  const made = await resultOf(root.activity('create_users', { users }))
  const userIds = [userId, ...made.activity.result.createUsersResult.userIds]
  await resultOf(root.activity('update_root_quorum', { threshold: 2, userIds }))
  const { activity: voted } = await resultOf(root.activity('sign_raw_payload', signingOf(addresses[0], 'voted')))
  const votedPlace = placeOf(organizationId, voted.id)
  const olderActivity = withDatabase(server.folder, (hand) => hand.one(votedPlace))
  const { fingerprint } = voted
  await resultOf(clientOf(server, { organizationId, apiKey: voter }).activity('approve_activity', { fingerprint }))
  await resultOf(root.query('whoami')) // Tells the vault of the commit.
  const logId = await publish(server)
  expect(await scrub(server, server.store)).toMatchObject(honest)
  const signedPlace = placeOf(organizationId, signed.activity.id)
  return { server, organizationId, logId, accountPlace, olderAccount, votedPlace, olderActivity, signedPlace }
}

type Attacked = Awaited<ReturnType<typeof attacked>>

const attacks: Readonly<Record<string, { readonly by: (hand: Hand, on: Attacked) => void; readonly text: RegExp }>> = {
  'an activity that was dropped': {
    by: (hand, { signedPlace }) => hand.remove(signedPlace),
    text: /^organization .*: entry 3 of .* has version 1 of activity .*, which the database lacks$/,
  },
  'an activity that was rolled back': {
    by: (hand, { votedPlace, olderActivity }) => hand.update(votedPlace, olderActivity),
    text: /: entry \d+ of .* has version 2 of activity .*, which the database shows in version 1$/,
  },
  'an activity that was altered': {
    by: (hand, { signedPlace }) => hand.update(signedPlace, flipped(hand.one(signedPlace))),
    text: /: entry 3 of .* has version 1 of activity .*, which the database shows with other bytes$/,
  },
  'an activity that claims a later version': {
    by: (hand, { signedPlace }) => hand.update(signedPlace, { version: 2 }),
    text: /: entry 3 of .*, which the database shows as a version 2 that was never sealed$/,
  },
  'an account that was dropped': {
    by: (hand, { accountPlace }) => hand.remove(accountPlace),
    text: /: the activity of entry 1 of .* wrote version 1 of wallet account .*, which the database lacks$/,
  },
  'an account that was rolled back': {
    by: (hand, { accountPlace, olderAccount }) => hand.update(accountPlace, olderAccount),
    text: /: the activity of entry 2 of .* wrote version 2 of wallet account .*, which the database shows in version 1$/,
  },
  'an account that claims a later version': {
    by: (hand, { accountPlace }) => hand.update(accountPlace, { version: 3 }),
    text: /: the activity of entry 2 .*, which the database shows as a version 3 that was never sealed$/,
  },
}

describe('is an incident that names the entry:', () => {
  test.each(Object.entries(attacks))('%s', async (_, { by, text }) => {
    const world = await attacked()
    const { server } = world
    withDatabase(server.folder, (hand) => by(hand, world))
    const found = await scrub(server, server.store)
    expect(found.told.filter((each) => text.test(each))).toHaveLength(1)
    expect(found.told.every((each) => each.startsWith(`organization ${world.organizationId}`))).toBe(true)
    // Also after a restart, and as long as it is so.
    await server.close()
    const later = await start({ folder: server.folder })
    expect((await scrub(later, later.store)).told).toEqual(found.told)
  })
})

describe('a bundle', () => {
  const changed = (bytes: Uint8Array) => bytes.map((byte, at) => (at === 999 ? byte ^ 1 : byte))
  const lies: Readonly<Record<string, { readonly by: (store: Store) => Partial<Store>; readonly text: string }>> = {
    'that is missing': { by: () => ({ logBundle: async () => undefined }), text: 'the database lacks bundle 0' },
    'that was altered': {
      by: (store) => ({
        logBundle: async (asked) => {
          const bytes = await store.logBundle(asked)
          return bytes && changed(bytes)
        },
      }),
      text: 'the database has altered bundle 0',
    },
    'without its root': { by: () => ({ bundleRoots: async () => [] }), text: 'the database lacks bundle 0' },
    'of another root': {
      by: () => ({ bundleRoots: async () => [{ number: 0, root: Buffer.alloc(32, 7) }] }),
      text: 'the roots of the bundles in the database do not make up its tree',
    },
  }

  test('that is missing or not that of the log is an incident, and no row gets a second entry', async () => {
    const { server, logId, votedPlace, organizationId } = await attacked()
    rmSync(join(server.folder, 'mark', 'bundles'), { recursive: true })
    for (const { by, text } of Object.values(lies)) {
      const found = await scrub(server, { ...server.store, ...by(server.store) })
      expect(found).toMatchObject({ late: 0, incidents: 1, told: [`the transparency log ${logId}: ${text}`] })
    }
    // The entries that the journal keeps are compared all the same.
    withDatabase(server.folder, (hand) => hand.remove(votedPlace))
    const { told } = await scrub(server, { ...server.store, logBundle: async () => undefined })
    expect(told.some((each) => each.startsWith(`organization ${organizationId}: entry`))).toBe(true)
  })
})

describe('a list of activities without an end is an incident:', () => {
  type Listed = Awaited<ReturnType<Store['listedActivities']>>
  /** As if the list went on with the last organization for ever. */
  const further = (listed: Listed, after: number): Listed =>
    Array.from({ length: 1_000 }, (_, at) => listed.map((one) => ({ ...one, sequence: after + at + 1 }))).flat()
  const lists: Readonly<Record<string, readonly [(listed: Listed, after: number) => Listed, RegExp]>> = {
    'it begins again': [(listed) => listed, / is in no order$/],
    'it goes on with what has an entry': [further, / has more activities than there are entries and rows$/],
    'it goes on with what has no row': [
      (listed, after) => further(listed, after).map((one) => ({ ...one, activityId: randomUUID() })),
      / has more activities than there are entries and rows$/,
    ],
  }

  test.each(Object.entries(lists))('%s', async (_, [goesOn, text]) => {
    const { server, votedPlace } = await attacked()
    const all = await server.store.listedActivities({ organizationId: '', sequence: 0, limit: 1_000 })
    const endless: Store['listedActivities'] = async (range) => {
      const listed = await server.store.listedActivities(range)
      return listed.length === 0 ? goesOn(all.slice(-1), range.sequence) : listed
    }
    const { told } = await scrub(server, { ...server.store, listedActivities: endless })
    expect(told).toEqual([expect.stringMatching(text)])
    withDatabase(server.folder, (hand) => hand.remove(votedPlace))
    expect((await scrub(server, { ...server.store, listedActivities: endless })).incidents).toBeGreaterThan(1)
  })
})

test('bundles that a restored database lacks are handed to it again, and altered ones too', async () => {
  const server = await start()
  const { sign } = await furnished(server)
  for (let at = 0; at < 200; at += 1) await sign(server, String(at))
  await publish(server)
  const backup = join(server.folder, 'backup')
  copyDatabaseIn(server.folder, backup)
  await Promise.all(Array.from({ length: 500 }, (_, at) => sign(server, `later ${at}`)))
  const logId = await publish(server)
  const bundles = await Promise.all([0, 1].map((number) => server.store.logBundle({ logId, number })))
  await server.close()

  copyDatabaseIn(backup, server.folder)
  const restored = await start({ folder: server.folder })
  await restored.vault.operator.acceptRestore()
  expect((await restored.store.bundleRoots({ logId, from: 0, limit: 9 })).map(({ root }) => root.length)).toEqual([0])
  expect(await scrub(restored, restored.store)).toMatchObject({ incidents: 0, restored: 2, told: [] })
  const again = await Promise.all([0, 1].map((number) => restored.store.logBundle({ logId, number })))
  expect(again).toEqual(bundles)
  expect(await scrub(restored, restored.store)).toMatchObject({ incidents: 0, restored: 0 })

  const altered: Place = { table: 'log_bundles', where: { log_id: logId, number: 1 } }
  withDatabase(server.folder, (hand) => {
    const entries = Uint8Array.from(hand.one(altered).entries as Uint8Array)
    entries[999] = (entries[999] ?? 0) ^ 1
    hand.update(altered, { entries })
  })
  const found = await scrub(restored, restored.store)
  expect(found).toMatchObject({ incidents: 1, restored: 1, told: [expect.stringContaining('has altered bundle 1')] })
  expect(await restored.store.logBundle({ logId, number: 1 })).toEqual(bundles[1])
})

test('a comparison that does not end in time is told', async () => {
  const server = await start()
  await furnished(server)
  const told: string[] = []
  const log = { debug() {}, info() {}, error() {}, warn: (_: object, text: string) => void told.push(text) }
  const find: Store['find'] = async (reads) => {
    await sleep(20)
    return server.store.find(reads)
  }
  const store = { ...server.store, find }
  const scrubber = startScrubber({ vault: server.vault, store, log: log as never, everyMs: 1, share: 1 })
  await soon(() => expect(told).toContain('a comparison of the transparency log with the database is overdue'))
  await scrubber.close()
})

test('a row whose entry was lost with the power gets one that says so, once', async () => {
  const server = await start()
  const { sign, root } = await furnished(server)
  await sign(server, 'first')
  await resultOf(root.query('whoami'))
  await server.close()
  const journal = join(server.folder, 'mark')
  const older = `${journal}-older`
  cpSync(journal, older, { recursive: true })
  const running = await start({ folder: server.folder })
  const { activity } = await sign(running, 'second')
  await running.close()
  rmSync(journal, { recursive: true })
  cpSync(older, journal, { recursive: true })
  const later = await start({ folder: server.folder })
  expect(await scrub(later, later.store)).toMatchObject({ late: 1, unconfirmed: 0, incidents: 0 })
  expect(await scrub(later, later.store)).toMatchObject({ ...honest, entries: 4 })
  // From then on it is defended as any other.
  withDatabase(server.folder, (hand) => hand.remove(placeOf(root.organizationId, activity.id)))
  const { told } = await scrub(later, later.store)
  expect(told).toEqual([expect.stringContaining(`entry 3 of`)])
})

test('a decision that was never committed is unconfirmed, and no incident', async () => {
  const server = await start()
  const { sign } = await furnished(server)
  const { commit } = server.store
  server.store.commit = async () => {
    throw new Error('the database is lost')
  }
  await sign(server, 'lost').catch(() => {})
  server.store.commit = commit
  await sign(server, 'kept')
  expect(await scrub(server, server.store)).toMatchObject({ ...honest, unconfirmed: 1 })
  expect(await scrub(server, server.store)).toMatchObject({ ...honest, unconfirmed: 1 })
})

test('what a restored database lacks is no incident once the operator accepts it, and later losses are', async () => {
  const server = await start()
  const { root, sign, apiKey, organizationId } = await furnished(server)
  await sign(server, 'first')
  const backup = join(server.folder, 'backup')
  copyDatabaseIn(server.folder, backup)
  for (const text of ['second', 'third']) await sign(server, text)
  await resultOf(root.activity('create_user_tag', { userTagName: 't', userIds: [] }))
  await server.close()
  copyDatabaseIn(backup, server.folder)
  const restored = await start({ folder: server.folder })
  expect((await scrub(restored, restored.store)).told.length).toBeGreaterThan(0)
  await restored.vault.operator.acceptRestore()
  const again = clientOf(restored, { organizationId, apiKey })
  const { activity } = await resultOf(again.activity('create_user_tag', { userTagName: 'later', userIds: [] }))
  expect(await scrub(restored, restored.store)).toMatchObject({ late: 0, incidents: 0, unconfirmed: 3 })
  await restored.close()
  const acts = async () => {
    const logged = await loggedEntries(server.folder)
    return logged.flatMap(({ entry }) => {
      const { act, ...said } = JSON.parse(entry.document ?? '{}')
      return act === 'miss_rows' || act === 'compare_restore' ? [{ act, for: entry.organizationId, ...said }] : []
    })
  }
  // The organization, its wallet and one signature are there; two signatures and a tag are not.
  const told = [
    { act: 'miss_rows', for: organizationId, acceptedAt: 6, numbers: [[4, 6]] },
    { act: 'compare_restore', for: noOrganizationId, acceptedAt: 6, organizations: 1, entries: 3, unread: 0 },
  ]
  expect(await acts()).toEqual(told)
  const later = await start({ folder: server.folder })
  expect(await scrub(later, later.store)).toMatchObject({ late: 0, incidents: 0, unconfirmed: 3 })
  withDatabase(server.folder, (hand) => hand.remove(placeOf(organizationId, activity.id)))
  expect((await scrub(later, later.store)).told).toEqual([expect.stringContaining(activity.id)])
  await later.close()
  expect(await acts()).toEqual(told)
})
