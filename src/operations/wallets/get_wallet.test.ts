import { expect, test } from 'vitest'
import { absentId, expectRefused, startOrganization, timestamp } from '../../../test/support/organization.ts'

const { query, found, done } = await startOrganization()

test('a wallet is shown with every field', async () => {
  const { walletId } = await done('create_wallet', { walletName: 'wallet', accounts: [] })
  const wallet = {
    walletId,
    walletName: 'wallet',
    createdAt: timestamp,
    updatedAt: timestamp,
    exported: false,
    imported: false,
  }
  expect(await found('get_wallet', { walletId })).toStrictEqual({ wallet })
  expect(await found('get_wallet', { walletId: walletId.toUpperCase() })).toStrictEqual({ wallet })
})

test('an unknown id is 404', async () => {
  expectRefused(
    await query('get_wallet', { walletId: absentId }),
    404,
    `there is no wallet ${absentId} in this organization`,
  )
})
