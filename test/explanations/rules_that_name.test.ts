import { beforeAll, expect, test } from 'vitest'
import { explaining } from '../support/explanations.ts'
import {
  newApiKey,
  newPolicy,
  newPrivateKey,
  newUser,
  type Parameters,
  startOrganization,
} from '../support/organization.ts'

/** Changes of what rules compare: tags, names and addresses. */

const organization = await startOrganization()
const { done, anotherUser, rootUserId } = organization
const { userId } = await anotherUser('Grace')
const { userTagId } = await done('create_user_tag', { userTagName: 'Approvers', userIds: [userId] })
const { userTagId: unruled } = await done('create_user_tag', { userTagName: 'Football', userIds: [userId] })
const { privateKeyTagId } = await done('create_private_key_tag', { privateKeyTagName: 'Hot', privateKeyIds: [] })
const { walletId } = await done('create_wallet', { walletName: 'Cold', accounts: [] })
const { privateKeys } = await done('create_private_keys', { privateKeys: [newPrivateKey()] })
const [{ privateKeyId }] = privateKeys

async function ruled(policyName: string, given: Parameters) {
  const { policyId } = await done('create_policy', newPolicy({ policyName, effect: 'EFFECT_ALLOW', ...given }))
  return `“${policyName}” (policy ${policyId})`
}
const approving = await ruled('Approve', {
  consensus: `approvers.any(user, user.tags.contains('${userTagId.toUpperCase()}'))`,
})
const signing = await ruled('Sign', { condition: `private_key.tags.contains('${privateKeyTagId}')` })
const wallets = await ruled('Wallets', { condition: "wallet.label == 'Cold'" })
const mails = await ruled('Mails', { consensus: "approvers.any(user, user.email == 'boss@example.com')" })
const steps = [{ any: [{ type: 'AUTHENTICATION_TYPE_PASSKEY' }] }]
const { mfaPolicyId } = await done('create_mfa_policy', {
  ...{ userId, mfaPolicyName: 'Hot keys', condition: `private_key.tags.contains('${privateKeyTagId}')`, order: 0 },
  requiredAuthenticationMethods: steps,
})

beforeAll(() => done('update_root_quorum', { threshold: 2, userIds: [rootUserId, userId] }))

const titleOf = async (name: string, parameters: Parameters) =>
  (await explaining(organization)(name, parameters)).lines[0]

const change = (tagId: string) => ({ userTagId: tagId, addUserIds: [rootUserId], removeUserIds: [] })
const invitation = {
  ...{ receiverUserName: 'Ada', receiverUserEmail: 'ada@example.com', receiverUserTags: [userTagId] },
  ...{ accessType: 'ACCESS_TYPE_WEB', senderUserId: rootUserId },
}

test.each([
  ['update_user_tag', change(userTagId)],
  ['delete_user_tags', { userTagIds: [unruled, userTagId] }],
  ['update_user', { userId: rootUserId, userTagIds: [userTagId] }],
  ['update_user', { userId, userTagIds: [unruled] }],
  ['create_users', { users: [newUser({ userTags: [userTagId] })] }],
  ['create_invitations', { invitations: [invitation] }],
])('a user gets or loses a tag that a rule names: %s', async (name, parameters) => {
  expect(await titleOf(name, parameters)).toContain(
    `WARNING: rules go by “Approvers” (user tag ${userTagId}): ${approving}. `,
  )
})

test.each([
  ['update_private_key_tag', { privateKeyTagId, addPrivateKeyIds: [privateKeyId], removePrivateKeyIds: [] }],
  ['delete_private_key_tags', { privateKeyTagIds: [privateKeyTagId] }],
  ['create_private_keys', { privateKeys: [newPrivateKey({ privateKeyName: 'n', privateKeyTags: [privateKeyTagId] })] }],
])('a private key gets or loses a tag that policies and MFA policies name: %s', async (name, parameters) => {
  expect(await titleOf(name, parameters)).toContain(
    `WARNING: rules go by “Hot” (private key tag ${privateKeyTagId}): “Hot keys” (mfa policy ${mfaPolicyId}), ${signing}. `,
  )
})

test('what is called as a rule says, or no longer, is a warning too', async () => {
  const named = `WARNING: rules go by “Cold”: ${wallets}. `
  expect(await titleOf('update_wallet', { walletId, walletName: 'Warm' })).toContain(named)
  expect(await titleOf('create_users', { users: [newUser({ userEmail: 'boss@example.com' })] })).toContain(
    `WARNING: rules go by “boss@example.com”: ${mails}. `,
  )
  const { lines } = await explaining(organization)('update_user', { userId, userEmail: 'Boss@example.com' })
  expect(lines).toContain(`warning: [rules go by “Boss@example.com”: ${mails}]`)
})

test('who or what is deleted loses tags and names that rules name', async () => {
  const other = await startOrganization()
  const bob = await other.anotherUser('Bob')
  const [cora, dan] = [await other.anotherUser('Cora'), await other.anotherUser('Dan')]
  const tag = await other.done('create_user_tag', { userTagName: 'Treasurers', userIds: [cora.userId] })
  const key = await other.done('create_private_key_tag', { privateKeyTagName: 'Cold', privateKeyIds: [] })
  const made = await other.done('create_private_keys', {
    privateKeys: [newPrivateKey({ privateKeyName: 'Vault', privateKeyTags: [key.privateKeyTagId] })],
  })
  const wallet = await other.done('create_wallet', { walletName: 'Deep', accounts: [] })
  const allow = (policyName: string, given: Parameters) =>
    other.done('create_policy', newPolicy({ policyName, effect: 'EFFECT_ALLOW', ...given }))
  await allow('Pay', { consensus: `approvers.any(user, user.tags.contains('${tag.userTagId}'))` })
  await allow('Named', { consensus: "approvers.any(user, user.alias == 'Dan')" })
  await allow('No cold', { condition: `private_key.tags.contains('${key.privateKeyTagId}')` })
  await allow('Vault', { condition: "private_key.label == 'Vault'" })
  await allow('Wallet', { condition: "wallet.label == 'Deep'" })
  await other.done('update_root_quorum', { threshold: 2, userIds: [other.rootUserId, bob.userId] })
  const warnings = async (name: string, parameters: Parameters) => {
    const { lines } = await explaining(other)(name, parameters)
    const said = lines.filter((line) => line.startsWith('warning: [rules go by'))
    return said.map((line) => line.replace(/ \([^)]*\)/g, '')).toSorted()
  }
  expect(await warnings('delete_users', { userIds: [cora.userId, dan.userId] })).toEqual([
    'warning: [rules go by “Dan”: “Named”]',
    'warning: [rules go by “Treasurers”: “Pay”]',
  ])
  const privateKeyIds = made.privateKeys.map((one: { privateKeyId: string }) => one.privateKeyId)
  expect(await warnings('delete_private_keys', { privateKeyIds, deleteWithoutExport: true })).toEqual([
    'warning: [rules go by “Cold”: “No cold”]',
    'warning: [rules go by “Vault”: “Vault”]',
  ])
  expect(await warnings('delete_wallets', { walletIds: [wallet.walletId], deleteWithoutExport: true })).toEqual([
    'warning: [rules go by “Deep”: “Wallet”]',
  ])
  // These members stay as they are.
  expect(await warnings('update_root_quorum', { threshold: 1, userIds: [other.rootUserId, cora.userId] })).toEqual([])
})

test('what no rule names has no such warning', async () => {
  for (const [name, parameters] of [
    ['update_user_tag', change(unruled)],
    ['update_user', { userId, userTagIds: [userTagId, unruled] }],
    ['update_wallet', { walletId, walletName: 'Cold' }],
    ['create_users', { users: [newUser({ userTags: [unruled] })] }],
    [
      'create_sub_organization',
      {
        ...{ subOrganizationName: 'Branch', rootQuorumThreshold: 1, wallet: { walletName: 'Cold', accounts: [] } },
        rootUsers: [{ userName: 'Ada', apiKeys: [newApiKey()], authenticators: [], oauthProviders: [] }],
      },
    ],
  ] as const) {
    expect(await titleOf(name, parameters)).not.toContain('rules go by')
  }
})

test('a rule that reads tags and names none goes by every tag', async () => {
  const other = await startOrganization()
  const bob = await other.anotherUser('Bob')
  const tag = await other.done('create_user_tag', { userTagName: 'Any', userIds: [] })
  const consensus = 'approvers.any(user, user.tags.count() > 0)'
  await other.done('create_policy', newPolicy({ policyName: 'Tagged', effect: 'EFFECT_ALLOW', consensus }))
  const butOne = `approvers.any(user, user.tags.count() > 0 && user.id != '${other.rootUserId}')`
  await other.done('create_policy', newPolicy({ policyName: 'But one', effect: 'EFFECT_ALLOW', consensus: butOne }))
  const football = `approvers.any(user, '${other.rootUserId}' in user.tags || user.tags.contains('${bob.userId}'))`
  await other.done('create_policy', newPolicy({ policyName: 'Other', effect: 'EFFECT_ALLOW', consensus: football }))
  await other.done('update_root_quorum', { threshold: 2, userIds: [other.rootUserId, bob.userId] })
  const given = { userTagId: tag.userTagId, addUserIds: [bob.userId], removeUserIds: [] }
  const explain = explaining(other)
  const { lines } = await explain('update_user_tag', given)
  expect(lines[0]).toMatch(/^WARNING: rules go by “Any” \(user tag [0-9a-f-]{36}\): “Tagged” /)
  const made = await explain('create_user_tag', { userTagName: 'New', userIds: [bob.userId] })
  expect(made.lines[0]).toMatch(/^WARNING: rules go by “New”: “Tagged” [^,]*, “But one” [^,]*\. Create user tag: /)
  const empty = await explain('create_user_tag', { userTagName: 'New', userIds: [] })
  expect(empty.lines[0]).toMatch(/^Create user tag: /)
})

test('of several tags, those that rules which allow most go by come first, whatever the order of the request', async () => {
  const other = await startOrganization()
  const bob = await other.anotherUser('Bob')
  const tag = async (userTagName: string) =>
    (await other.done('create_user_tag', { userTagName, userIds: [] })).userTagId
  const tags = { lunch: await tag('Newsletter'), admins: await tag('Admins'), keys: await tag('Keys') }
  const allow = (policyName: string, condition: string, tagId: string) =>
    other.done('create_policy', {
      ...newPolicy({ policyName, effect: 'EFFECT_ALLOW', condition }),
      consensus: `approvers.any(user, user.tags.contains('${tagId}'))`,
    })
  for (const id of Object.values(tags)) await allow(`Lunch ${id}`, "activity.kind == 'CREATE_WALLET'", id)
  await allow('All', 'true', tags.admins)
  await allow('Exports', "activity.action == 'EXPORT'", tags.keys)
  await other.done('update_root_quorum', { threshold: 2, userIds: [other.rootUserId, bob.userId] })
  for (const userTags of [
    [tags.lunch, tags.keys, tags.admins],
    [tags.admins, tags.keys, tags.lunch],
  ]) {
    const { lines } = await explaining(other)('create_users', { users: [newUser({ userTags })] })
    const named = lines
      .filter((line) => line.startsWith('warning: [rules go by'))
      .map((line) => /“(\w+)”/.exec(line)?.[1])
    expect(named).toEqual(['Admins', 'Keys', 'Newsletter'])
    expect(lines[0]).toMatch(/^WARNING: rules go by “Admins” \([^)]*\): “All” /)
  }
})

test('denials and MFA policies that go by names of an interface are named when it is deleted', async () => {
  const other = await startOrganization()
  const bob = await other.anotherUser('Bob')
  const inputs = [{ name: 'to', type: 'address' }]
  const drain = { type: 'function', name: 'drain', inputs, outputs: [], stateMutability: 'nonpayable' }
  const { smartContractInterfaceId } = await other.done('create_smart_contract_interface', {
    ...{ smartContractAddress: `0x${'11'.repeat(20)}`, type: 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM' },
    ...{ smartContractInterface: JSON.stringify([drain]), label: 'Vault', notes: '' },
  })
  const byName = "eth.tx.function_name == 'drain'"
  const byArgument = `eth.tx.contract_call_args['to'] == '0x${'22'.repeat(20)}'`
  const policy = (policyName: string, effect: string, condition: string) =>
    other.done('create_policy', newPolicy({ policyName, effect, condition }))
  await policy('No drain', 'EFFECT_DENY', byName)
  await policy('No other chain', 'EFFECT_DENY', 'eth.tx.chain_id != 1')
  await policy('Drain', 'EFFECT_ALLOW', byName)
  await other.done('create_mfa_policy', {
    ...{ userId: bob.userId, mfaPolicyName: 'Twice', condition: byArgument, order: 0 },
    requiredAuthenticationMethods: [{ any: [{ type: 'AUTHENTICATION_TYPE_API_KEY' }] }],
  })
  await other.done('update_root_quorum', { threshold: 2, userIds: [other.rootUserId, bob.userId] })
  const { lines } = await explaining(other)('delete_smart_contract_interface', { smartContractInterfaceId })
  expect(lines[0]).toMatch(
    /^WARNING: rules go by “Vault” \(smart contract interface [^)]*\): “No drain” \([^)]*\), “Twice” \([^)]*\)\. Delete/,
  )
})

test('the upload of an interface names the rules that go by its names, those first that allow most', async () => {
  const other = await startOrganization()
  const bob = await other.anotherUser('Bob')
  const [vault, elsewhere] = [`0x${'1a'.repeat(20)}`, `0x${'22'.repeat(20)}`]
  const policy = (policyName: string, effect: string, condition: string) =>
    other.done('create_policy', newPolicy({ policyName, effect, condition }))
  const byName = "eth.tx.function_name == 'drain'"
  await policy('No drain', 'EFFECT_DENY', byName)
  await policy('Drain', 'EFFECT_ALLOW', byName)
  await policy('Argument', 'EFFECT_DENY', "eth.tx.contract_call_args['to'] == 'x'")
  await policy('Harmless', 'EFFECT_ALLOW', "eth.tx.function_name != 'approve'")
  await policy('Selector', 'EFFECT_DENY', "eth.tx.function_signature == '0x12345678'")
  await policy('This one', 'EFFECT_DENY', `eth.tx.to == '${vault.toUpperCase().replace('X', 'x')}' && ${byName}`)
  await policy('Either', 'EFFECT_DENY', `eth.tx.to == '${elsewhere}' || ${byName}`)
  await policy('Part', 'EFFECT_DENY', "eth.tx.function_name[0..4] == 'swap'")
  // Before, each is an error for a call of the vault.
  const isElsewhere = `eth.tx.to == '${elsewhere}' && eth.tx.function_name == 'burn'`
  await policy('But one', 'EFFECT_ALLOW', `!(${isElsewhere})`)
  await policy('Both', 'EFFECT_ALLOW', `(${isElsewhere}) || eth.tx.to == '${vault}'`)
  await policy('Unnamed', 'EFFECT_DENY', "eth.tx.contract_call_args['1'] == 'x'")
  // These mean what they meant.
  await policy('Burn', 'EFFECT_ALLOW', isElsewhere)
  await policy('Elsewhere', 'EFFECT_DENY', `eth.tx.to == '${elsewhere}' && ${byName}`)
  await policy('Other name', 'EFFECT_DENY', "eth.tx.function_name == 'approve'")
  await policy('No name', 'EFFECT_DENY', 'eth.tx.chain_id != 1')
  await other.done('update_root_quorum', { threshold: 2, userIds: [other.rootUserId, bob.userId] })
  const inputs = [{ name: 'to', type: 'address' }]
  const drain = { type: 'function', name: 'drain', inputs, outputs: [], stateMutability: 'nonpayable' }
  const upload = (functions: readonly object[]) =>
    explaining(other)('create_smart_contract_interface', {
      ...{ smartContractAddress: vault, type: 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM', label: 'Vault', notes: '' },
      smartContractInterface: JSON.stringify(functions),
    })
  const { lines } = await upload([drain])
  const namedIn = ([title = '']: readonly string[]) =>
    [...title.matchAll(/“([^”]*)” \(policy/g)].map(([, name]) => name)
  expect(lines[0]).toMatch(/^WARNING: rules go by “Vault”: /)
  expect(lines[0]).toContain('[8 more]. ')
  expect(namedIn(lines).filter((name) => !['Drain', 'Harmless', 'But one', 'Both'].includes(name ?? ''))).toEqual([])
  const unnamed = await upload([{ ...drain, name: 'poke', inputs: [] }])
  expect(namedIn(unnamed.lines).toSorted()).toEqual(['But one', 'Harmless', 'Selector'])
  expect(unnamed.lines[0]).toContain('[3 more]. ')
})

test('a rule about one instruction of another program and one of the new interface is named', async () => {
  const other = await startOrganization()
  const bob = await other.anotherUser('Bob')
  const isSwap = "i.parsed_instruction_data.instruction_name == 'swap'"
  const isOther = "i.program_key == 'ComputeBudget111111111111111111111111111111'"
  const policy = (policyName: string, test: string) =>
    other.done('create_policy', newPolicy({ policyName, condition: test }))
  await policy('Two', `solana.tx.instructions.any(i, ${isOther}) && solana.tx.instructions.any(i, ${isSwap})`)
  await policy('One', `solana.tx.instructions.any(i, ${isOther} && ${isSwap})`)
  await other.done('update_root_quorum', { threshold: 2, userIds: [other.rootUserId, bob.userId] })
  const { lines } = await explaining(other)('create_smart_contract_interface', {
    smartContractAddress: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
    ...{ type: 'SMART_CONTRACT_INTERFACE_TYPE_SOLANA', label: 'Pool', notes: '' },
    smartContractInterface: JSON.stringify({
      instructions: [{ name: 'swap', discriminator: [1, 2, 3, 4, 5, 6, 7, 8], accounts: [], args: [] }],
    }),
  })
  expect(lines[0]).toMatch(/^WARNING: rules go by “Pool”: “Two” \([^)]*\)\. /)
})

test('an address that comes where it was the name has the warning too', async () => {
  const own = await startOrganization()
  const { userId: named } = await own.anotherUser('boss@example.com')
  const { policyId } = await own.done(
    'create_policy',
    newPolicy({
      policyName: 'Mails',
      effect: 'EFFECT_ALLOW',
      consensus: "approvers.any(user, user.email == 'boss@example.com')",
    }),
  )
  const second = await own.anotherUser('Second')
  await own.done('update_root_quorum', { threshold: 2, userIds: [own.rootUserId, second.userId] })
  for (const userName of ['boss@example.com', 'mallory@example.com']) {
    const { lines } = await explaining(own)('update_user', { userId: named, userName, userEmail: 'boss@example.com' })
    expect(lines.join('\n')).toContain(`rules go by “boss@example.com”: “Mails” (policy ${policyId})`)
  }
})
