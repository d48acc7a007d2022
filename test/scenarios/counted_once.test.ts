import { expect, test } from 'vitest'
import { countedKinds, startsMax, startsWindowMs } from '../../src/contract/records/counted_kinds.ts'
import { createCounts } from '../../src/vault/books/counts.ts'
import { askVault } from '../support/ask_vault.ts'
import { activityRequest, p256 } from '../support/client.ts'
import { passcodeStart, startWithPasscode, startWithPasscodeInChild, wrongPasscodes } from '../support/guesses.ts'
import { claimsOf } from '../support/logins.ts'
import { lyingStoreOn } from '../support/lying_store.ts'
import { generateApiKey } from '../support/stamping.ts'
import { start } from '../support/start.ts'

/**
 * Decisions that make something new are counted each time. If the database says that a request was never committed, the
 * same bytes give no second passcode, token or organization.
 */

test('one start gives no more passcodes than the limit when the database keeps each and says conflict', async () => {
  const server = await start()
  const { organizationId, apiKey } = await server.createOrganization()
  const liar = lyingStoreOn(server)
  const flowIds: string[] = []
  liar.answerCommitsWith(async (commit) => {
    const records = commit.records.filter(({ kind }) => kind === 'passcode_flow')
    flowIds.push(...records.map(({ recordId }) => recordId))
    await server.store.commit({ ...commit, readSet: [], records, lookups: [], outbox: [], activities: [] })
    return 'conflict'
  })
  const passcode = liar.activity('init_otp', { organizationId, parameters: passcodeStart })
  for (let time = 0; time <= startsMax; time += 1) await passcode.post(apiKey)
  expect(new Set(flowIds).size).toBe(startsMax)
})

test('the same verify_otp gives one token', async () => {
  const { server, apiKey, passcode, guess } = await startWithPasscode()
  const request = guess(passcode)
  const tokenIds = new Set<string>()
  for (let time = 0; time < 5; time += 1) {
    const { answer } = await askVault(server, request, { stampedBy: apiKey })
    if (answer.kind !== 'commit' || answer.outcome.of !== 'answer' || answer.outcome.status !== 200) continue
    const { activity } = JSON.parse(Buffer.from(answer.outcome.body).toString())
    tokenIds.add(claimsOf(activity.result.verifyOtpResult.verificationToken).id)
  }
  expect(tokenIds.size).toBe(1)
})

test('a trial does not tell whether a passcode is right', async () => {
  const { server, apiKey, passcode, guess } = await startWithPasscodeInChild()
  /** Proofs look the parent up, so the reads of a decided guess could show its outcome. */
  async function tried(code: string) {
    const request = guess(code, { generateAppProofs: true })
    const { answer, reads } = await askVault(server, request, { stampedBy: apiKey, isTrial: true })
    return { kind: answer.kind, readOf: reads.map((read) => ('organizationId' in read ? read.organizationId : read)) }
  }
  let wrong: Awaited<ReturnType<typeof tried>> | undefined
  for (const code of wrongPasscodes(passcode, 6)) wrong = await tried(code)
  expect(wrong?.kind).toBe('allowed')
  expect(await tried(passcode)).toEqual(wrong)
})

test('a sub-organization is made once by one request', async () => {
  const server = await start()
  const { organizationId, apiKey } = await server.createOrganization()
  const rootUser = { userName: 'root', apiKeys: [p256(generateApiKey())], authenticators: [], oauthProviders: [] }
  const parameters = { subOrganizationName: 'sub', rootQuorumThreshold: 1, rootUsers: [rootUser] }
  const request = activityRequest('create_sub_organization', { organizationId, parameters, timestampMs: Date.now() })
  const decisionIds: string[] = []
  for (let time = 0; time < 2; time += 1) {
    const { answer } = await askVault(server, request, { stampedBy: apiKey })
    if (answer.kind === 'commit' && answer.outcome.of === 'held') decisionIds.push(answer.outcome.decisionId)
  }
  expect(decisionIds).toHaveLength(2)
  const confirmed: string[] = []
  for (const decisionId of decisionIds) confirmed.push((await server.vault.confirm({ decisionId })).kind)
  expect(confirmed).toEqual(['answer', 'integrity'])
})

test('starts on the books are counted one by one', () => {
  const counts = createCounts()
  const name = 'a'.repeat(32)
  const minuteMs = 60_000
  let requests = 0
  function addStart(atMs: number): void {
    requests += 1
    const countKey = requests.toString(16).padStart(32, '0')
    counts.add({ name, countKey, amount: 1n, atMs, untilMs: atMs + countedKinds.passcode_starts.keptMs })
  }

  // There are so many that the books sum the amounts of each slot of a minute.
  const firstMs = Date.UTC(2026, 0, 1)
  for (let start = 0; start < 64; start += 1) addStart(firstMs + start * 61_000)
  const slotMs = firstMs + 75 * minuteMs
  for (let start = 0; start < 50; start += 1) addStart(slotMs + start)

  const nowMs = slotMs + 100
  const counted = () => counts.amounts(name, undefined)
  const starts = countedKinds.passcode_starts.atLeast(undefined, { recordId: 'bucket', counted, nowMs })
  const lately = starts?.startsMs.filter((atMs) => nowMs < atMs + startsWindowMs) ?? []
  expect(lately.length).toBeGreaterThanOrEqual(startsMax)
})
