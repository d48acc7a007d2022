import { expect, test } from 'vitest'
import { newPrivateKey, startOrganization } from '../../../test/support/organization.ts'

const { organizationId, rootUserId, found, done, anotherUser } = await startOrganization()

test('the organization is shown with all its records, each as its own query shows it', async () => {
  await anotherUser()
  await done('create_wallet', { walletName: 'wallet', accounts: [] })
  await done('create_private_keys', { privateKeys: [newPrivateKey()] })
  const feature = { name: 'FEATURE_NAME_SMS_AUTH', value: 'true' }
  await done('set_organization_feature', feature)
  const smartContractAddress = `0x${'ab'.repeat(20)}`
  const { smartContractInterfaceId } = await done('create_smart_contract_interface', {
    smartContractAddress,
    smartContractInterface: '[]',
    type: 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM',
    label: 'empty',
  })

  await done('create_policy', { policyName: 'policy', effect: 'EFFECT_DENY', notes: '' })

  const { policies } = await found('list_policies')
  const { users } = await found('list_users')
  const { wallets } = await found('list_wallets')
  const { privateKeys } = await found('list_private_keys')
  expect([users, wallets, privateKeys, policies].map(({ length }) => length)).toEqual([2, 1, 1, 1])
  expect(await found('get_organization')).toStrictEqual({
    organizationData: {
      organizationId,
      name: 'First',
      users,
      policies,
      privateKeys,
      invitations: [],
      tags: [],
      rootQuorum: { threshold: 1, userIds: [rootUserId] },
      features: [
        { name: 'FEATURE_NAME_ROOT_USER_EMAIL_RECOVERY' },
        { name: 'FEATURE_NAME_EMAIL_RECOVERY' },
        feature,
        { name: 'FEATURE_NAME_OTP_EMAIL_AUTH' },
      ],
      wallets,
      smartContractInterfaceReferences: [
        {
          smartContractInterfaceId,
          smartContractAddress,
          digest: '4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945',
        },
      ],
    },
  })
})
