import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { VaultRequest } from '../../src/link/verbs.ts'
import { startInProcess } from '../support/in_process.ts'
import { expectRefused, newPrivateKey, organizationOf, repeated, startOrganization } from '../support/organization.ts'
import { generateApiKey } from '../support/stamping.ts'

/** How often the service has to call the vault until it decides. Each call but the last asks for more reads. */

test('a vote takes two calls: only the sealed request of its activity names what the operation reads', async () => {
  const { server, rootUserId, anotherUser, done, submit } = await startOrganization()
  const others = [await anotherUser('second'), await anotherUser('third')]
  const { privateKeys } = await done('create_private_keys', { privateKeys: [newPrivateKey()] })
  const userIds = [rootUserId, ...others.map(({ userId }) => userId)]
  await done('update_root_quorum', { threshold: 3, userIds })
  const { body } = await submit('sign_raw_payload', {
    signWith: privateKeys[0].privateKeyId,
    payload: '5a'.repeat(32),
    encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
    hashFunction: 'HASH_FUNCTION_NO_OP',
  })
  const { fingerprint } = body.activity
  const answers = vi.spyOn(server.vault, 'answer')
  const statuses = []
  for (const { apiKey } of others) {
    const voted = await submit('approve_activity', { fingerprint }, { apiKey })
    statuses.push(voted.body.activity.status)
  }
  expect(statuses).toEqual(['ACTIVITY_STATUS_CONSENSUS_NEEDED', 'ACTIVITY_STATUS_COMPLETED'])
  const answered = await Promise.all(answers.mock.results.map(({ value }) => value))
  expect(answered.map(({ kind }) => kind)).toEqual(['moreReads', 'commit', 'moreReads', 'commit'])
})

test('who is told is read before anything runs: a voter whose approval has lapsed, and whom the answer shows', async () => {
  const clock = { nowMs: Date.UTC(2026, 0, 1) }
  const nowMs = () => clock.nowMs
  const first = await startInProcess({ nowMs })
  const { organizationId, userId: rootUserId, apiKey } = await first.createOrganization()
  const root = { organizationId, rootUserId, apiKey }
  const { done, submit, anotherUser } = organizationOf({ server: first, clock }, root)
  const others = [await anotherUser('lapsed'), await anotherUser('second'), await anotherUser('third')]
  await done('update_root_quorum', { threshold: 3, userIds: [rootUserId, ...others.map(({ userId }) => userId)] })
  const byUser = (index: number) => ({ apiKey: others[index]?.apiKey ?? apiKey })
  const keysMade = 20
  const { body } = await submit('create_private_keys', {
    privateKeys: repeated(keysMade, (index) => newPrivateKey({ privateKeyName: `key ${index}` })),
  })
  const { fingerprint } = body.activity
  await submit('approve_activity', { fingerprint }, byUser(0))
  clock.nowMs += 25 * 60 * 60 * 1000
  await submit('approve_activity', { fingerprint })
  await submit('approve_activity', { fingerprint }, byUser(1))

  await first.close()

  // A vault that starts remembers no user.
  let ids = 0
  const newId = () => {
    ids += 1
    return randomUUID()
  }
  const server = await startInProcess({ folder: first.folder, nowMs, newId })
  onTestFinished(() => server.close())
  const answers: { kind: string; hasRun: boolean }[] = []
  const { answer } = server.vault
  vi.spyOn(server.vault, 'answer').mockImplementation(async (request) => {
    const before = ids
    const answered = await answer(request)
    answers.push({ kind: answered.kind, hasRun: ids - before >= keysMade })
    return answered
  })
  const there = organizationOf({ server, clock }, root)
  const last = await there.submit('approve_activity', { fingerprint }, byUser(2))
  expect(last.body.activity).toMatchObject({ status: 'ACTIVITY_STATUS_COMPLETED' })
  expect(last.body.activity.votes[1].user.userName).toBe('lapsed')
  const asked = answers.filter(({ kind }) => kind !== 'commit')
  expect(new Set(asked.map(({ kind }) => kind))).toEqual(new Set(['moreReads']))
  expect(asked.filter(({ hasRun }) => hasRun)).toEqual([])
  expect(answers.at(-1)).toEqual({ kind: 'commit', hasRun: true })
})

/** The sealed bytes that the service sends along. */
function sealedBytes({ presented }: VaultRequest): number {
  const rows = presented.flatMap(({ found }) =>
    'row' in found && found.row && 'sealed' in found.row ? [found.row] : [],
  )
  return rows.reduce((sum, { sealed }) => sum + sealed.length, 0)
}

test('a stranger who knows a fingerprint has no large activity read', async () => {
  const { server, organizationId, clock, rootUserId, rootKey, done, anotherUser } = await startOrganization()
  const others = []
  for (const name of repeated(6, (index) => `user ${index}`)) others.push(await anotherUser(name))
  const { privateKeys } = await done('create_private_keys', { privateKeys: [newPrivateKey()] })
  await done('update_root_quorum', { threshold: 7, userIds: [rootUserId, ...others.map(({ userId }) => userId)] })
  // An activity of a megabyte waits, and the same bytes are the votes of others.
  clock.nowMs += 1
  const path = '/public/v1/submit/sign_raw_payload'
  const body = JSON.stringify({
    type: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2',
    timestampMs: String(clock.nowMs),
    organizationId,
    parameters: {
      signWith: privateKeys[0].privateKeyId,
      payload: '5a'.repeat(520_000),
      encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
      hashFunction: 'HASH_FUNCTION_SHA256',
    },
  })
  const first = await server.post(path, body, rootKey)
  expect(first.body.activity.status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED')
  for (const { apiKey } of others.slice(0, 5)) await server.post(path, body, apiKey)
  const { fingerprint } = first.body.activity

  const asked = vi.spyOn(server.vault, 'answer')
  const finds = vi.spyOn(server.store, 'find')
  const stranger = generateApiKey()
  const vote = {
    type: 'ACTIVITY_TYPE_APPROVE_ACTIVITY',
    timestampMs: String(clock.nowMs),
    organizationId,
    parameters: { fingerprint },
  }
  expectRefused(await server.post('/public/v1/submit/approve_activity', vote, stranger), 401)
  // Without any stamp too.
  const unstamped = await server.submit({
    path: '/public/v1/submit/approve_activity',
    body: Buffer.from(JSON.stringify(vote)),
    stamps: [],
    dialect: 'spec',
    sourceAddress: '127.0.0.1',
  })
  expect(unstamped.status).toBe(401)
  expect(finds.mock.calls.flatMap(([asked]) => asked.map(({ read }) => read))).not.toContain('activity')
  expect(Math.max(...asked.mock.calls.map(([request]) => sealedBytes(request)))).toBeLessThan(100_000)
  // The vote of a member still finds the activity.
  const last = others.at(-1)
  if (last === undefined) throw new Error('there are others')
  const voted = await server.post('/public/v1/submit/approve_activity', vote, last.apiKey)
  expect(voted.body.activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
})

test('webhooks cost a signature nothing where there are none, also in a sub-organization', async () => {
  const organization = await startOrganization()
  const { server, clock } = organization
  const child = organizationOf(organization, await organization.subOrganization())
  const { privateKeys } = await child.done('create_private_keys', { privateKeys: [newPrivateKey()] })
  const sign = (payload: number) =>
    child.done('sign_raw_payload', {
      signWith: privateKeys[0].privateKeyId,
      payload: payload.toString(16).padStart(64, '0'),
      encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
      hashFunction: 'HASH_FUNCTION_NO_OP',
    })
  await sign(0)
  const finds = vi.spyOn(server.store, 'find')
  const answers = vi.spyOn(server.vault, 'answer')
  const commits = vi.spyOn(server.store, 'commit')
  const headsChecked = () =>
    commits.mock.calls.map(([{ readSet }]) =>
      readSet.flatMap((entry) => (entry.of === 'head' ? [entry.organizationId] : [])),
    )

  const own = [child.organizationId]
  for (let count = 1; count <= 5; count += 1) await sign(count)
  expect(finds).not.toHaveBeenCalled()
  expect(answers).toHaveBeenCalledTimes(5)
  expect(headsChecked()).toEqual([own, own, own, own, own])
  expect(commits.mock.calls.flatMap(([{ outbox }]) => outbox)).toEqual([])

  // Once in ten seconds one signature rests on the parent's head too, without a read.
  clock.nowMs += 10_000
  for (let count = 6; count <= 8; count += 1) await sign(count)
  expect(finds).not.toHaveBeenCalled()
  expect(answers).toHaveBeenCalledTimes(8)
  expect(
    headsChecked()
      .slice(5)
      .map((ids) => ids.toSorted()),
  ).toEqual([[organization.organizationId, ...own].toSorted(), own, own])

  // An endpoint of the parent is known at once.
  await organization.done('create_webhook_endpoint', { url: 'https://hooks.example.com/', name: 'ours' })
  commits.mockClear()
  await sign(9)
  await sign(10)
  const sent = commits.mock.calls.flatMap(([{ outbox }]) => outbox)
  expect(sent.map(({ organizationId, channel }) => [organizationId, channel])).toEqual(
    repeated(2, () => [organization.organizationId, 'webhook']),
  )
})
