import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { createServer as createHttpServer } from 'node:http'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { createServer as createTlsServer } from 'node:tls'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { costlyChain } from '../../../../test/support/certificates.ts'
import { portOf, startMailServer } from '../../../../test/support/smtp_server.ts'
import { createSmsThread, createSmtpThread, type SmtpThreadData } from './carrier_threads.ts'

type About = Parameters<ReturnType<typeof createSmtpThread>>[1]
const mail = { channel: 'mail', to: 'ada@example.com', subject: 'One', text: 'two' } as const
const socketsHere = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length

function dataFor(port: number): SmtpThreadData {
  const server = { host: '127.0.0.1', port, encryption: 'opportunistic', isLocal: true, login: undefined } as const
  return { server, sender: { address: 'keys@example.org', name: 'Keys' } }
}

const carrierTo = (port: number) => createSmtpThread(dataFor(port), { log: { error: expect.fail } })

const sms = { channel: 'sms', to: '+14155550123', text: 'two' } as const
const smsCarrierTo = (port: number) => {
  const gateway = { url: `http://127.0.0.1:${port}`, authorization: undefined }
  return createSmsThread({ gateway, caFile: undefined }, { log: { error: expect.fail } })
}

test.each([
  ['mail', (port: number, about: About) => carrierTo(port)(mail, about)],
  ['SMS', (port: number, about: About) => smsCarrierTo(port)(sms, about)],
])('another thread connects to the server for %s, and nobody waits for it beyond the attempt', async (_, carry) => {
  const before = socketsHere()
  const accepted: Socket[] = []
  const silent = createServer((socket) => void accepted.push(socket)).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  onTestFinished(async () => {
    for (const socket of accepted) socket.destroy()
    silent.close()
    await expect.poll(socketsHere).toBe(before) // so that the next test counts none of these
  })
  const ending = new AbortController()
  const carried = carry(portOf(silent.address()), { messageId: 'one', signal: ending.signal })
  await once(silent, 'connection')
  expect(socketsHere() - before).toBe(1) // that of the server
  ending.abort()
  expect(await carried).toEqual({ kind: 'failed', reason: 'timeout' })
})

test('a mail with a logo arrives from another thread', async () => {
  const server = await startMailServer()
  onTestFinished(() => server.close())
  const carry = carrierTo(server.port)
  const logo = { type: 'image/png', bytes: Buffer.from('logo') } as const
  const about = { messageId: 'one', signal: new AbortController().signal }
  expect(await carry({ ...mail, html: '<p>two</p>', logo }, about)).toEqual({ kind: 'delivered' })
  const [received] = server.received
  expect(received?.mail).toMatchObject({ subject: 'One', text: expect.stringContaining('two') })
  expect(received?.mail.attachments[0]?.content).toEqual(new Uint8Array(logo.bytes).buffer)
})

test('an SMS arrives from another thread', async () => {
  const taken: string[] = []
  const gateway = createHttpServer((request, response) => {
    void text(request).then((body) => {
      taken.push(body)
      response.end()
    })
  }).listen(0, '127.0.0.1')
  await once(gateway, 'listening')
  onTestFinished(() => void gateway.close())
  const about = { messageId: 'one', signal: new AbortController().signal }
  expect(await smsCarrierTo(portOf(gateway.address()))(sms, about)).toEqual({ kind: 'delivered' })
  expect(taken.map((body) => JSON.parse(body))).toEqual([{ to: '+14155550123', text: 'two', messageId: 'one' }])
})

test('a process ends while the thread waits for more', async () => {
  const server = await startMailServer()
  onTestFinished(() => server.close())
  const thread = JSON.stringify(new URL('./carrier_threads.ts', import.meta.url))
  const program = `
    const { createSmtpThread } = await import(${thread})
    const carry = createSmtpThread(${JSON.stringify(dataFor(server.port))}, { log: console })
    const held = setInterval(() => {}, 1_000)
    const about = { messageId: 'one', signal: new AbortController().signal }
    process.stdout.write((await carry(${JSON.stringify(mail)}, about)).kind)
    clearInterval(held)`
  const path = join(await mkdtemp(join(tmpdir(), 'claviger-mail-')), 'program.mjs')
  await writeFile(path, program)
  const { stdout } = await promisify(execFile)(process.execPath, [path], { timeout: 30_000 })
  expect(stdout).toBe('delivered')
})

/** Starts a mail server that holds its costly certificates back until so many connections wait for them. */
async function startCostlyServer(encryption: 'tls' | 'starttls', connections: number) {
  const inside = createTlsServer(costlyChain(70), (socket) => socket.on('error', () => {})).listen(0, '127.0.0.1')
  inside.on('tlsClientError', () => {})
  await once(inside, 'listening')
  const all = Promise.withResolvers<void>()
  const opened: Socket[] = []
  let waiting = 0
  const hold = (client: Socket) => {
    const behind = connect(portOf(inside.address()), '127.0.0.1')
    opened.push(behind.on('error', () => {}))
    client.pipe(behind)
    behind.once('readable', () => {
      if (++waiting === connections) all.resolve()
      void all.promise.then(() => behind.pipe(client))
    })
  }
  const server = createServer((client) => {
    opened.push(client.on('error', () => {}))
    if (encryption === 'tls') return hold(client)
    client.write('220 costly\r\n')
    client.on('data', (line) => {
      if (!String(line).startsWith('STARTTLS')) return void client.write('250-costly\r\n250 STARTTLS\r\n')
      client.removeAllListeners('data')
      client.write('220 go on\r\n')
      hold(client)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of opened) socket.destroy()
    for (const one of [server, inside]) one.close()
  })
  return { port: portOf(server.address()), released: all.promise }
}

test.each(['tls', 'starttls'] as const)(
  'a process ends while the thread reads costly certificates: %s',
  async (encryption) => {
    const mails = 16
    const { port, released } = await startCostlyServer(encryption, mails)
    const thread = JSON.stringify(new URL('./carrier_threads.ts', import.meta.url))
    const data = dataFor(port)
    const program = `
    const { createSmtpThread } = await import(${thread})
    const carry = createSmtpThread(${JSON.stringify({ ...data, server: { ...data.server, encryption } })}, { log: console })
    const about = { messageId: 'one', signal: new AbortController().signal }
    for (let count = 0; count < ${mails}; count++) void carry(${JSON.stringify(mail)}, about)
    process.stdin.once('data', () => setTimeout(() => process.exit(0), 1_000))
    process.stdin.once('end', () => process.exit(1))`
    const path = join(await mkdtemp(join(tmpdir(), 'claviger-mail-')), 'program.mjs')
    await writeFile(path, program)
    // Its times are known once it has ended with all its threads.
    const script = '"$0" "$1" || exit; times'
    const child = spawn('sh', ['-c', script, process.execPath, path], { stdio: ['pipe', 'pipe', 'inherit'] })
    onTestFinished(() => void child.stdin.end())
    const printed = text(child.stdout)
    await released
    child.stdin.write('end\n')
    const [, ofProgram] = (await printed).split('\n')
    // All of these certificates take some 13 seconds of a processor.
    expect(ofProgram).toMatch(/^0m[0-3]\./)
  },
)
