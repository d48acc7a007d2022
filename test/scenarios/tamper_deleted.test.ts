import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { type Client, clientOf, ethereumAccount, signingOf } from '../support/client.ts'
import { type Place, type Row, withDatabase } from '../support/database.ts'
import type { Server } from '../support/in_process.ts'
import { expectIncident } from '../support/incidents.ts'
import { generateApiKey } from '../support/stamping.ts'
import { start } from '../support/start.ts'
import { makeChild, resultOf } from '../support/two_organizations.ts'

/** Deletions hold: somebody who has the database can put every row back as it was, and nothing signs. */

type Rows = ReadonlyMap<'records' | 'lookups' | 'organizations', readonly Row[]>
const tables = ['records', 'lookups', 'organizations'] as const
const ofOrganization = (organizationId: string) => ({ organization_id: organizationId })

function rowsOf({ folder }: Server, organizationId: string): Rows {
  const where = ofOrganization(organizationId)
  return withDatabase(folder, ({ read }) => new Map(tables.map((table) => [table, read({ table, where })])))
}

/** Puts all missing rows back in their places. */
function putBack({ folder }: Server, before: Rows, { heads }: { readonly heads: 'old' | 'new' }): void {
  withDatabase(folder, (hand) => {
    for (const [table, rows] of before) {
      if (table === 'organizations' && heads === 'new') continue
      for (const row of rows) {
        const place: Place = { table, where: keyOf(table, row) }
        if (hand.read(place).length > 0) hand.remove(place)
        hand.insert(table, row)
      }
    }
  })
}

const keys = {
  records: ['organization_id', 'kind', 'record_id'],
  lookups: ['organization_id', 'lookup', 'key', 'record_id'],
  organizations: ['organization_id'],
} as const

function keyOf(table: keyof typeof keys, row: Row): Row {
  return Object.fromEntries(keys[table].map((name) => [name, row[name] ?? null]))
}

/** The events between the deletion and the tampering. */
const moments = {
  'while the server runs': async (server: Server) => {
    await nextTurn() // the reader's snapshot lasts until the turn ends
    return server
  },
  'before it starts again': async (server: Server) => {
    await server.close()
    return start({ folder: server.folder })
  },
} as const

for (const [moment, go] of Object.entries(moments)) {
  describe(`put back ${moment}`, () => {
    test('the rows of a deleted wallet and of its accounts sign nothing and are not shown', async () => {
      const { server, root } = await startWithWallet()
      const { walletId, addresses } = await makeWallet(root)
      const before = rowsOf(server, root.organizationId)
      await resultOf(root.activity('delete_wallets', { walletIds: [walletId], deleteWithoutExport: true }))
      const running = await go(server)
      putBack(running, before, { heads: 'new' })
      const again = clientOf(running, root)
      for (const address of addresses) {
        expect((await again.activity('sign_raw_payload', signingOf(address, 'text'))).status).toBe(404)
        expect((await again.query('get_wallet_account', { walletId, address })).status).toBe(404)
      }
      expect((await again.query('get_wallet', { walletId })).status).toBe(404)
      expect((await resultOf(again.query('list_wallet_accounts'))).accounts).toEqual([])
      expect((await resultOf(again.query('list_wallets'))).wallets).toEqual([])
      // Names and addresses are free for another wallet.
      const { addresses: others } = await makeWallet(again)
      for (const address of others) {
        expect((await again.activity('sign_raw_payload', signingOf(address, 'text'))).status).toBe(200)
      }
      expect(running.incidents).toEqual([])
    })

    test('the head from before the deletion is refused, and nothing signs', async () => {
      const { server, root } = await startWithWallet()
      const { walletId, addresses } = await makeWallet(root)
      const before = rowsOf(server, root.organizationId)
      await resultOf(root.activity('delete_wallets', { walletIds: [walletId], deleteWithoutExport: true }))
      const running = await go(server)
      putBack(running, before, { heads: 'old' })
      const asked = clientOf(running, root).activity('sign_raw_payload', signingOf(addresses[0] ?? '', 'text'))
      expectIncident(running, await asked, 'signature')
    })

    test('a sub-organization without its last head stays deleted', async () => {
      const { server, child, before } = await startWithDeletedChild()
      const running = await go(server)
      putBack(running, before, { heads: 'new' })
      const again = clientOf(running, child)
      expect((await again.query('whoami')).status).toBe(404)
      expect((await again.activity('create_wallet', { walletName: 'new', accounts: [] })).status).toBe(404)
      const atParent = clientOf(running, { ...child, organizationId: child.parentId })
      expect((await atParent.query('whoami')).status).toBe(401)
    })

    test('a sub-organization with an earlier head is refused', async () => {
      const { server, child, before } = await startWithDeletedChild()
      const running = await go(server)
      putBack(running, before, { heads: 'old' })
      expectIncident(running, await clientOf(running, child).query('whoami'), 'whoami')
    })

    test('a sub-organization whose last head was dropped is missed', async () => {
      const { server, child } = await startWithDeletedChild()
      const running = await go(server)
      const place = { table: 'organizations', where: ofOrganization(child.organizationId) } as const
      withDatabase(running.folder, (hand) => hand.remove(place))
      expectIncident(running, await clientOf(running, child).query('whoami'), 'whoami')
    })
  })
}

async function startWithWallet() {
  const server = await start()
  const root = clientOf(server, await server.createOrganization())
  return { server, root }
}

async function makeWallet(root: Client): Promise<{ walletId: string; addresses: readonly string[] }> {
  const accounts = [{ ...ethereumAccount('m/0'), name: 'first' }, ethereumAccount('m/1')]
  const made = await resultOf(root.activity('create_wallet', { walletName: 'wallet', accounts }))
  return made.activity.result.createWalletResult
}

async function startWithDeletedChild() {
  const { server, root } = await startWithWallet()
  const apiKey = generateApiKey()
  const { organizationId } = await makeChild(root, 'child', apiKey)
  const client = clientOf(server, { organizationId, apiKey })
  await makeWallet(client)
  const before = rowsOf(server, organizationId)
  await resultOf(client.activity('delete_sub_organization', { deleteWithoutExport: true }))
  expect((await client.query('whoami')).status).toBe(404)
  return { server, before, child: { organizationId, apiKey, parentId: root.organizationId } }
}
