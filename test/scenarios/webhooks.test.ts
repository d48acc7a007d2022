import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { verifyTurnkeyWebhookSignature } from '@turnkey/crypto'
import { describe, expect, onTestFinished, test } from 'vitest'
import { webhookJwk } from '../../src/protocol/wire/webhooks.ts'
import type { Resolve } from '../../src/service/delivery/connections/dial.ts'
import { createWebhookCarrier, type WebhookRules } from '../../src/service/delivery/webhooks/webhook_carrier.ts'
import { startWebhookDelivery } from '../../src/service/delivery/webhooks/webhook_delivery.ts'
import type { DueWebhook } from '../../src/service/store/store.ts'
import { lookMsMax } from '../../src/vault/state/organization.ts'
import { signingOf } from '../support/client.ts'
import { withDatabase } from '../support/database.ts'
import { informational } from '../support/endless.ts'
import { loginsOf, passcodeFor } from '../support/logins.ts'
import {
  expectRefused,
  newPolicy,
  newPrivateKey,
  newUser,
  organizationOf,
  repeated,
  startOrganization,
  type TestOrganization,
} from '../support/organization.ts'
import { databaseText } from '../support/server_database.ts'
import { portOf } from '../support/smtp_server.ts'
import { generateApiKey } from '../support/stamping.ts'
import { type Received, startReceiver } from '../support/webhook_receiver.ts'

/** Events go to a real HTTPS server, and the clients' own package verifies them. */

const ok = { status: 200 }
const dayMs = 24 * 60 * 60 * 1000
type Line = Readonly<Record<string, unknown>> & { readonly message: string }

/** Delivers the events of an organization's server by the test's clock. */
function deliver(
  { server, clock }: TestOrganization,
  rules: Partial<WebhookRules> = {},
  { givenUpKept = 1_000, waitingKept = 10_000 } = {},
) {
  const lines: Line[] = []
  const add = (fields: object, message: string) => void lines.push({ ...fields, message })
  const delivery = startWebhookDelivery({
    ...{ store: server.store, vault: server.vault, lookMs: 5, givenUpKept, waitingKept },
    carry: createWebhookCarrier({ privateAddresses: true, loopbackHttp: false, ...rules }),
    log: { info: add, warn: add, error: add },
    nowMs: () => clock.nowMs,
  })
  onTestFinished(() => delivery.close())
  /** Waits for so many lines of the log with this text. */
  async function said(text: string, count = 1): Promise<readonly Line[]> {
    for (;;) {
      const found = lines.filter(({ message }) => message.includes(text))
      if (found.length >= count) return found
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }
  return { ...delivery, said, lines }
}

/** Lets time pass until it is so. */
async function passing(clock: { nowMs: number }, isSo: () => boolean, stepMs = 500): Promise<void> {
  while (!isSo()) {
    clock.nowMs += stepMs
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

/** Returns the activity in an event that the clients' package accepts. */
async function verified({ server, clock }: TestOrganization, { headers, body }: Received) {
  const key = webhookJwk(Buffer.from((await server.vault.publishedKeys()).webhookSigning?.compressed ?? '', 'hex'))
  const publicKey = Buffer.from(key.x, 'base64url').toString('hex')
  const checked = verifyTurnkeyWebhookSignature({
    headers,
    body,
    verificationKeys: [{ keyId: key.kid, publicKey }],
    maxTimestampAgeMs: 60_000,
    nowMs: clock.nowMs,
  })
  expect(checked).toMatchObject({ ok: true, eventId: headers['x-turnkey-event-id'] })
  return JSON.parse(body.toString())
}

const endpointAt = (url: string) => ({ url, name: 'ours', subscriptions: [{ eventType: 'ACTIVITY_UPDATES' }] })

async function waitingIn({ server, organizationId, clock }: TestOrganization) {
  const all = await server.store.waitingEndpoints({ organizationId: '', endpointId: '', limit: 100 })
  const due: DueWebhook[] = []
  for (const { endpointId } of all.filter((endpoint) => endpoint.organizationId === organizationId)) {
    const endpoint = { organizationId, endpointId }
    const sourceAfter = (happenedIn: string) => server.store.nextWebhookSource({ ...endpoint, happenedIn })
    for (let source = await sourceAfter(''); source !== undefined; source = await sourceAfter(source.happenedIn)) {
      const { happenedIn } = source
      const nowMs = clock.nowMs + 10 * dayMs
      due.push(...(await server.store.dueWebhooks({ ...endpoint, happenedIn, nowMs, limit: 100 })))
    }
  }
  return due
}

const nothingWaits = (organization: TestOrganization) =>
  expect.poll(async () => (await waitingIn(organization)).length).toBe(0)

test('each change of an activity of the organization and of its sub-organizations arrives, in order', async () => {
  const organization = await startOrganization()
  const { submit, done, rootUserId, anotherUser, organizationId, found } = organization
  const receiver = await startReceiver(() => ok)
  const child = organizationOf(organization, await organization.subOrganization())
  const { endpointId } = await done('create_webhook_endpoint', endpointAt(`${receiver.url}/parent`))
  const { userId, apiKey } = await anotherUser('second')
  await done('update_root_quorum', { threshold: 2, userIds: [rootUserId, userId] })
  const asked = await submit('create_private_keys', { privateKeys: [newPrivateKey()] })
  await done('approve_activity', { fingerprint: asked.body.activity.fingerprint }, { apiKey }).catch(() => {})
  await child.done('create_users', { users: [newUser()] })
  deliver(organization, receiver)

  const activities = []
  for (const received of await receiver.got(5)) activities.push(await verified(organization, received))
  expect(activities.map(({ type, status }) => `${type} ${status}`).toSorted()).toEqual(
    [
      'ACTIVITY_TYPE_CREATE_USERS_V4 ACTIVITY_STATUS_COMPLETED',
      'ACTIVITY_TYPE_UPDATE_ROOT_QUORUM ACTIVITY_STATUS_COMPLETED',
      'ACTIVITY_TYPE_CREATE_PRIVATE_KEYS_V2 ACTIVITY_STATUS_CONSENSUS_NEEDED',
      'ACTIVITY_TYPE_CREATE_PRIVATE_KEYS_V2 ACTIVITY_STATUS_COMPLETED',
      'ACTIVITY_TYPE_CREATE_USERS_V4 ACTIVITY_STATUS_COMPLETED',
    ].toSorted(),
  )
  const ofKeys = activities.filter(({ id }) => id === asked.body.activity.id)
  expect(ofKeys.map(({ status, canApprove, canReject }) => ({ status, canApprove, canReject }))).toEqual([
    { status: 'ACTIVITY_STATUS_CONSENSUS_NEEDED', canApprove: true, canReject: true },
    { status: 'ACTIVITY_STATUS_COMPLETED', canApprove: false, canReject: false },
  ])
  // The last event is the activity as any other user sees it.
  const { activity } = await found('get_activity', { activityId: asked.body.activity.id }, { dialect: 'hosted' })
  const webhookEndpoint = { organizationId, endpointId }
  expect(ofKeys[1]).toEqual({ ...activity, canApprove: false, canReject: false, webhookEndpoint })
  const [ofChild] = receiver.received.filter(({ body }) => body.includes(child.organizationId))
  expect(ofChild?.headers).toMatchObject({
    'content-type': 'application/json',
    'x-turnkey-organization-id': child.organizationId,
    'x-turnkey-event-type': 'ACTIVITY_UPDATES',
    'x-turnkey-webhook-version': '1',
  })
  expect(receiver.received.every(({ path }) => path === '/parent')).toBe(true)
  await nothingWaits(organization)
  expect(organizationId).not.toBe(child.organizationId)
})

test('the events of a large activity have a megabyte together, and where they had more, they come without its content', async () => {
  const organization = await startOrganization()
  const { done, submit, found } = organization
  const receiver = await startReceiver(() => ok)
  const { privateKeys } = await done('create_private_keys', { privateKeys: [newPrivateKey()] })
  const sign = async (characters: number) => {
    const how = { encoding: 'PAYLOAD_ENCODING_TEXT_UTF8', hashFunction: 'HASH_FUNCTION_SHA256' }
    const payload = 'ab '.repeat(characters / 3)
    const { status, body } = await submit('sign_raw_payload', {
      ...{ signWith: privateKeys[0].privateKeyId, payload, ...how },
    })
    expect(status, JSON.stringify(body).slice(0, 1_000)).toBe(200)
    return body.activity.id
  }
  await done('create_webhook_endpoint', endpointAt(`${receiver.url}/0`))
  const whole: [string, number][] = [
    [await sign(300), 1],
    [await sign(300_000), 1],
  ]
  for (let index = 1; index < 10; index += 1) {
    await done('create_webhook_endpoint', endpointAt(`${receiver.url}/${index}`))
  }
  whole.push([await sign(300), 10])
  const large = await sign(300_000)
  deliver(organization, receiver)
  await nothingWaits(organization)

  const events = await Promise.all(receiver.received.map((received) => verified(organization, received)))
  const shown = async (activityId: string) => {
    const { activity } = await found('get_activity', { activityId }, { dialect: 'hosted' })
    return { ...activity, canApprove: false, canReject: false }
  }
  const eventsOf = (activityId: string) =>
    events.filter(({ id }) => id === activityId).map(({ webhookEndpoint: _, ...event }) => event)
  for (const [activityId, endpoints] of whole) {
    const expected = await shown(activityId)
    expect(eventsOf(activityId)).toEqual(repeated(endpoints, () => expected))
  }
  const activity = await shown(large)
  const votes = activity.votes.map((vote: object) => ({ ...vote, message: '', signature: '' }))
  expect(eventsOf(large)).toEqual(repeated(10, () => ({ ...activity, intent: {}, result: {}, votes })))
})

/** The receiver of docs/webhooks.md, as it stands there, for one endpoint. */
async function receiverOfDocs({ server }: TestOrganization, mine: Record<'organizationId' | 'endpointId', string>) {
  const page = readFileSync(new URL('../../docs/webhooks.md', import.meta.url), 'utf8')
  const block =
    /```js\nimport \{ verifyTurnkeyWebhookSignature \} from '@turnkey\/crypto'\n(.*?)```/s.exec(page)?.[1] ?? ''
  const key = webhookJwk(Buffer.from((await server.vault.publishedKeys()).webhookSigning?.compressed ?? '', 'hex'))
  const fetchKeys = async () => ({ json: async () => ({ keys: [key] }) })
  const filled = block.replace('YOUR_ORGANIZATION_ID', mine.organizationId).replace('YOUR_ENDPOINT_ID', mine.endpointId)
  const make = new Function(
    'verifyTurnkeyWebhookSignature',
    'fetch',
    `return (async () => {${filled}return activityIn})()`,
  )
  const activityIn = await make(verifyTurnkeyWebhookSignature, fetchKeys)
  return ({ headers, body }: Received): { id: string; organizationId: string } => activityIn(headers, body)
}

test('a receiver tells its own events from those that others send to its address, as the page says', async () => {
  const organization = await startOrganization()
  const { server, clock, organizationId } = organization
  clock.nowMs = Date.now()
  const receiver = await startReceiver(() => ok)
  const { endpointId } = await organization.done('create_webhook_endpoint', endpointAt(receiver.url))
  const { userId, ...other } = await server.createOrganization()
  const child = await organization.subOrganization()
  const others = [{ ...other, rootUserId: userId }, child].map((one) => organizationOf(organization, one))
  for (const { done } of others) {
    await done('create_webhook_endpoint', endpointAt(receiver.url))
    await done('set_organization_feature', { name: 'FEATURE_NAME_WEBHOOK', value: receiver.url })
    await done('create_users', { users: [newUser({ userName: 'planted' })] })
  }
  await organization.done('create_users', { users: [newUser({ userName: 'genuine' })] })
  deliver(organization, receiver)
  // Three of each of the others, the three of the sub-organization to ours too, and two of ours.
  const received = await receiver.got(11)
  const activityIn = await receiverOfDocs(organization, { organizationId, endpointId })
  const judged = received.map((one) => {
    const { webhookEndpoint, organizationId: happenedIn } = JSON.parse(one.body.toString())
    const verdict = orError(() => activityIn(one))
    return { isMine: webhookEndpoint?.endpointId === endpointId, happenedIn, verdict }
  })
  expect(judged.filter(({ isMine }) => isMine).map(({ happenedIn }) => happenedIn)).toContain(child.organizationId)
  for (const { isMine, verdict } of judged) {
    if (isMine) expect(verdict).toMatchObject({ id: expect.any(String) })
    else expect(verdict).toEqual(new Error('signed for the endpoint of somebody else'))
  }
  expect(judged.some(({ isMine }) => !isMine)).toBe(true)
  const [genuine] = received.filter(({ body }) => body.includes('genuine'))
  const forged = { ...genuine, headers: genuine?.headers ?? {}, path: '', body: Buffer.from(`${genuine?.body} `) }
  expect(orError(() => activityIn(forged))).toEqual(new Error('invalid_signature'))
})

function orError<T>(run: () => T): T | Error {
  try {
    return run()
  } catch (error) {
    return error as Error
  }
}

test('a failed and a rejected activity have their events, and a vote that changes no status has none', async () => {
  const organization = await startOrganization()
  const { submit, done, rootUserId, anotherUser } = organization
  const receiver = await startReceiver(() => ok)
  const [second, third] = [await anotherUser('second'), await anotherUser('third')]
  await done('update_root_quorum', { threshold: 3, userIds: [rootUserId, second.userId, third.userId] })
  const endpoint = await submit('create_webhook_endpoint', endpointAt(receiver.url))
  const { fingerprint } = endpoint.body.activity
  for (const { apiKey } of [second, third]) await submit('approve_activity', { fingerprint }, { apiKey })
  const asked = await submit('delete_private_keys', { privateKeyIds: [rootUserId], deleteWithoutExport: true })
  expect(asked.status).toBe(404)
  const { body } = await submit('create_users', { users: [newUser({ userName: 'never' })] })
  const vote = { fingerprint: body.activity.fingerprint }
  await submit('approve_activity', vote, { apiKey: second.apiKey })
  await submit('reject_activity', vote, { apiKey: third.apiKey })
  deliver(organization, receiver)
  const activities = []
  for (const received of await receiver.got(2)) activities.push(await verified(organization, received))
  expect(activities.map(({ status, votes }) => [status, votes.length])).toEqual([
    ['ACTIVITY_STATUS_CONSENSUS_NEEDED', 1],
    ['ACTIVITY_STATUS_REJECTED', 3],
  ])
  await nothingWaits(organization)
})

test('an attempt that fails is repeated with the same event and a fresh signature', async () => {
  const organization = await startOrganization()
  const { done, clock } = organization
  const receiver = await startReceiver((_, count) => ({ status: count < 3 ? 503 : 204 }))
  await done('create_webhook_endpoint', endpointAt(receiver.url))
  await done('create_users', { users: [newUser()] })
  const { said, lines } = deliver(organization, receiver)
  await said('takes no events')
  expect(receiver.received).toHaveLength(1)
  await passing(clock, () => lines.some(({ message }) => message === 'an event was delivered'))
  expect(lines.map(({ message }) => message)).toEqual([
    'an endpoint takes no events: they wait',
    'an endpoint takes events again',
    'an event was delivered',
  ])
  const [first, second, third] = await receiver.got(3)
  if (first === undefined || second === undefined || third === undefined) throw new Error('three have arrived')
  for (const received of [first, second, third]) await verified(organization, received)
  const of = (name: string) => [first, second, third].map(({ headers }) => headers[`x-turnkey-${name}`])
  expect(new Set(of('event-id')).size).toBe(1)
  expect(new Set(of('timestamp')).size).toBe(3)
  expect(new Set(of('signature')).size).toBe(3)
})

test('an event that is refused is listed and replayed, to the present address and with the same id', async () => {
  const organization = await startOrganization()
  const { done, found, submit, clock } = organization
  const answers: Record<string, number> = { '/old': 410, '/new': 200 }
  const receiver = await startReceiver(({ path }) => ({ status: answers[path] ?? 500 }))
  const { endpointId } = await done('create_webhook_endpoint', endpointAt(`${receiver.url}/old`))
  const users = await submit('create_users', { users: [newUser()] })
  const { said } = deliver(organization, receiver)
  await said('refuses events')
  const { deliveries } = await found('list_webhook_deliveries', { endpointId })
  expect(deliveries).toMatchObject([
    {
      activityId: users.body.activity.id,
      status: 'WEBHOOK_DELIVERY_STATUS_FAILED',
      attempts: 1,
      reason: 'refused (410)',
    },
  ])
  await done('update_webhook_endpoint', { endpointId, url: `${receiver.url}/new` })
  await receiver.got(2) // the event of the update still goes to the address before
  await nothingWaits(organization)
  clock.nowMs += 2 * dayMs
  const [{ deliveryId }] = deliveries
  const again = await done('replay_webhook_delivery', { endpointId, deliveryId })
  expect(again.deliveryId).not.toBe(deliveryId)
  const replayed = (await receiver.got(4)).filter(({ path }) => path === '/new')
  const [sent] = receiver.received
  await Promise.all(replayed.map((one) => verified(organization, one)))
  expect(replayed.map(({ headers }) => headers['x-turnkey-event-id'])).toContain(sent?.headers['x-turnkey-event-id'])
  expect((await found('list_webhook_deliveries', { endpointId })).deliveries).toHaveLength(1)
  expectRefused(await submit('replay_webhook_delivery', { endpointId, deliveryId }), 404, 'could not be delivered')
})

test('an event that nobody takes for a day becomes a dead letter, and so does one that is redirected', async () => {
  const organization = await startOrganization()
  const { done, found, clock } = organization
  const receiver = await startReceiver(({ path }) => (path === '/down' ? { status: 500 } : moved(receiver.url)))
  const down = await done('create_webhook_endpoint', endpointAt(`${receiver.url}/down`))
  const redirecting = await done('create_webhook_endpoint', endpointAt(`${receiver.url}/moved`))
  await done('create_users', { users: [newUser()] })
  const { said } = deliver(organization, receiver)
  await said('refuses events')
  await said('takes no events')
  const waiting = { endpointId: down.endpointId, status: 'WEBHOOK_DELIVERY_STATUS_WAITING' }
  const reasonsOfWaiting = async () =>
    (await found('list_webhook_deliveries', waiting)).deliveries.map(({ reason }: { reason: string }) => reason)
  // The newer event was not tried: it waits for the turn of its endpoint.
  await expect.poll(reasonsOfWaiting).toContain('refused for now (500)')
  clock.nowMs += dayMs
  await said('have expired')
  await nothingWaits(organization)
  expect((await found('list_webhook_deliveries', waiting)).deliveries).toEqual([])
  const { deliveries } = await found('list_webhook_deliveries', { endpointId: down.endpointId })
  expect(deliveries.map(({ reason }: { reason: string }) => reason)).toEqual(['expired', 'expired'])
  const others = await found('list_webhook_deliveries', { endpointId: redirecting.endpointId })
  expect(others.deliveries).toMatchObject([{ reason: 'refused (302)' }])
  expect(receiver.received.map(({ path }) => path)).not.toContain('/elsewhere')
})

function moved(url: string) {
  return { status: 302, headers: { location: `${url}/elsewhere` } }
}

test('only the newest dead letters of an endpoint are kept', async () => {
  const organization = await startOrganization()
  const { done, found } = organization
  const receiver = await startReceiver(() => ({ status: 400 }))
  const { endpointId } = await done('create_webhook_endpoint', endpointAt(receiver.url))
  const ids = []
  for (const userName of ['a', 'b', 'c', 'd'])
    ids.push((await done('create_users', { users: [newUser({ userName })] })).userIds[0])
  const { said } = deliver(organization, receiver, { givenUpKept: 2 })
  await said('refuses events')
  await nothingWaits(organization)
  await expect.poll(async () => (await found('list_webhook_deliveries', { endpointId })).deliveries.length).toBe(2)
})

test('a private address is refused when the connection is made, also if the name had a public one before', async () => {
  const organization = await startOrganization()
  const { done } = organization
  const receiver = await startReceiver(() => ok)
  const addresses = ['203.0.113.9', '127.0.0.1', '10.0.0.1']
  let asked = 0
  const resolve: Resolve = (_host, _options, callback) => {
    asked += 1
    callback(null, [{ address: addresses[Math.min(asked, 2)] ?? '', family: 4 }])
  }
  await done('create_webhook_endpoint', endpointAt(`https://127.0.0.1:${receiver.port}/`))
  await done('create_webhook_endpoint', endpointAt(`https://localhost:${receiver.port}/`))
  await done('create_users', { users: [newUser()] })
  const { said } = deliver(organization, { caFile: receiver.caFile, privateAddresses: false, resolve })
  const lines = await said('takes no events', 2)
  expect(lines.every(({ reason }) => reason === 'private address')).toBe(true)
  expect(asked).toBeGreaterThan(0)
  expect(receiver.received).toEqual([])
})

test('a certificate that nobody vouches for, a silent receiver and an endless answer do not hold up others', async () => {
  const organization = await startOrganization()
  const { done } = organization
  const receiver = await startReceiver(() => ({ status: 200, body: 'x'.repeat(1_000_000) }))
  const stranger = await startReceiver(() => ok)
  await done('create_webhook_endpoint', endpointAt(stranger.url))
  await done('create_webhook_endpoint', endpointAt(receiver.url))
  await done('create_users', { users: [newUser()] })
  const { said } = deliver(organization, receiver)
  await said('an event was delivered')
  const [refused] = await said('takes no events')
  expect(refused).toMatchObject({ reason: 'encryption' })
  expect(stranger.received).toEqual([])
})

test('an endpoint that changes to another protocol has failed, and its attempt ends', async () => {
  const organization = await startOrganization()
  const { done } = organization
  const receiver = await startReceiver(() => ({
    status: 101,
    headers: { connection: 'Upgrade', upgrade: 'websocket' },
  }))
  await done('create_webhook_endpoint', endpointAt(receiver.url))
  await done('create_users', { users: [newUser()] })
  const { said } = deliver(organization, receiver)
  const [failed] = await said('takes no events')
  expect(failed).toMatchObject({ reason: 'refused for now', code: 101 })
})

test.each([
  ['informational answers', informational],
  ['line breaks', '\r\n'],
])('an endpoint that sends %s without end before its answer has failed', async (_name, withoutEnd) => {
  const organization = await startOrganization()
  const { done } = organization
  const receiver = await startReceiver(() => ({ ...ok, withoutEnd }))
  await done('create_webhook_endpoint', endpointAt(receiver.url))
  await done('create_users', { users: [newUser()] })
  const { said } = deliver(organization, receiver)
  const [failed] = await said('takes no events')
  expect(failed).toMatchObject({ reason: 'unreachable', code: 'ANSWER_TOO_LONG' })
})

test('the status decides, though the body behind it never ends', async () => {
  const organization = await startOrganization()
  const { done } = organization
  const receiver = await startReceiver(() => ({ status: 200, body: 'taken', isEndless: true }))
  await done('create_webhook_endpoint', endpointAt(receiver.url))
  await done('create_users', { users: [newUser()] })
  const { said, lines } = deliver(organization, receiver)
  await said('an event was delivered')
  expect(lines).toHaveLength(1)
  expect(receiver.received).toHaveLength(1)
})

test('certificates that cannot be read are read again at the next attempt', async () => {
  const organization = await startOrganization()
  const { done, clock } = organization
  const receiver = await startReceiver(() => ok)
  await done('create_webhook_endpoint', endpointAt(receiver.url))
  await done('create_users', { users: [newUser()] })
  const caFile = `${receiver.caFile}.later`
  const { said, lines } = deliver(organization, { caFile })
  const [failed] = await said('takes no events')
  expect(failed).toMatchObject({ code: 'ENOENT' })
  await copyFile(receiver.caFile, caFile)
  await passing(clock, () => lines.some(({ message }) => message === 'an event was delivered'))
})

test('a row that somebody has changed or put into another place is not sent', async () => {
  const organization = await startOrganization()
  const { done, server } = organization
  const receiver = await startReceiver(() => ok)
  await done('create_webhook_endpoint', endpointAt(receiver.url))
  await done('create_users', { users: [newUser({ userName: 'one' })] })
  await done('create_users', { users: [newUser({ userName: 'two' })] })
  const [first, second] = await waitingIn(organization)
  if (first === undefined || second === undefined) throw new Error('two events wait')
  withDatabase(server.folder, (hand) => {
    const place = { table: 'webhook_messages', where: { message_id: first.messageId } } as const
    hand.update(place, { sealed: Buffer.from(second.sealed) })
  })
  const { said } = deliver(organization, receiver)
  const [line] = await said('not what the vault sealed')
  expect(line).toMatchObject({ messageId: first.messageId })
  await said('an event was delivered')
  expect(receiver.received).toHaveLength(1)
  await nothingWaits(organization)
})

test('an endpoint that was deleted or is switched off gets nothing more, also of what waits', async () => {
  const organization = await startOrganization()
  const { done, found } = organization
  const receiver = await startReceiver(() => ok)
  const gone = await done('create_webhook_endpoint', endpointAt(`${receiver.url}/gone`))
  const off = await done('create_webhook_endpoint', endpointAt(`${receiver.url}/off`))
  await done('create_users', { users: [newUser()] })
  await done('update_webhook_endpoint', { endpointId: off.endpointId, isActive: false })
  await done('delete_webhook_endpoint', { endpointId: gone.endpointId })
  const { said } = deliver(organization, receiver)
  await said('endpoint that is gone')
  await said('an event for an endpoint that is switched off was dropped', 2)
  await nothingWaits(organization)
  expect(receiver.received).toEqual([])
  expect((await found('list_webhook_endpoints')).webhookEndpoints).toMatchObject([{ name: 'ours', isActive: false }])
})

test('the feature names an address too, until it is removed', async () => {
  const organization = await startOrganization()
  const { done, submit } = organization
  const receiver = await startReceiver(() => ok)
  const name = 'FEATURE_NAME_WEBHOOK'
  for (const value of [
    '',
    'http://a.example',
    'https://ada:secret@a.example/',
    'https://a.example/#part',
    'https://',
  ]) {
    expectRefused(await submit('set_organization_feature', { name, value }), 400, 'must be an https:// address')
  }
  await done('set_organization_feature', { name, value: `${receiver.url}/feature` })
  await done('create_users', { users: [newUser()] })
  deliver(organization, receiver)
  const [received] = await receiver.got(1)
  if (received === undefined) throw new Error('one has arrived')
  expect((await verified(organization, received)).type).toBe('ACTIVITY_TYPE_CREATE_USERS_V4')
  await done('remove_organization_feature', { name })
  await nothingWaits(organization)
})

test('what waits for an address of the feature does not go there once the feature names another', async () => {
  const organization = await startOrganization()
  const { done } = organization
  const receiver = await startReceiver(() => ok)
  const name = 'FEATURE_NAME_WEBHOOK'
  await done('set_organization_feature', { name, value: `${receiver.url}/old` })
  await done('create_users', { users: [newUser()] })
  await done('remove_organization_feature', { name })
  await done('set_organization_feature', { name, value: `${receiver.url}/new` })
  await done('create_users', { users: [newUser()] })
  deliver(organization, receiver)
  await nothingWaits(organization)
  expect(new Set(receiver.received.map(({ path }) => path))).toEqual(new Set(['/new']))
})

test('the database sees neither address nor body, and events show nobody what only the submitter sees', async () => {
  const organization = await startOrganization()
  const { done, server } = organization
  const receiver = await startReceiver(() => ok)
  await done('create_webhook_endpoint', endpointAt(`${receiver.url}/hush-hush`))
  await done('create_policy', newPolicy({ notes: 'a note that nobody sees' }))
  const logins = await loginsOf({ server, done })
  const flow = await logins.startFlow('ada@example.net')
  const passcode = await passcodeFor(server, flow.contact)
  const { verificationToken } = await done('verify_otp', {
    otpId: flow.otpId,
    encryptedOtpBundle: await logins.encrypted(flow, passcode, generateApiKey()),
  })
  expect(databaseText(server.folder)).not.toMatch(/hush-hush|a note that nobody sees/)
  deliver(organization, receiver)
  await receiver.got(3)
  const bodies = receiver.received.map(({ body }) => body.toString())
  expect(bodies.some((body) => body.includes('a note that nobody sees'))).toBe(true)
  expect(bodies.map((body) => JSON.parse(body).result)).toContainEqual({ verifyOtpResult: { verificationToken: '' } })
  expect(bodies.some((body) => body.includes(verificationToken))).toBe(false)
})

test('no event names the address of a webhook, also of one that waits for votes, nor has the stamps that show it', async () => {
  const organization = await startOrganization()
  const { done, submit, rootUserId, anotherUser } = organization
  const receiver = await startReceiver(() => ok)
  const { endpointId } = await done('create_webhook_endpoint', endpointAt(`${receiver.url}/before`))
  const { userId, apiKey } = await anotherUser('second')
  await done('update_root_quorum', { threshold: 2, userIds: [rootUserId, userId] })
  const url = `${receiver.url}/hush-hush`
  // The name of an endpoint is any text, also that of the feature.
  const name = 'FEATURE_NAME_WEBHOOK'
  for (const [operation, parameters] of [
    ['create_webhook_endpoint', endpointAt(url)],
    ['create_webhook_endpoint', { ...endpointAt(url), name }],
    ['update_webhook_endpoint', { endpointId, name }],
    ['set_organization_feature', { name, value: url }],
    // Its result has all features.
    ['set_organization_feature', { name: 'FEATURE_NAME_OTP_EMAIL_AUTH' }],
    ['update_webhook_endpoint', { endpointId, url }],
  ] as const) {
    const { fingerprint } = (await submit(operation, parameters)).body.activity
    expect((await submit('approve_activity', { fingerprint }, { apiKey })).status).toBe(200)
  }
  deliver(organization, receiver)
  await nothingWaits(organization)

  const bodies = receiver.received.map(({ body }) => body.toString())
  expect(bodies.filter((body) => body.includes(receiver.url))).toEqual([])
  const events = receiver.received.filter(({ path }) => path === '/before').map(({ body }) => JSON.parse(`${body}`))
  const ofUpdate = events.filter(({ type }) => type === 'ACTIVITY_TYPE_UPDATE_WEBHOOK_ENDPOINT')
  expect(ofUpdate.map(({ status }) => status).toSorted()).toEqual([
    'ACTIVITY_STATUS_COMPLETED',
    'ACTIVITY_STATUS_COMPLETED',
    'ACTIVITY_STATUS_CONSENSUS_NEEDED',
    'ACTIVITY_STATUS_CONSENSUS_NEEDED',
  ])
  for (const { intent, result, status } of ofUpdate) {
    const { updateWebhookEndpointIntent } = intent
    expect(updateWebhookEndpointIntent).toEqual({
      endpointId,
      ...('url' in updateWebhookEndpointIntent ? { url: '' } : { name }),
    })
    if (status !== 'ACTIVITY_STATUS_COMPLETED') continue
    expect(result.updateWebhookEndpointResult.webhookEndpoint).toMatchObject({ endpointId, url: '', name })
  }
  for (const { votes } of ofUpdate.filter(({ intent }) => 'url' in intent.updateWebhookEndpointIntent)) {
    for (const vote of votes) expect(vote).toMatchObject({ message: '', signature: '' })
  }
  const ofFeature = events.filter(({ type, status }) => /FEATURE/.test(type) && status.endsWith('COMPLETED'))
  expect(ofFeature).toHaveLength(2)
  for (const { result, votes } of ofFeature) {
    const { features } = result.setOrganizationFeatureResult
    expect(features).toContainEqual(expect.objectContaining({ name: 'FEATURE_NAME_WEBHOOK', value: '' }))
    for (const vote of votes) expect(vote).toMatchObject({ message: '', signature: '' })
  }
})

const userNames = (count: number) => Array.from({ length: count }, (_, index) => `u${index}`)

test('an endpoint that is down costs one line and one attempt for each of its turns, and gets all when it is back', async () => {
  const organization = await startOrganization()
  const { done, clock } = organization
  let isDown = true
  const receiver = await startReceiver(({ path }) => ({ status: isDown && path === '/down' ? 503 : 200 }))
  const of = (path: string) => receiver.received.filter((one) => one.path === path)
  await done('create_webhook_endpoint', endpointAt(`${receiver.url}/down`))
  await done('create_webhook_endpoint', endpointAt(`${receiver.url}/up`))
  const names = userNames(40)
  for (const userName of names) await done('create_users', { users: [newUser({ userName })] })
  const { said, lines } = deliver(organization, receiver)
  const ofDown = () => lines.filter(({ message }) => message.startsWith('an endpoint'))

  // The other endpoint gets all of its events meanwhile.
  await expect.poll(() => of('/up').length, { timeout: 20_000 }).toBe(names.length)
  await said('takes no events')
  const beganMs = clock.nowMs
  await passing(clock, () => clock.nowMs >= beganMs + 5 * 60_000, 2_000)
  // Pauses of 1, 2, 4 s and so on are 9 turns in 5 minutes. At the first failure, three more attempts were under way.
  expect(of('/down').length).toBeLessThanOrEqual(4 + 9)
  expect(of('/down').length).toBeGreaterThanOrEqual(6)
  expect(ofDown()).toMatchObject([{ message: 'an endpoint takes no events: they wait', code: 503 }])

  isDown = false
  const failed = of('/down').length
  const backMs = clock.nowMs
  await passing(clock, () => of('/down').length > failed, 2_000)
  expect(clock.nowMs - backMs).toBeLessThanOrEqual(5 * 60_000)
  // Those that it has not seen come without a further pause, and the others after pauses of their own.
  const idsOf = (received: readonly Received[]) => new Set(received.map(({ headers }) => headers['x-turnkey-event-id']))
  const all = names.length + 1
  const unseen = all - idsOf(of('/down').slice(0, failed)).size
  await expect.poll(() => of('/down').length - failed, { timeout: 20_000 }).toBeGreaterThanOrEqual(unseen)
  await passing(clock, () => idsOf(of('/down').slice(failed)).size === all, 2_000)
  await nothingWaits(organization)
  expect(ofDown().map(({ message }) => message)).toEqual([
    'an endpoint takes no events: they wait',
    'an endpoint takes events again',
  ])
})

test('a failure of an endpoint changes the event that was tried, and none of those that wait', async () => {
  const organization = await startOrganization()
  const { done, found, clock } = organization
  const receiver = await startReceiver(() => ({ status: 503 }))
  const { endpointId } = await done('create_webhook_endpoint', endpointAt(receiver.url))
  for (const userName of userNames(12)) await done('create_users', { users: [newUser({ userName })] })
  const { said } = deliver(organization, receiver)
  await said('takes no events')
  await passing(clock, () => receiver.received.length >= 6)
  const status = 'WEBHOOK_DELIVERY_STATUS_WAITING'
  const page = { endpointId, status, paginationOptions: { limit: '100' } }
  const { deliveries } = await found('list_webhook_deliveries', page)
  const tried = new Set(receiver.received.map(({ headers }) => headers['x-turnkey-event-id']))
  expect(deliveries).toHaveLength(12)
  const changed = deliveries.filter(({ attempts, reason }: Line) => attempts !== 0 || reason !== undefined)
  expect(changed.length).toBeLessThanOrEqual(tried.size)
  expect(tried.size).toBeLessThan(12)
})

test('the newest events that wait for an endpoint are kept, and the oldest given up', async () => {
  const organization = await startOrganization()
  const { done, submit, found } = organization
  const receiver = await startReceiver(() => ({ status: 503 }))
  const { endpointId } = await done('create_webhook_endpoint', endpointAt(receiver.url))
  const ids: string[] = []
  for (const userName of userNames(8)) {
    ids.push((await submit('create_users', { users: [newUser({ userName })] })).body.activity.id)
  }
  const { said, lines } = deliver(organization, receiver, { givenUpKept: 3, waitingKept: 4 })
  const [line] = await said('too many events wait')
  expect(line).toMatchObject({ organizationId: organization.organizationId, endpointId })
  const listed = async (status?: string) => {
    const { deliveries } = await found(
      'list_webhook_deliveries',
      status === undefined ? { endpointId } : { endpointId, status },
    )
    return deliveries.map(({ activityId, reason }: Line) => [activityId, reason])
  }
  const waiting = async () => (await listed('WEBHOOK_DELIVERY_STATUS_WAITING')).map(([id]: readonly string[]) => id)
  await expect.poll(waiting).toEqual(ids.slice(4).toReversed())
  // Of those that were given up, the newest are kept.
  await expect
    .poll(() => listed())
    .toEqual(
      ids
        .slice(1, 4)
        .toReversed()
        .map((id) => [id, 'too many wait']),
    )
  await done('create_users', { users: [newUser({ userName: 'later' })] })
  organization.clock.nowMs += 1_000
  await expect.poll(async () => (await waiting()).length).toBe(4)
  expect(lines.filter(({ message }) => message.startsWith('too many'))).toHaveLength(1)
})

describe('where one sub-organization signs all the time', () => {
  /** The endpoint of a parent with two sub-organizations. */
  async function endpointOfParent() {
    const receiver = await startReceiver(() => ok)
    const parent = await startOrganization()
    const honest = organizationOf(parent, await parent.subOrganization())
    const mallory = organizationOf(parent, await parent.subOrganization())
    const { privateKeys } = await mallory.done('create_private_keys', { privateKeys: [newPrivateKey()] })
    const signing = signingOf(privateKeys[0].privateKeyId, 'again')
    const { endpointId } = await parent.done('create_webhook_endpoint', endpointAt(receiver.url))
    // Until then another vault may decide in a sub-organization as if there was no endpoint.
    parent.clock.nowMs += lookMsMax
    return {
      ...{ receiver, parent, honest, endpointId },
      receivedFrom: () => receiver.received.map(({ body }) => JSON.parse(body.toString()).organizationId),
      async flood(count: number) {
        const ids: string[] = []
        while (ids.length < count) ids.push((await mallory.submit('sign_raw_payload', signing)).body.activity.id)
        return ids
      },
    }
  }

  test('an event of another one is delivered in the next turn', async () => {
    const { receiver, parent, honest, receivedFrom, flood } = await endpointOfParent()
    await flood(20)
    await honest.done('create_users', { users: [newUser({ userName: 'honest' })] })
    await parent.done('create_users', { users: [newUser({ userName: 'parent' })] })
    deliver(parent, receiver)
    await nothingWaits(parent)
    // Each has one turn before one has its second. Three deliveries are on their way at once, and overtake each other.
    expect(receivedFrom()).toHaveLength(22)
    expect(receivedFrom().slice(0, 5)).toEqual(expect.arrayContaining([honest.organizationId, parent.organizationId]))
  })

  test('its own events are given up where too many wait, and the oldest first', async () => {
    const { receiver, parent, honest, endpointId, receivedFrom, flood } = await endpointOfParent()
    await honest.done('create_users', { users: [newUser({ userName: 'honest' })] })
    const signed = await flood(20)
    deliver(parent, receiver, { waitingKept: 12 })
    await nothingWaits(parent)
    const { deliveries } = await parent.found('list_webhook_deliveries', { endpointId })
    const lost = deliveries.map(({ activityId }: Line) => activityId)
    expect(lost.toReversed()).toEqual(signed.slice(0, 9))
    expect(receivedFrom()).toContain(honest.organizationId)
  })
})

test('an event that its endpoint never takes keeps back no other', async () => {
  const organization = await startOrganization()
  const { done, clock } = organization
  const receiver = await startReceiver(({ body }) => ({ status: body.includes('poison') ? 500 : 200 }))
  await done('create_webhook_endpoint', endpointAt(receiver.url))
  for (const userName of ['poison', ...userNames(12)]) await done('create_users', { users: [newUser({ userName })] })
  const { lines } = deliver(organization, receiver)
  const beganMs = clock.nowMs
  await passing(clock, () => lines.filter(({ message }) => message === 'an event was delivered').length === 12)
  expect(clock.nowMs - beganMs).toBeLessThan(60_000)
  expect(await waitingIn(organization)).toHaveLength(1)
})

test('an endpoint that answers late leaves a place for the others of its organization', async () => {
  const organization = await startOrganization()
  const { done } = organization
  const receiver = await startReceiver(({ path }) => (path === '/late' ? new Promise<never>(() => {}) : ok))
  const of = (path: string) => receiver.received.filter((one) => one.path === path)
  await done('create_webhook_endpoint', endpointAt(`${receiver.url}/late`))
  await done('create_webhook_endpoint', endpointAt(`${receiver.url}/soon`))
  const names = userNames(12)
  for (const userName of names) await done('create_users', { users: [newUser({ userName })] })
  deliver(organization, receiver)
  await expect.poll(() => of('/soon').length, { timeout: 20_000 }).toBe(names.length)
  expect(of('/late').length).toBe(3)
  receiver.end()
})

test('several endpoints that answer late leave a place for the others of their organization', async () => {
  const organization = await startOrganization()
  const { done } = organization
  let hangs = false
  const receiver = await startReceiver(async ({ path }) => {
    if (path.startsWith('/late')) await new Promise((resolve) => !hangs && setTimeout(resolve, 1_100))
    return ok
  })
  const of = (path: string) => receiver.received.filter((one) => one.path.startsWith(path))
  for (const path of ['/late1', '/late2', '/late3']) {
    await done('create_webhook_endpoint', endpointAt(`${receiver.url}${path}`))
  }
  await done('create_webhook_endpoint', endpointAt(`${receiver.url}/soon`))
  await done('create_users', { users: [newUser({ userName: 'first' })] })
  const { said, wake } = deliver(organization, receiver)
  await said('an event was delivered', 10)
  hangs = true
  const before = of('/late').length
  const names = userNames(12)
  for (const userName of names) await done('create_users', { users: [newUser({ userName })] })
  wake()
  await expect.poll(() => of('/soon').length, { timeout: 5_000 }).toBe(1 + names.length)
  expect(of('/late').length - before).toBe(3)
  receiver.end()
})

test('after a start, endpoints that nobody knows to hang keep a place from others for no longer than a second', async () => {
  const organization = await startOrganization()
  const { done } = organization
  const receiver = await startReceiver(({ path }) => (path === '/soon' ? ok : new Promise<never>(() => {})))
  const of = (path: string) => receiver.received.filter((one) => one.path === path)
  for (const path of ['late1', 'late2', 'late3', 'late4', 'late5', 'soon']) {
    await done('create_webhook_endpoint', endpointAt(`${receiver.url}/${path}`))
  }
  const names = userNames(4)
  for (const userName of names) await done('create_users', { users: [newUser({ userName })] })
  deliver(organization, receiver)
  await expect.poll(() => of('/soon').length, { timeout: 8_000 }).toBe(names.length)
  receiver.end()
})

test('a receiver that hangs takes only the places of its organization', async () => {
  const organization = await startOrganization()
  const receiver = await startReceiver(({ path }) => (path === '/hangs' ? new Promise<never>(() => {}) : ok))
  const other = organizationOf(organization, await madeOrganization(organization))
  await organization.done('create_webhook_endpoint', endpointAt(`${receiver.url}/hangs`))
  await other.done('create_webhook_endpoint', endpointAt(`${receiver.url}/other`))
  for (let index = 0; index < 10; index += 1) {
    await organization.done('create_users', { users: [newUser({ userName: `u${index}` })] })
  }
  await other.done('create_users', { users: [newUser()] })
  const { said } = deliver(organization, receiver)
  await said('an event was delivered')
  expect(receiver.received.filter(({ path }) => path === '/other')).toHaveLength(1)
  expect(receiver.received.filter(({ path }) => path === '/hangs').length).toBeLessThanOrEqual(4)
  receiver.end() // The worker ends after what it has begun.
})

test('sub-organizations with receivers that hang leave places for other organizations', async () => {
  const organization = await startOrganization()
  const receiver = await startReceiver(({ path }) => (path === '/hangs' ? new Promise<never>(() => {}) : ok))
  for (let index = 0; index < 9; index += 1) {
    const child = organizationOf(organization, await organization.subOrganization())
    await child.done('create_webhook_endpoint', endpointAt(`${receiver.url}/hangs`))
    for (let event = 0; event < 4; event += 1) {
      await child.done('create_users', { users: [newUser({ userName: `u${event}` })] })
    }
  }
  // The worker comes to it last.
  const other = organizationOf(organization, await madeOrganization(organization))
  await other.done('create_webhook_endpoint', endpointAt(`${receiver.url}/other`))
  await other.done('create_users', { users: [newUser()] })
  const { said } = deliver(organization, receiver)
  await said('an event was delivered')
  expect(receiver.received.filter(({ path }) => path === '/hangs').length).toBeLessThanOrEqual(16)
  receiver.end()
})

test('sub-organizations with receivers that hang leave places to their parent', async () => {
  const organization = await startOrganization()
  const receiver = await startReceiver(({ path }) => (path === '/hangs' ? new Promise<never>(() => {}) : ok))
  const of = (path: string) => receiver.received.filter((one) => one.path === path).length
  for (let index = 0; index < 17; index += 1) {
    const child = organizationOf(organization, await organization.subOrganization())
    await child.done('create_webhook_endpoint', endpointAt(`${receiver.url}/hangs`))
    await child.done('create_users', { users: [newUser()] })
  }
  const { wake } = deliver(organization, receiver)
  await expect.poll(() => of('/hangs')).toBe(12)
  await organization.done('create_webhook_endpoint', endpointAt(`${receiver.url}/parent`))
  await organization.done('create_users', { users: [newUser()] })
  wake()
  await expect.poll(() => of('/parent')).toBe(1)
  expect(of('/hangs')).toBe(12)
  receiver.end()
})

async function madeOrganization({ server }: TestOrganization) {
  const { organizationId, userId, apiKey } = await server.createOrganization()
  return { organizationId, rootUserId: userId, apiKey }
}

test('plain HTTP to this machine is for development: elsewhere nothing is sent without TLS', async () => {
  const organization = await startOrganization({ loopbackHttp: true })
  const heard: string[] = []
  const receiver = createServer((request, response) => {
    heard.push(request.url ?? '')
    response.end()
  })
  receiver.listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  onTestFinished(() => void receiver.close())
  const url = `http://127.0.0.1:${portOf(receiver.address())}/hook`
  await organization.done('create_webhook_endpoint', endpointAt(url))
  await organization.done('create_wallet', { walletName: 'w', accounts: [] })

  const production = deliver(organization)
  const [line] = await production.said('takes no events')
  expect(line).toMatchObject({ reason: 'encryption' })
  await production.close(AbortSignal.timeout(10_000))
  expect(heard).toEqual([])

  deliver(organization, { loopbackHttp: true })
  await passing(organization.clock, () => heard.length > 0)
  expect(heard).toEqual(['/hook'])
})
