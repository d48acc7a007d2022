import { expect, test } from 'vitest'
import { newPrivateKey, startOrganization } from '../../../test/support/organization.ts'

const { organizationId, rootUserId, found, done, anotherUser } = await startOrganization()

test('everything that the organization has is there, as its own query shows it', async () => {
  await anotherUser()
  await done('create_wallet', { walletName: 'wallet', accounts: [] })
  await done('create_private_keys', { privateKeys: [newPrivateKey()] })

  const { users } = await found('list_users')
  const { wallets } = await found('list_wallets')
  const { privateKeys } = await found('list_private_keys')
  expect([users.length, wallets.length, privateKeys.length]).toEqual([2, 1, 1])
  expect(await found('get_organization')).toStrictEqual({
    organizationData: {
      organizationId,
      name: 'First',
      users,
      policies: [],
      privateKeys,
      invitations: [],
      tags: [],
      rootQuorum: { threshold: 1, userIds: [rootUserId] },
      features: [],
      wallets,
      smartContractInterfaceReferences: [],
    },
  })
})
