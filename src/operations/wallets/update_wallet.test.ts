import { expect, test } from 'vitest'
import { absentId, expectRefused, newAccount, startOrganization } from '../../../test/support/organization.ts'

const { clock, submit, done, found, anotherUser } = await startOrganization()
const { walletId } = await done('create_wallet', { walletName: 'before', accounts: [newAccount()] })
await done('create_wallet', { walletName: 'taken', accounts: [] })

test('a wallet is renamed and keeps everything else, its seed included', async () => {
  const { createdAt, updatedAt, ...wallet } = (await found('get_wallet', { walletId })).wallet
  clock.nowMs += 5_000
  expect(await done('update_wallet', { walletId: walletId.toUpperCase(), walletName: 'after' })).toStrictEqual({
    walletId,
  })

  const after = (await found('get_wallet', { walletId })).wallet
  expect(after).toMatchObject({ ...wallet, walletName: 'after', createdAt })
  expect(after.updatedAt).not.toEqual(updatedAt)
  const [{ address }] = (await found('list_wallet_accounts', { walletId })).accounts
  const again = await done('create_wallet_accounts', { walletId, accounts: [newAccount()], persist: false })
  expect(again.addresses).toEqual([address])
})

test('the old name is free, and the present name may be given again', async () => {
  await done('update_wallet', { walletId, walletName: 'after' })
  await done('create_wallet', { walletName: 'before', accounts: [] })
})

test('without a name nothing changes', async () => {
  const before = await found('get_wallet', { walletId })
  clock.nowMs += 5_000
  for (const parameters of [{ walletId }, { walletId, walletName: null }]) {
    expect(await done('update_wallet', parameters)).toStrictEqual({ walletId })
  }
  expect(await found('get_wallet', { walletId })).toEqual(before)
})

for (const [claim, change, status, text] of [
  ['the name of another wallet', { walletName: 'taken' }, 400, 'already in use: parameters.walletName'],
  ['an empty name', { walletName: '' }, 400, 'parameters.walletName must be a text of 1 to 256'],
  ['an unknown wallet', { walletId: absentId }, 404, `there is no wallet ${absentId}`],
] as const) {
  test(`${claim} is refused`, async () => {
    expectRefused(await submit('update_wallet', { walletId, walletName: 'new', ...change }), status, text)
  })
}

test('a user outside of the root quorum may not rename a wallet', async () => {
  const { apiKey } = await anotherUser()
  expectRefused(await submit('update_wallet', { walletId, walletName: 'mine' }, { apiKey }), 403)
})
