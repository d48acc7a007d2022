import { expect, test } from 'vitest'
import { startOrganization } from '../../../test/support/organization.ts'

const { found, done } = await startOrganization()

test('an organization without wallets has an empty list', async () => {
  expect(await found('list_wallets')).toStrictEqual({ wallets: [] })
})

test('wallets are listed in order of creation, each as `get_wallet` shows it', async () => {
  const wallets: unknown[] = []
  for (const walletName of ['c', 'a', 'b']) {
    const { walletId } = await done('create_wallet', { walletName, accounts: [] })
    wallets.push((await found('get_wallet', { walletId })).wallet)
  }
  expect(await found('list_wallets')).toStrictEqual({ wallets })
})
