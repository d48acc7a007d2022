import { expect, test } from 'vitest'
import { signingOf } from '../../../test/support/client.ts'
import { withDatabase } from '../../../test/support/database.ts'
import { writeNextListedRecord, writeNextRecord } from '../../../test/support/later_version.ts'
import { absentId, expectRefused, newAccount, repeated, startOrganization } from '../../../test/support/organization.ts'

const organization = await startOrganization({ limits: { deletedAccountsMax: 8 } })
const { server, organizationId, submit, query, done, found, anotherUser } = organization

type Account = { readonly walletAccountId: string; readonly address: string }
type Wallet = { readonly walletId: string; readonly accounts: readonly [Account, Account, Account] }

let count = 0
async function makeWallet(): Promise<Wallet> {
  const accounts = repeated(3, (index) => newAccount({ path: `m/${index}`, name: `${++count}` }))
  const { walletId } = await done('create_wallet', { walletName: `wallet ${count}`, accounts })
  return { walletId, accounts: (await found('list_wallet_accounts', { walletId })).accounts }
}
const idsOf = async (walletId: string): Promise<string[]> =>
  (await found('list_wallet_accounts', { walletId })).accounts.map((account: Account) => account.walletAccountId)
const sign = ({ address }: Account) => submit('sign_raw_payload', signingOf(address, 'text'))
const deleteWithoutExport = true
const place = (kind: 'wallet' | 'wallet_account', recordId: string) => ({ organizationId, kind, recordId }) as const

test('deleted accounts sign nothing, the others do; an id given twice counts once', async () => {
  const { walletId, accounts } = await makeWallet()
  const [first, second, third] = accounts
  const walletAccountIds = [first.walletAccountId.toUpperCase(), third.walletAccountId, first.walletAccountId]
  const result = await done('delete_wallet_accounts', { walletAccountIds, deleteWithoutExport })
  expect(result).toStrictEqual({ walletAccountIds: [first.walletAccountId, third.walletAccountId] })
  expect(await idsOf(walletId)).toEqual([second.walletAccountId])
  expectRefused(await sign(first), 404, 'resource to sign with')
  expectRefused(await query('get_wallet_account', { walletId, address: third.address }), 404)
  expect((await sign(second)).status).toBe(200)
  // Path and name are free: the account may be derived again, with a new id.
  const { addresses } = await done('create_wallet_accounts', {
    walletId,
    accounts: [newAccount({ path: 'm/0', name: '1' })],
  })
  expect(addresses).toEqual([first.address])
  expect((await sign(first)).status).toBe(200)
})

test('an account that was never exported, nor its wallet, is not deleted unless the request allows its loss', async () => {
  const { walletId, accounts } = await makeWallet()
  const [first, second, third] = accounts
  const ids = [first.walletAccountId, second.walletAccountId]
  await writeNextRecord(server, place('wallet_account', first.walletAccountId), (record) => ({
    ...record,
    exported: true,
  }))
  for (const flag of [{}, { deleteWithoutExport: false }, { deleteWithoutExport: null }]) {
    const answer = await submit('delete_wallet_accounts', { walletAccountIds: ids, ...flag })
    const texts = ['wallet account has not been exported', 'parameters.walletAccountIds[1]', 'deleteWithoutExport']
    expectRefused(answer, 400, ...texts)
    expect(answer.body.turnkeyErrorCode).toBe('WALLET_ACCOUNT_NOT_EXPORTED')
  }
  expect(await idsOf(walletId)).toHaveLength(3)
  await done('delete_wallet_accounts', { walletAccountIds: [first.walletAccountId] })
  await writeNextListedRecord(server, place('wallet', walletId), (record) => ({ ...record, exported: true }))
  await done('delete_wallet_accounts', { walletAccountIds: [second.walletAccountId] })
  expect(await idsOf(walletId)).toEqual([third.walletAccountId])
})

test('invalid deletions are refused', async () => {
  const { walletId, accounts } = await makeWallet()
  const { walletAccountId } = accounts[0]
  for (const [walletAccountIds, status, text] of [
    [[walletAccountId, absentId], 404, absentId],
    [[walletId], 404, walletId],
    [[], 400, 'parameters.walletAccountIds must be a list of 1 to 1000'],
    [repeated(1_001, () => walletAccountId), 400, 'parameters.walletAccountIds'],
  ] as const) {
    expectRefused(await submit('delete_wallet_accounts', { walletAccountIds, deleteWithoutExport }), status, text)
  }
  const { apiKey } = await anotherUser()
  const parameters = { walletAccountIds: [walletAccountId], deleteWithoutExport }
  expectRefused(await submit('delete_wallet_accounts', parameters, { apiKey }), 403)
  expect(await idsOf(walletId)).toHaveLength(3)
})

test('an account stays deleted if the database puts its row back, also if the path is used again', async () => {
  const { walletId, accounts } = await makeWallet()
  const { walletAccountId, address } = accounts[0]
  const row = { table: 'records', where: { organization_id: organizationId, record_id: walletAccountId } } as const
  const lookups = { table: 'lookups', where: row.where } as const
  const before = withDatabase(server.folder, (hand) => ({ row: hand.one(row), lookups: hand.read(lookups) }))
  await done('delete_wallet_accounts', { walletAccountIds: [walletAccountId], deleteWithoutExport })
  withDatabase(server.folder, (hand) => {
    hand.insert('records', before.row)
    for (const lookup of before.lookups) hand.insert('lookups', lookup)
  })
  expectRefused(await sign(accounts[0]), 404)
  expect(await idsOf(walletId)).toHaveLength(2)
  expectRefused(await query('get_wallet_account', { walletId, address }), 404)
  const walletAccountIds = [walletAccountId]
  expectRefused(await submit('delete_wallet_accounts', { walletAccountIds, deleteWithoutExport }), 404)
  await done('create_wallet_accounts', { walletId, accounts: [newAccount({ path: 'm/0' })] })
  expect((await sign(accounts[0])).status).toBe(200)
  expect(await idsOf(walletId)).toHaveLength(3)
})

test('an organization remembers a limited number of deleted accounts, and forgets those of a deleted wallet', async () => {
  const { walletId, accounts } = await makeWallet()
  const other = await makeWallet()
  const idsIn = (wallet: Wallet) => wallet.accounts.map(({ walletAccountId }) => walletAccountId)
  // Two, two and one were deleted above.
  await done('delete_wallet_accounts', { walletAccountIds: idsIn({ walletId, accounts }), deleteWithoutExport })
  const one = { walletAccountIds: [other.accounts[0].walletAccountId], deleteWithoutExport }
  expectRefused(await submit('delete_wallet_accounts', one), 429, 'at most 8 accounts', 'delete the wallet')
  await done('delete_wallets', { walletIds: [walletId], deleteWithoutExport })
  await done('delete_wallet_accounts', one)
})
