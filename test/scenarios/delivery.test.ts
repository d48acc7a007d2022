import { once } from 'node:events'
import { readdirSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import PostalMime from 'postal-mime'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { findOperation } from '../../src/operations/catalogue.ts'
import type { Message } from '../../src/protocol/wire/outgoing_messages.ts'
import { createCarriers } from '../../src/service/delivery/carriers/carriers.ts'
import { startDelivery } from '../../src/service/delivery/delivery.ts'
import { createSubmit } from '../../src/service/requests/submit.ts'
import { readSettings } from '../../src/service/settings/settings.ts'
import { activityRequest } from '../support/client.ts'
import { withDatabase } from '../support/database.ts'
import { mail, passcode, sms, writeMessages } from '../support/outbox.ts'
import { startRunningServer } from '../support/running_server.ts'
import { madeFolder } from '../support/server_command.ts'
import { databaseText, isOnPostgres, openStoreIn } from '../support/server_database.ts'
import { freePort, portOf, startHangingServer, startMailServer } from '../support/smtp_server.ts'
import { stampWith } from '../support/stamping.ts'
import { start } from '../support/start.ts'

/** A server with real parts at each end: what an operation sends arrives at an SMTP server and at an SMS gateway. */

type Asked = { readonly to: string; readonly text: string; readonly messageId: string }

async function startGateway() {
  const asked: Asked[] = []
  const arrived = Promise.withResolvers<void>()
  const server = createServer(async (request, response) => {
    asked.push((await json(request)) as Asked)
    response.writeHead(200).end()
    arrived.resolve()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${portOf(server.address())}/`, asked, arrived: arrived.promise }
}

async function startMail() {
  const server = await startMailServer()
  onTestFinished(() => server.close())
  return { ...server, url: `smtp://127.0.0.1:${server.port}` }
}

/** Writes messages into the data folder of a server that does not run. */
async function writeBeforeStart(folder: string, messages: readonly Message[], lifetimeMs = 300_000) {
  const store = await openStoreIn(folder)
  const expiresAtMs = Date.now() + lifetimeMs
  const rows = await writeMessages(
    { folder, store },
    messages.map((message) => ({ ...message, expiresAtMs })),
  )
  await store.close()
  return rows
}

const outboxRows = (folder: string) => withDatabase(folder, (hand) => hand.read({ table: 'outbox', where: {} }))

/**
 * Another node may be at work on a message for a minute, so no node takes it meanwhile. The embedded database has one
 * node, which takes it at its start.
 */
function endLease(folder: string): void {
  if (isOnPostgres) withDatabase(folder, (hand) => hand.update({ table: 'outbox', where: {} }, { due_at_ms: 0 }))
}

async function untilEmpty(folder: string): Promise<void> {
  while (outboxRows(folder).length > 0) await new Promise((resolve) => setTimeout(resolve, 20))
}

/** Waits until the server has logged so many lines with this text. */
async function said({ complaints }: { readonly complaints: readonly string[] }, text: string, count = 1) {
  while (complaints.filter((line) => line.includes(text)).length < count) {
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

describe('an operation that sends', () => {
  /** The rename of an organization, and with it these messages. */
  async function prepare({ thenFails = false } = {}) {
    const server = await start()
    const { organizationId, apiKey } = await server.createOrganization()
    const operation = findOperation('/public/v1/submit/update_organization_name')
    const accepted = operation?.kind === 'activity' ? operation.types[0] : undefined
    if (accepted === undefined) throw new Error('this is an activity')
    const { read } = accepted
    vi.spyOn(accepted, 'read').mockImplementation((...given) => {
      const bound = read(...given)
      const run: typeof bound.run = async (context) => {
        for (const message of [mail, sms]) context.send({ ...message, expiresAtMs: context.nowMs + 60_000 })
        if (thenFails) throw new Error('it fails after it has sent')
        return await bound.run(context)
      }
      return { ...bound, run }
    })
    onTestFinished(() => void vi.restoreAllMocks())

    function request(organizationName: string) {
      const parameters = { organizationName }
      const { path, body } = activityRequest('update_organization_name', {
        organizationId,
        parameters,
        timestampMs: Date.now(),
      })
      const bytes = Buffer.from(body)
      return {
        path,
        body: bytes,
        stamps: [{ header: 'x-stamp', value: stampWith(apiKey, bytes) }],
        dialect: 'spec',
      } as const
    }
    return { server, request }
  }

  test('reaches mailbox and phone once its activity is committed, also when the same bytes come again', async () => {
    const { server, request } = await prepare()
    const [mailServer, gateway] = [await startMail(), await startGateway()]
    const { delivery: settings } = readSettings({
      flags: { 'smtp-url': mailServer.url, 'sms-url': gateway.url },
      environment: {},
    })
    const log = { debug() {}, info() {}, warn: expect.fail, error: expect.fail }
    const carriers = createCarriers(settings, { folder: join(server.folder, 'outbox'), log })
    const delivery = startDelivery({ store: server.store, vault: server.vault, carriers, log })
    onTestFinished(() => delivery.close())
    const wake = vi.fn(delivery.wake)
    const submit = createSubmit({ store: server.store, vault: server.vault, delivery: { wake }, log })

    const renamed = request('Renamed')
    expect((await submit(renamed)).status).toBe(200)
    const [received] = await mailServer.arrived(1)
    await gateway.arrived
    expect(received).toMatchObject({
      to: ['ada@example.org'],
      mail: {
        subject: 'Dein Zugangscode',
        text: expect.stringContaining(passcode),
        html: expect.stringContaining(passcode),
      },
    })
    expect(gateway.asked).toMatchObject([{ to: sms.to, text: sms.text }])

    expect((await submit(renamed)).status).toBe(200)
    await untilEmpty(server.folder)
    expect([mailServer.received.length, gateway.asked.length]).toEqual([1, 1])
    expect(wake).toHaveBeenCalledTimes(1)
  })

  test('and then fails has sent nothing', async () => {
    const { server, request } = await prepare({ thenFails: true })
    expect((await server.submit(request('Never'))).status).toBe(500)
    expect(outboxRows(server.folder)).toEqual([])
  })

  test('leaves neither recipient nor content readable in the database', async () => {
    const { server, request } = await prepare()
    expect((await server.submit(request('Renamed'))).status).toBe(200)
    expect(outboxRows(server.folder)).toHaveLength(2)
    expectNoSecret(server.folder)
  })
})

describe('the running server', () => {
  test('delivers what waited while it was away, and says nothing of what it delivers', async () => {
    const folder = await madeFolder()
    const [row] = await writeBeforeStart(folder, [mail, sms])
    const [mailServer, gateway] = [await startMail(), await startGateway()]
    const flags = ['--smtp-url', mailServer.url, '--sms-url', gateway.url, '--log-level', 'debug']
    const server = await startRunningServer({ folder, flags })
    const [received] = await mailServer.arrived(1)
    await gateway.arrived
    expect(received?.mail).toMatchObject({ subject: 'Dein Zugangscode', messageId: `<${row?.messageId}@localhost>` })
    expect(gateway.asked).toMatchObject([{ to: sms.to, text: sms.text }])
    await said(server, 'a message was delivered', 2)
    expect(outboxRows(folder)).toEqual([])
    expectNoSecret(folder)
    await server.stop()
    expectNoSecret(folder)
    expectNoSecretIn([...server.complaints, ...server.lines].join('\n'))
  })

  test('that is killed in the middle of a delivery delivers after its restart', async () => {
    const folder = await madeFolder()
    const [row] = await writeBeforeStart(folder, [mail])
    const hanging = await startHangingServer({ greeting: '220 mail.example ESMTP\r\n' })
    onTestFinished(() => hanging.close())
    const first = await startRunningServer({ folder, flags: ['--smtp-url', `smtp://127.0.0.1:${hanging.port}`] })
    await hanging.connected
    await first.end('SIGKILL')
    endLease(folder)
    expect(outboxRows(folder)).toMatchObject([{ message_id: row?.messageId, attempts: 1 }])

    const mailServer = await startMail()
    const second = await startRunningServer({ folder, flags: ['--smtp-url', mailServer.url] })
    const [received] = await mailServer.arrived(1)
    expect(received?.mail.text).toContain(passcode)
    await untilEmpty(folder)
    await second.stop()
    expectNoSecretIn([...first.complaints, ...second.complaints].join('\n'))
  })

  test('that is killed after the server took the mail and before it noted so sends the same mail again', async () => {
    const folder = await madeFolder()
    await writeBeforeStart(folder, [mail])
    const taken = Promise.withResolvers<string>()
    const deaf = await startMailServer({
      // Takes the whole mail, and never says so.
      onData: (stream) => {
        let content = ''
        stream.on('data', (chunk) => {
          content += chunk
        })
        stream.on('end', () => taken.resolve(content))
      },
    })
    onTestFinished(() => deaf.close())
    const first = await startRunningServer({ folder, flags: ['--smtp-url', `smtp://127.0.0.1:${deaf.port}`] })
    const before = await PostalMime.parse(await taken.promise)
    await first.end('SIGKILL')
    endLease(folder)

    const mailServer = await startMail()
    const second = await startRunningServer({ folder, flags: ['--smtp-url', mailServer.url] })
    const [received] = await mailServer.arrived(1)
    expect(received?.mail).toMatchObject({ messageId: before.messageId, text: before.text })
    await second.stop()
  })

  test('tries again until a server that was away is back', async () => {
    const folder = await madeFolder()
    await writeBeforeStart(folder, [mail])
    const port = await freePort()
    const server = await startRunningServer({ folder, flags: ['--smtp-url', `smtp://127.0.0.1:${port}`] })
    await said(server, 'ECONNREFUSED')
    const mailServer = await startMailServer({}, port)
    onTestFinished(() => mailServer.close())
    await mailServer.arrived(1)
    await untilEmpty(folder)
    await server.stop()
    expectNoSecretIn(server.complaints.join('\n'))
  })

  test('ends in order while a delivery is on its way: it is finished first', async () => {
    const folder = await madeFolder()
    await writeBeforeStart(folder, [mail])
    const reached = Promise.withResolvers<() => void>()
    const slow = await startMailServer({
      onMailFrom: (_address, _session, done) => reached.resolve(() => done()),
    })
    onTestFinished(() => slow.close())
    const server = await startRunningServer({ folder, flags: ['--smtp-url', `smtp://127.0.0.1:${slow.port}`] })
    const goOn = await reached.promise
    const stopped = server.stop()
    await new Promise((resolve) => setTimeout(resolve, 200))
    goOn()
    await stopped
    expect(slow.received).toHaveLength(1)
    expect(outboxRows(folder)).toEqual([])
  })

  test('ends in order and soon, whatever hangs: mail that is cut off is sent again after the next start', async () => {
    const folder = await madeFolder()
    await writeBeforeStart(folder, [mail])
    const hanging = await startHangingServer({ greeting: '220 mail.example ESMTP\r\n' })
    onTestFinished(() => hanging.close())
    const first = await startRunningServer({ folder, flags: ['--smtp-url', `smtp://127.0.0.1:${hanging.port}`] })
    await hanging.connected
    const halfSent = connect(Number(new URL(first.url).port), '127.0.0.1').on('error', () => {})
    halfSent.write('POST /public/v1/query/whoami HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{')
    const startMs = performance.now()
    await first.stop()
    // Docker gives ten seconds. A busy machine takes some more.
    expect(performance.now() - startMs).toBeLessThan(30_000)
    expect(first.complaints.filter((line) => line.includes('"error"'))).toEqual([])

    const mailServer = await startMail()
    const second = await startRunningServer({ folder, flags: ['--smtp-url', mailServer.url] })
    await mailServer.arrived(1)
    await second.stop()
  })

  test('without settings writes files for its owner only, and `dev` does not warn of that', async () => {
    const folder = await madeFolder()
    const rows = await writeBeforeStart(folder, [mail, sms])
    const dev = await startRunningServer({ folder })
    await untilEmpty(folder)
    await dev.stop()
    const names = rows.map(({ messageId, channel }) => `${messageId}.${channel === 'mail' ? 'eml' : 'txt'}`)
    expect(readdirSync(join(folder, 'outbox')).toSorted()).toEqual(names.toSorted())
    for (const name of names) expect(statSync(join(folder, 'outbox', name)).mode & 0o777).toBe(0o600)
    expect(dev.complaints.filter((line) => line.includes('reach nobody'))).toEqual([])
  })

  test.each([
    [[], ['mail', 'sms']],
    [['--smtp-url', 'smtp://127.0.0.1:9'], ['sms']],
    [['--smtp-url', 'smtp://127.0.0.1:9', '--sms-url', 'https://sms.invalid'], []],
  ])('as `serve` with the settings %j warns that files reach nobody: %j', async (flags, warned) => {
    const folder = await madeFolder()
    const serve = await startRunningServer({ folder, command: 'serve', flags })
    await serve.stop()
    const warnings = serve.complaints.filter((line) => line.includes('reach nobody')).map((line) => JSON.parse(line))
    expect(warnings).toMatchObject(
      warned.map((channel) => ({ level: 'warn', channel, folder: join(folder, 'outbox') })),
    )
  })
})

const secrets = [passcode, 'ada@example.org', '14155550123', 'Zugangscode']

function expectNoSecret(folder: string): void {
  const text = databaseText(folder)
  expect(text).not.toBe('')
  expectNoSecretIn(text)
}

function expectNoSecretIn(text: string): void {
  expect(secrets.filter((secret) => text.includes(secret))).toEqual([])
}
