import { describe, expect, test } from 'vitest'
import {
  absentId,
  expectRefused,
  newAccount,
  repeated,
  startOrganization,
  timestamp,
  uuid,
} from '../../../test/support/organization.ts'

const { organizationId, query, found, done } = await startOrganization()
const many = await done('create_wallet', {
  walletName: 'many',
  accounts: repeated(103, (index) => newAccount({ path: `m/${index}` })),
})
const few = await done('create_wallet', {
  walletName: 'few',
  accounts: [newAccount({ name: 'named' }), newAccount({ path: 'm' })],
})

type Account = { readonly walletAccountId: string; readonly address: string }

async function page(parameters: object): Promise<Account[]> {
  return (await found('list_wallet_accounts', { ...parameters })).accounts
}
const addressesOf = (accounts: readonly Account[]) => accounts.map(({ address }) => address)
const ofMany = (paginationOptions: object) => page({ walletId: many.walletId, paginationOptions })

test('an account is shown with every field, and its name when it has one', async () => {
  const account = {
    walletAccountId: uuid,
    organizationId,
    walletId: few.walletId,
    curve: 'CURVE_SECP256K1',
    pathFormat: 'PATH_FORMAT_BIP32',
    addressFormat: 'ADDRESS_FORMAT_ETHEREUM',
    createdAt: timestamp,
    updatedAt: timestamp,
    publicKey: expect.stringMatching(/^0[23][0-9a-f]{64}$/),
  }
  expect(await found('list_wallet_accounts', { walletId: few.walletId })).toStrictEqual({
    accounts: [
      { ...account, path: "m/44'/60'/0'/0/0", address: few.addresses[0], name: 'named' },
      { ...account, path: 'm', address: few.addresses[1] },
    ],
  })
})

test('wallet details are shown only if the request asks for them', async () => {
  const { walletId } = few
  const { wallet } = await found('get_wallet', { walletId })
  for (const { walletDetails } of (await found('list_wallet_accounts', { walletId, includeWalletDetails: true }))
    .accounts) {
    expect(walletDetails).toStrictEqual(wallet)
  }
  for (const includeWalletDetails of [false, null]) {
    const { accounts } = await found('list_wallet_accounts', { walletId, includeWalletDetails })
    expect(accounts.flatMap(Object.keys)).not.toContain('walletDetails')
  }
})

test('without a wallet, the accounts of all wallets are listed, oldest first', async () => {
  const last = (await page({ paginationOptions: { limit: '100' } })).at(-1)
  const rest = await page({
    paginationOptions: { limit: '100', after: last?.walletAccountId },
    includeWalletDetails: true,
  })
  expect(addressesOf(rest)).toEqual([...many.addresses.slice(100), ...few.addresses])
  expect(rest).toMatchObject([
    ...repeated(3, () => ({ walletDetails: { walletName: 'many' } })),
    {},
    { walletDetails: { walletName: 'few' } },
  ])
})

describe('pages', () => {
  test('hold 10 accounts by default, and 1 to 100 on request', async () => {
    for (const [paginationOptions, count] of [
      [undefined, 10],
      [null, 10],
      [{}, 10],
      [{ limit: null }, 10],
      [{ limit: '1' }, 1],
      [{ limit: '100' }, 100],
    ] as const) {
      expect(addressesOf(await page({ walletId: many.walletId, paginationOptions }))).toEqual(
        many.addresses.slice(0, count),
      )
    }
  })

  test('follow one another by the last id of each, until a page is not full', async () => {
    const first = await ofMany({ limit: '100' })
    const second = await ofMany({ limit: '100', after: first.at(-1)?.walletAccountId.toUpperCase() })
    expect(addressesOf([...first, ...second])).toEqual(many.addresses)
    expect(await ofMany({ limit: '100', after: second.at(-1)?.walletAccountId })).toEqual([])
  })

  test('before a cursor hold the accounts just before it, still oldest first', async () => {
    const all = await ofMany({ limit: '100' })
    const pageBefore = (index: number, limit: string) => ofMany({ before: all[index]?.walletAccountId, limit })
    expect(await pageBefore(50, '3')).toEqual(all.slice(47, 50))
    expect(await pageBefore(2, '3')).toEqual(all.slice(0, 2))
    expect(await pageBefore(0, '3')).toEqual([])
  })
})

describe('invalid pages are refused', () => {
  for (const limit of ['0', '101', 'abc', '', '-1', '1.5', '010', '1e1', ' 1', 10, 0, true]) {
    test(`of ${JSON.stringify(limit)}`, async () => {
      const answer = await query('list_wallet_accounts', { paginationOptions: { limit } })
      expectRefused(answer, 400, 'paginationOptions.limit must be a number from 1 to 100, as a string')
    })
  }

  test('between two cursors', async () => {
    const [first, second] = await ofMany({ limit: '2' })
    const paginationOptions = { after: first?.walletAccountId, before: second?.walletAccountId }
    const answer = await query('list_wallet_accounts', { paginationOptions })
    expectRefused(answer, 400, 'paginationOptions must be given `before` or `after`, not both')
  })

  test('from a cursor that is not an account of this wallet', async () => {
    const [other] = await page({ walletId: few.walletId })
    for (const cursor of [absentId, few.walletId, other?.walletAccountId]) {
      for (const side of ['after', 'before']) {
        const answer = await query('list_wallet_accounts', {
          walletId: many.walletId,
          paginationOptions: { [side]: cursor },
        })
        expectRefused(answer, 400, 'paginationOptions: the cursor in `after` or `before` is not an id of this list')
      }
    }
    expectRefused(
      await query('list_wallet_accounts', { paginationOptions: { after: 'x' } }),
      400,
      'paginationOptions.after must be a UUID',
    )
  })

  test('of an unknown wallet', async () => {
    expectRefused(
      await query('list_wallet_accounts', { walletId: absentId }),
      404,
      `there is no wallet ${absentId} in this`,
    )
  })
})
