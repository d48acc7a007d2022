import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lookupAddress } from '../../src/protocol/chains/address_formats.ts'
import { clientOf, signingOf } from '../support/client.ts'
import { type Hand, type Place, type Row, withDatabase } from '../support/database.ts'
import type { Server } from '../support/in_process.ts'
import { generateApiKey } from '../support/stamping.ts'
import { start } from '../support/start.ts'
import { buildTwoOrganizations, makeChild, path, resultOf, rootOf, userOf } from '../support/two_organizations.ts'

/**
 * A lookup is a hint, which the vault checks against the sealed record. Without the lookup, or with a wrong one, the
 * record is not found, and no other record is found in its place.
 */

let world: Awaited<ReturnType<typeof buildTwoOrganizations>>
beforeAll(async () => {
  world = await buildTwoOrganizations()
})
afterAll(() => world.remove())

const lookupPlace = (lookup: string, key: string): Place => {
  return { table: 'lookups', where: { organization_id: world.first.organizationId, lookup, key } }
}
const credential = () => lookupPlace('credential', world.first.rootKey.publicKey)
const address = () => lookupPlace('address', lookupAddress(world.first.address))
const privateKeyAddress = () => lookupPlace('address', lookupAddress(world.first.privateKeyAddress))
const accountPath = () => lookupPlace('account_path', `${world.first.walletId} ${path}`)
const all = (place: Place): Place => ({ table: place.table, where: { lookup: place.where.lookup ?? null } })

const moments = {
  async 'before the start'(tamper: (hand: Hand) => void): Promise<Server> {
    const folder = world.copy()
    withDatabase(folder, tamper)
    return start({ folder })
  },
  async 'while it runs'(tamper: (hand: Hand) => void): Promise<Server> {
    const server = await start({ folder: world.copy() })
    const { walletId, address, privateKeyAddress } = world.first
    await resultOf(rootOf(server, world.first).query('get_organization'))
    await resultOf(userOf(server, world.first).query('whoami'))
    await resultOf(rootOf(server, world.first).query('get_wallet_account', { walletId, address, path }))
    await resultOf(rootOf(server, world.first).activity('sign_raw_payload', signingOf(address, 'x')))
    await resultOf(rootOf(server, world.first).activity('sign_raw_payload', signingOf(privateKeyAddress, 'x')))
    withDatabase(server.folder, tamper)
    return server
  },
} as const

const retarget = (place: () => Place, values: () => Row) => (hand: Hand) => hand.update(place(), values())

for (const [moment, tampered] of Object.entries(moments)) {
  describe(`changed ${moment},`, () => {
    const credentials: Readonly<Record<string, (hand: Hand) => void>> = {
      dropped: (hand) => hand.remove(credential()),
      'pointing to another user': retarget(credential, () => ({ record_id: world.first.userId })),
      "pointing to another organization's user": retarget(credential, () => ({ record_id: world.second.rootId })),
      'pointing to a wallet': retarget(credential, () => ({ kind: 'wallet', record_id: world.first.walletId })),
      'of another kind': retarget(credential, () => ({ kind: 'wallet' })),
      'moved to another organization': retarget(credential, () => ({ organization_id: world.second.organizationId })),
    }
    for (const [name, tamper] of Object.entries(credentials)) {
      test(`the lookup of an API key ${name}: whoever has the key is nobody`, async () => {
        const server = await tampered(tamper)
        const root = rootOf(server, world.first)
        await expectUnknown(await root.query('whoami'))
        await expectUnknown(await root.query('get_organization'))
        await expectUnknown(await root.activity('sign_raw_payload', signingOf(world.first.address, 'a')))
        await expectUnknown(
          await clientOf(server, { ...world.second, apiKey: world.first.rootKey }).query('get_organization'),
        )
        expect((await userOf(server, world.first).query('whoami')).body.userId).toBe(world.first.userId)
        expect(server.incidents).toEqual([])
      })
    }

    test('a lookup of a key that no user has makes nobody of its holder', async () => {
      const stranger = generateApiKey()
      const server = await tampered((hand) =>
        hand.insert('lookups', { ...hand.one(credential()), key: stranger.publicKey }),
      )
      const client = clientOf(server, { ...world.first, apiKey: stranger })
      await expectUnknown(await client.query('whoami'))
      await expectUnknown(await client.activity('sign_raw_payload', signingOf(world.first.address, 'a')))
    })

    test("a user's key whose lookup points to a root user has that user's rights and no more", async () => {
      const server = await tampered((hand) => {
        const own = lookupPlace('credential', world.first.userKey.publicKey)
        hand.insert('lookups', { ...hand.one(own), record_id: world.first.rootId })
      })
      const user = userOf(server, world.first)
      expect((await user.query('whoami')).body.userId).toBe(world.first.userId)
      expect((await user.activity('sign_raw_payload', signingOf(world.first.address, 'a'))).status).toBe(403)
    })

    const addresses: Readonly<Record<string, (hand: Hand) => void>> = {
      dropped: (hand) => hand.remove(address()),
      'pointing to another account of the wallet': retarget(address, () => ({ record_id: world.first.otherAccountId })),
      "pointing to another organization's account": retarget(address, () => ({ record_id: world.second.accountId })),
      'pointing to a private key': retarget(address, () => ({
        kind: 'private_key',
        record_id: world.first.privateKeyId,
      })),
      'pointing to the wallet': retarget(address, () => ({ kind: 'wallet', record_id: world.first.walletId })),
      'of a kind that does not exist': retarget(address, () => ({ kind: 'constructor' })),
      'moved to another organization': retarget(address, () => ({ organization_id: world.second.organizationId })),
    }
    for (const [name, tamper] of Object.entries(addresses)) {
      test(`the lookup of an account's address ${name}: nothing signs for the address`, async () => {
        const server = await tampered(tamper)
        const { walletId, address, otherAddress } = world.first
        const root = rootOf(server, world.first)
        const signed = await root.activity('sign_raw_payload', signingOf(address, 'a'))
        expect(signed).toMatchObject({ status: 404, body: { code: 5 } })
        expect((await root.query('get_wallet_account', { walletId, address })).status).toBe(404)
        const foreign = await rootOf(server, world.second).activity('sign_raw_payload', signingOf(address, 'a'))
        expect(foreign.status).toBe(404)
        expect((await root.activity('sign_raw_payload', signingOf(otherAddress, 'a'))).status).toBe(200)
        expect(server.incidents).toEqual([])
      })
    }

    const keyAddresses: Readonly<Record<string, (hand: Hand) => void>> = {
      dropped: (hand) => hand.remove(privateKeyAddress()),
      'pointing to an account': retarget(privateKeyAddress, () => ({
        kind: 'wallet_account',
        record_id: world.first.accountId,
      })),
      "pointing to another organization's private key": retarget(privateKeyAddress, () => ({
        record_id: world.second.privateKeyId,
      })),
    }
    for (const [name, tamper] of Object.entries(keyAddresses)) {
      test(`the lookup of a private key's address ${name}: nothing signs for the address`, async () => {
        const server = await tampered(tamper)
        const { privateKeyAddress, privateKeyId } = world.first
        const root = rootOf(server, world.first)
        expect((await root.activity('sign_raw_payload', signingOf(privateKeyAddress, 'a'))).status).toBe(404)
        expect((await root.activity('sign_raw_payload', signingOf(privateKeyId, 'a'))).status).toBe(200)
        expect(server.incidents).toEqual([])
      })
    }

    const paths: Readonly<Record<string, (hand: Hand) => void>> = {
      dropped: (hand) => hand.remove(accountPath()),
      'pointing to the account at another path': retarget(accountPath, () => ({
        record_id: world.first.otherAccountId,
      })),
      "pointing to another organization's account": retarget(accountPath, () => ({
        record_id: world.second.accountId,
      })),
    }
    for (const [name, tamper] of Object.entries(paths)) {
      test(`the lookup of an account's path ${name}: there is no account at the path`, async () => {
        const server = await tampered(tamper)
        const { walletId } = world.first
        expect((await rootOf(server, world.first).query('get_wallet_account', { walletId, path })).status).toBe(404)
        expect(server.incidents).toEqual([])
      })
    }

    test('lookups of names that point elsewhere or are dropped free a name: names identify nothing', async () => {
      const elsewhere = await tampered((hand) =>
        hand.update(lookupPlace('wallet_name', 'renamed'), { record_id: 'gone' }),
      )
      const dropped = await tampered((hand) => hand.remove(all(lookupPlace('wallet_name', 'renamed'))))
      for (const server of [elsewhere, dropped]) {
        expect((await rootOf(server, world.first).activity('create_wallet', wallet('renamed'))).status).toBe(200)
      }
    })

    test('made-up lookups take no name', async () => {
      const { organizationId, walletId } = world.first
      const row = { organization_id: organizationId, lookup: 'wallet_name', key: 'free', kind: 'wallet' }
      const server = await tampered((hand) => {
        for (const record_id of ['gone', walletId]) hand.insert('lookups', { ...row, record_id })
      })
      expect((await rootOf(server, world.first).activity('create_wallet', wallet('free'))).status).toBe(200)
    })
  })
}

test("a sub-organization's lookup under another parent does not stand for that parent", async () => {
  const server = await start({ folder: world.copy() })
  const childKey = generateApiKey()
  const child = await makeChild(rootOf(server, world.first), 'child', childKey)
  const [underFirst, underSecond] = [world.first, world.second].map(({ organizationId }) =>
    clientOf(server, { organizationId, apiKey: childKey }),
  )
  expect((await underFirst?.query('whoami'))?.body.organizationId).toBe(child.organizationId)

  withDatabase(server.folder, (hand) => {
    const where = { organization_id: child.organizationId }
    hand.update({ table: 'lookups', where }, { parent_id: world.second.organizationId })
    hand.update({ table: 'organizations', where }, { parent_id: world.second.organizationId })
  })
  expect((await underFirst?.query('whoami'))?.status).toBe(401)
  expect((await underSecond?.query('whoami'))?.status).toBe(401)
  const filter = { filterType: 'PUBLIC_KEY', filterValue: childKey.publicKey }
  const list = await rootOf(server, world.second).query('list_suborgs', filter)
  expect(list).toEqual({ status: 200, body: { organizationIds: [] } })
})

const wallet = (walletName: string) => ({ walletName, accounts: [] })

async function expectUnknown(answer: Awaited<ReturnType<Server['post']>>): Promise<void> {
  expect(answer).toMatchObject({ status: 401, body: { code: 16, turnkeyErrorCode: 'PUBLIC_KEY_NOT_FOUND' } })
}
