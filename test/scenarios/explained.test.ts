import { p256 } from '@noble/curves/nist.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { expect, test } from 'vitest'
import { plainLines } from '../../src/contract/explanation/texts/plain_lines.ts'
import { operations } from '../../src/operations/catalogue.ts'
import { newAccount, newApiKey, newPolicy, startOrganization } from '../support/organization.ts'
import { startOrganizationWithIssuer } from '../support/organization_with_issuer.ts'
import { generateApiKey } from '../support/stamping.ts'
import { neverFound, prepareRequests } from '../support/valid_requests.ts'

const bare = (lines: readonly string[]) => lines.map((line) => line.trim())

test('an activity of every operation is explained', { timeout: 120_000 }, async () => {
  const organization = await startOrganizationWithIssuer()
  const requests = await prepareRequests(organization)
  const names = operations.flatMap(({ kind, name }) => (kind === 'activity' ? [name] : []))
  for (const name of requests.names.filter((name) => names.includes(name) && !neverFound.includes(name))) {
    const { status, body } = await organization.submit(name, requests.parametersOf(name), {
      apiKey: requests.signerOf(name),
    })
    expect(status, `${name}: ${JSON.stringify(body)}`).toBe(200)
    const { id: activityId, organizationId } = body.activity
    if (organizationId !== organization.organizationId) continue
    const { explanation } = await organization.found('explain_activity', { activityId })
    const lines = plainLines(explanation)
    expect(lines[0], name).not.toBe('')
    // It was done, so it was read. Its own new name is in use, and what it deleted is not found.
    expect(
      lines.filter((line) => line.includes('cannot be read')),
      name,
    ).toEqual([])
  }
})

test('what was rejected is not said to be unreadable for what has become of its names since', async () => {
  const { done, submit, found, anotherUser, rootUserId } = await startOrganization()
  const { userId, apiKey } = await anotherUser()
  await done('update_root_quorum', { threshold: 2, userIds: [rootUserId, userId] })
  const wallet = { walletName: 'w', accounts: [] }
  const [first, second] = [await submit('create_wallet', wallet), await submit('create_wallet', wallet)]
  const linesOf = async ({ body }: typeof first) =>
    plainLines((await found('explain_activity', { activityId: body.activity.id })).explanation).join('\n')
  await submit('approve_activity', { fingerprint: first.body.activity.fingerprint }, { apiKey })
  expect(await linesOf(second)).toContain('already in use')
  await submit('reject_activity', { fingerprint: second.body.activity.fingerprint }, { apiKey })
  for (const one of [first, second]) {
    expect(await linesOf(one)).toContain('“w”')
    expect(await linesOf(one)).not.toMatch(/cannot be read|already in use/)
  }
})

test('a change of the root quorum that waits says who is missing and what changes', async () => {
  const { done, submit, found, anotherUser, rootUserId } = await startOrganization()
  const { userId, apiKey } = await anotherUser()
  await done('update_root_quorum', { threshold: 2, userIds: [rootUserId, userId] })
  const { body } = await submit('update_root_quorum', { threshold: 1, userIds: [rootUserId] })
  const { id: activityId, fingerprint } = body.activity
  const explained = async () => bare(plainLines((await found('explain_activity', { activityId })).explanation))
  const waiting = await explained()
  expect(waiting).toContain('threshold: 2 → 1')
  expect(waiting.some((line) => line.startsWith('removed: ') && line.includes(userId))).toBe(true)
  expect(waiting).toContain('who decides: root quorum')
  expect(waiting).toContain('approvals missing: 1')
  expect(waiting.some((line) => line.startsWith('whose approval completes it: ') && line.includes(userId))).toBe(true)
  await submit('approve_activity', { fingerprint }, { apiKey })
  const ended = await explained()
  expect(ended).toContain('threshold: [Not known any more] → 1')
})

test('a change of a user, a tag, a wallet, a feature, a list of addresses or a name says from what to what', async () => {
  const { done, submit, found, anotherUser, rootUserId, newUserTag } = await startedWithTag()
  const { userId } = await anotherUser()
  const { walletId } = await done('create_wallet', { walletName: 'Treasury', accounts: [] })
  await done('update_user', { userId, userName: 'Grace', userEmail: 'grace@example.com' })
  await done('update_root_quorum', { threshold: 2, userIds: [rootUserId, userId] })
  const explained = async (name: string, parameters: Readonly<Record<string, unknown>>) => {
    const { body } = await submit(name, parameters)
    const { explanation } = await found('explain_activity', { activityId: body.activity.id })
    return bare(plainLines(explanation)).join('\n')
  }
  const user = await explained('update_user', { userId, userName: 'Ada', userTagIds: [newUserTag] })
  expect(user).toContain('Update user: “Grace” (user ')
  expect(user).toContain('user name: “Grace” → “Ada”')
  expect(user).toContain(`user tags:\nfrom: none\nto: “Approvers” (user tag ${newUserTag})`)
  expect(user).not.toContain('grace@example.com')
  expect(await explained('update_user_email', { userId, userEmail: 'ada@example.com' })).toContain(
    'user email: “grace@example.com” → “ada@example.com”',
  )
  const tag = await explained('update_user_tag', {
    ...{ userTagId: newUserTag, newUserTagName: 'Payers', addUserIds: [userId], removeUserIds: [] },
  })
  expect(tag).toContain('name: “Approvers” → “Payers”')
  expect(tag).toContain(`added: “Grace” (user ${userId})`)
  expect(await explained('update_wallet', { walletId, walletName: 'Cold' })).toContain(
    'wallet name: “Treasury” → “Cold”',
  )
  expect(await explained('update_organization_name', { organizationName: 'Bank' })).toContain(' → “Bank”')
  expect(await explained('remove_organization_feature', { name: 'FEATURE_NAME_EMAIL_RECOVERY' })).toContain('on → off')
  const list = await explained('set_ip_allowlist', { rules: [{ cidr: '203.0.113.0/24' }], allowLockout: true })
  expect(list).toContain('“203.0.113.0/24”')
  expect(list).toContain('from: none')
  expect(list).toContain('allow lockout: yes')
})

test('accounts that are to be exported or deleted have their address, and the names of wallet and account in quotes of their own', async () => {
  const { done, found, submit, anotherUser, rootUserId } = await startOrganization()
  const { addresses, walletId } = await done('create_wallet', {
    walletName: 'Cold',
    accounts: [newAccount({ name: 'Main' })],
  })
  const { accounts } = await found('list_wallet_accounts', { walletId })
  const { userId } = await anotherUser()
  await done('update_root_quorum', { threshold: 2, userIds: [rootUserId, userId] })
  const explained = async (name: string, parameters: Readonly<Record<string, unknown>>) => {
    const { body } = await submit(name, parameters)
    const { explanation } = await found('explain_activity', { activityId: body.activity.id })
    return bare(plainLines(explanation))
  }
  const targetPublicKey = bytesToHex(p256.getPublicKey(p256.utils.randomSecretKey(), false))
  const exported = await explained('export_wallet_account', { address: addresses[0], targetPublicKey })
  expect(exported[0]).toBe(`Export wallet account: “Cold” “Main” (${addresses[0]})`)
  const walletAccountIds = accounts.map(({ walletAccountId }: { walletAccountId: string }) => walletAccountId)
  const deleted = await explained('delete_wallet_accounts', { walletAccountIds, deleteWithoutExport: true })
  expect(deleted).toContain(`deleted: “Cold” “Main” (${addresses[0]})`)
})

test('the search for voters takes the steps of one request, which policies share; users beyond it may vote', async () => {
  const { done, submit, found, rootUserId } = await startOrganization()
  const users = Array.from({ length: 24 }, (_, index) => ({
    ...{ userName: `User ${index}`, apiKeys: [newApiKey()], userTags: [] },
    ...{ authenticators: [], oauthProviders: [] },
  }))
  const asker = generateApiKey()
  const { userIds } = await done('create_users', { users })
  await done('create_users', {
    users: [{ ...users[0], userName: 'Asker', apiKeys: [newApiKey({ publicKey: asker.publicKey })] }],
  })
  // About 70,000 steps.
  const letters = `[${Array.from({ length: 26 }, (_, index) => `'${index}'`).join(', ')}]`
  const long = `${letters}.all(a, ${letters}.all(b, ${letters}.all(c, a != '')))`
  const allows = (policyName: string, consensus: string) => newPolicy({ policyName, effect: 'EFFECT_ALLOW', consensus })
  const explained = async () => {
    const { body } = await submit('create_wallet', { walletName: 'New', accounts: [] }, { apiKey: asker })
    const { explanation } = await found('explain_activity', { activityId: body.activity.id })
    const lines = bare(plainLines(explanation))
    await submit('reject_activity', { fingerprint: body.activity.fingerprint })
    const idsIn = (label: string) => {
      const line = lines.find((one) => one.startsWith(`${label}: `)) ?? ''
      return userIds.filter((userId: string) => line.includes(userId))
    }
    return { able: idsIn('whose approval completes it'), others: idsIn('who may approve or reject as well') }
  }
  const { policyId } = await done('create_policy', allows('Two', `approvers.count() >= 2 && ${long}`))
  const judged = await explained()
  expect(judged.able.length).toBeGreaterThan(5)
  expect(judged.others.length).toBeGreaterThan(5)
  expect([...judged.able, ...judged.others].toSorted()).toEqual(userIds.toSorted())
  await done('delete_policy', { policyId })
  // The search goes through the lists again for each user.
  await done('create_policy', allows('Long', `${long} && approvers.any(user, user.id == '${rootUserId}')`))
  await done('create_policy', allows('Short', `approvers.any(user, user.id == '${userIds[0]}')`))
  const { able, others } = await explained()
  const voters = [...able, ...others]
  expect(voters).toContain(userIds[0])
  // The search sees that no policy names them.
  expect(voters).not.toContain(userIds[1])
  expect(voters.length).toBeLessThan(userIds.length - 3)
  // The search does not reach them.
  expect(voters).toEqual(expect.arrayContaining(userIds.slice(-10)))
})

async function startedWithTag() {
  const organization = await startOrganization()
  const { userTagId } = await organization.done('create_user_tag', { userTagName: 'Approvers', userIds: [] })
  return { ...organization, newUserTag: String(userTagId) }
}
