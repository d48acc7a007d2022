import { p256 } from '@noble/curves/nist.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { erc20Abi, toFunctionSelector } from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import { plainLines } from '../../src/contract/explanation/texts/plain_lines.ts'
import {
  newAccount,
  newApiKey,
  newAuthenticator,
  newPolicy,
  newPrivateKey,
  newUser,
  newVelocityControl,
  type Parameters,
} from '../support/organization.ts'
import { startOrganizationWithIssuer } from '../support/organization_with_issuer.ts'
import { generateApiKey } from '../support/stamping.ts'

const { done, submit, found, anotherUser, rootUserId, ...issuing } = await startOrganizationWithIssuer()
const { userId, apiKey: graceKey } = await anotherUser('Grace')
const { userId: linked } = await anotherUser('Linus')
const { userTagId } = await done('create_user_tag', { userTagName: 'Approvers', userIds: [userId] })
const { walletId } = await done('create_wallet', { walletName: 'Cold', accounts: [newAccount()] })
const { privateKeys } = await done('create_private_keys', {
  privateKeys: [newPrivateKey({ privateKeyName: 'Hot', addressFormats: ['ADDRESS_FORMAT_ETHEREUM'] })],
})
const [{ privateKeyId, addresses }] = privateKeys
const { privateKeyTagId } = await done('create_private_key_tag', {
  ...{ privateKeyTagName: 'Mining', privateKeyIds: [privateKeyId] },
})
const { policyId } = await done('create_policy', newPolicy({ effect: 'EFFECT_ALLOW', condition: 'false' }))
const url = 'https://hooks.example.com/in'
const { endpointId } = await done('create_webhook_endpoint', { name: 'Books', url })
const control = newVelocityControl()
const { velocityControlId } = await done('create_velocity_control', control)
const contract = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const abi = {
  smartContractAddress: contract,
  smartContractInterface: JSON.stringify(erc20Abi),
  type: 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM',
  label: 'Token',
}
const { smartContractInterfaceId } = await done('create_smart_contract_interface', abi)
const invitation = {
  ...{ receiverUserName: 'Ada', receiverUserEmail: 'ada@example.com', receiverUserTags: [userTagId] },
  ...{ accessType: 'ACCESS_TYPE_WEB', senderUserId: rootUserId },
}
const { invitationIds } = await done('create_invitations', { invitations: [invitation] })
const oidcToken = issuing.idToken({ sub: 'grace at the issuer' })
const { providerIds } = await done('create_oauth_providers', {
  ...{ userId, oauthProviders: [{ providerName: 'Issuer', oidcToken }] },
})
const branchKey = generateApiKey()
const branchUser = { authenticators: [], oauthProviders: [] }
const { subOrganizationId } = await done('create_sub_organization', {
  subOrganizationName: 'Old branch',
  rootUsers: [
    { ...branchUser, userName: 'Ada', apiKeys: [newApiKey({ publicKey: branchKey.publicKey })] },
    { ...branchUser, userName: 'Bob', apiKeys: [newApiKey()] },
  ],
  rootQuorumThreshold: 2,
})
const branch = { organizationId: subOrganizationId, apiKey: branchKey }
const targetPublicKey = bytesToHex(p256.getPublicKey(p256.utils.randomSecretKey(), false))

beforeAll(() => done('update_root_quorum', { threshold: 2, userIds: [rootUserId, userId] }))

const actsAs = (name: string, id: string) => `WARNING: whoever has the new credential acts as “${name}” (user ${id}). `

const counting = (operator: string, threshold: string) => ({
  ...control,
  dataSource: { activityExecution: {} },
  aggregation: {
    ...control.aggregation,
    method: 'VELOCITY_CONTROL_AGGREGATION_METHOD_COUNT',
    operator: `VELOCITY_CONTROL_AGGREGATION_OPERATOR_${operator}`,
    threshold,
  },
})

/** The lines of the explanation of an activity that waits. */
async function linesOf(name: string, parameters: Parameters): Promise<readonly string[]> {
  const { status, body } = await submit(name, parameters)
  expect(status, JSON.stringify(body)).toBe(200)
  expect(body.activity.status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED')
  const { explanation } = await found('explain_activity', { activityId: body.activity.id })
  return plainLines(explanation).map((line) => line.trim())
}

test('an expression is shown to its end, which may change what its beginning says', async () => {
  const allowed = `eth.tx.to in [${Array.from({ length: 90 }, (_, n) => `'0x${String(n).padStart(40, '0')}'`).join(', ')}]`
  const condition = `${allowed} || activity.action == 'SIGN'`
  const created = await linesOf('create_policy', newPolicy({ policyName: 'Long', condition }))
  expect(created).toContain(`condition: “${condition}”`)
  const updated = await linesOf('update_policy', { policyId, policyCondition: condition })
  expect(updated).toContain(`condition: “false” → “${condition}”`)
  const origins = [...Array.from({ length: 60 }, (_, n) => `https://app-${n}.example.com`), 'https://evil.example']
  const feature = { name: 'FEATURE_NAME_WEBAUTHN_ORIGINS', value: origins.join(',') }
  expect((await linesOf('set_organization_feature', feature)).join('\n')).toContain('https://evil.example')
})

test('an export says which secret leaves and to which key', async () => {
  const wallet = await linesOf('export_wallet', { walletId, targetPublicKey })
  expect(wallet[0]).toBe(`Export wallet: “Cold” (wallet ${walletId})`)
  expect(wallet).toContain('the secret that leaves: the mnemonic, from which every account of the wallet is derived')
  expect(wallet).toContain(`encrypted for the key: 0x${targetPublicKey} (65 bytes)`)
  expect(wallet).toContain('was exported before: no')
  const key = await linesOf('export_private_key', { privateKeyId, targetPublicKey })
  expect(key[0]).toBe(`Export private key: “Hot” (private key ${privateKeyId})`)
  expect(key).toContain('the secret that leaves: the private key')
  expect(key).toContain(`addresses: ${addresses[0].address}`)
})

test('a link for a passkey says to which address the vault would mail it now, or which key it has', async () => {
  const { publicKey } = generateApiKey()
  const keyed = await linesOf('create_passkey_link', { userId: linked, publicKey, expirationSeconds: '3600' })
  expect(keyed[0]).toBe(`${actsAs('Linus', linked)}Create passkey link: “Linus” (user ${linked})`)
  expect(keyed).toContain(`the link has the key: 0x${publicKey} (33 bytes)`)
  expect(keyed).toContain('the link works for: 1 hour')
  expect(keyed.join()).not.toContain('mailed')

  const { body } = await submit('create_passkey_link', { userId: linked, sendEmail: true })
  const { id: activityId, fingerprint } = body.activity
  const lines = async () =>
    plainLines((await found('explain_activity', { activityId })).explanation).map((line) => line.trim())
  expect(await lines()).toContain('the link is mailed to: none')
  const shown: string[] = []
  for (const userEmail of ['linus@example.com', 'lіnus@example.org']) {
    const { fingerprint: change } = (await submit('update_user_email', { userId: linked, userEmail })).body.activity
    expect((await submit('approve_activity', { fingerprint: change }, { apiKey: graceKey })).status).toBe(200)
    shown.push(...(await lines()).filter((line) => line.includes('“l')))
  }
  const mark = '[beware: mixed scripts]'
  expect(shown).toEqual([
    `${actsAs('Linus', linked)}Create passkey link: “Linus” (user ${linked}), “linus@example.com”`,
    'the link is mailed to: “linus@example.com”',
    `${actsAs('Linus', linked)}Create passkey link: “Linus” (user ${linked}), “lіnus@example.org” ${mark}`,
    `the link is mailed to: “lіnus@example.org” ${mark}`,
  ])
  await submit('reject_activity', { fingerprint })
  expect(await lines()).toContain('the link is mailed to: [Not known any more]')
})

test('a change of a webhook endpoint says from where to where', async () => {
  const made = await linesOf('create_webhook_endpoint', { name: 'Audit', url })
  expect(made[0]).toContain('. Create webhook endpoint: “Audit”')
  expect(made).toContain(`url: “${url}”`)
  expect(made).toContain('holds for: the organization and its sub-organizations')
  const changed = await linesOf('update_webhook_endpoint', {
    ...{ endpointId, url: 'https://evil.example/in', isActive: false },
  })
  const books = `“Books” (webhook endpoint ${endpointId})`
  expect(changed[0]).toBe(`WARNING: “${url}” gets no activities any more. Update webhook endpoint: ${books}`)
  expect(changed).toContain(`url: “${url}” → “https://evil.example/in”`)
  expect(changed).toContain('is active: yes → no')
  const deleted = await linesOf('delete_webhook_endpoint', { endpointId })
  expect(deleted[0]).toBe(`WARNING: “${url}” gets no activities any more. Delete webhook endpoint: ${books}`)
  expect(deleted).toContain(`url: “${url}”`)
})

test('a session profile says what its sessions may do and where it holds', async () => {
  const scope = "activity.action == 'SIGN'"
  const lines = await linesOf('create_session_profile', { sessionProfileName: 'Signers', scope })
  expect(lines[0]).toBe('Create session profile: “Signers”')
  expect(lines).toContain(`scope: “${scope}”`)
  expect(lines).toContain('expires after: none')
  expect(lines).toContain('holds for: the organization and its sub-organizations')
})

test('an identity at an issuer is named by issuer, subject and client, and its token is not shown', async () => {
  const another = issuing.idToken({ sub: 'another subject' })
  const made = await linesOf('create_oauth_providers', {
    ...{ userId, oauthProviders: [{ providerName: 'Second', oidcToken: another }] },
  })
  expect(made[0]).toBe(`${actsAs('Grace', userId)}Create oauth providers: “Grace” (user ${userId})`)
  expect(made).toContain('subject: “another subject”')
  expect(made).toContain(`issuer: “${issuing.issuer.url}”`)
  expect(made.join()).not.toContain(another)
  const deleted = await linesOf('delete_oauth_providers', { userId, providerIds })
  expect(deleted).toContain('name: “Issuer”')
  expect(deleted).toContain('subject: “grace at the issuer”')
})

test('a policy shows each velocity control that it names, and has a warning if what they allow is everything', async () => {
  for (const [identifier, operator, threshold] of [
    ['any', 'GREATER_THAN_OR_EQUAL', '1'],
    ['few', 'LESS_THAN_OR_EQUAL', '2'],
  ] as const) {
    const made = await submit('create_velocity_control', {
      ...counting(operator, threshold),
      identifier,
      name: identifier,
    })
    const { fingerprint } = made.body.activity
    expect((await submit('approve_activity', { fingerprint }, { apiKey: graceKey })).status).toBe(200)
  }
  const condition = (identifier: string) => `activity.kind == 'EXPORT_WALLET' && controls.${identifier}`
  const policy = (identifier: string, given = condition(identifier)) =>
    newPolicy({ policyName: 'Exports', effect: 'EFFECT_ALLOW', condition: given, consensus: 'true' })
  const opens = 'WARNING: “Exports” opens exports of keys to every user. '
  const title = 'Create policy: “Exports”, allows, [at most exports of keys by every user]'
  const any = await linesOf('create_policy', policy('any'))
  expect(any[0]).toBe(`${opens}${title}`)
  // One export is enough for a whole wallet.
  const few = await linesOf('create_policy', policy('few'))
  expect(few[0]).toBe(`${opens}${title}`)
  const ofEther = "activity.kind == 'SIGN_TRANSACTION' && eth.tx.chain_id == 1 && eth.tx.data == '0x' && controls.daily"
  const daily = await linesOf('create_policy', policy('daily', ofEther))
  expect(daily[0]).toBe('Create policy: “Exports”, allows, [at most signatures by every user]')
  for (const [lines, operator, threshold] of [
    [any, 'at least the threshold', '1'],
    [few, 'at most the threshold', '2'],
  ] as const) {
    expect(lines).toContain('velocity control:')
    expect(lines).toContain(`operator: ${operator}`)
    expect(lines).toContain(`threshold: “${threshold}”`)
  }
  const updated = await linesOf('update_policy', { policyId, policyCondition: condition('any') })
  expect(updated[0]).toContain(' opens exports of keys to every user')
  expect(updated).toContain('identifier: “any”')
  const several = await linesOf('create_policies', {
    policies: [policy('any'), { ...policy('few'), policyName: 'Few' }],
  })
  expect(several.filter((line) => line.startsWith('identifier: '))).toEqual(['identifier: “any”', 'identifier: “few”'])
  const { body } = await submit('create_policy', { ...policy('few'), policyName: 'Few exports' })
  const lines = async () => plainLines((await found('explain_activity', { activityId: body.activity.id })).explanation)
  const before = await lines()
  expect(before[0]).toContain('opens exports of keys')
  await submit('approve_activity', { fingerprint: body.activity.fingerprint }, { apiKey: graceKey })
  // A policy that is made opens as much as before.
  expect((await lines())[0]).toBe(before[0])
  const { policies } = await found('list_policies', {})
  const { policyId: named } = policies.find((one: { policyName: string }) => one.policyName === 'Few exports')
  expect(await linesOf('delete_policy', { policyId: named })).toContain('identifier: “few”')
})

test('a velocity control says what it counts, for whom and up to which threshold', async () => {
  const made = await linesOf('create_velocity_control', { ...control, name: 'Weekly', identifier: 'weekly' })
  expect(made[0]).toBe('Create velocity control: “Weekly”')
  for (const line of [
    'caip19: “eip155:1/slip44:60”',
    'method: the sum of the amounts',
    'operator: at most the threshold',
    'threshold: “1”',
    'counted for: organization',
    'counted within: 1 day',
  ]) {
    expect(made).toContain(line)
  }
  expect(await linesOf('delete_velocity_control', { velocityControlId })).toContain('identifier: “daily”')
  const countingBy = (unit: object) =>
    linesOf('create_velocity_control', {
      ...control,
      identifier: 'counted',
      dataSource: { activityExecution: unit },
      aggregation: { ...control.aggregation, method: 'VELOCITY_CONTROL_AGGREGATION_METHOD_COUNT' },
    })
  const once = 'counts: activities; one that signs several payloads, or makes several records, counts once'
  expect(await countingBy({})).toContain(once)
  expect(await countingBy({ unit: 'VELOCITY_CONTROL_UNIT_ACTIVITY' })).toContain(once)
  const each = 'counts: signatures; each payload and each transaction that is signed counts'
  expect(await countingBy({ unit: 'VELOCITY_CONTROL_UNIT_SIGNATURE' })).toContain(each)
})

test('a smart contract interface names the functions that viem finds in it', async () => {
  const other = { ...abi, smartContractAddress: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC' }
  const made = await linesOf('create_smart_contract_interface', other)
  expect(made[0]).toBe('Create smart contract interface: “Token”')
  expect(made).toContain(`contract: ${other.smartContractAddress}`)
  const functions = erc20Abi.flatMap((entry) => (entry.type === 'function' ? [entry] : []))
  for (const one of functions) {
    const inputs = one.inputs.map(({ type, name }) => `${type} ${name}`).join(', ')
    expect(made).toContain(`selector: ${toFunctionSelector(one)} (4 bytes)`)
    expect(made).toContain(`declared as: “${one.name}(${inputs})”`)
  }
  const deleted = await linesOf('delete_smart_contract_interface', { smartContractInterfaceId })
  expect(deleted).toContain(`contract: ${contract}`)
})

test('a tag says who or what gets it or loses it', async () => {
  const made = await linesOf('create_user_tag', { userTagName: 'Payers', userIds: [userId] })
  expect(made[0]).toBe('Create user tag: “Payers”')
  expect(made).toContain(`added: “Grace” (user ${userId})`)
  const deleted = await linesOf('delete_user_tags', { userTagIds: [userTagId] })
  expect(deleted[0]).toBe(`Delete user tags: “Approvers” (user tag ${userTagId})`)
  expect(deleted).toContain(`taken from: “Grace” (user ${userId})`)
  const ofKeys = await linesOf('create_private_key_tag', { privateKeyTagName: 'Vault', privateKeyIds: [privateKeyId] })
  expect(ofKeys).toContain(`added: “Hot” (private key ${privateKeyId})`)
  const goneOfKeys = await linesOf('delete_private_key_tags', { privateKeyTagIds: [privateKeyTagId] })
  expect(goneOfKeys).toContain(`taken from: “Hot” (private key ${privateKeyId})`)
})

test('an invitation says who is invited, by whom and with which tags', async () => {
  const made = await linesOf('create_invitations', { invitations: [{ ...invitation, receiverUserName: 'Eve' }] })
  expect(made[0]).toBe('Create invitations: “Eve”')
  expect(made).toContain('email: “ada@example.com”')
  expect(made).toContain(`user tags: “Approvers” (user tag ${userTagId})`)
  expect(made.some((line) => line.startsWith('sender: ') && line.includes(rootUserId))).toBe(true)
  const deleted = await linesOf('delete_invitation', { invitationId: invitationIds[0] })
  expect(deleted[0]).toBe(`Delete invitation: “Ada” (invitation ${invitationIds[0]})`)
  expect(deleted).toContain('email: “ada@example.com”')
})

test('a new sub-organization shows its root users with their credentials, and its threshold', async () => {
  const apiKey = newApiKey({ apiKeyName: 'Laptop' })
  const rootUsers = [
    { userName: 'Ada', userEmail: 'ada@example.com', apiKeys: [apiKey], authenticators: [], oauthProviders: [] },
    {
      ...{ userName: 'Bob', apiKeys: [], oauthProviders: [] },
      authenticators: [newAuthenticator({ authenticatorName: 'Phone' })],
    },
  ]
  const lines = await linesOf('create_sub_organization', {
    ...{ subOrganizationName: 'Branch', rootUsers, rootQuorumThreshold: 2, disableSmsAuth: true },
    wallet: { walletName: 'First', accounts: [newAccount()] },
  })
  expect(lines[0]).toBe('Create sub organization: “Branch”')
  for (const line of [
    'threshold: 2',
    'root users: 2',
    'user name: “Ada”',
    'user email: “ada@example.com”',
    'user name: “Bob”',
    'name: “Phone”',
    `public key: 0x${apiKey.publicKey} (33 bytes)`,
    'switched off: feature name sms auth',
    'name: “First”',
  ]) {
    expect(lines).toContain(line)
  }
})

test('a deletion of a sub-organization names it', async () => {
  const { body } = await submit('delete_sub_organization', { deleteWithoutExport: true }, branch)
  const { explanation } = await found('explain_activity', { activityId: body.activity.id }, branch)
  const lines = plainLines(explanation).map((line) => line.trim())
  const named = `“Old branch” (organization ${branch.organizationId})`
  expect(lines[0]).toBe(`${lost(named)}Delete sub organization: ${named}`)
  expect(lines).toContain('delete without export: yes')
})

const lost = (named: string) => `WARNING: what was never exported of this is lost for good: ${named}. `

test('a deletion of keys that were never exported says that they are lost', async () => {
  const deleted = { deleteWithoutExport: true }
  const wallet = `“Cold” (wallet ${walletId})`
  expect((await linesOf('delete_wallets', { walletIds: [walletId], ...deleted }))[0]).toBe(
    `${lost(wallet)}Delete wallets: ${wallet}`,
  )
  const privateKey = `“Hot” (private key ${privateKeyId})`
  expect((await linesOf('delete_private_keys', { privateKeyIds: [privateKeyId], ...deleted }))[0]).toBe(
    `${lost(privateKey)}Delete private keys: ${privateKey}`,
  )
  const { accounts } = await found('list_wallet_accounts', { walletId })
  const walletAccountIds = accounts.map((account: { walletAccountId: string }) => account.walletAccountId)
  const ofAccounts = await linesOf('delete_wallet_accounts', { walletAccountIds, ...deleted })
  // The wallet can derive them again.
  expect(ofAccounts[0]).toMatch(/^Delete wallet accounts: /)
  expect(ofAccounts).toContain('delete without export: yes')
  expect((await linesOf('delete_wallets', { walletIds: [walletId] }))[0]).toMatch(/^Delete wallets: /)
})

describe('rules that end or change', () => {
  const condition = "activity.action == 'EXPORT'"
  const oneWallet = `${condition} && wallet.id == '${walletId}'`
  const two = `approvers.any(user, user.id == '${userId}') && approvers.any(user, user.id == '${linked}')`
  const step = (...types: string[]) => ({ any: types.map((type) => ({ type: `AUTHENTICATION_TYPE_${type}` })) })
  const steps = [step('API_KEY')]
  const given = { userId, mfaPolicyName: 'Export', condition, requiredAuthenticationMethods: steps, order: 3 }

  /** The quorum is complete with the other user's approval. */
  async function approved(name: string, parameters: Parameters) {
    const { fingerprint } = (await submit(name, parameters)).body.activity
    const { body } = await submit('approve_activity', { fingerprint }, { apiKey: graceKey })
    expect(body.activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
    return Object.values<Record<string, string>>(body.activity.result)[0] ?? {}
  }

  const titleOf = async (name: string, parameters: Parameters) => (await linesOf(name, parameters))[0]

  test('a new policy has its effect in the title and before its condition, in whichever order it was asked for', async () => {
    const policy = { notes: '', condition: `${condition} || true`, policyName: 'Loose', effect: 'EFFECT_ALLOW' }
    const lines = await linesOf('create_policy', policy)
    expect(lines[0]).toBe(
      'WARNING: “Loose” allows, and has no condition and no consensus that could limit it. Create policy: “Loose”, allows, [at most policies, credentials, exports of keys, [16 more] by every user]',
    )
    expect(lines.indexOf('effect: allows')).toBeGreaterThan(0)
    expect(lines.indexOf('effect: allows')).toBeLessThan(lines.indexOf(`condition: “${condition} || true”`))
    const several = await linesOf('create_policies', { policies: [policy, { ...policy, policyName: 'Other' }] })
    expect(several[0]).toMatch(
      / and 1 more\. Create policies: “Loose”, allows, \[at most .* by every user\], “Other”, allows, \[at most /,
    )
    expect(several.filter((line) => line === 'effect: allows')).toHaveLength(2)
    const policies = Array.from({ length: 9 }, (_, index) => newPolicy({ policyName: `P${index}`, condition }))
    const granting = { ...newPolicy({ policyName: 'P9' }), effect: 'EFFECT_ALLOW' }
    const many = await linesOf('create_policies', { policies: [...policies, granting] })
    expect(many[0]).toBe(
      'WARNING: “P9” allows, and has no condition and no consensus that could limit it. Create policies: “P9”, allows, [at most policies, credentials, exports of keys, [16 more] by every user], “P0”, denies, “P1”, denies, [7 more]',
    )
    expect(many.find((line) => line.startsWith('policy name: '))).toBe('policy name: “P9”')
  })

  test('a policy that allows whatever one user alone approves says who that is', async () => {
    const policy = { ...newPolicy({ policyName: 'Loose' }), effect: 'EFFECT_ALLOW' }
    const alone = (who: string) => `WARNING: “Loose” allows whatever one of these approves alone: ${who}. Create polic`
    const grace = `“Grace” (user ${userId})`
    const isOther = (id: string) => `approvers.any(user, user.id != '${id}')`
    const others = [isOther(linked), `credentials.any(credential, credential.user_id != '${linked}')`]
    for (const consensus of [...others, `approvers.count() >= 2 || ${isOther(linked)}`]) {
      const title = await titleOf('create_policy', { ...policy, consensus })
      expect(title).toContain('WARNING: “Loose” allows whatever one of these approves alone: ')
      expect(title).toContain(grace)
    }
    const byTag = `approvers.any(user, user.tags.contains('${userTagId}'))`
    const byId = `approvers.any(user, user.id == '${userId}')`
    expect(await titleOf('create_policy', { ...policy, consensus: byId })).toContain(alone(grace))
    // An open invitation has the tag, which is the second warning.
    expect(await titleOf('create_policy', { ...policy, consensus: byTag })).toContain(alone(`${grace}, and 1 more`))
    // Grace logs in at an issuer, and every other user may add an identity there.
    const byIssuer = "credentials.any(credential, credential.type == 'CREDENTIAL_TYPE_OAUTH_KEY_P256')"
    const limitless = /^WARNING: “Loose” allows, and has no condition and no consensus that could limit it/
    expect(await titleOf('create_policy', { ...policy, consensus: byIssuer })).toMatch(limitless)
    const byCode = byIssuer.replace('OAUTH', 'OTP_AUTH')
    expect(await titleOf('create_policy', { ...policy, consensus: byCode })).not.toContain(grace)
    expect(await titleOf('create_policy', { ...policy, consensus: two })).toMatch(/^Create policy: /)
    const besideOne = { ...policy, consensus: isOther(linked), condition: oneWallet }
    expect(await titleOf('create_policy', besideOne)).toMatch(
      /^WARNING: the consensus of “Loose” is met by any user but these.*\. Create policy: /,
    )
    const all = await titleOf('create_policy', {
      ...policy,
      consensus: isOther('00000000-0000-4000-8000-000000000000'),
    })
    expect(all).toMatch(limitless)
    const { policyId: narrow } = await approved('create_policy', { ...policy, policyName: 'Narrow', consensus: two })
    expect(await titleOf('update_policy', { policyId: narrow, policyConsensus: byTag })).toContain(
      `WARNING: “Narrow” allows whatever one of these approves alone: ${grace}`,
    )
  })

  test('a policy that allows without a limit is a warning and comes first, however its expressions are written', async () => {
    const narrow = (index: number) =>
      newPolicy({ policyName: `Deny ${index}`, effect: 'EFFECT_ALLOW', condition: oneWallet })
    const open = /^WARNING: “Deny 9” allows, and has no condition and no consensus that could limit it\. Create polic/
    for (const given of ['true', '1 == 1', '(true) || false']) {
      const policy = { ...narrow(9), condition: given, consensus: given }
      expect(await titleOf('create_policy', policy)).toMatch(open)
      const policies = [...Array.from({ length: 8 }, (_, index) => narrow(index)), policy]
      const lines = await linesOf('create_policies', { policies })
      expect(lines[0]).toMatch(open)
      expect(lines.find((line) => line.startsWith('policy name: '))).toBe('policy name: “Deny 9”')
    }
    const covering = { condition: 'true', consensus: 'approvers.count() >= 0' }
    expect(await titleOf('create_policy', { ...narrow(9), ...covering })).toMatch(open)
    expect(await titleOf('create_policy', narrow(9))).toBe(
      'Create policy: “Deny 9”, allows, [at most exports of keys by every user]',
    )
  })

  test('a policy that opens what decides over others says what, and to whom', async () => {
    const policy = { ...newPolicy({ policyName: 'Reports' }), effect: 'EFFECT_ALLOW' }
    const most = 'policies, credentials, exports of keys, [11 more]'
    const start = 'WARNING: “Reports” opens'
    const grace = `“Grace” (user ${userId})`
    for (const given of [
      "activity.resource != 'OTP'",
      "activity.type != 'ACTIVITY_TYPE_INIT_OTP'",
      "activity.action in ['CREATE', 'UPDATE', 'DELETE', 'SIGN', 'EXPORT', 'IMPORT']",
    ]) {
      expect(await titleOf('create_policy', { ...policy, condition: given })).toEqual(
        expect.stringContaining(`${start} ${most} to every user. Create policy: “Reports”, allows, [at most `),
      )
      const consensus = `approvers.any(user, user.id == '${userId}')`
      expect(await titleOf('create_policy', { ...policy, condition: given, consensus })).toEqual(
        expect.stringContaining(
          `${start} ${most} to each of these alone: ${grace}. Create policy: “Reports”, allows, [at most `,
        ),
      )
    }
    for (const consensus of [
      'approvers.count() >= 2',
      'approvers.count() == 2',
      "approvers.count() >= 2 && credentials.all(used, used.type == 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR')",
      `approvers.filter(user, user.id != '${userId}').count() >= 2`,
    ]) {
      const title = await titleOf('create_policy', { ...policy, condition: 'true', consensus })
      expect(title).toMatch(`${start} ${most} to any users, if enough of them approve. `)
    }
    const credentials = { ...policy, condition: "activity.resource == 'CREDENTIAL'" }
    // One user may add as many credentials as are counted, and one that nobody has yet.
    const points = Array.from({ length: 10 }, (_, index) =>
      bytesToHex(p256.getPublicKey(new Uint8Array(32).fill(index + 1), true)),
    )
    const [key, ...decoys] = points
    const nobodys = '00000000-0000-4000-8000-0000000000ff'
    const noDecoy = decoys.map((one) => `used.public_key != '${one}'`).join(' && ')
    for (const consensus of [
      'credentials.count() >= 3',
      `credentials.any(used, used.public_key == '${key}')`,
      "credentials.any(used, used.type == 'CREDENTIAL_TYPE_API_KEY_ED25519')",
      "credentials.any(used, used.public_key[2..4] == 'ab')",
      "credentials.any(used, used.id[35..36] in ['e', 'f'])",
      `credentials.any(used, ${noDecoy} && used.public_key == '${key}')`,
      `credentials.any(used, used.id == '${nobodys}')`,
      `approvers.any(user, user.tags.contains('${nobodys}'))`,
      "approvers.any(user, user.email == 'nobody@example.com')",
    ]) {
      const title = await titleOf('create_policy', { ...credentials, consensus })
      expect(title, consensus).toContain(`${start} credentials to every user`)
    }
    const pair = `approvers.any(user, user.id == '${userId}') && credentials.any(used, used.public_key == '${key}')`
    expect(await titleOf('create_policy', { ...credentials, consensus: pair })).toContain(
      `${start} credentials to each of these alone: “Grace” (user ${userId}). `,
    )
    expect(await titleOf('create_policy', { ...credentials, consensus: two })).toMatch(/^Create policy: /)
    const codes = { ...credentials, condition: "activity.resource == 'OTP'" }
    expect(await titleOf('create_policy', codes)).toContain(`${start} credentials to every user. `)
    const narrow = newPolicy({ ...policy, policyName: 'Of logins', condition: "activity.kind == 'STAMP_LOGIN'" })
    const lines = await linesOf('create_policies', { policies: [narrow, credentials] })
    expect(lines[0]).toBe(
      `${start} credentials to every user. Create policies: “Reports”, allows, [at most credentials by every user], “Of logins”, allows, [at most logins by every user]`,
    )
    const changed = await linesOf('update_policy', { policyId, policyCondition: "activity.resource != 'OTP'" })
    expect(changed[0]).toMatch(/^WARNING: “policy” opens .* to every user, and 1 more\. Update policy: /)
  })

  test('a new policy that allows says what at most and with whose approval, also where nothing warns', async () => {
    const to = `0x${'aa'.repeat(20)}`
    const policy = { ...newPolicy({ policyName: 'Daily' }), effect: 'EFFECT_ALLOW' }
    const sends = `eth.tx.to == '${to}' && eth.tx.value < 5`
    const grace = `approvers.any(user, user.id == '${userId}')`
    const graceNamed = `“Grace” (user ${userId})`
    const byTag = `user.tags.contains('${userTagId}')`
    for (const [given, consensus, said] of [
      [sends, '', 'signatures by every user'],
      [sends, grace, `signatures if one of these approves: ${graceNamed}`],
      [sends, `approvers.any(user, ${byTag})`, /^signatures if one of these approves: “.*” \(user tag .*\)\]$/],
      [
        sends,
        `approvers.filter(user, ${byTag}).count() >= 2`,
        /^signatures if 2 of these approve: “.*” \(user tag .*\)\]$/,
      ],
      [sends, 'approvers.count() >= 2', 'signatures if any 2 users approve'],
      [sends, two, 'signatures if its consensus holds, which is not put into words here'],
      [oneWallet, grace, `exports of keys if one of these approves: ${graceNamed}`],
      ["activity.resource == 'WALLET' && activity.action == 'CREATE'", '', 'new wallets and keys by every user'],
      ["activity.kind == 'CREATE_SUB_ORGANIZATION'", '', 'new sub-organizations by every user'],
      ["activity.kind in ['CREATE_WALLET', 'STAMP_LOGIN']", '', 'new wallets and keys, logins by every user'],
      [`wallet.id == '${walletId}'`, '', 'exports of keys, signatures by every user'],
      ['false', '', 'none by every user'],
    ] as const) {
      const title = await titleOf('create_policy', { ...policy, condition: given, consensus })
      const start = 'Create policy: “Daily”, allows, [at most '
      // An open invitation has the tag.
      const invited = consensus.includes(byTag) ? title?.indexOf(start) : 0
      expect(title?.slice(invited).startsWith(start), title).toBe(true)
      if (typeof said === 'string') expect(title).toBe(`${start}${said}]`)
      else expect(title?.slice((invited ?? 0) + start.length)).toMatch(said)
    }
  })

  test('a change of a policy says what it allows at most afterwards, also where it leaves that as it was', async () => {
    const sends = `eth.tx.to == '0x${'aa'.repeat(20)}'`
    const grace = `approvers.any(user, user.id == '${userId}')`
    const { policyId: changed } = await approved('create_policy', {
      ...newPolicy({ policyName: 'Sends', effect: 'EFFECT_ALLOW', condition: sends }),
      consensus: grace,
    })
    const ofGrace = `if one of these approves: “Grace” (user ${userId})`
    const start = `Update policy: “Sends” (policy ${changed})`
    for (const [given, said] of [
      [{ policyNotes: 'new' }, `, allows, [at most signatures ${ofGrace}]`],
      [{ policyCondition: oneWallet }, `, allows, [at most exports of keys ${ofGrace}]`],
      [{ policyConsensus: 'approvers.count() >= 2' }, ', allows, [at most signatures if any 2 users approve]'],
      [{ policyConsensus: '' }, ', allows, [at most signatures by every user]'],
      [
        { policyConsensus: two },
        ', allows, [at most signatures if its consensus holds, which is not put into words here]',
      ],
      [{ policyCondition: 'false', policyConsensus: 'true' }, ', allows, [at most none by every user]'],
      [{ policyEffect: 'EFFECT_DENY' }, ', denies'],
    ] as const) {
      const title = await titleOf('update_policy', { policyId: changed, ...given })
      expect(title?.slice(title.indexOf('Update policy: '))).toBe(`${start}${said}`)
    }
  })

  test('where it is too long to tell what a policy opens, its title says that', async () => {
    const [ones, twos] = [1, 2].map((rest) => Array.from({ length: 200 }, (_, index) => index * 3 + rest))
    const count = 'activity.params.user_ids.count()'
    // The checker refuses two lists beside the same count, and does not look into sums.
    const given = `${count} in [${ones}] && ${count} + 0 in [${twos}]`
    const policy = { ...newPolicy({ policyName: 'Long' }), effect: 'EFFECT_ALLOW', condition: given, consensus: '' }
    expect(await titleOf('create_policy', policy)).toBe(
      'WARNING: “Long” may open users: it is too long to judge. Create policy: “Long”, allows, [at most users by every user]',
    )
    const nested = Array.from({ length: 5 }, (_, index) => `credentials.all(c${index}, `).join('')
    const consensus = `credentials.count() == 199 && !${nested}c0.id != c4.id${')'.repeat(5)}`
    const letters = `[${Array.from({ length: 30 }, (_, index) => `'${index}'`)}]`
    const all = ['a', 'b', 'c'].map((one) => `${letters}.all(${one}, `).join('')
    const ofPolicies = `activity.resource == 'POLICY' && ${all}a != 'z' || b != 'z' || c != 'z')))`
    expect(await titleOf('create_policy', { ...policy, condition: ofPolicies, effect: 'EFFECT_DENY' })).toBe(
      'WARNING: “Long” may deny changes of policies to all but a complete root quorum: it is too long to judge. Create policy: “Long”, denies',
    )
    const slow = { ...policy, condition: "activity.resource == 'CREDENTIAL'", consensus }
    expect(await titleOf('create_policy', slow)).toBe(
      'WARNING: “Long” may open credentials: it is too long to judge. Create policy: “Long”, allows, [at most credentials if its consensus holds, which is not put into words here]',
    )
  })

  test('a denial that is deleted, allows or changes is a warning, with all that it says', async () => {
    const denial = { ...newPolicy({ policyName: 'Never export', condition }), consensus: 'true' }
    const { policyId: denialId } = await approved('create_policy', denial)
    const ends = 'WARNING: a denial ends, so what it refuses may be allowed. '
    const deleted = await linesOf('delete_policy', { policyId: denialId })
    expect(deleted[0]).toBe(`${ends}Delete policy: “Never export” (policy ${denialId})`)
    for (const line of ['effect: denies', `condition: “${condition}”`, 'consensus: “true”'])
      expect(deleted).toContain(line)
    const several = await linesOf('delete_policies', { policyIds: [policyId, denialId] })
    expect(several[0]).toBe(
      `${ends}Delete policies: “Never export” (policy ${denialId}), “policy” (policy ${policyId})`,
    )
    expect(several.indexOf('effect: denies')).toBeLessThan(several.indexOf('effect: allows'))
    expect(await titleOf('delete_policy', { policyId })).toBe(`Delete policy: “policy” (policy ${policyId})`)
    expect(await titleOf('update_policy', { policyId: denialId, policyEffect: 'EFFECT_ALLOW' })).toMatch(
      /^WARNING: “Never export” opens exports of keys to every user, and 1 more\. Update policy: /,
    )
    const allowed = { policyEffect: 'EFFECT_ALLOW', policyCondition: oneWallet }
    expect(await titleOf('update_policy', { policyId: denialId, ...allowed })).toMatch(ends)
    const weaker = await linesOf('update_policy', { policyId: denialId, policyCondition: 'false' })
    expect(weaker[0]).toMatch(/^WARNING: a denial changes, and may refuse less\. Update policy: /)
    expect(weaker.indexOf('effect: denies')).toBeLessThan(weaker.indexOf(`condition: “${condition}” → “false”`))
    expect(await titleOf('update_policy', { policyId: denialId, policyNotes: 'new' })).toMatch(/^Update policy: /)
  })

  test('a denial of everything, or of changes of policies, leaves them to a complete root quorum', async () => {
    const stops =
      /^WARNING: “Stop” denies everything to all but a complete root quorum\. Create policy: “Stop”, denies$/
    const fixes = /^WARNING: “Stop” denies changes of policies to all but a complete root quorum\. /
    const denial = { ...newPolicy({ policyName: 'Stop' }), effect: 'EFFECT_DENY' }
    expect(await titleOf('create_policy', denial)).toMatch(stops)
    for (const given of ['', 'true', "activity.action == 'SIGN' || true"])
      expect(await titleOf('create_policy', { ...denial, condition: given, consensus: given && 'true' })).toMatch(stops)
    for (const given of ["activity.resource == 'POLICY'", "activity.action != 'SIGN'"])
      expect(await titleOf('create_policy', { ...denial, condition: given })).toMatch(fixes)
    const unlessApproved = `!approvers.any(user, user.id == '${userId}')`
    for (const limits of [
      { condition: "activity.action == 'EXPORT'" },
      { consensus: unlessApproved },
      { time: "CronSpan('0 8 * * *', '8h', 'UTC')" },
    ])
      expect(await titleOf('create_policy', { ...denial, ...limits })).toMatch(/^Create policy: /)
    const { policyId: allowing } = await approved('create_policy', {
      ...newPolicy({ policyName: 'Stop', effect: 'EFFECT_ALLOW', condition: "activity.resource == 'POLICY'" }),
      consensus: two,
    })
    expect(
      await titleOf('update_policy', { policyId: allowing, policyEffect: 'EFFECT_DENY', policyConsensus: '' }),
    ).toMatch(fixes)
  })

  test('a denial whose time hardly ever ends, or whose consensus whoever approves fulfils, leaves no other way', async () => {
    const denial = { ...newPolicy({ policyName: 'Halt' }), effect: 'EFFECT_DENY' }
    const inDays = (days: number) => `Timestamp('${new Date(issuing.clock.nowMs + days * 86_400_000).toISOString()}')`
    const spanOf = (cron: string, duration: string) => `CronSpan('${cron}', '${duration}', 'Europe/Berlin')`
    for (const limits of [
      { time: spanOf('* * * * *', '1m') },
      { time: `!${spanOf('17 0 1 * *', '5m')}` },
      { time: spanOf('0 0 1-31 * *', '25h') },
      { time: "CronSpan('0 0 1,8,15,22,29 * *', '7d', 'UTC')" },
      { time: "time.now > Timestamp('2020-01-01T00:00:00Z')" },
      { time: `time.now > ${inDays(1)}` },
      { time: `time.now < ${inDays(4000)}` },
      { time: `time.now != ${inDays(1)}` },
      { time: `time.now >= ${inDays(7)} && time.now < ${inDays(70)}` },
      { consensus: "approvers.any(u, u.email != 'nobody@example.com')" },
      { consensus: "!approvers.any(u, u.tags.contains('00000000-0000-4000-8000-0000000000ff'))" },
      { consensus: 'approvers.count() < 99 && credentials.count() > 0' },
    ]) {
      const title = await titleOf('create_policy', { ...denial, ...limits })
      expect([limits, title]).toEqual([
        limits,
        expect.stringMatching(/^WARNING: “Halt” denies everything to all but a /),
      ])
      const fixes = await titleOf('create_policy', { ...denial, ...limits, condition: "activity.resource == 'POLICY'" })
      expect([limits, fixes]).toEqual([
        limits,
        expect.stringMatching(/^WARNING: “Halt” denies changes of policies to /),
      ])
    }
    for (const limits of [
      { time: `!${spanOf('0 9 * * 1-5', '8h')}` },
      { time: `!${spanOf('0 9 1 * *', '8h')}` },
      { time: "time.now < Timestamp('2020-01-01T00:00:00Z')" },
      { time: `time.now < ${inDays(7)}` },
      { time: `time.now > ${inDays(7)} && time.now < ${inDays(14)}` },
      { consensus: 'approvers.count() < 2' },
      { consensus: `approvers.any(u, u.id == '${userId}')` },
      { consensus: "credentials.any(c, c.type == 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR')" },
    ]) {
      const title = await titleOf('create_policy', { ...denial, ...limits })
      expect([limits, title]).toEqual([limits, expect.stringMatching(/^Create policy: /)])
    }
  })

  test('a policy that names every wallet of several, or an amount that nobody has, limits nothing', async () => {
    const { walletId: other } = await approved('create_wallet', { walletName: 'Warm', accounts: [] })
    const both = `activity.action == 'SIGN' && wallet.id in ['${walletId}', '${other}']`
    for (const condition of [both, `eth.tx.value < 1${'0'.repeat(40)}`]) {
      const policy = newPolicy({ policyName: 'Payers', effect: 'EFFECT_ALLOW', condition })
      expect(await titleOf('create_policy', policy)).toMatch(/^WARNING: “Payers” opens signatures to every user\. /)
    }
    await approved('delete_wallets', { walletIds: [other], deleteWithoutExport: true })
  })

  test('of new policies, those come first that open the worst, whatever the order of the request', async () => {
    const opening = (policyName: string, condition: string) => ({
      ...newPolicy({ policyName, effect: 'EFFECT_ALLOW', condition }),
      consensus: `approvers.any(user, user.id == '${userId}')`,
    })
    const policies = [
      opening('Names', "activity.resource == 'SMART_CONTRACT_INTERFACE'"),
      opening('Exports', "activity.action == 'EXPORT'"),
      opening('Rules', "activity.resource == 'POLICY'"),
      opening('Rules and names', "activity.resource in ['POLICY', 'SMART_CONTRACT_INTERFACE']"),
    ]
    for (const given of [policies, policies.toReversed()]) {
      const lines = await linesOf('create_policies', { policies: given })
      const named = lines.flatMap((line) => /^warning: \[“(.*)” opens/.exec(line)?.[1] ?? [])
      expect(named).toEqual(['Rules and names', 'Rules', 'Exports', 'Names'])
    }
  })

  test('an id in a policy that nothing has is a warning', async () => {
    const unknown = '00000000-0000-4000-8000-0000000000ff'
    const says = (name: string) => `“${name}” names what does not exist in this organization: “${unknown}”`
    const denial = newPolicy({ policyName: 'Of ids', condition: `private_key.tags.contains('${unknown}')` })
    expect(await titleOf('create_policy', denial)).toContain(`WARNING: ${says('Of ids')}. `)
    const known = `private_key.id == '${privateKeyId}' || private_key.tags.contains('${privateKeyTagId}')`
    expect(await titleOf('create_policy', newPolicy({ policyName: 'Of ids', condition: known }))).toMatch(
      /^Create policy: /,
    )
    const changed = await linesOf('update_policy', { policyId, policyCondition: `wallet.id == '${unknown}'` })
    expect(changed[0]).toMatch(/^WARNING: a policy that allows changes, and may allow more, and 1 more\. /)
    expect(changed).toContain(`warning: [${says('policy')}]`)
  })

  test('a limit that a policy which allows loses is a warning', async () => {
    const { policyId: asking } = await approved('create_policy', {
      ...newPolicy({ policyName: 'Two', effect: 'EFFECT_ALLOW' }),
      ...{ condition: oneWallet, consensus: two },
    })
    const losing = /^WARNING: a policy that allows loses its condition, consensus or time\. /
    for (const given of [{ policyConsensus: '' }, { policyCondition: '' }]) {
      expect(await titleOf('update_policy', { policyId: asking, ...given })).toMatch(losing)
    }
    const changing = /^WARNING: a policy that allows changes, and may allow more\. Update policy: /
    for (const given of [{ policyConsensus: 'true' }, { policyCondition: 'false' }, { policyConsensus: 'false' }]) {
      expect(await titleOf('update_policy', { policyId: asking, ...given })).toMatch(changing)
    }
    expect(await titleOf('update_policy', { policyId: asking, policyEffect: 'EFFECT_DENY' })).toMatch(
      /^Update policy: /,
    )
    expect(await titleOf('update_policy', { policyId: asking, policyNotes: 'new' })).toMatch(/^Update policy: /)
  })

  test('an MFA policy that is deleted says what ends, and one that changes has a warning too', async () => {
    const { mfaPolicyId } = await approved('create_mfa_policy', given)
    const lines = await linesOf('delete_mfa_policy', { userId, mfaPolicyId })
    expect(lines[0]).toBe(
      `WARNING: steps of authentication end. Delete mfa policy: “Export” (mfa policy ${mfaPolicyId}), “Grace” (user ${userId})`,
    )
    for (const line of [`condition: “${condition}”`, 'any: API key', 'order: 3']) expect(lines).toContain(line)
    const change = { userId, mfaPolicyId, condition: 'false' }
    expect(await titleOf('update_mfa_policy', change)).toMatch(/^WARNING: steps of authentication change\. /)
    expect(await titleOf('update_mfa_policy', { userId, mfaPolicyId, notes: 'new' })).toMatch(/^Update mfa policy: /)
  })

  test('an MFA policy that comes before another one of the user is a warning, because the first one is enforced', async () => {
    const { mfaPolicyId } = await approved('create_mfa_policy', { ...given, mfaPolicyName: 'Strong', order: 5 })
    const changing = /^WARNING: steps of authentication change\. /
    const weak = { ...given, mfaPolicyName: 'Weak', condition: 'true', order: 4 }
    expect(await titleOf('create_mfa_policy', weak)).toBe(
      `WARNING: steps of authentication change. Create mfa policy: “Weak”, “Grace” (user ${userId})`,
    )
    expect(await titleOf('create_mfa_policy', { ...weak, order: 50 })).toMatch(/^Create mfa policy: /)
    expect(await titleOf('update_mfa_policy', { userId, mfaPolicyId, order: 9 })).toMatch(changing)
    await approved('delete_mfa_policy', { userId, mfaPolicyId })
  })

  test('weaker steps of authentication say how many are left, and by which means', async () => {
    const requiredAuthenticationMethods = [step('SESSION'), step('API_KEY'), step('API_KEY', 'SESSION')]
    const strong = { ...given, mfaPolicyName: 'Strong', order: 5, requiredAuthenticationMethods }
    const { mfaPolicyId } = await approved('create_mfa_policy', strong)
    const weak = { ...given, mfaPolicyName: 'Weak', order: 4, requiredAuthenticationMethods: [step('API_KEY')] }
    const fewer = 'fewer steps of authentication are enough: 1 in place of 3'
    const grace = `“Grace” (user ${userId})`
    expect(await titleOf('create_mfa_policy', weak)).toBe(`WARNING: ${fewer}. Create mfa policy: “Weak”, ${grace}`)
    const changed = { userId, mfaPolicyId, requiredAuthenticationMethods: [step('API_KEY')] }
    expect(await titleOf('update_mfa_policy', changed)).toMatch(`WARNING: ${fewer}. Update mfa policy: `)
    await approved('update_user_email', { userId, userEmail: 'mallory@example.com' })
    const byMail = { ...weak, requiredAuthenticationMethods: [step('EMAIL_OTP')] }
    expect(await titleOf('create_mfa_policy', byMail)).toContain(
      `WARNING: ${fewer}; a step of authentication of ${grace} is taken by other means: “mallory@example.com”, and 1 more. `,
    )
    await approved('update_user_email', { userId, userEmail: '' })
    const impossible = { ...weak, order: 9, requiredAuthenticationMethods: [step('EMAIL_OTP', 'PASSKEY')] }
    expect(await titleOf('create_mfa_policy', impossible)).toContain(
      `WARNING: ${grace} cannot take a step of authentication, and so cannot do what needs it: code by e-mail, passkey`,
    )
    // From then on the weak one comes first.
    const { mfaPolicyId: later } = await approved('create_mfa_policy', { ...weak, order: 9 })
    expect(await titleOf('update_mfa_policy', { userId, mfaPolicyId, order: 10 })).toContain(fewer)
    for (const id of [mfaPolicyId, later]) await approved('delete_mfa_policy', { userId, mfaPolicyId: id })
  })

  test('a change of the root quorum says in its title how many of how many decide, and who joins or leaves', async () => {
    expect(await titleOf('update_root_quorum', { threshold: 1, userIds: [rootUserId, userId, linked] })).toBe(
      `WARNING: fewer approvals decide about everything: 1 in place of 2; new in the root quorum, which decides about everything: “Linus” (user ${linked}). Update root quorum: 1 of 3 users decide`,
    )
    const lines = await linesOf('update_root_quorum', { threshold: 2, userIds: [rootUserId, linked] })
    expect(lines[0]).toBe(
      `WARNING: new in the root quorum, which decides about everything: “Linus” (user ${linked}); no longer in the root quorum: “Grace” (user ${userId}). Update root quorum: 2 of 2 users decide`,
    )
  })

  test('a root quorum that loses a member who could be missing says who leaves, and that none may be lost any more', async () => {
    await approved('update_root_quorum', { threshold: 2, userIds: [rootUserId, userId, linked] })
    expect(await titleOf('update_root_quorum', { threshold: 2, userIds: [rootUserId, userId] })).toBe(
      `WARNING: no longer in the root quorum: “Linus” (user ${linked}); one member who loses access locks the organization for good: all 2 must approve. Update root quorum: 2 of 2 users decide`,
    )
    expect(await titleOf('update_root_quorum', { threshold: 3, userIds: [rootUserId, userId, linked] })).toMatch(
      /^WARNING: one member who loses access locks the organization for good: all 3 must approve.*: 3 of 3 users decide$/,
    )
    await approved('update_root_quorum', { threshold: 2, userIds: [rootUserId, userId] })
  })

  test('a list of addresses that ends or is switched off is a warning, and a new one says what it adds and removes', async () => {
    const own = { cidr: '127.0.0.0/24' }
    const rules = [own, { cidr: '203.0.113.0/24' }, { cidr: '198.51.100.0/24' }]
    const only = /^WARNING: requests from all IP addresses but these count no more: /
    const nobody = /^WARNING: requests from all IP addresses but these count no more: none\. /
    expect(await titleOf('set_ip_allowlist', { rules: [], allowLockout: true })).toMatch(nobody)
    expect(await titleOf('set_ip_allowlist', { rules, enabled: true })).toMatch(only)
    expect(await titleOf('set_ip_allowlist', { rules, enabled: false })).toMatch(/^Set ip allowlist: /)
    await approved('set_ip_allowlist', { rules, enabled: true })
    const ends = /^WARNING: a list of IP addresses ends, so requests from elsewhere count\. /
    expect(await titleOf('remove_ip_allowlist', {})).toMatch(ends)
    expect(await titleOf('set_ip_allowlist', { rules, enabled: false })).toMatch(ends)
    const next = { rules: [own, { cidr: '203.0.113.0/24' }, { cidr: '192.0.2.0/24' }] }
    const changed = await linesOf('set_ip_allowlist', next)
    expect(changed[0]).toMatch(
      /^WARNING: a list of IP addresses gets other ranges, so requests from there count, and 1 more\. Set ip/,
    )
    const wider = { rules: [...rules, { cidr: '192.0.2.0/24' }] }
    expect(await titleOf('set_ip_allowlist', wider)).toMatch(
      /^WARNING: a list of IP addresses gets other ranges, so requests from there count\. Set ip/,
    )
    const shutOut = 'WARNING: requests from some or all of these IP addresses count no more: '
    const two = `${shutOut}“203.0.113.0/24”, “198.51.100.0/24”`
    expect(await titleOf('set_ip_allowlist', { rules: [own] })).toContain(`${two}. Set ip`)
    expect(await titleOf('set_ip_allowlist', { rules: [{ cidr: '127.0.0.0/25' }, ...rules.slice(1)] })).toContain(
      `${shutOut}“127.0.0.0/24”. Set ip`,
    )
    const unchecked = await linesOf('set_ip_allowlist', { rules: [own], allowLockout: true })
    expect(unchecked[0]).toContain(`${two}, and 1 more. Set ip`)
    expect(unchecked).toContain('warning: [nobody checks whether the list still lets in whoever asks for it]')
    expect(await titleOf('set_ip_allowlist', { rules })).toMatch(/^Set ip allowlist: /)
    expect(await titleOf('set_ip_allowlist', { rules: [], allowLockout: true })).toMatch(nobody)
    expect(await titleOf('set_ip_allowlist', { rules, onEvaluationError: 'ALLOW' })).toMatch(/^WARNING: a list of IP/)
    expect(changed).toContain('added: “192.0.2.0/24”')
    expect(changed).toContain('removed: “198.51.100.0/24”')
  })

  test('a list of origins that changes or ends, and a way in that is switched on again, are warnings', async () => {
    const origins = { name: 'FEATURE_NAME_WEBAUTHN_ORIGINS', value: 'https://app.example.com' }
    const other = { ...origins, value: `${origins.value},https://evil.example` }
    const only = `WARNING: passkeys of all pages but these stop working: “${origins.value}”. Set organization feature: `
    expect(await titleOf('set_organization_feature', origins)).toContain(only)
    expect(await titleOf('set_organization_feature', { ...origins, value: '*' })).toMatch(/^Set organization feature: /)
    await approved('set_organization_feature', { ...origins, value: '*' })
    expect(await titleOf('set_organization_feature', origins)).toContain(only)
    await approved('set_organization_feature', other)
    expect(await titleOf('set_organization_feature', origins)).toContain(only)
    await approved('set_organization_feature', origins)
    const changes = /^WARNING: passkeys of other pages count from then on\. /
    expect(await titleOf('set_organization_feature', other)).toMatch(changes)
    const moved = await linesOf('set_organization_feature', { ...origins, value: 'https://evil.example' })
    expect(moved[0]).toMatch(/^WARNING: passkeys of other pages count from then on, and 1 more\. /)
    expect(moved).toContain('warning: [passkeys of all pages but these stop working: “https://evil.example”]')
    expect(await titleOf('remove_organization_feature', { name: origins.name })).toMatch(changes)
    expect(await titleOf('set_organization_feature', { ...origins })).toMatch(/^Set organization feature: /)
    await approved('remove_organization_feature', { name: origins.name })
    const mail = { name: 'FEATURE_NAME_OTP_EMAIL_AUTH' }
    await approved('remove_organization_feature', mail)
    expect(await titleOf('set_organization_feature', mail)).toMatch(/^WARNING: a way to log in or to recover opens\. /)
    for (const value of ['', 'true']) {
      expect(await linesOf('set_organization_feature', { ...mail, value })).toContain('value: off → on')
    }
    await approved('set_organization_feature', mail)
  })

  test('a request whose key is gone says in its title that it cannot be read', async () => {
    const made = await approved('create_private_keys', {
      privateKeys: [newPrivateKey({ privateKeyName: 'Short-lived' })],
    })
    const [shortLived] = JSON.stringify(made).match(/[0-9a-f]{8}-[0-9a-f-]{27}/) ?? []
    const form = { encoding: 'PAYLOAD_ENCODING_TEXT_UTF8', hashFunction: 'HASH_FUNCTION_KECCAK256' }
    const { body } = await submit('sign_raw_payload', { signWith: shortLived, payload: 'Hello', ...form })
    await approved('delete_private_keys', { privateKeyIds: [shortLived], deleteWithoutExport: true })
    const { explanation } = await found('explain_activity', { activityId: body.activity.id })
    expect(plainLines(explanation)[0]).toMatch(/^WARNING: This cannot be read\. Sign raw payload/)
  })

  test('a title says how many more it means than it names', async () => {
    const users = ['A', 'B', 'C', 'D', 'E'].map((userName) => newUser({ userName }))
    const made = await approved('create_users', { users })
    const userIds = JSON.stringify(made).match(/[0-9a-f]{8}-[0-9a-f-]{27}/g) ?? []
    expect(await titleOf('delete_users', { userIds })).toMatch(
      /^Delete users: “A” \(user .*\), “C” \(user [-0-9a-f]+\), \[2 more\]$/,
    )
  })
})
