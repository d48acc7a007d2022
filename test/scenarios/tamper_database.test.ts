import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { clientOf, signingOf } from '../support/client.ts'
import { type Table, withDatabase } from '../support/database.ts'
import type { Server } from '../support/in_process.ts'
import { expectIncident } from '../support/incidents.ts'
import { copyDatabaseIn } from '../support/server_database.ts'
import { generateApiKey } from '../support/stamping.ts'
import { start } from '../support/start.ts'
import { resultOf } from '../support/two_organizations.ts'

/** An older copy of the whole database: all rows fit each other, so only the books of the vault can tell. */

const apiKeyOf = (publicKey: string) => ({ apiKeyName: 'k', publicKey, curveType: 'API_KEY_CURVE_P256' })

/** Makes an organization with two keys, copies the database, and deletes one of the keys. */
async function revokeAfterCopy() {
  const folder = temporaryFolder()
  const before = await start({ folder })
  const { organizationId, userId, apiKey } = await before.createOrganization()
  const bystander = await before.createOrganization()
  const leaked = generateApiKey()
  const root = clientOf(before, { organizationId, apiKey })
  await resultOf(root.activity('create_api_keys', { userId, apiKeys: [apiKeyOf(leaked.publicKey)] }))
  const made = await resultOf(root.activity('create_private_keys', { privateKeys: [newPrivateKey] }))
  const [{ privateKeyId }] = made.activity.result.createPrivateKeysResultV2.privateKeys
  const { apiKeys } = await resultOf(root.query('get_api_keys', { userId }))
  await before.close()
  copyDatabaseIn(folder, olderFolder(folder))

  const server = await start({ folder })
  const again = clientOf(server, { organizationId, apiKey })
  await resultOf(again.activity('delete_api_keys', { userId, apiKeyIds: [apiKeys[1].apiKeyId] }))
  return { folder, server, organizationId, userId, apiKey, leaked, privateKeyId, bystander }
}

const newPrivateKey = {
  privateKeyName: 'k',
  curve: 'CURVE_SECP256K1',
  privateKeyTags: [],
  addressFormats: [],
}

type Revoked = Awaited<ReturnType<typeof revokeAfterCopy>>

async function expectEverythingRefused(
  server: Server,
  { organizationId, userId, apiKey, leaked, privateKeyId }: Revoked,
) {
  for (const key of [apiKey, leaked]) {
    const client = clientOf(server, { organizationId, apiKey: key })
    const asked = {
      whoami: await client.query('whoami'),
      organization: await client.query('get_organization'),
      signature: await client.activity('sign_raw_payload', signingOf(privateKeyId, 'a')),
      'new wallet': await client.activity('create_wallet', { walletName: 'w', accounts: [] }),
      'new key': await client.activity('create_api_keys', { userId, apiKeys: [apiKeyOf(generateApiKey().publicKey)] }),
    }
    for (const [what, answer] of Object.entries(asked)) expectIncident(server, answer, what)
  }
}

test('an older copy of the whole database, put in place of it: every request of an organization that has changed is refused', async () => {
  const revoked = await revokeAfterCopy()
  await revoked.server.close()
  putOlderBack(revoked.folder)
  const server = await start({ folder: revoked.folder })
  await expectEverythingRefused(server, revoked)
  const remedy = 'claviger vault accept-restore'
  expect(server.incidents[0]).toMatchObject([
    { error: { message: expect.stringContaining(remedy) } },
    'internal server error',
  ])
  const unchanged = clientOf(server, revoked.bystander)
  expect((await unchanged.query('whoami')).status).toBe(200)
})

test('an older copy of every row, put in place under a running server: every request of the organization is refused', async () => {
  const revoked = await revokeAfterCopy()
  withDatabase(revoked.folder, (hand) => {
    const tables: readonly Table[] = ['organizations', 'records', 'lookups', 'activities']
    const where = { organization_id: revoked.organizationId }
    const older = withDatabase(olderFolder(revoked.folder), (old) => tables.map((table) => old.read({ table, where })))
    for (const [index, table] of tables.entries()) {
      hand.remove({ table, where })
      for (const row of older[index] ?? []) hand.insert(table, row)
    }
  })
  await expectEverythingRefused(revoked.server, revoked)
})

test('the newer database put back again works, and the revoked key does not', async () => {
  const revoked = await revokeAfterCopy()
  await revoked.server.close()
  const newer = temporaryFolder()
  copyDatabaseIn(revoked.folder, newer)
  putOlderBack(revoked.folder)
  const wrong = await start({ folder: revoked.folder })
  await expectEverythingRefused(wrong, revoked)
  await wrong.close()
  copyDatabaseIn(newer, revoked.folder)
  const server = await start({ folder: revoked.folder })
  expect((await clientOf(server, revoked).query('whoami')).status).toBe(200)
  expect((await clientOf(server, { ...revoked, apiKey: revoked.leaked }).query('whoami')).status).toBe(401)
})

test('a vault without a journal trusts the first head that it sees: an older database works, revoked key included', async () => {
  const revoked = await revokeAfterCopy()
  await revoked.server.close()
  putOlderBack(revoked.folder)
  const server = await start({ folder: revoked.folder, journalDirectory: join(revoked.folder, 'empty journal') })
  expect(server.warnings).toEqual([expect.stringContaining('it trusts the first head that it sees')])
  expect(revoked.server.warnings).toEqual([])
  expect((await clientOf(server, revoked).query('whoami')).status).toBe(200)
  const client = clientOf(server, { ...revoked, apiKey: revoked.leaked })
  expect((await client.activity('sign_raw_payload', signingOf(revoked.privateKeyId, 'a'))).status).toBe(200)
})

test('a head that is rolled back at once, before any further request, is refused: it is on the books before the change is acknowledged', async () => {
  const server = await start({ folder: temporaryFolder() })
  const { organizationId, userId, apiKey } = await server.createOrganization()
  const root = clientOf(server, { organizationId, apiKey })
  const leaked = generateApiKey()
  await resultOf(root.activity('create_api_keys', { userId, apiKeys: [apiKeyOf(leaked.publicKey)] }))
  const { apiKeys } = await resultOf(root.query('get_api_keys', { userId }))
  const place = { table: 'organizations', where: { organization_id: organizationId } } as const
  const credential = { table: 'lookups', where: { lookup: 'credential', key: leaked.publicKey } } as const
  const { row, hint } = withDatabase(server.folder, (hand) => ({ row: hand.one(place), hint: hand.one(credential) }))
  await resultOf(root.activity('delete_api_keys', { userId, apiKeyIds: [apiKeys[1].apiKeyId] }))
  withDatabase(server.folder, (hand) => {
    hand.update(place, row)
    hand.insert('lookups', hint)
  })
  expectIncident(server, await clientOf(server, { organizationId, apiKey: leaked }).query('whoami'), 'whoami')
  await server.close()

  const restarted = await start({ folder: server.folder })
  expectIncident(restarted, await clientOf(restarted, { organizationId, apiKey: leaked }).query('whoami'), 'whoami')
})

test('a database that has lost its vault state gets no new one while the vault has a journal', async () => {
  const { server, folder } = await revokeAfterCopy()
  await server.close()
  withDatabase(folder, (hand) => hand.remove({ table: 'vault_state', where: {} }))
  await expect(start({ folder })).rejects.toThrow('the database has no vault state')
})

test('an organization on the books that the database lacks is an incident; an unknown one is a 404', async () => {
  const { server, folder, ...revoked } = await revokeAfterCopy()
  withDatabase(folder, (hand) => {
    hand.remove({ table: 'organizations', where: { organization_id: revoked.organizationId } })
  })
  expectIncident(server, await clientOf(server, revoked).query('whoami'), 'whoami')
  const nowhere = { ...revoked, organizationId: '00000000-0000-4000-8000-000000000000' }
  expect((await clientOf(server, nowhere).query('whoami')).status).toBe(404)
})

function putOlderBack(folder: string): void {
  copyDatabaseIn(olderFolder(folder), folder)
}

const olderFolder = (folder: string) => join(folder, 'older')

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'claviger-database-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
