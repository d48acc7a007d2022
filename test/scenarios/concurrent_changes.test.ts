import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Read } from '../../src/protocol/reads.ts'
import { clientOf, p256, signingOf } from '../support/client.ts'
import { generateApiKey, stampWith } from '../support/stamping.ts'
import { start } from '../support/start.ts'
import { resultOf } from '../support/two_organizations.ts'

/** Reads of one node while another one commits are never taken for damage. */

for (const overtakings of [1, 3]) {
  test(`a request whose reads are overtaken ${overtakings} times by changes of its records is answered`, async () => {
    const { here, there, organization } = await startTwoNodes()
    const { organizationId, userId } = organization
    const changing = clientOf(there, organization)
    let left = overtakings
    const find = here.store.find
    here.store.find = async (reads) => {
      // The head was presented a moment ago. Its record is about to be presented.
      if (left > 0 && reads.some((read) => read.read === 'record' && read.organizationId === organizationId)) {
        left -= 1
        const apiKeys = [{ ...p256(generateApiKey()), expirationSeconds: '100' }]
        await resultOf(changing.activity('create_api_keys', { userId, apiKeys }))
      }
      return find(reads)
    }
    const { apiKeys } = await resultOf(clientOf(here, organization).query('get_api_keys'))
    expect(apiKeys.length).toBe(1 + overtakings)
    expect(here.incidents).toEqual([])
  })
}

test('the older of two heads that are presented at once is refused as older, not as a fault of the vault', async () => {
  const { here, there, organization } = await startTwoNodes()
  const { organizationId, userId, apiKey } = organization
  await resultOf(clientOf(here, organization).query('whoami'))
  const reads: readonly Read[] = [
    { read: 'headTag', organizationId },
    { read: 'head', organizationId },
    { read: 'lookup', organizationId, lookup: 'credential', key: apiKey.publicKey },
    { read: 'record', organizationId, kind: 'user', recordId: userId },
  ]
  async function presentNext() {
    await resultOf(clientOf(there, organization).activity('update_organization_name', { organizationName: 'New' }))
    const found = await here.store.find(reads)
    return reads.flatMap((read, index) => found.slice(index, index + 1).map((item) => ({ read, found: item })))
  }
  const body = Buffer.from(JSON.stringify({ organizationId }))
  const stamps = [{ header: 'x-stamp', value: stampWith(apiKey, body) }] as const
  const request = { path: '/public/v1/query/whoami', body, stamps, dialect: 'spec', outcomes: [] } as const
  const older = await presentNext()
  const newer = await presentNext()
  const answers = await Promise.all([
    here.vault.answer({ ...request, presented: newer }),
    here.vault.answer({ ...request, presented: older }),
  ])
  expect(answers).toMatchObject([{ kind: 'answer', status: 200 }, { kind: 'integrity' }])
})

test('while one node changes an organization all the time, another one answers and signs, and nothing is an incident', async () => {
  const { here, there, organization } = await startTwoNodes()
  const root = clientOf(there, organization)
  const privateKeys = [{ privateKeyName: 'k', curve: 'CURVE_SECP256K1', privateKeyTags: [], addressFormats: [] }]
  const made = await resultOf(root.activity('create_private_keys', { privateKeys }))
  const [{ privateKeyId }] = made.activity.result.createPrivateKeysResultV2.privateKeys
  let isChanging = true
  const changes = (async () => {
    for (let turn = 0; isChanging; turn += 1) {
      await resultOf(root.activity('update_organization_name', { organizationName: `name ${turn}` }))
    }
  })()
  const statuses = new Set<number>()
  for (let turn = 0; turn < 30; turn += 1) {
    const asked = [here, there].flatMap((node, index) => {
      const client = clientOf(node, organization)
      return [
        client.activity('sign_raw_payload', signingOf(privateKeyId, `${turn} ${index}`)),
        client.query('list_users'),
        client.query('list_private_keys'),
      ]
    })
    for (const { status } of await Promise.all(asked)) statuses.add(status)
  }
  isChanging = false
  await changes
  // Five decisions in a row may each be overtaken, which is a 503. The client sends the request again.
  expect([...statuses].filter((status) => status !== 503)).toEqual([200])
  expect([...here.incidents, ...there.incidents]).toEqual([])
})

test('when two nodes delete one tag at once, one does and the other finds none; no member keeps the tag', async () => {
  const { here, there, organization } = await startTwoNodes()
  const { userId } = organization
  // Equal bytes would be one activity.
  const nowMs = () => Date.now() + 60_000
  const [first, second] = [clientOf(here, organization), clientOf(there, { ...organization, nowMs })]
  for (let turn = 0; turn < 5; turn += 1) {
    const made = await resultOf(first.activity('create_user_tag', { userTagName: 'tag', userIds: [userId] }))
    const { userTagId } = made.activity.result.createUserTagResult
    const deletions = [first, second].map((client) => client.activity('delete_user_tags', { userTagIds: [userTagId] }))
    expect((await Promise.all(deletions)).map(({ status }) => status).sort()).toEqual([200, 404])
    for (const client of [first, second]) {
      expect((await resultOf(client.query('list_user_tags'))).userTags).toEqual([])
      expect((await resultOf(client.query('get_user', { userId }))).user.userTags).toEqual([])
    }
  }
  expect([...here.incidents, ...there.incidents]).toEqual([])
})

test('when two nodes give one name to two tags at once, one succeeds', async () => {
  const { here, there, organization } = await startTwoNodes()
  const asked = [
    clientOf(here, organization).activity('create_user_tag', { userTagName: 'name', userIds: [] }),
    clientOf(there, organization).activity('create_private_key_tag', { privateKeyTagName: 'name', privateKeyIds: [] }),
  ]
  expect((await Promise.all(asked)).map(({ status }) => status).sort()).toEqual([200, 400])
  expect([...here.incidents, ...there.incidents]).toEqual([])
})

async function startTwoNodes() {
  const here = await start()
  const there = await start({ folder: here.folder, journalDirectory: join(here.folder, 'second mark') })
  return { here, there, organization: await here.createOrganization() }
}
