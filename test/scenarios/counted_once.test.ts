import { expect, test } from 'vitest'
import { countedKinds, startsMax } from '../../src/operations/counted_kinds.ts'
import { createCounts } from '../../src/vault/books/counts.ts'
import type { Presented, VaultAnswer } from '../../src/vault/verbs.ts'
import { activityRequest } from '../support/client.ts'
import { startInProcess } from '../support/in_process.ts'
import { passcodeFor } from '../support/logins.ts'
import { lyingStoreOn } from '../support/lying_store.ts'
import { generateApiKey, stampWith } from '../support/stamping.ts'

/** JSON, and what else these tests look into without a type. */
type Loose = ReturnType<typeof JSON.parse>

async function world() {
  const server = await startInProcess()
  const made = await server.createOrganization()
  async function raw(name: string, organizationId: string, parameters: object, apiKey: Loose, extra: Loose = {}) {
    const { path, body } =
      extra.request ??
      activityRequest(name, { organizationId, parameters, timestampMs: Date.now(), ...extra.activity } as never)
    const bytes = Buffer.from(extra.body ?? body)
    const stamps = [{ header: 'x-stamp', value: stampWith(apiKey, bytes) }] as const
    let presented: readonly Presented[] = []
    const needs: unknown[] = []
    for (let round = 0; round < 20; round += 1) {
      const answer: VaultAnswer = await server.vault.answer({
        path,
        body: bytes,
        stamps,
        dialect: 'spec',
        presented,
        outcomes: [],
        ...(extra.isTrial ? { isTrial: true } : {}),
      })
      if (answer.kind !== 'need') return { answer, needs }
      needs.push(...answer.reads)
      const found = await server.store.find(answer.reads)
      presented = [
        ...presented,
        ...answer.reads.map((read, i) => ({ read, found: extra.forge?.(read, found[i]) ?? (found[i] as Loose) })),
      ]
    }
    throw new Error('for ever')
  }
  return { server, ...made, raw }
}
const otp = { otpType: 'OTP_TYPE_EMAIL', contact: 'a@example.org', appName: 'T', otpLength: 6, alphanumeric: false }

test('one start gives at most three guesses, also when the database keeps flows and says conflict', async () => {
  const { server, organizationId, apiKey } = await world()
  const liar = lyingStoreOn(server)
  const flows: string[] = []
  liar.answerCommitsWith(async (commit) => {
    const records = commit.records.filter(({ kind }) => kind === 'passcode_flow')
    flows.push(...records.map(({ recordId }) => recordId))
    await server.store.commit({ ...commit, readSet: [], records, lookups: [], outbox: [], activities: [] })
    return 'conflict'
  })
  const init = liar.activity('init_otp', { organizationId, parameters: otp })
  for (let i = 0; i < 4; i += 1) await init.post(apiKey)
  liar.honestly()
  let _guessed = 0
  for (const otpId of flows) {
    for (let g = 0; g < 3; g += 1) {
      const a = await liar
        .activity('verify_otp', { organizationId, parameters: { otpId, encryptedOtpBundle: '' } })
        .post(apiKey)
        .catch(() => undefined)
      void a
      const { path, body } = activityRequest('verify_otp', {
        organizationId,
        parameters: { otpId, otpCode: `00000${g}` },
        timestampMs: Date.now(),
      } as never)
      const text = body.replace('ACTIVITY_TYPE_VERIFY_OTP_V2', 'ACTIVITY_TYPE_VERIFY_OTP')
      const answer = await server.post(path, text, apiKey)
      if (JSON.stringify(answer.body).includes('Invalid OTP')) _guessed += 1
    }
  }
  expect(flows.length).toBeLessThanOrEqual(startsMax)
})

test('the same verify_otp gives one token', async () => {
  const { server, organizationId, apiKey, raw } = await world()
  const liar = lyingStoreOn(server)
  const made = await liar.activity('init_otp', { organizationId, parameters: otp }).post(apiKey)
  const { otpId } = Object.values(made.body.activity.result)[0] as Loose
  const otpCode = await passcodeFor(server, otp.contact)
  const { path, body } = activityRequest('verify_otp', {
    organizationId,
    parameters: { otpId, otpCode },
    timestampMs: Date.now(),
  } as never)
  const request = { path, body: body.replace('ACTIVITY_TYPE_VERIFY_OTP_V2', 'ACTIVITY_TYPE_VERIFY_OTP') }
  const ids = new Set<string>()
  for (let i = 0; i < 5; i += 1) {
    const { answer } = await raw('verify_otp', organizationId, {}, apiKey, { request })
    if (answer.kind !== 'commit' || answer.outcome.of !== 'answer') {
      continue
    }
    const view = JSON.parse(Buffer.from(answer.outcome.body).toString())
    const token = (Object.values(view.activity.result)[0] as Loose).verificationToken
    ids.add(JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString()).id)
  }
  expect(ids.size).toBe(1)
})

test('a trial does not tell whether a passcode is right', async () => {
  const { server, organizationId, apiKey, raw } = await world()
  const rootKey = generateApiKey()
  const liar = lyingStoreOn(server)
  const sub = await liar
    .activity('create_sub_organization', {
      organizationId,
      parameters: {
        subOrganizationName: 's',
        rootQuorumThreshold: 1,
        rootUsers: [
          {
            userName: 'r',
            apiKeys: [{ apiKeyName: 'k', publicKey: rootKey.publicKey, curveType: 'API_KEY_CURVE_P256' }],
            authenticators: [],
            oauthProviders: [],
          },
        ],
      },
    })
    .post(apiKey)
  const childId = (Object.values(sub.body.activity.result)[0] as Loose).subOrganizationId
  const made = await liar.activity('init_otp', { organizationId: childId, parameters: otp }).post(rootKey)
  const { otpId } = Object.values(made.body.activity.result)[0] as Loose
  const otpCode = await passcodeFor(server, otp.contact)
  async function trial(code: string) {
    const { path, body } = activityRequest('verify_otp', {
      organizationId: childId,
      parameters: { otpId, otpCode: code },
      timestampMs: Date.now(),
    } as never)
    const request = {
      path,
      body: body
        .replace('ACTIVITY_TYPE_VERIFY_OTP_V2', 'ACTIVITY_TYPE_VERIFY_OTP')
        .replace('{', '{"generateAppProofs":true,'),
    }
    const { answer, needs } = await raw('', childId, {}, rootKey, { request, isTrial: true })
    return {
      kind: answer.kind,
      needs: needs.map((n: Loose) => n.read),
      parentAsked: needs.some((n: Loose) => n.organizationId === organizationId),
    }
  }
  const wrong = []
  for (let i = 0; i < 6; i += 1) wrong.push(await trial(`${100000 + i}`))
  const right = await trial(otpCode)
  expect(right.parentAsked).toBe(wrong.at(-1)?.parentAsked)
})

test('a sub-organization is made once by one request', async () => {
  const { server, organizationId, apiKey, raw } = await world()
  const rootKey = generateApiKey()
  const request = activityRequest('create_sub_organization', {
    organizationId,
    parameters: {
      subOrganizationName: 's',
      rootQuorumThreshold: 1,
      rootUsers: [
        {
          userName: 'r',
          apiKeys: [{ apiKeyName: 'k', publicKey: rootKey.publicKey, curveType: 'API_KEY_CURVE_P256' }],
          authenticators: [],
          oauthProviders: [],
        },
      ],
    },
    timestampMs: Date.now(),
  } as never)
  const first = (await raw('', organizationId, {}, apiKey, { request })).answer
  const second = (await raw('', organizationId, {}, apiKey, { request })).answer
  const confirmed = []
  for (const d of [first, second]) {
    if (d.kind !== 'commit' || d.outcome.of !== 'held') {
      continue
    }
    const c = await server.vault.confirm({ decisionId: d.outcome.decisionId })
    confirmed.push(c.kind === 'answer' ? c.status : c.kind)
  }
  expect(confirmed.filter((s) => s === 200)).toHaveLength(1)
})

test('starts on the books are counted one by one', () => {
  const counts = createCounts()
  const t0 = Date.UTC(2026, 0, 1)
  let n = 0
  const add = (atMs: number) =>
    counts.add({
      name: 'a'.repeat(32),
      countKey: (++n).toString(16).padStart(32, '0'),
      amount: 1n,
      atMs,
      untilMs: atMs + 1e9,
    })
  for (let i = 0; i < 64; i += 1) add(t0 + i * 61_000)
  const now = t0 + 64 * 61_000 + 600_000
  const slot = Math.floor(now / 60_000) * 60_000
  for (let i = 0; i < 50; i += 1) add(slot + i)
  const seen = countedKinds.passcode_starts.atLeast(undefined, {
    recordId: 'x',
    counted: () => counts.amounts('a'.repeat(32), undefined),
    nowMs: slot + 100,
  })
  const lately = (seen?.startsMs ?? []).filter((atMs) => slot + 100 < atMs + 180_000)
  expect(lately.length).toBeGreaterThanOrEqual(startsMax)
})
