import { describe, expect, test } from 'vitest'
import { activityRequest, signingOf } from '../../../test/support/client.ts'
import { withDatabase } from '../../../test/support/database.ts'
import type { ApiKeyPair } from '../../../test/support/in_process.ts'
import { writeNextListedRecord } from '../../../test/support/later_version.ts'
import {
  type Answer,
  expectRefused,
  newAccount,
  newApiKey,
  newPolicy,
  newPrivateKey,
  newUser,
  type Parameters,
  startOrganization,
} from '../../../test/support/organization.ts'
import { generateApiKey } from '../../../test/support/stamping.ts'

const { server, clock, organizationId: parentId, rootKey: parentKey, ...parent } = await startOrganization()
const { submit, query, done, found } = parent

type Child = {
  readonly organizationId: string
  readonly name: string
  readonly apiKey: ApiKeyPair
  readonly userId: string
  readonly walletId: string
  readonly address: string
}

let count = 0
async function makeChild(apiKey: ApiKeyPair = generateApiKey()): Promise<Child> {
  count += 1
  const name = `child ${count}`
  const apiKeys = [newApiKey({ publicKey: apiKey.publicKey })]
  const { userTags: _, ...rootUser } = newUser({ userName: name, userEmail: `ada${count}@example.com`, apiKeys })
  const wallet = { walletName: 'wallet', accounts: [newAccount()] }
  const parameters = { subOrganizationName: name, rootUsers: [rootUser], rootQuorumThreshold: 1, wallet }
  const made = await done('create_sub_organization', parameters)
  return {
    organizationId: made.subOrganizationId,
    name,
    apiKey,
    userId: made.rootUserIds[0],
    walletId: made.wallet.walletId,
    address: made.wallet.addresses[0],
  }
}

/** The bytes of a request, to be sent again as they are. */
function requestOf(name: string, { organizationId }: Child, parameters: Parameters) {
  clock.nowMs += 1
  const { path, body } = activityRequest(name, { organizationId, parameters, timestampMs: clock.nowMs })
  return (apiKey: ApiKeyPair): Promise<Answer> => server.post(path, body, apiKey)
}
const deleteWithoutExport = true
const deletionOf = (child: Child, parameters: Parameters = { deleteWithoutExport }) =>
  requestOf('delete_sub_organization', child, parameters)

const rowsOf = (table: 'records' | 'lookups' | 'organizations' | 'activities', { organizationId }: Child) =>
  withDatabase(server.folder, ({ read }) => read({ table, where: { organization_id: organizationId } }))
const gone = 'no organization found with the given ID'

test('a sub-organization is deleted by its root user, and the answer says so', async () => {
  const child = await makeChild()
  const answer = await deletionOf(child)(child.apiKey)
  expect(answer).toMatchObject({
    status: 200,
    body: {
      activity: {
        organizationId: child.organizationId,
        status: 'ACTIVITY_STATUS_COMPLETED',
        type: 'ACTIVITY_TYPE_DELETE_SUB_ORGANIZATION',
        intent: { deleteSubOrganizationIntent: { deleteWithoutExport: true } },
        votes: [{ userId: child.userId, user: { userId: child.userId, userName: child.name } }],
      },
    },
  })
  expect(answer.body.activity.result).toStrictEqual({
    deleteSubOrganizationResult: { subOrganizationUuid: child.organizationId },
  })
})

describe('afterwards', async () => {
  const child = await makeChild()
  const sameKey = await makeChild()
  const apiKeys = [newApiKey({ publicKey: child.apiKey.publicKey })]
  const signing = requestOf('sign_raw_payload', child, signingOf(child.address, 'text'))
  expect((await signing(child.apiKey)).status).toBe(200)
  await done('create_api_keys', { userId: sameKey.userId, apiKeys }, sameKey)
  const login = { publicKey: generateApiKey().publicKey }
  await done('stamp_login', login, { organizationId: sameKey.organizationId, apiKey: child.apiKey })
  await done('create_policy', newPolicy(), child)
  const deletion = deletionOf(child)
  const deleted = await deletion(child.apiKey)
  expect(deleted.status).toBe(200)
  const inside = { organizationId: child.organizationId, apiKey: child.apiKey }

  test('the organization is gone for its users, its parent and everybody else', async () => {
    for (const apiKey of [child.apiKey, parentKey, generateApiKey()]) {
      const asked = { organizationId: child.organizationId, apiKey }
      expectRefused(await query('whoami', {}, asked), 404, gone)
      expectRefused(await query('get_organization', {}, asked), 404, gone)
      expectRefused(await query('get_activity', { activityId: deleted.body.activity.id }, asked), 404, gone)
      expectRefused(await submit('create_wallet', { walletName: 'new', accounts: [] }, asked), 404, gone)
      expectRefused(await submit('sign_raw_payload', signingOf(child.address, 'text'), asked), 404, gone)
      expectRefused(await submit('delete_sub_organization', {}, asked), 404, gone)
      expectRefused(await submit('approve_activity', { fingerprint: 'f' }, asked), 404, gone)
    }
    expectRefused(await signing(child.apiKey), 404, gone)
  })

  test('its parent does not list it, whatever the filter', async () => {
    expect((await found('list_suborgs')).organizationIds).not.toContain(child.organizationId)
    for (const [filterType, filterValue] of [
      ['NAME', child.name],
      ['USERNAME', child.name],
      ['EMAIL', `ada${child.name.slice('child '.length)}@example.com`],
      ['WALLET_ACCOUNT_ADDRESS', child.address],
    ]) {
      const filter = { filterType, filterValue }
      expect([filterType, (await found('list_suborgs', filter)).organizationIds]).toEqual([filterType, []])
    }
  })

  test("its user's key leads from the parent to the one other sub-organization that has the key", async () => {
    const { organizationIds } = await found('list_suborgs', {
      filterType: 'PUBLIC_KEY',
      filterValue: child.apiKey.publicKey,
    })
    expect(organizationIds).toEqual([sameKey.organizationId])
    const asked = { organizationId: parentId, apiKey: child.apiKey }
    expect((await found('whoami', {}, asked)).organizationId).toBe(sameKey.organizationId)
  })

  test('the same bytes from the same key are answered with the activity at any age, those from another key are not', async () => {
    clock.nowMs += 2 * 60 * 60 * 1000
    const again = await deletion(child.apiKey)
    const { votes, ...activity } = again.body.activity
    const { votes: votesBefore, ...activityBefore } = deleted.body.activity
    expect([again.status, activity]).toEqual([200, activityBefore])
    // The user is gone: the vote shows the user from its own fields.
    const [{ user, ...vote }] = votes
    const [{ user: _, ...voteBefore }] = votesBefore
    expect(vote).toEqual(voteBefore)
    expect(user).toMatchObject({ userId: child.userId, userName: child.name, apiKeys: [] })
    for (const apiKey of [parentKey, generateApiKey(), sameKey.apiKey]) {
      expectRefused(await deletion(apiKey), 404, gone)
    }
    const forged = { ...generateApiKey(), publicKey: child.apiKey.publicKey }
    expectRefused(await deletion(forged), 404, gone)
  })

  test('the database has only its last head and its activities', async () => {
    expect(rowsOf('records', child)).toEqual([])
    expect(rowsOf('lookups', child)).toEqual([])
    expect(rowsOf('activities', child)).toHaveLength(3)
    const [head] = rowsOf('organizations', child)
    expect(Object(head?.head).length).toBeLessThan(600)
  })

  test('its name is free again', async () => {
    const rootUser = { userName: 'new', apiKeys: [newApiKey()], authenticators: [], oauthProviders: [] }
    const parameters = { subOrganizationName: child.name, rootUsers: [rootUser], rootQuorumThreshold: 1 }
    const { subOrganizationId } = await done('create_sub_organization', parameters)
    const filter = { filterType: 'NAME', filterValue: child.name }
    expect((await found('list_suborgs', filter)).organizationIds).toEqual([subOrganizationId])
    expectRefused(await query('whoami', {}, inside), 404, gone)
  })
})

test('the last vote of a quorum deletes it, and each member can ask for the outcome again', async () => {
  const child = await makeChild()
  const ofChild = { organizationId: child.organizationId, apiKey: child.apiKey }
  const second = generateApiKey()
  const bystander = generateApiKey()
  const apiKeysOf = ({ publicKey }: ApiKeyPair) => ({ apiKeys: [newApiKey({ publicKey })] })
  const users = [newUser(apiKeysOf(second)), newUser({ userName: 'b', ...apiKeysOf(bystander) })]
  const { userIds } = await done('create_users', { users }, ofChild)
  await done('update_root_quorum', { threshold: 2, userIds: [child.userId, userIds[0]] }, ofChild)

  const deletion = deletionOf(child)
  const waiting = await deletion(child.apiKey)
  expect(waiting.body.activity.status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED')
  const { id, fingerprint } = waiting.body.activity
  const approval = requestOf('approve_activity', child, { fingerprint })
  for (const answer of [await approval(second), await approval(second), await deletion(child.apiKey)]) {
    expect(answer).toMatchObject({ status: 200, body: { activity: { id, status: 'ACTIVITY_STATUS_COMPLETED' } } })
  }
  expectRefused(await approval(bystander), 404, gone)
  expectRefused(await deletion(bystander), 404, gone)
  expectRefused(await query('whoami', {}, ofChild), 404, gone)
})

test('a rejected or refused deletion deletes nothing', async () => {
  const child = await makeChild()
  const ofChild = { organizationId: child.organizationId, apiKey: child.apiKey }
  const second = generateApiKey()
  const users = [newUser({ apiKeys: [newApiKey({ publicKey: second.publicKey })] })]
  const { userIds } = await done('create_users', { users }, ofChild)
  const asSecond = { ...ofChild, apiKey: second }
  expectRefused(await submit('delete_sub_organization', { deleteWithoutExport }, asSecond), 403)
  await done('update_root_quorum', { threshold: 2, userIds: [child.userId, userIds[0]] }, ofChild)
  const { body } = await submit('delete_sub_organization', { deleteWithoutExport }, ofChild)
  await submit('reject_activity', { fingerprint: body.activity.fingerprint }, asSecond)
  expect((await found('whoami', {}, ofChild)).userId).toBe(child.userId)
})

test('a wallet or key that was never exported prevents the deletion, unless the request allows its loss', async () => {
  const child = await makeChild()
  const ofChild = { organizationId: child.organizationId, apiKey: child.apiKey }
  const [{ privateKeyId }] = (await done('create_private_keys', { privateKeys: [newPrivateKey()] }, ofChild))
    .privateKeys
  const place = { organizationId: child.organizationId } as const
  for (const [kind, recordId, name] of [
    ['wallet', child.walletId, 'wallet'],
    ['private_key', privateKeyId, 'private key'],
  ] as const) {
    for (const parameters of [{}, { deleteWithoutExport: false }, { deleteWithoutExport: null }]) {
      const answer = await submit('delete_sub_organization', parameters, ofChild)
      expectRefused(answer, 400, 'parameters.deleteWithoutExport', `${name} ${recordId} has not been exported`)
    }
    if (kind === 'wallet') {
      await writeNextListedRecord(server, { ...place, kind, recordId }, (record) => ({ ...record, exported: true }))
    } else {
      await writeNextListedRecord(server, { ...place, kind, recordId }, (record) => ({ ...record, exported: true }))
    }
  }
  await done('delete_sub_organization', {}, ofChild)
})

test('a root organization, and one from its parent, cannot be deleted', async () => {
  const child = await makeChild()
  expectRefused(await submit('delete_sub_organization', {}), 400, 'organizationId must be that of a sub-organization')
  const asked = await submit('delete_sub_organization', {}, { organizationId: child.organizationId })
  expectRefused(asked, 400, 'organization mismatch')
  expect((await query('whoami')).status).toBe(200)
  expect((await query('whoami', {}, { organizationId: child.organizationId, apiKey: child.apiKey })).status).toBe(200)
})

test('an unknown field and a wrong value are refused by name', async () => {
  const child = await makeChild()
  for (const [parameters, text] of [
    [{ surprise: 1 }, 'parameters.surprise must be left out'],
    [{ deleteWithoutExport: 'true' }, 'parameters.deleteWithoutExport must be true or false'],
  ] as const) {
    expectRefused(await deletionOf(child, parameters)(child.apiKey), 400, text)
  }
  expect((await deletionOf(child, { deleteWithoutExport, generateAppProofs: false })(child.apiKey)).status).toBe(200)
})

test('a sub-organization can be deleted although the parent has lost its record of it', async () => {
  const child = await makeChild()
  withDatabase(server.folder, (hand) =>
    hand.remove({
      table: 'records',
      where: { organization_id: parentId, kind: 'sub_organization', record_id: child.organizationId },
    }),
  )
  expect((await deletionOf(child)(child.apiKey)).status).toBe(200)
})
