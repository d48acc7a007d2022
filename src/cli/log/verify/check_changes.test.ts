import { beforeAll, expect, test } from 'vitest'
import { clientOf } from '../../../../test/support/client.ts'
import { exportOf, policyOf, verifiedInAll } from '../../../../test/support/log_exports.ts'
import {
  newAccount,
  newApiKey,
  newPolicy,
  newUser,
  startOrganization,
  type TestOrganization,
} from '../../../../test/support/organization.ts'
import { historyOf, loggedHistory, type Told, verifiedHistory } from '../../../../test/support/recorded_history.ts'

/** A real history, and records that are not those that were asked for, which a holder of the master seed can bind. */

let organization: TestOrganization
let known: Promise<readonly Told[]> | undefined
let ids: Readonly<Record<'kept' | 'gone' | 'ada', string>>

beforeAll(async () => {
  organization = await startOrganization()
  const { done, rootUserId } = organization
  const { policyId: kept } = await done('create_policy', newPolicy({ policyName: 'kept' }))
  const { policyId: gone } = await done('create_policy', newPolicy({ policyName: 'gone' }))
  const { userIds } = await done('create_users', {
    users: [newUser({ userName: 'Ada', apiKeys: [newApiKey()] }), newUser()],
  })
  await done('delete_policy', { policyId: gone })
  await done('create_api_keys', { userId: rootUserId, apiKeys: [newApiKey({ expirationSeconds: '900' })] })
  await done('create_wallet', { walletName: 'w', accounts: [newAccount(), newAccount({ path: 'm/1' })] })
  await done('update_root_quorum', { threshold: 1, userIds: [rootUserId, userIds[0]] })
  await done('update_user_name', { userId: userIds[0], userName: 'Ada L.' })
  ids = { kept, gone, ada: userIds[0] }
})

/** The organization, and the eight activities in their order. */
const entriesCount = 9
const [users, deletion, apiKeys, wallet, quorum, name] = [3, 4, 5, 6, 7, 8] as const
const history = () => {
  const { server, organizationId, rootKey: apiKey } = organization
  known ??= historyOf(server, clientOf(server, { organizationId, apiKey }), entriesCount)
  return known
}

type Part = 'content' | 'document'

/** Verifies the history with another text in the document of an entry, or in its content. Returns the faults of the step. */
async function altered(place: number, change: (text: string) => string, part: Part = 'document') {
  const told = (await history()).map((each, at) =>
    at === place ? { ...each, [part]: JSON.parse(change(JSON.stringify(each[part]))) } : each,
  )
  expect(JSON.stringify(told)).not.toBe(JSON.stringify(await history()))
  const { chain, changes } = await verifiedHistory(told)
  expect(chain.findings).toEqual([])
  return changes.findings.filter(({ index }) => index === place).map(({ what }) => what)
}

const other = (what: string) =>
  expect.stringMatching(`^it has changed or answered something else than it asked for: ${what}`)

/** Verifies the history with another entry, beside a log without one. Returns the outcome of the step for that entry. */
async function besideEmptyLog(place: number, change: (told: Told) => Told) {
  const { log, of } = loggedHistory((await history()).map((each, at) => (at === place ? change(each) : each)))
  const logs = [log, { origin: `keys.example/log/${'1'.repeat(32)}`, seed: 2, entries: [] }]
  const { changes } = await verifiedInAll(exportOf(logs, { of }), policyOf(logs))
  const faults = changes.findings.filter(({ index }) => index === place).map(({ what }) => what)
  return { faults, unchecked: changes.unchecked?.filter(({ index }) => index === place).map(({ why }) => why) ?? [] }
}

test('with several logs, changes that no head orders are not accused, and those of a user are', async () => {
  const withoutHead = ({ entry: { makes: _, ...entry }, document, content }: Told, edit = (text: string) => text) =>
    ({ entry, document: JSON.parse(edit(JSON.stringify(document))), content }) as Told
  const onlyAccounts = (told: Told): Told => {
    const [change] = told.document?.changes ?? []
    const records = change?.records.filter(({ kind }) => kind === 'wallet_account') ?? []
    const changes = change === undefined ? [] : [{ organizationId: change.organizationId, records }]
    return withoutHead({ ...told, document: told.document && { ...told.document, changes } })
  }
  expect(await besideEmptyLog(wallet, onlyAccounts)).toEqual({
    faults: [],
    unchecked: ['changes that may have come in another order in the logs'],
  })
  const eve = (told: Told) => withoutHead(told, (text) => text.replace('"Ada"', '"Eve"'))
  const named = await besideEmptyLog(users, eve)
  expect(named).toEqual({
    faults: [other('changes.records\\[0\\].record.userName is "Eve", not "Ada"')],
    unchecked: [],
  })
})

test('an honest history changes what it asked for', async () => {
  const { changes } = await verifiedHistory(await history())
  expect(changes).toEqual({ checked: entriesCount - 1, notChecked: {}, findings: [], findingsCount: 0 })
})

test('a user of another name is found, and one of whom the request does not tell', async () => {
  expect(await altered(users, (text) => text.replace('"Ada"', '"Eve"'))).toEqual([
    other('changes.records\\[0\\].record.userName is "Eve", not "Ada"'),
  ])
  const more = (text: string) => {
    const document = JSON.parse(text)
    const [{ records }] = document.changes
    records.push(structuredClone(records[0]))
    records[2].recordId = records[2].record.userId = '01234567-89ab-7cde-8f01-23456789abcd'
    return JSON.stringify(document)
  }
  expect(await altered(users, more)).toEqual([other('changes.records\\[2\\] is .*, not absent')])
})

test('another policy that is removed is found, and so is one that stays', async () => {
  expect(await altered(deletion, (text) => text.replaceAll(ids.gone, ids.kept))).toEqual([
    other(`changes.records\\[0\\].recordId is "${ids.kept}", not "${ids.gone}"`),
  ])
  const nothing = (text: string) => JSON.stringify({ ...JSON.parse(text), changes: [] })
  expect(await altered(deletion, nothing)).toEqual([other('changes is absent, not {')])
})

test('an API key of another public key is found, and one that expires later', async () => {
  const flipped = (text: string) => text.replace(/("apiKeyName":"[^"]*","publicKey":")0[23](?!.*"apiKeyName")/, '$104')
  expect(await altered(apiKeys, flipped)).toEqual([other('changes.records\\[0\\].record.apiKeys\\[1\\].publicKey')])
  const later = (text: string) => text.replace('"expirationSeconds":900', '"expirationSeconds":901')
  expect(await altered(apiKeys, later)).toEqual([
    other('changes.records\\[0\\].record.apiKeys\\[1\\].expirationSeconds is 901, not 900'),
  ])
})

test('a key of the vault may be any, but not at another path, on another curve or that of another account', async () => {
  expect(await altered(wallet, (text) => text.replace('"path":"m/1"', '"path":"m/2"'))).toEqual([
    other('changes.records\\[2\\].record.path is "m/2", not "m/1"'),
  ])
  const same = (text: string) => {
    const document = JSON.parse(text)
    const [{ records }] = document.changes
    Object.assign(records[2].record, { publicKey: records[1].record.publicKey })
    return JSON.stringify(document)
  }
  expect(await altered(wallet, same)).toEqual([other('changes.records\\[2\\].record.publicKey')])
})

test('a root quorum, a name and an answer that nobody asked for are found', async () => {
  const alone = (text: string) => text.replace(/"userIds":\[[^\]]*\]/, `"userIds":["${ids.ada}"]`)
  expect(await altered(quorum, alone)).toEqual([other('changes.organization.rootQuorum.userIds\\[0\\]')])
  expect(await altered(name, (text) => text.replace('Ada L.', 'Ada K.'))).toEqual([
    other('changes.records\\[0\\].record.userName is "Ada K.", not "Ada L."'),
  ])
  const answer = (text: string) => text.replace(`"userIds":["${ids.ada}"`, `"userIds":["${ids.kept}"`)
  expect(await altered(users, answer, 'content')).toEqual([other('result.createUsersResult.userIds\\[0\\]')])
})

test('a new record in the place of another one is found', async () => {
  const taken = (text: string) => {
    const document = JSON.parse(text)
    const [first] = document.changes[0].records
    return text.replaceAll(first.recordId, organization.rootUserId)
  }
  const told = (await history()).map((each, at) =>
    at === users
      ? {
          ...each,
          document: JSON.parse(taken(JSON.stringify(each.document))),
          content: JSON.parse(JSON.stringify(each.content).replaceAll(ids.ada, organization.rootUserId)),
        }
      : each,
  )
  const { changes } = await verifiedHistory(told)
  expect(changes.findings.find(({ index }) => index === users)?.what).toBe(
    `it puts a new user in the place of ${organization.rootUserId}, which was there before`,
  )
})
