import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { encryptKey, newPrivateKeyHex } from '../support/bundles.ts'
import { activityRequest, type Client, ethereumAccount, signingOf } from '../support/client.ts'
import { type Hand, type Place, withDatabase } from '../support/database.ts'
import type { Server } from '../support/in_process.ts'
import { expectIncident } from '../support/incidents.ts'
import { claimsOf, clientSignatureOf, loginsOf, passcodeFor } from '../support/logins.ts'
import { type Answer, expectRefused } from '../support/organization.ts'
import { scrub } from '../support/scrub.ts'
import { generateApiKey } from '../support/stamping.ts'
import { start } from '../support/start.ts'
import {
  buildTwoOrganizations,
  type Furnished,
  otherPath,
  path,
  resultOf,
  rootOf,
} from '../support/two_organizations.ts'

/**
 * Unlisted records. An account or activity that was edited or exchanged is refused. A dropped one is not there, and one
 * that was rolled back is what it was, until the transparency log is compared with the database: see
 * `scrubbed_log.test.ts`.
 */

let world: Awaited<ReturnType<typeof buildTwoOrganizations>>
beforeAll(async () => {
  world = await buildTwoOrganizations()
})
afterAll(() => world.remove())

type Tamper = (hand: Hand) => void

/** The key of a client that has a passcode verified. */
const clientKey = generateApiKey()

/** Tampering before the start of a server, and on a server that has read everything before. */
const moments = {
  async 'before the start'(tamper: Tamper): Promise<Server> {
    const folder = world.copy()
    withDatabase(folder, tamper)
    return start({ folder })
  },
  async 'while it runs'(tamper: Tamper): Promise<Server> {
    const server = await start({ folder: world.copy() })
    const root = rootOf(server, world.first)
    await resultOf(root.query('get_organization'))
    await resultOf(root.query('list_wallet_accounts', { includeWalletDetails: true }))
    await resultOf(root.query('list_activities'))
    await resultOf(root.activity('sign_raw_payload', signingOf(world.first.address, 'before')))
    withDatabase(server.folder, tamper)
    return server
  },
} as const

const flipped = (bytes: unknown, fraction: number): Uint8Array => {
  if (!(bytes instanceof Uint8Array)) throw new Error('sealed bytes are bytes')
  const at = Math.floor((bytes.length - 1) * fraction)
  return bytes.map((byte, index) => (index === at ? byte ^ 1 : byte))
}

const editAt = (place: () => Place, fraction: number) => (hand: Hand) =>
  hand.update(place(), { sealed: flipped(hand.one(place()).sealed, fraction) })

const swap = (one: () => Place, other: () => Place) => (hand: Hand) => {
  const [first, second] = [hand.one(one()), hand.one(other())]
  hand.update(one(), { version: second.version ?? null, sealed: second.sealed ?? null })
  hand.update(other(), { version: first.version ?? null, sealed: first.sealed ?? null })
}

const account = () => world.first.place('wallet_account')
const foreignAccount = () => world.second.place('wallet_account')
const otherAccount = (): Place => {
  const { table, where } = account()
  return { table, where: { ...where, record_id: world.first.otherAccountId } }
}
const activity = () => world.first.place('activity')
const foreignActivity = () => world.second.place('activity')

for (const [moment, tampered] of Object.entries(moments)) {
  describe(`a wallet account, ${moment},`, () => {
    const broken: Readonly<Record<string, Tamper>> = {
      'edited at its start': editAt(account, 0),
      'edited in its readable half': editAt(account, 0.3),
      'given another version': (hand) => hand.update(account(), { version: 3 }),
      'swapped with one of another organization': swap(account, foreignAccount),
      'swapped with another one of the same wallet': swap(account, otherAccount),
    }
    for (const [name, tamper] of Object.entries(broken)) {
      test(`${name}: is neither shown nor signed with`, async () => {
        const server = await tampered(tamper)
        const { walletId, address } = world.first
        const root = rootOf(server, world.first)
        const asked = {
          signature: await root.activity('sign_raw_payload', signingOf(address, 'a')),
          'by address': await root.query('get_wallet_account', { walletId, address }),
          'by path': await root.query('get_wallet_account', { walletId, path }),
          'of the wallet': await root.query('list_wallet_accounts', { walletId }),
          'of the organization': await root.query('list_wallet_accounts'),
        }
        for (const [what, answer] of Object.entries(asked)) expectIncident(server, answer, what)
      })
    }

    test('edited in its secret half: does not sign', async () => {
      const server = await tampered(editAt(account, 1))
      const answer = await rootOf(server, world.first).activity('sign_raw_payload', signingOf(world.first.address, 'a'))
      expectIncident(server, answer, 'signature')
    })

    test('given to another wallet in its row: is on no list of a wallet', async () => {
      const server = await tampered((hand) => hand.update(account(), { owner_id: world.second.walletId }))
      const { walletId, otherAddress } = world.first
      const root = rootOf(server, world.first)
      expect(addressesOf(await root.query('list_wallet_accounts', { walletId }))).toEqual([otherAddress])
    })

    test('dropped: cannot be named and is on no list, and the log misses it', async () => {
      const server = await tampered((hand) => hand.remove(account()))
      const { walletId, address, otherAddress } = world.first
      const root = rootOf(server, world.first)
      expect((await root.activity('sign_raw_payload', signingOf(address, 'a'))).status).toBe(404)
      expect((await root.query('get_wallet_account', { walletId, address })).status).toBe(404)
      expect((await root.query('get_wallet_account', { walletId, path })).status).toBe(404)
      expect(addressesOf(await root.query('list_wallet_accounts', { walletId }))).toEqual([otherAddress])
      expect(addressesOf(await root.query('list_wallet_accounts'))).toEqual([otherAddress])
      expect(server.incidents).toEqual([])
      const { told } = await scrub(server, server.store)
      expect(told).toEqual([
        expect.stringContaining(`wallet account ${world.first.accountId}, which the database lacks`),
      ])
    })

    test('rolled back: is the account that it was, for requests', async () => {
      const older = world.first.older.get('wallet_account')
      const { walletId, address } = world.first
      const server = await tampered((hand) => hand.update(account(), older ?? {}))
      const root = rootOf(server, world.first)
      const found = await resultOf(root.query('get_wallet_account', { walletId, address }))
      expect(found.account.updatedAt).toEqual(found.account.createdAt)
      expect((await root.activity('sign_raw_payload', signingOf(address, 'a'))).status).toBe(200)
    })
  })

  describe(`a finished activity, ${moment},`, () => {
    const broken: Readonly<Record<string, Tamper>> = {
      'edited in its middle': editAt(activity, 0.5),
      'edited at its end': editAt(activity, 1),
      'given another version': (hand) => hand.update(activity(), { version: 3 }),
      'swapped with one of another organization': swap(activity, foreignActivity),
      'swapped with another one of the same organization': (hand) => {
        const { organizationId, activityId } = world.first
        const rows = hand.read({ table: 'activities', where: { organization_id: organizationId } })
        const another = rows.find((row) => row.activity_id !== activityId)?.activity_id ?? null
        const where = { organization_id: organizationId, activity_id: another }
        swap(activity, () => ({ table: 'activities', where }))(hand)
      },
    }
    for (const [name, tamper] of Object.entries(broken)) {
      test(`${name}: is not shown, and its bytes are not executed again`, async () => {
        const server = await tampered(tamper)
        const root = rootOf(server, world.first)
        const counted = countActivities(server, world.first)
        const asked = {
          'by id': await root.query('get_activity', { activityId: world.first.activityId }),
          list: await root.query('list_activities', { paginationOptions: { limit: '100' } }),
          'the same bytes': await sendAgain(server),
        }
        for (const [what, answer] of Object.entries(asked)) expectIncident(server, answer, what)
        expect(countActivities(server, world.first)).toBe(counted)
      })
    }

    test('found under the request of another activity: is not shown for its bytes', async () => {
      const server = await tampered((hand) => {
        const { request_key } = hand.one(activity())
        hand.update(activity(), { request_key: 'none' })
        const where = { organization_id: world.first.organizationId, sequence: 1 }
        hand.update({ table: 'activities', where }, { request_key: request_key ?? null })
      })
      expectIncident(server, await sendAgain(server), 'the same bytes')
    })

    test('dropped: is not found and is on no list, and the log misses it', async () => {
      const server = await tampered((hand) => hand.remove(activity()))
      const root = rootOf(server, world.first)
      expect((await root.query('get_activity', { activityId: world.first.activityId })).status).toBe(404)
      const list = await resultOf(root.query('list_activities', { paginationOptions: { limit: '100' } }))
      expect(JSON.stringify(list)).not.toContain(world.first.activityId)
      const { told } = await scrub(server, server.store)
      expect(told).toEqual([expect.stringContaining(`activity ${world.first.activityId}, which the database lacks`)])
    })

    test('rolled back: is shown as it was', async () => {
      const server = await tampered((hand) => hand.update(activity(), world.first.older.get('activity') ?? {}))
      const { activityId } = world.first
      const shown = await resultOf(rootOf(server, world.first).query('get_activity', { activityId }))
      expect(shown.activity.updatedAt).toBe(shown.activity.createdAt)
    })
  })
}

test('an activity that was dropped on a running server is missed when its bytes come again', async () => {
  const server = await start({ folder: world.copy() })
  const root = rootOf(server, world.first)
  const body = JSON.stringify({ ...JSON.parse(world.first.activityBody), timestampMs: String(Date.now()) })
  const first = await server.post('/public/v1/submit/sign_raw_payload', body, root.apiKey)
  const { id } = first.body.activity
  expect(await server.post('/public/v1/submit/sign_raw_payload', body, root.apiKey)).toMatchObject({
    status: 200,
    body: { activity: { id } },
  })
  withDatabase(server.folder, (hand) => hand.remove({ table: 'activities', where: { activity_id: id } }))
  expectIncident(server, await server.post('/public/v1/submit/sign_raw_payload', body, root.apiKey), 'the same bytes')
})

test('accounts whose activity was dropped before a restart are not made again by the same bytes', async () => {
  const server = await start({ folder: world.copy() })
  const { organizationId, rootKey, walletId } = world.first
  const parameters = { walletId, accounts: [ethereumAccount("m/44'/60'/0'/0/7")] }
  const { path: at, body } = activityRequest('create_wallet_accounts', {
    ...{ organizationId, parameters, timestampMs: Date.now() },
  })
  const made = await resultOf(server.post(at, body, rootKey))
  // The service tells of the commit with the next request.
  await resultOf(rootOf(server, world.first).query('whoami'))
  await server.close()
  const unharmed = await start({ folder: server.folder })
  expect((await resultOf(unharmed.post(at, body, rootKey))).activity.id).toBe(made.activity.id)
  await unharmed.close()
  const accounts = { organization_id: organizationId, kind: 'wallet_account', owner_id: walletId }
  const accountsIn = (hand: Hand) => hand.read({ table: 'records', where: accounts })
  const [added] = withDatabase(server.folder, accountsIn).filter(
    ({ record_id }) => record_id !== world.first.accountId && record_id !== world.first.otherAccountId,
  )
  withDatabase(server.folder, (hand) => {
    hand.remove({ table: 'activities', where: { activity_id: made.activity.id } })
    hand.remove({ table: 'records', where: { ...accounts, record_id: added?.record_id ?? null } })
  })
  const again = await start({ folder: server.folder })
  expectIncident(again, await again.post(at, body, rootKey), 'the same bytes')
  expect(withDatabase(server.folder, accountsIn).length).toBe(2)
})

test('a signature whose activity was dropped before a restart is made again by the same bytes', async () => {
  const folder = world.copy()
  withDatabase(folder, (hand) => hand.remove(activity()))
  const again = await sendAgain(await start({ folder }))
  expect(again.status).toBe(200)
  expect(again.body.activity.id).not.toBe(world.first.activityId)
})

/** Something that was used up. */
type Spent = {
  /** Restores the rows from before the use. */
  readonly putBack: Tamper
  readonly useAgain: (server: Server) => Promise<Answer>
  /** The text with which another use is refused when nobody tampered. */
  readonly refusal: string
}

const spent: Readonly<Record<string, (server: Server) => Promise<Spent>>> = {
  async 'the wrong attempts at a passcode'(server) {
    const { startFlow, encrypted } = await loginsOf({ server, done: doneOn(server) })
    const flow = await startFlow('ada@example.org')
    const { otpId } = flow
    const place = recordPlace('passcode_flow', otpId)
    const unused = withDatabase(server.folder, (hand) => hand.one(place))
    const attempt = async (on: Server, passcode: string) => {
      const encryptedOtpBundle = await encrypted(flow, passcode, clientKey)
      return rootOf(on, world.first).activity('verify_otp', { otpId, encryptedOtpBundle })
    }
    const passcode = await passcodeFor(server, flow.contact)
    for (let count = 0; count < 3; count += 1) expectRefused(await attempt(server, 'WRONGCODE'), 400)
    return {
      putBack: (hand) => hand.update(place, unused),
      useAgain: (on) => attempt(on, passcode),
      refusal: 'Invalid OTP code',
    }
  },

  async 'the use of a token'(server) {
    const { newMailUser, tokenFor } = await loginsOf({ server, done: doneOn(server) })
    const verificationToken = await tokenFor((await newMailUser()).contact, clientKey)
    const useAgain = (on: Server) => {
      const { publicKey } = generateApiKey()
      const clientSignature = clientSignatureOf({ verificationToken, clientKey, publicKey })
      return rootOf(on, world.first).activity('otp_login', { verificationToken, publicKey, clientSignature })
    }
    await resultOf(useAgain(server))
    const place = recordPlace('used_token', claimsOf(verificationToken).id)
    return { putBack: (hand) => hand.remove(place), useAgain, refusal: 'it was used before' }
  },

  async "the use of an import's target"(server) {
    const { organizationId, rootId: userId } = world.first
    const signer = (await server.vault.publishedKeys()).bundleSigning?.uncompressed ?? ''
    const { importBundle } = await doneOn(server)('init_import_private_key', { userId })
    const targets: Place = { table: 'lookups', where: { organization_id: organizationId, kind: 'import_target' } }
    const lookup = withDatabase(server.folder, (hand) => hand.one(targets))
    const place = recordPlace('import_target', String(lookup.record_id))
    const unused = withDatabase(server.folder, (hand) => hand.one(place))
    const useAgain = async (on: Server) => {
      const encryptedBundle = await encryptKey(newPrivateKeyHex(), { organizationId, userId, signer, importBundle })
      const key = { privateKeyName: newPrivateKeyHex(), curve: 'CURVE_SECP256K1', addressFormats: [] }
      return rootOf(on, world.first).activity('import_private_key', { userId, encryptedBundle, ...key })
    }
    await resultOf(useAgain(server))
    return {
      putBack: (hand) => {
        hand.update(place, unused)
        hand.insert('lookups', lookup)
      },
      useAgain,
      refusal: 'parameters.encryptedBundle',
    }
  },
}

for (const [name, spend] of Object.entries(spent)) {
  describe(`${name}, taken back`, () => {
    test('while the server runs: is refused', async () => {
      const server = await start({ folder: world.copy() })
      const { putBack, useAgain, refusal } = await spend(server)
      expectRefused(await useAgain(server), 400, refusal)
      withDatabase(server.folder, putBack)
      expectRefused(await useAgain(server), 400, refusal)
    })

    test('before a restart: is refused', async () => {
      const server = await start({ folder: world.copy() })
      const { putBack, useAgain, refusal } = await spend(server)
      await server.close()
      const unharmed = await start({ folder: server.folder })
      expectRefused(await useAgain(unharmed), 400, refusal)
      await unharmed.close()
      withDatabase(server.folder, putBack)
      expectRefused(await useAgain(await start({ folder: server.folder })), 400, refusal)
    })
  })
}

test('an account of a wallet that was never committed is neither shown nor signed with', async () => {
  const server = await start({ folder: world.copy() })
  const { organizationId, walletId } = world.first
  const root = rootOf(server, world.first)
  const uncommitted = await decideWithoutCommit(server)
  withDatabase(server.folder, (hand) => {
    for (const { kind, recordId, ownerId, version, sealed } of uncommitted.records) {
      const row = { organization_id: organizationId, kind, record_id: recordId, owner_id: ownerId ?? null }
      hand.insert('records', { ...row, version, sealed: sealed ?? null })
    }
    for (const { lookup, key, kind, recordId } of uncommitted.lookups) {
      hand.insert('lookups', { organization_id: organizationId, lookup, key, kind, record_id: recordId })
    }
  })
  const [address] = uncommitted.lookups.flatMap(({ lookup, key }) => (lookup === 'address' ? [key] : []))
  expect(address).toMatch(/^0x/)
  expect((await root.activity('sign_raw_payload', signingOf(address ?? '', 'a'))).status).toBe(404)
  expect((await root.query('get_wallet_account', { walletId, address })).status).toBe(404)
  const { address: own, otherAddress } = world.first
  expect(addressesOf(await root.query('list_wallet_accounts'))).toEqual([own, otherAddress])
  expect(addressesOf(await root.query('list_wallet_accounts', { includeWalletDetails: true }))).toEqual([
    own,
    otherAddress,
  ])
})

/** Returns the vault's decision for a `create_wallet`, which the service does not commit. */
async function decideWithoutCommit(server: Server) {
  const kept = { ...server.store }
  const commits: Parameters<typeof server.store.commit>[0][] = []
  server.store.commit = async (commit) => {
    commits.push(commit)
    return 'conflict'
  }
  const accounts = [
    {
      curve: 'CURVE_SECP256K1',
      pathFormat: 'PATH_FORMAT_BIP32',
      path: otherPath,
      addressFormat: 'ADDRESS_FORMAT_ETHEREUM',
    },
  ]
  await rootOf(server, world.first).activity('create_wallet', { walletName: 'never', accounts })
  server.store.commit = kept.commit
  const [commit] = commits
  if (commit === undefined) throw new Error('the vault decided nothing')
  return commit
}

/** Makes a function that returns the one result of an activity of the first root user. */
function doneOn(server: Server) {
  return async (...asked: Parameters<Client['activity']>): Promise<Answer['body']> => {
    const { activity } = await resultOf(rootOf(server, world.first).activity(...asked))
    return Object.values(activity.result)[0]
  }
}

function recordPlace(kind: string, recordId: string): Place {
  return { table: 'records', where: { organization_id: world.first.organizationId, kind, record_id: recordId } }
}

function sendAgain(server: Server) {
  return server.post('/public/v1/submit/sign_raw_payload', world.first.activityBody, world.first.rootKey)
}

function addressesOf({ body }: Awaited<ReturnType<Server['post']>>): readonly string[] {
  return body.accounts.map((account: { address: string }) => account.address)
}

function countActivities({ folder }: Server, { organizationId }: Furnished): number {
  return withDatabase(
    folder,
    (hand) => hand.read({ table: 'activities', where: { organization_id: organizationId } }).length,
  )
}
