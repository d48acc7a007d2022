import { beforeAll, expect, test } from 'vitest'
import { clientOf } from '../../../../../test/support/client.ts'
import {
  type Ask,
  newAccount,
  newApiKey,
  newPolicy,
  type Parameters,
  startOrganization,
  type TestOrganization,
} from '../../../../../test/support/organization.ts'
import { historyOf, reheaded, type Told, verifiedHistory } from '../../../../../test/support/recorded_history.ts'
import { lateByFormer, lateSigner, lateUnlike } from '../findings.ts'

/** A real history, and lies about it that only a holder of the master seed can bind. */

const effect = 'EFFECT_ALLOW'
const plain = { encoding: 'PAYLOAD_ENCODING_TEXT_UTF8', hashFunction: 'HASH_FUNCTION_SHA256' }
const completed = 'ACTIVITY_STATUS_COMPLETED'
const ids = new Map<string, string>()
let organization: TestOrganization
let known: Promise<readonly Told[]> | undefined

/** Asks for an activity, which the tests call by this name. Returns its fingerprint. */
async function ask(name: string, operation: string, parameters: Parameters, by: Ask = {}): Promise<string> {
  const { status, body } = await organization.submit(operation, parameters, by)
  expect(status, JSON.stringify(body)).toBe(200)
  ids.set(name, body.activity.id)
  return body.activity.fingerprint
}

beforeAll(async () => {
  organization = await startOrganization()
  const { done, submit, anotherUser, found } = organization
  const [ada, bob, carol] = [await anotherUser('ada'), await anotherUser('bob'), await anotherUser('carol')]
  const approve = (fingerprint: string, by: Ask) => submit('approve_activity', { fingerprint }, by)
  const { addresses } = await done('create_wallet', { walletName: 'w', accounts: [newAccount()] })
  const signs = "activity.kind == 'SIGN_RAW_PAYLOAD'"
  const isTag = "activity.kind == 'CREATE_USER_TAG'"
  await done('create_policy', newPolicy({ policyName: 'signs', effect, condition: signs }))
  const consensus = 'approvers.count() >= 2'
  await ask('rule', 'create_policy', newPolicy({ policyName: 'two', effect, condition: isTag, consensus }))
  const payload = { signWith: addresses[0], payload: 'x', ...plain }
  await ask('signature', 'sign_raw_payload', payload, ada)
  const { apiKeys } = await found('get_api_keys', { userId: carol.userId })
  await done('create_api_keys', { userId: carol.userId, apiKeys: [newApiKey()] })

  const first = await ask('tag', 'create_user_tag', { userTagName: 'one', userIds: [] }, ada)
  await approve(first, bob)
  const second = await ask('other', 'create_user_tag', { userTagName: 'two', userIds: [] }, ada)
  await approve(second, carol)
  await ask('waits', 'create_user_tag', { userTagName: 'three', userIds: [] }, ada)
  await ask('bob leaves', 'delete_users', { userIds: [bob.userId] })
  await ask('key leaves', 'delete_api_keys', { userId: carol.userId, apiKeyIds: [apiKeys[0].apiKeyId] })
  const dan = await anotherUser('dan')
  await ask('dan signs', 'sign_raw_payload', payload, dan)
  const ofDan = await found('get_api_keys', { userId: dan.userId })
  await done('create_api_keys', { userId: dan.userId, apiKeys: [newApiKey()] })
  await ask('key of dan leaves', 'delete_api_keys', { userId: dan.userId, apiKeyIds: [ofDan.apiKeys[0].apiKeyId] })
  await ask('dan leaves', 'delete_users', { userIds: [dan.userId] })
  await ask('denial', 'create_policy', newPolicy({ policyName: 'never', effect: 'EFFECT_DENY', condition: signs }))
})

/**
 * The organization, three users, a wallet, two policies, a signature, a key, two tags with votes, one that waits, two ends,
 * a user who signs, changes keys and is removed, and a denial.
 */
const entriesCount = 22
const history = () =>
  (known ??= historyOf(
    organization.server,
    clientOf(organization.server, { organizationId: organization.organizationId, apiKey: organization.rootKey }),
    entriesCount,
  ))

/** The place of a version of a named activity. */
function placeOf(told: readonly Told[], name: string, version = 1): number {
  return told.findIndex(
    ({ entry: { activity } }) => activity?.activityId === ids.get(name) && activity?.version === version,
  )
}

/** Verifies a history that was made of the real one. Returns what the step finds, by entry. */
async function found(lie: (told: Told[]) => readonly Told[]) {
  const { chain, rules } = await verifiedHistory(reheaded(lie([...(await history())])))
  expect(chain.findings).toEqual([])
  return rules.findings.map(({ index, what }) => [index, what])
}

type Step = readonly [name: string, version?: number]

/** The history with an entry put behind another one, or put there once more. */
async function moved(of: Step, behind: Step, { isAgain = false } = {}) {
  const told = [...(await history())]
  const entry = told[placeOf(told, ...of)]
  if (entry === undefined) throw new Error(`there is no ${of}`)
  const rest = isAgain ? told : told.filter((each) => each !== entry)
  return { told: rest.toSpliced(placeOf(rest, ...behind) + 1, 0, entry), at: placeOf(rest, ...behind) + 1 }
}

const withStatus = (told: Told, status: string): Told => ({
  ...told,
  entry: { ...told.entry, activity: told.entry.activity && { ...told.entry.activity, status } },
})
const withVote = (told: Told, given: object): Told =>
  ({ ...told, document: told.document && { ...told.document, vote: { ...told.document.vote, ...given } } }) as Told

test('each decision of an honest history is made again as it was', async () => {
  const { chain, rules } = await verifiedHistory(await history())
  expect([chain.findings, chain.unconfirmed.count]).toEqual([[], 0])
  expect(rules).toEqual({ checked: entriesCount - 1, notChecked: {}, findings: [], findingsCount: 0 })
})

test('an activity that runs with one vote of two is found', async () => {
  const told = await history()
  const at = placeOf(told, 'waits')
  const lie = (each: Told, place: number) => (place === at ? withStatus(each, completed) : each)
  expect(await found((all) => all.map(lie))).toEqual([
    [at, `it has the status ${completed}, and by the rules of that time ACTIVITY_STATUS_CONSENSUS_NEEDED`],
  ])
})

test('a signature against a denial is found, and one before any rule allowed it', async () => {
  const late = await moved(['signature'], ['denial'])
  const refused = `it has the status ${completed}, and by the rules of that time it is refused`
  expect(await found(() => late.told)).toEqual([[late.at, expect.stringContaining(refused)]])
  const told = await history()
  const rule = placeOf(told, 'rule') - 1
  const without = told.filter((_, place) => place !== rule)
  expect(await found(() => without)).toContainEqual([
    placeOf(without, 'signature'),
    expect.stringMatching(`${refused}.*No policies evaluated to outcome: Allow`),
  ])
})

test('a vote of a user who was deleted before is found, and one by a key that was', async () => {
  const ofBob = await moved(['tag', 2], ['bob leaves'])
  expect(await found(() => ofBob.told)).toEqual([[ofBob.at, expect.stringContaining('there was no user')]])
  const byKey = await moved(['other', 2], ['key leaves'])
  const waits = 'by the rules of that time ACTIVITY_STATUS_CONSENSUS_NEEDED'
  expect(await found(() => byKey.told)).toEqual([[byKey.at, expect.stringContaining(waits)]])
})

test('a vote that counts twice, for one activity or for two, is found', async () => {
  const told = await history()
  const [submission, other] = [told[placeOf(told, 'waits')], told[placeOf(told, 'tag', 2)]]
  const activity = submission?.entry.activity
  if (submission === undefined || other === undefined || activity === undefined) throw new Error('these are there')
  const own = {
    ...submission,
    entry: { ...submission.entry, activity: { ...activity, version: 2, status: completed } },
  }
  const twice = { ...own, document: submission.document && { ...submission.document, version: 2 } }
  const at = placeOf(told, 'waits') + 1
  expect(await found((all) => all.toSpliced(at, 0, twice))).toEqual([
    [at, `it has the status ${completed}, and by the rules of that time this vote changes nothing`],
  ])
  const again = await moved(['tag'], ['other'], { isAgain: true })
  const copy = again.told.map((each, place) =>
    place === again.at ? withId(each, '01234567-89ab-7cde-8f01-23456789abcd') : each,
  )
  expect(await found(() => copy)).toContainEqual([again.at, 'the same request has made an activity before'])
})

const withId = (told: Told, activityId: string): Told =>
  ({
    ...told,
    entry: { ...told.entry, activity: { ...told.entry.activity, activityId } },
    document: { ...told.document, activityId },
  }) as Told

test('a vote of another time than its entry, a stale one, and changes by an activity that waits are found', async () => {
  const told = await history()
  const at = placeOf(told, 'waits')
  const { atMs } = told[at]?.entry ?? { atMs: 0 }
  const altered = (change: (each: Told) => Told) =>
    found((all) => all.map((each, place) => (place === at ? change(each) : each)))
  const otherTime = await altered((each) => withVote(each, { createdAtMs: atMs + 1 }))
  expect(otherTime).toEqual([[at, `its vote is of ${atMs + 1}, and its entry of ${atMs}`]])
  const later = atMs + 66 * 60_000
  const stale = await altered((each) => ({
    ...withVote(each, { createdAtMs: later }),
    entry: { ...each.entry, atMs: later },
  }))
  expect(stale).toEqual([[at, 'its vote was not fresh: too old, or of a time to come']])
  const changes = told[placeOf(told, 'tag', 2)]?.document?.changes
  const changed = await altered((each) => ({
    ...each,
    document: each.document && { ...each.document, changes: changes ?? [] },
  }))
  expect(changed).toEqual([[at, 'it has the status ACTIVITY_STATUS_CONSENSUS_NEEDED, and has changed records']])
})

test('a decision that rests on a wrong stamp is not called right, and neither is the one after it', async () => {
  const told = await history()
  const at = placeOf(told, 'tag')
  const forged = told.map((each, place) =>
    place === at && each.content ? { ...each, content: { ...each.content, signature: '00' } } : each,
  )
  const { rules, stamps } = await verifiedHistory(forged)
  expect(stamps.findings).toMatchObject([{ index: at }])
  expect(rules).toMatchObject({
    ...{ checked: entriesCount - 3, findings: [] },
    notChecked: {
      'decisions that rest on a wrong stamp': 1,
      'votes on activities of which a vote before could not be decided again': 1,
    },
  })
})

test('an outcome of a policy that was none is found', async () => {
  const told = await history()
  const at = placeOf(told, 'signature')
  const lie = (each: Told, place: number) => (place === at ? withVote(each, { policiesByOutcome: {} }) : each)
  expect(await found((all) => all.map(lie))).toEqual([
    [at, 'its policiesByOutcome are not those of the rules of that time'],
  ])
})

test('votes whose version before is in no entry are found, and told where the log began later', async () => {
  const told = await history()
  const without = told.filter((_, place) => place !== placeOf(told, 'tag'))
  expect(await found(() => without)).toEqual([
    [placeOf(without, 'tag', 2), `no entry before it has version 1 of activity ${ids.get('tag')}, which waits`],
  ])
  const { rules } = await verifiedHistory(told.slice(placeOf(told, 'tag') + 1))
  expect(rules).toMatchObject({
    ...{ checked: 0, findings: [], findingsCount: 0 },
    notChecked: {
      'votes on activities that may be from what was before the log began': 1,
      'decisions by rules that may be from what was before the log began': 10,
      'votes on activities of which a vote before could not be decided again': 1,
    },
  })
})

/** As if the accounts had been removed. */
const withoutAccounts = ({ document }: Told) =>
  document && {
    ...document,
    changes: document.changes.map((change) => ({
      ...change,
      records: change.records.filter(({ kind }) => kind !== 'wallet_account'),
    })),
  }

const asLate = (each: Told): Told => ({ ...each, entry: { ...each.entry, isLate: true, restsOn: undefined } })

test('a late decision is right by the rules of its place, and one behind a denial is named and not called right', async () => {
  const told = await history()
  const at = placeOf(told, 'signature')
  const inPlace = await verifiedHistory(told.map((each, place) => (place === at ? asLate(each) : each)))
  expect(inPlace.rules).toEqual({ checked: entriesCount - 1, notChecked: {}, findings: [], findingsCount: 0 })
  const behind = await moved(['signature'], ['denial'])
  const lie = reheaded(behind.told).map((each, place) => (place === behind.at ? asLate(each) : each))
  const { chain, rules } = await verifiedHistory(lie)
  expect(chain).toMatchObject({ findings: [], lateEntries: [{ index: behind.at }], wentBack: { count: 0 } })
  expect(rules).toMatchObject({
    ...{ checked: entriesCount - 2, findings: [], notChecked: { [lateUnlike]: 1 } },
    unchecked: [{ index: behind.at, because: expect.stringMatching(/^at its place it has .* it is refused/) }],
  })
  const unmarked = await verifiedHistory(reheaded(behind.told))
  expect(unmarked.chain.wentBack).toMatchObject({ count: 1, named: [{ index: behind.at }] })
})

test.each([
  ['user', 'dan leaves', 'there was no user'],
  ['key', 'key of dan leaves', 'had no key'],
] as const)(
  'a late vote whose %s was removed in between is no fault, and is not called right',
  async (_, end, what) => {
    const behind = await moved(['dan signs'], [end])
    const lie = reheaded(behind.told).map((each, place) => (place === behind.at ? asLate(each) : each))
    const { chain, stamps, rules, changes } = await verifiedHistory(lie)
    expect([chain, stamps, rules, changes].map(({ findings }) => findings)).toEqual([[], [], [], []])
    expect(stamps.unchecked).toMatchObject([
      { index: behind.at, why: lateByFormer, because: expect.stringContaining(what) },
    ])
    const forged = lie.map((each, place) => {
      if (place !== behind.at || each.content === undefined) return each
      return { ...each, content: { ...each.content, signature: lie[1]?.content?.signature ?? '' } }
    })
    const never = await verifiedHistory(forged)
    expect(never.stamps.findings).toMatchObject([{ index: behind.at, what: expect.stringContaining(what) }])
  },
)

test('a late signature by a key that was removed in between is no fault, and is not called right', async () => {
  const told = await history()
  const at = placeOf(told, 'signature')
  const wallet = told.findIndex(({ entry }) => entry.activity?.type.startsWith('ACTIVITY_TYPE_CREATE_WALLET'))
  const without = told.map((each, place) => (place === wallet ? { ...each, document: withoutAccounts(each) } : each))
  const late = without.map((each, place) => (place === at ? asLate(each) : each))
  const { results, rules } = await verifiedHistory(late)
  // The next signature by the key has no mark, and is accused.
  const next = [{ index: placeOf(told, 'dan signs') }]
  expect([results.findings, rules.findings]).toMatchObject([next, next])
  expect(results.unchecked).toMatchObject([{ index: at, why: lateSigner }])
})

test('a fault tells of the activity, its votes and the policies', async () => {
  const told = await history()
  const at = placeOf(told, 'waits')
  const { rules } = await verifiedHistory(
    told.map((each, place) => (place === at ? withStatus(each, completed) : each)),
  )
  const about = `CREATE_USER_TAG ${ids.get('waits')} after 1 vote, policy 'two' asks for more approvals`
  expect(rules.findings).toMatchObject([{ index: at, about }])
  const denied = await verifiedHistory(reheaded((await moved(['signature'], ['denial'])).told))
  expect(denied.rules.findings).toMatchObject([{ what: expect.stringMatching(/denied this action: .* \('never'\)/) }])
})

test('decisions without their request are told and not counted as right', async () => {
  const told = await history()
  const tag = placeOf(told, 'tag')
  const withheld = told.map((each, place) => (place === tag ? { ...each, content: undefined } : each))
  const { rules: undecided, stamps } = await verifiedHistory(withheld)
  expect(undecided.notChecked).toEqual({
    'decisions about requests that are withheld without a reason': 1,
    'votes on activities of which a vote before could not be decided again': 1,
  })
  const because = `the vote before it is at index ${tag}`
  expect(undecided.unchecked).toMatchObject([{ index: tag }, { index: placeOf(told, 'tag', 2), because }])
  const asked = { index: placeOf(told, 'tag', 2), because: `it votes on the request at index ${tag}` }
  expect(stamps.unchecked).toMatchObject([{ index: tag }, asked])
})

test('a vote without a stamp, or of a user of another organization, is found', async () => {
  const told = await history()
  const at = placeOf(told, 'waits')
  const altered = (given: object) =>
    found((all) => all.map((each, place) => (place === at ? withStatus(withVote(each, given), completed) : each)))
  expect(await altered({ isUnstamped: true, isOfAuthProxy: true })).toEqual([
    [at, 'nobody has stamped it, and the auth proxy may not ask for it'],
  ])
  const organizationId = '01234567-89ab-7cde-8f01-23456789abcd'
  expect(await altered({ organizationId })).toEqual([
    [at, 'its voter is of another organization, and may not ask for this here'],
  ])
})
