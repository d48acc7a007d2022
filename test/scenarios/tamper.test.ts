import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, ethereumAccount, signingOf } from '../support/client.ts'
import { type Hand, type Row, withDatabase } from '../support/database.ts'
import type { Server } from '../support/in_process.ts'
import { expectIncident } from '../support/incidents.ts'
import { generateApiKey } from '../support/stamping.ts'
import { start } from '../support/start.ts'
import { buildTwoOrganizations, type Furnished, rootOf, type Target, userOf } from '../support/two_organizations.ts'

/**
 * Listed records, and the head itself. When one is edited, exchanged, dropped or rolled back on its own, every request
 * that touches it is refused. The vault does not read again what it had read before, and answers that as it was.
 */

let world: Awaited<ReturnType<typeof buildTwoOrganizations>>
beforeAll(async () => {
  world = await buildTwoOrganizations()
})
afterAll(() => world.remove())

type Listed = Extract<Target, 'user' | 'wallet' | 'private_key' | 'policy'>
type Change = (hand: Hand, target: Target, victim: Furnished, other: Furnished) => void

const bytesColumn = (target: Target) => (target === 'head' ? 'head' : 'sealed')
const contentOf = (target: Target, row: Row): Row =>
  Object.fromEntries(
    ['version', 'tag', bytesColumn(target)].flatMap((name) => (name in row ? [[name, row[name] ?? null]] : [])),
  )

/** Flips one bit, at a fraction of the length. */
const editAt =
  (fraction: number): Change =>
  (hand, target, victim) => {
    const place = victim.place(target)
    const bytes = hand.one(place)[bytesColumn(target)]
    if (!(bytes instanceof Uint8Array)) throw new Error('sealed bytes are bytes')
    const at = Math.floor((bytes.length - 1) * fraction)
    hand.update(place, { [bytesColumn(target)]: bytes.map((byte, index) => (index === at ? byte ^ 1 : byte)) })
  }

const changes: Readonly<Record<string, Change>> = {
  'edited at its start': editAt(0),
  'edited in its middle': editAt(0.5),
  'edited at its end': editAt(1),
  'given another version': (hand, target, victim) => {
    const { version } = hand.one(victim.place(target))
    hand.update(victim.place(target), { version: Number(version) + 1 })
  },
  'swapped with that of another organization': (hand, target, victim, other) => {
    const [own, foreign] = [victim, other].map((one) => contentOf(target, hand.one(one.place(target))))
    hand.update(victim.place(target), foreign ?? {})
    hand.update(other.place(target), own ?? {})
  },
  deleted: (hand, target, victim) => hand.remove(victim.place(target)),
  'rolled back': (hand, target, victim) => {
    const older = victim.older.get(target)
    if (older === undefined) throw new Error(`no older ${target} was kept`)
    hand.update(victim.place(target), contentOf(target, older))
  },
}

type Probe = { readonly by: 'root' | 'user'; readonly name: string; readonly parameters?: Record<string, unknown> }
type Probes = { readonly queries: readonly Probe[]; readonly activities: readonly Probe[] }

const newKey = () => [{ apiKeyName: 'n', publicKey: generateApiKey().publicKey, curveType: 'API_KEY_CURVE_P256' }]

/** The requests that touch a record. */
const probesOf: Readonly<Record<Listed, (victim: Furnished) => Probes>> = {
  user: ({ userId, userApiKeyId }) => ({
    queries: [
      { by: 'user', name: 'whoami' },
      { by: 'root', name: 'get_user', parameters: { userId } },
      { by: 'root', name: 'list_users' },
      { by: 'root', name: 'get_api_keys', parameters: { userId } },
      { by: 'root', name: 'get_api_key', parameters: { apiKeyId: userApiKeyId } },
      { by: 'root', name: 'get_organization' },
    ],
    activities: [
      { by: 'root', name: 'create_api_keys', parameters: { userId, apiKeys: newKey() } },
      { by: 'user', name: 'create_api_keys', parameters: { userId, apiKeys: newKey() } },
      { by: 'root', name: 'delete_api_keys', parameters: { userId, apiKeyIds: [userApiKeyId] } },
    ],
  }),
  wallet: ({ walletId, address }) => ({
    queries: [
      { by: 'root', name: 'get_wallet', parameters: { walletId } },
      { by: 'root', name: 'list_wallets' },
      { by: 'root', name: 'get_wallet_account', parameters: { walletId, address } },
      { by: 'root', name: 'list_wallet_accounts', parameters: { walletId } },
      { by: 'root', name: 'list_wallet_accounts', parameters: { includeWalletDetails: true } },
      { by: 'root', name: 'get_organization' },
    ],
    activities: [
      { by: 'root', name: 'update_wallet', parameters: { walletId, walletName: 'again' } },
      { by: 'root', name: 'create_wallet_accounts', parameters: { walletId, accounts: [ethereumAccount('m/7')] } },
      {
        by: 'root',
        name: 'create_wallet_accounts',
        parameters: { walletId, accounts: [ethereumAccount('m/7')], persist: false },
      },
    ],
  }),
  private_key: ({ privateKeyId, privateKeyAddress }) => ({
    queries: [
      { by: 'root', name: 'get_private_key', parameters: { privateKeyId } },
      { by: 'root', name: 'list_private_keys' },
      { by: 'root', name: 'get_organization' },
    ],
    activities: [
      { by: 'root', name: 'sign_raw_payload', parameters: signingOf(privateKeyId, 'a') },
      { by: 'root', name: 'sign_raw_payload', parameters: signingOf(privateKeyAddress, 'b') },
      {
        by: 'root',
        name: 'sign_raw_payloads',
        parameters: {
          signWith: privateKeyId,
          payloads: ['c', 'd'],
          encoding: 'PAYLOAD_ENCODING_TEXT_UTF8',
          hashFunction: 'HASH_FUNCTION_SHA256',
        },
      },
    ],
  }),
  policy: ({ policyId }) => ({
    queries: [
      { by: 'root', name: 'get_policy', parameters: { policyId } },
      { by: 'user', name: 'list_policies' },
      { by: 'root', name: 'get_organization' },
    ],
    activities: [
      { by: 'root', name: 'update_policy', parameters: { policyId, policyNotes: 'again' } },
      { by: 'root', name: 'delete_policy', parameters: { policyId } },
      { by: 'root', name: 'delete_policies', parameters: { policyIds: [policyId] } },
    ],
  }),
}

/** Everything touches the head. */
function headProbesOf(victim: Furnished): Probes {
  const all = Object.values(probesOf).map((probes) => probes(victim))
  return {
    queries: [
      { by: 'root', name: 'whoami' },
      { by: 'root', name: 'list_activities' },
      ...all.flatMap(({ queries }) => queries),
    ],
    activities: [
      { by: 'root', name: 'sign_raw_payload', parameters: signingOf(victim.address, 'e') },
      { by: 'root', name: 'update_organization_name', parameters: { organizationName: 'Renamed' } },
      { by: 'root', name: 'create_wallet', parameters: { walletName: 'new', accounts: [] } },
      ...all.flatMap(({ activities }) => activities),
    ],
  }
}

const listed = ['user', 'wallet', 'private_key', 'policy'] as const
const cases = Object.entries(changes).flatMap(([name, change]) => listed.map((target) => ({ name, change, target })))

for (const { name, change, target } of cases) {
  test(`stopped server: a ${target} that was ${name} is refused by every request that touches it`, async () => {
    const folder = world.copy()
    tamper(folder, change, target)
    const server = await start({ folder })
    await expectRefusal(server, target, name)
    await expectTheRestToWork(server, target, name)
  })

  test(`running server: a ${target} that was ${name} is refused by every request that touches it`, async () => {
    const folder = world.copy()
    const server = await start({ folder })
    await expectTheRestToWork(server, target, name) // the head is in the cache now, the record is not
    tamper(folder, change, target)
    await expectRefusal(server, target, name)
  })

  test(`running server that had read it: a ${target} that was ${name} is shown as it was, and not used`, async () => {
    const folder = world.copy()
    const server = await start({ folder })
    const probes = probesOf[target](world.first)
    const before = await Promise.all(probes.queries.map((probe) => ask(server, world.first, probe)))
    tamper(folder, change, target)
    const counted = countActivities(folder)
    for (const [index, probe] of probes.queries.entries()) {
      expect(await ask(server, world.first, probe), probe.name).toEqual(before[index])
    }
    // A policy that is deleted is not read again: its head knows it, and so does the cache.
    for (const probe of probes.activities.filter(({ name }) => !name.startsWith('delete_polic'))) {
      expectIncident(server, await ask(server, world.first, probe), probe.name)
    }
    expect(countActivities(folder)).toBe(counted)
  })
}

const headChanges: Readonly<Record<string, Change>> = {
  ...changes,
  'given another tag': (hand, _, victim) => hand.update(victim.place('head'), { tag: '00'.repeat(16) }),
}

for (const [name, change] of Object.entries(headChanges)) {
  test(`stopped server: with a head that was ${name}, every request is refused`, async () => {
    const folder = world.copy()
    tamper(folder, change, 'head')
    const server = await start({ folder })
    await expectHeadRefusal(server, name)
  })

  if (name.startsWith('edited')) continue
  test(`running server: with a head that was ${name}, every request is refused`, async () => {
    const folder = world.copy()
    const server = await start({ folder })
    expect((await rootOf(server, world.first).query('get_organization')).status).toBe(200)
    expect((await rootOf(server, world.second).query('get_organization')).status).toBe(200)
    tamper(folder, change, 'head')
    await expectHeadRefusal(server, name)
  })
}

test('running server: the bytes of a head that it has verified are not read again, and the next change mends them', async () => {
  const folder = world.copy()
  const server = await start({ folder })
  const root = rootOf(server, world.first)
  // Of several vaults, the one that will change the organization has verified its head too.
  expect((await root.activity('update_organization_name', { organizationName: 'Before' })).status).toBe(200)
  const before = await root.query('get_organization')
  tamper(folder, editAt(0.5), 'head')
  expect(await root.query('get_organization')).toEqual(before)
  expect((await root.activity('update_organization_name', { organizationName: 'Mended' })).status).toBe(200)
  await server.close()
  const restarted = await start({ folder })
  expect((await rootOf(restarted, world.first).query('whoami')).body.organizationName).toBe('Mended')
})

function tamper(folder: string, change: Change, target: Target): void {
  withDatabase(folder, (hand) => change(hand, target, world.first, world.second))
}

/** The organizations that a change harms. A swap harms two. */
function victimsOf(name: string): readonly Furnished[] {
  return name.startsWith('swapped') ? [world.first, world.second] : [world.first]
}

async function expectRefusal(server: Server, target: Listed, name: string): Promise<void> {
  for (const victim of victimsOf(name)) {
    const { queries, activities } = probesOf[target](victim)
    await expectIncidents(server, victim, [...queries, ...activities])
  }
}

async function expectHeadRefusal(server: Server, name: string): Promise<void> {
  for (const victim of victimsOf(name)) {
    const { queries, activities } = headProbesOf(victim)
    await expectIncidents(server, victim, [...queries, ...activities])
  }
  if (victimsOf(name).includes(world.second)) return
  expect((await rootOf(server, world.second).query('get_organization')).status).toBe(200)
}

async function expectIncidents(server: Server, victim: Furnished, probes: readonly Probe[]): Promise<void> {
  const counted = countActivities(server.folder)
  for (const probe of probes) expectIncident(server, await ask(server, victim, probe), probe.name)
  expect(countActivities(server.folder)).toBe(counted)
}

/** Expects answers to requests that do not touch the record. */
async function expectTheRestToWork(server: Server, target: Listed, name: string): Promise<void> {
  const root = rootOf(server, world.first)
  expect((await root.query('whoami')).status).toBe(200)
  expect((await root.query('get_organization_configs')).status).toBe(200)
  if (target !== 'private_key') {
    const signed = await root.activity('sign_raw_payload', signingOf(world.first.privateKeyId, 'rest'))
    expect(signed.status, JSON.stringify(signed.body)).toBe(200)
  }
  if (victimsOf(name).includes(world.second)) return
  expect((await rootOf(server, world.second).query('get_organization')).status).toBe(200)
}

function ask(server: Server, victim: Furnished, { by, name, parameters = {} }: Probe) {
  const client: Client = by === 'root' ? rootOf(server, victim) : userOf(server, victim)
  const isQuery = /^(get|list|whoami)/.test(name)
  return isQuery ? client.query(name, parameters) : client.activity(name, parameters)
}

function countActivities(folder: string): number {
  const { organizationId } = world.first
  return withDatabase(
    folder,
    (hand) => hand.read({ table: 'activities', where: { organization_id: organizationId } }).length,
  )
}
