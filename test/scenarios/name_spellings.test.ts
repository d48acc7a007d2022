import { describe, expect, test } from 'vitest'
import { newTarget } from '../support/bundles.ts'
import { withDatabase } from '../support/database.ts'
import { writeNextListedRecord } from '../support/later_version.ts'
import {
  expectRefused,
  newAccount,
  newApiKey,
  newPolicy,
  newPrivateKey,
  type Parameters,
  startOrganization,
} from '../support/organization.ts'
import { generateApiKey } from '../support/stamping.ts'

/** Names that look the same are one name, whether their letters are composed (NFC) or not (NFD). */

const organization = await startOrganization()
const { server, organizationId, submit, done, found, anotherUser } = organization
const [composed, apart] = ['Café', 'Café'].map((name, at) => name.normalize(at === 0 ? 'NFC' : 'NFD'))
if (composed === undefined || apart === undefined || composed === apart) throw new Error('they are two spellings')

const { targetPublicKey } = newTarget()

const policy = (policyName: string) => newPolicy({ policyName, condition: 'wallet.imported' })

describe('a name is taken in every spelling', () => {
  const walletOf = (walletName: string) => ({ walletName, accounts: [] })
  const userTag = (userTagName: string) => ({ userTagName, userIds: [] })
  const keyTag = (privateKeyTagName: string) => ({ privateKeyTagName, privateKeyIds: [] })
  const keys = (...names: string[]) => ({
    privateKeys: names.map((privateKeyName) => newPrivateKey({ privateKeyName })),
  })

  test.each<[string, (name: string) => Parameters, string]>([
    ['create_wallet', walletOf, 'walletName'],
    ['create_private_keys', keys, 'privateKeys[0].privateKeyName'],
    ['create_user_tag', userTag, 'userTagName'],
    ['create_policy', policy, 'policyName'],
  ])('%s', async (name, parametersOf, field) => {
    await done(name, parametersOf(apart))
    expectRefused(await submit(name, parametersOf(composed)), 400, `parameters.${field}`, 'already in use')
    expectRefused(await submit(name, parametersOf(apart)), 400, `parameters.${field}`, 'already in use')
  })

  test('tags share one set of names', async () => {
    expectRefused(await submit('create_private_key_tag', keyTag(apart)), 400, 'already in use')
  })

  test('within one request', async () => {
    const names = [`${composed} 2`, `${apart} 2`] as const
    expectRefused(await submit('create_private_keys', keys(...names)), 400, 'parameters.privateKeys[1].privateKeyName')
    expectRefused(await submit('create_policies', { policies: names.map(policy) }), 400, 'parameters.policies[1]')
    const accounts = names.map((name, index) => newAccount({ name, path: `m/${index}` }))
    expectRefused(await submit('create_wallet', { walletName: 'w', accounts }), 400, 'parameters.accounts[1].name')
  })

  test('a record keeps its own name in another spelling', async () => {
    const { walletId } = await done('create_wallet', walletOf(`${composed} 3`))
    const other = await done('create_wallet', walletOf('plain'))
    expect((await submit('update_wallet', { walletId, walletName: `${apart} 3` })).status).toBe(200)
    expectRefused(await submit('update_wallet', { walletId: other.walletId, walletName: `${apart} 3` }), 400, 'in use')
  })
})

test('sub-organizations and their users are found by each spelling of a name', async () => {
  for (const [subOrganizationName, userName] of [
    [apart, composed],
    [composed, apart],
  ]) {
    await done('create_sub_organization', {
      subOrganizationName,
      rootUsers: [{ userName, apiKeys: [newApiKey()], authenticators: [], oauthProviders: [] }],
      rootQuorumThreshold: 1,
    })
  }
  for (const filterType of ['NAME', 'USERNAME']) {
    for (const filterValue of [composed, apart]) {
      expect((await found('list_suborgs', { filterType, filterValue })).organizationIds).toHaveLength(2)
    }
  }
})

describe.each([
  ['rule', composed, apart],
  ['record', apart, composed],
])('a rule about a name sees every spelling: letters apart in the %s', (where, stored, written) => {
  test('of a wallet', async () => {
    const { apiKey } = await anotherUser()
    const { walletId } = await done('create_wallet', { walletName: `${stored} by ${where}`, accounts: [] })
    const allowed = { effect: 'EFFECT_ALLOW', condition: `wallet.label == '${written} by ${where}'` }
    const { policyId } = await done('create_policy', newPolicy({ policyName: 'of a wallet', ...allowed }))
    await done('export_wallet', { walletId, targetPublicKey }, { apiKey })
    await done('delete_policy', { policyId })
  })

  test('of an approver', async () => {
    const { apiKey } = await anotherUser(stored)
    const consensus = `approvers.any(user, user.alias == '${written}')`
    const { policyId } = await done(
      'create_policy',
      newPolicy({ policyName: 'of an approver', effect: 'EFFECT_ALLOW', consensus }),
    )
    await done('create_wallet', { walletName: `approved, ${where}`, accounts: [] }, { apiKey })
    await done('delete_policy', { policyId })
  })
})

describe('a name that an earlier version stored as it was sent', () => {
  const older = `old ${apart}`

  test('is taken, and rules see it', async () => {
    const { walletId } = await done('create_wallet', { walletName: 'older', accounts: [] })
    const place = { organizationId, kind: 'wallet', recordId: walletId } as const
    await writeNextListedRecord(server, place, (wallet) => ({ ...wallet, walletName: older }))
    withDatabase(server.folder, (hand) => {
      hand.update({ table: 'lookups', where: { lookup: 'wallet_name', record_id: walletId } }, { key: older })
    })
    expect((await found('get_wallet', { walletId })).wallet.walletName).toBe(older)
    for (const walletName of [older, `old ${composed}`]) {
      expectRefused(await submit('create_wallet', { walletName, accounts: [] }), 400, 'already in use')
    }
    const { apiKey } = await anotherUser()
    const condition = `wallet.label == 'old ${composed}'`
    await done('create_policy', newPolicy({ policyName: 'of the older', effect: 'EFFECT_ALLOW', condition }))
    await done('export_wallet', { walletId, targetPublicKey }, { apiKey })
    for (const walletName of [older, 'new']) {
      expect((await submit('update_wallet', { walletId, walletName })).status).toBe(200)
    }
    await done('create_wallet', { walletName: older, accounts: [] })
  })

  test('leads to its user in each spelling once the user is renamed, also to what looks the same', async () => {
    const key = generateApiKey()
    const { subOrganizationId, rootUserIds } = await done('create_sub_organization', {
      subOrganizationName: 'of the older user',
      rootUsers: [
        {
          ...{ userName: 'to be older', apiKeys: [newApiKey({ publicKey: key.publicKey })] },
          ...{ authenticators: [], oauthProviders: [] },
        },
      ],
      rootQuorumThreshold: 1,
    })
    const [userId] = rootUserIds
    const place = { organizationId: subOrganizationId, kind: 'user', recordId: userId } as const
    await writeNextListedRecord(server, place, (user) => ({ ...user, userName: older }))
    withDatabase(server.folder, (hand) => {
      hand.update({ table: 'lookups', where: { lookup: 'user_name', record_id: userId } }, { key: older })
    })
    const foundBy = async (filterValue: string) =>
      (await found('list_suborgs', { filterType: 'USERNAME', filterValue })).organizationIds
    expect(await foundBy(older)).toEqual([subOrganizationId])
    await done('update_user', { userId, userName: older }, { organizationId: subOrganizationId, apiKey: key })
    for (const name of [older, `old ${composed}`]) expect(await foundBy(name), name).toEqual([subOrganizationId])
    await done('update_user', { userId, userName: 'another' }, { organizationId: subOrganizationId, apiKey: key })
    for (const name of [older, `old ${composed}`]) expect(await foundBy(name), name).toEqual([])
    expect(await foundBy('another')).toEqual([subOrganizationId])
  })
})

test('no spelling of its name leads to a sub-organization that is deleted', async () => {
  const key = generateApiKey()
  const { subOrganizationId } = await done('create_sub_organization', {
    subOrganizationName: `gone ${composed}`,
    rootUsers: [
      {
        ...{ userName: 'root', apiKeys: [newApiKey({ publicKey: key.publicKey })] },
        ...{ authenticators: [], oauthProviders: [] },
      },
    ],
    rootQuorumThreshold: 1,
  })
  const ask = { organizationId: subOrganizationId, apiKey: key }
  await done('delete_sub_organization', { deleteWithoutExport: true }, ask)
  const keys = withDatabase(server.folder, (hand) =>
    hand.read({ table: 'lookups', where: { lookup: 'organization_name', organization_id: subOrganizationId } }),
  )
  expect(keys).toEqual([])
})
