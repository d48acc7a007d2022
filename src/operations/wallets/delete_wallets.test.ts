import { expect, test } from 'vitest'
import { signingOf } from '../../../test/support/client.ts'
import { withDatabase } from '../../../test/support/database.ts'
import { writeNextListedRecord } from '../../../test/support/later_version.ts'
import {
  absentId,
  expectRefused,
  newAccount,
  type Parameters,
  repeated,
  startOrganization,
} from '../../../test/support/organization.ts'

const { server, organizationId, submit, query, done, found, anotherUser } = await startOrganization()

let count = 0
async function makeWallet(given: Parameters = {}): Promise<{ walletId: string; addresses: string[] }> {
  return done('create_wallet', { walletName: `wallet ${++count}`, accounts: [newAccount()], ...given })
}
const recordsOf = (kind: string) =>
  withDatabase(server.folder, ({ read }) =>
    read({ table: 'records', where: { organization_id: organizationId, kind } }),
  )
const addressRows = (address: string) =>
  withDatabase(server.folder, ({ read }) =>
    read({ table: 'lookups', where: { organization_id: organizationId, key: address.toLowerCase() } }),
  )
const deleteWithoutExport = true

test('wallets are deleted with their accounts, whose addresses then sign nothing', async () => {
  const { walletId, addresses } = await makeWallet({
    accounts: [newAccount({ name: 'first' }), newAccount({ path: 'm/1' })],
  })
  const kept = await makeWallet()
  const result = await done('delete_wallets', { walletIds: [walletId.toUpperCase(), walletId], deleteWithoutExport })
  expect(result).toStrictEqual({ walletIds: [walletId] })

  expectRefused(await query('get_wallet', { walletId }), 404)
  expectRefused(await query('list_wallet_accounts', { walletId }), 404)
  const [address = ''] = addresses
  expectRefused(await query('get_wallet_account', { walletId, address }), 404)
  for (const signWith of addresses) {
    expectRefused(await submit('sign_raw_payload', signingOf(signWith, 'text')), 404, 'resource to sign with')
  }
  expectRefused(await submit('create_wallet_accounts', { walletId, accounts: [newAccount({ path: 'm/2' })] }), 404)
  expectRefused(await submit('update_wallet', { walletId, walletName: 'renamed' }), 404)
  const listed = (await found('list_wallet_accounts')).accounts
  expect(listed.map((account: { walletId: string }) => account.walletId)).toEqual([kept.walletId])
  expect((await submit('sign_raw_payload', signingOf(kept.addresses[0] ?? '', 'text'))).status).toBe(200)
})

test('the sealed bytes and the lookups of a deleted wallet are gone', async () => {
  const accountsBefore = recordsOf('wallet_account').length
  const { walletId, addresses } = await makeWallet()
  expect(recordsOf('wallet_account')).toHaveLength(accountsBefore + 1)
  await done('delete_wallets', { walletIds: [walletId], deleteWithoutExport })
  expect(recordsOf('wallet_account')).toHaveLength(accountsBefore)
  expect(recordsOf('wallet').map((row) => row.record_id)).not.toContain(walletId)
  expect(addressRows(addresses[0] ?? '')).toEqual([])
})

test('a wallet that was never exported is not deleted unless the request allows its loss', async () => {
  const { walletId } = await makeWallet()
  const { walletId: exportedId } = await makeWallet()
  const place = { organizationId, kind: 'wallet', recordId: exportedId } as const
  await writeNextListedRecord(server, place, (record) => ({ ...record, exported: true }))
  for (const flag of [{}, { deleteWithoutExport: false }, { deleteWithoutExport: null }]) {
    const answer = await submit('delete_wallets', { walletIds: [exportedId, walletId], ...flag })
    expectRefused(answer, 400, 'parameters.walletIds[1]', 'deleteWithoutExport')
  }
  for (const id of [walletId, exportedId])
    expect((await found('get_wallet', { walletId: id })).wallet.walletId).toBe(id)
  await done('delete_wallets', { walletIds: [exportedId] })
})

test('a wallet with more accounts than are erased at once frees all its names at once', async () => {
  const numbered = (from: number, to: number) =>
    repeated(to - from, (index) => newAccount({ path: `m/${from + index}`, name: `account ${from + index}` }))
  const { walletId } = await makeWallet({ walletName: 'large', accounts: numbered(0, 1_000) })
  const { addresses } = await done('create_wallet_accounts', { walletId, accounts: numbered(1_000, 1_002) })
  const others = recordsOf('wallet_account').length - 1_002
  await done('delete_wallets', { walletIds: [walletId], deleteWithoutExport })
  // Two accounts stay in the database for a moment, but nobody sees them.
  for (const signWith of addresses) {
    expectRefused(await submit('sign_raw_payload', signingOf(signWith, 'text')), 404)
  }
  await makeWallet({ walletName: 'large', accounts: numbered(1_000, 1_002) })
  await expect.poll(() => recordsOf('wallet_account').length, { timeout: 5_000 }).toBe(others + 2)
  expect(addressRows(addresses[1])).toEqual([])
})

test('no signature in flight is made after its wallet was deleted', async () => {
  const { walletId, addresses } = await makeWallet()
  const sign = () => submit('sign_raw_payload', signingOf(addresses[0] ?? '', 'text'))
  const early = repeated(20, sign)
  const deletion = submit('delete_wallets', { walletIds: [walletId], deleteWithoutExport })
  const late = repeated(20, sign)
  expect((await deletion).status).toBe(200)
  expect((await sign()).status).toBe(404)
  for (const { status } of await Promise.all([...early, ...late])) expect([200, 404]).toContain(status)
})

test('invalid deletions are refused', async () => {
  const { walletId } = await makeWallet()
  for (const [walletIds, status, text] of [
    [[walletId, absentId], 404, absentId],
    [[organizationId], 404, organizationId],
    [[], 400, 'parameters.walletIds must be a list of 1 to 100'],
    [repeated(101, () => walletId), 400, 'parameters.walletIds'],
  ] as const) {
    expectRefused(await submit('delete_wallets', { walletIds, deleteWithoutExport }), status, text)
  }
  const { apiKey } = await anotherUser()
  const parameters = { walletIds: [walletId], deleteWithoutExport }
  expectRefused(await submit('delete_wallets', parameters, { apiKey }), 403)
  expect((await found('get_wallet', { walletId })).wallet.walletId).toBe(walletId)
})
