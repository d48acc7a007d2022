import { sign } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { encryptOtpCodeToBundle } from '@turnkey/crypto'
import { SMTPServer } from 'smtp-server'
import { type ApiKeyPair, generateApiKey } from '../test/support/stamping.ts'
import { type Connection, openConnection } from './connection.ts'
import { middleHalf, readBenchArguments } from './loading.ts'
import { type Client, startClaviger } from './servers.ts'
import { activityBody, createStamper } from './stamping.ts'
import { createTenant, typeOf } from './tenants.ts'
import { type Spent, timeSpentBy } from './thread_time.ts'

/**
 * Measures a login by a passcode: the processor time of the server, for each of the three requests and by thread, and
 * the logins per second.
 *
 *     node bench/logins.ts [--connections 1,16] [--rounds 5] [--scale 1]
 *
 * Every login is of another user, in another sub-organization. The mail goes to an SMTP server in this process. A step is asked for by all users
 * before the next one is, and the processor time of a step ends when its mails have arrived. What the client computes
 * (a key, an encryption by HPKE, a signature) stands outside the clock.
 */
const { connections: connectionCounts, rounds, scale } = readBenchArguments({ rounds: 5, connections: '1,16' })
const logins = Math.ceil(200 * scale)

type Round = { readonly spent: ReadonlyMap<Step, Spent>; readonly perSecond: number }
const steps = ['init_otp', 'verify_otp', 'otp_login'] as const
type Step = (typeof steps)[number]

const mails = await startMails()
const folder = await mkdtemp(join(tmpdir(), 'claviger-logins-'))
const server = await startClaviger(join(folder, 'data'), { more: ['--smtp-url', `smtp://127.0.0.1:${mails.port}`] })
const spentSince = timeSpentBy(server)
const signer = await signerOf(server.url)
let made = 0
try {
  await measure(16) // Node compiles what is used.
  for (const connections of connectionCounts) {
    const all: Round[] = []
    for (let round = 0; round < rounds; round += 1) all.push(await measure(connections))
    report(connections, all)
  }
} finally {
  await server.stop()
  mails.close()
  await rm(folder, { recursive: true, force: true })
}

/** One login of each of so many users, who have never logged in. */
async function measure(connections: number): Promise<Round> {
  const users = await newUsers()
  const spent = new Map<Step, Spent>()
  let seconds = 0
  async function ask(step: Step, parameters: readonly object[], done?: () => Promise<void>) {
    const requests = users.map(({ tenant: { credentials } }, at) => {
      const body = activityBody(credentials.organizationId, typeOf(step), parameters[at] ?? {})
      return createStamper(credentials)(`/public/v1/submit/${step}`, body)
    })
    spentSince()
    const startMs = performance.now()
    const results = await exchangeAll(connections, requests)
    await done?.()
    seconds += (performance.now() - startMs) / 1000
    spent.set(step, new Map([...spentSince()].map(([name, inAll]) => [name, inAll / requests.length])))
    return results
  }
  const flows = await ask(
    'init_otp',
    users.map(({ contact }) => ({ contact, otpType: 'OTP_TYPE_EMAIL', appName: 'Bench' })),
    () => mails.arrived(users.map(({ contact }) => contact)),
  )
  const encrypted = users.map(async ({ contact, key }, at) => {
    const { otpId, otpEncryptionTargetBundle: target = '' } = flows[at] ?? {}
    const code = mails.codeFor(contact)
    return { otpId, encryptedOtpBundle: await encryptOtpCodeToBundle(code, target, key.publicKey, signer) }
  })
  const tokens = await ask('verify_otp', await Promise.all(encrypted))
  const sessions = users.map(({ key }, at) => loginWith(tokens[at]?.verificationToken ?? '', key))
  await ask('otp_login', sessions)
  return { spent, perSecond: logins / seconds }
}

type User = { readonly tenant: Client; readonly contact: string; readonly key: ApiKeyPair }

/** Each is the root user of a sub-organization. */
async function newUsers(): Promise<readonly User[]> {
  const users: User[] = []
  for (let at = 0; at < logins; at += 1) {
    const contact = `user${++made}@example.org`
    users.push({ tenant: await createTenant(server, contact, contact), contact, key: generateApiKey() })
  }
  return users
}

type Result = Readonly<Record<string, string>>

/** Sends the requests over so many connections. Returns the results in the order of the requests. */
async function exchangeAll(connections: number, requests: readonly Buffer[]): Promise<readonly Result[]> {
  const opened = await Promise.all(Array.from({ length: connections }, () => openConnection(server.url)))
  const results: Result[] = []
  let next = 0
  async function run(connection: Connection) {
    for (let at = next++; at < requests.length; at = next++) {
      const { status, body } = await connection.exchange(requests[at] ?? Buffer.of())
      if (status !== 200) throw new Error(`an answer ${status}: ${body}`)
      const [result] = Object.values(JSON.parse(body.toString('utf8')).activity.result)
      results[at] = result as Result
    }
  }
  await Promise.all(opened.map(run))
  for (const connection of opened) connection.close()
  return results
}

function loginWith(verificationToken: string, client: ApiKeyPair): object {
  const { publicKey } = generateApiKey()
  const claims = JSON.parse(Buffer.from(verificationToken.split('.')[1] ?? '', 'base64url').toString('utf8'))
  const message = JSON.stringify({ login: { publicKey }, tokenId: claims.id, type: 'USAGE_TYPE_LOGIN' })
  const signature = sign('sha256', Buffer.from(message), { key: client.privateKey, dsaEncoding: 'ieee-p1363' })
  const clientSignature = {
    publicKey: client.publicKey,
    scheme: 'CLIENT_SIGNATURE_SCHEME_API_P256',
    message,
    signature: signature.toString('hex'),
  }
  return { verificationToken, publicKey, clientSignature }
}

/** The key that signs the targets of passcodes: uncompressed, in hex. */
async function signerOf(url: string): Promise<string> {
  const answer = await fetch(new URL('/.well-known/jwks.json', url))
  const { keys } = JSON.parse(await answer.text()) as { keys: { kid: string; x: string; y: string }[] }
  const { x = '', y = '' } = keys.find(({ kid }) => kid === 'tlsFetcherSigning') ?? {}
  return `04${[x, y].map((half) => Buffer.from(half, 'base64url').toString('hex')).join('')}`
}

/** An SMTP server that keeps the last passcode of each contact. */
async function startMails() {
  const codes = new Map<string, string>()
  let changed = Promise.withResolvers<void>()
  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    disableReverseLookup: true,
    onData(stream, { envelope }, done) {
      void text(stream).then((mail) => {
        const code = /^Your passcode for .* is (\S+)\r?$/m.exec(mail)?.[1]
        for (const { address } of envelope.rcptTo) codes.set(address, code ?? '')
        done()
        changed.resolve()
        changed = Promise.withResolvers()
      })
    },
  })
  await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', () => resolve()))
  const address = smtp.server.address()
  return {
    port: typeof address === 'object' ? address?.port : undefined,
    codeFor: (contact: string) => codes.get(contact) ?? '',
    async arrived(contacts: readonly string[]) {
      while (contacts.some((contact) => !codes.has(contact))) await changed.promise
    },
    close: () => smtp.close(),
  }
}

function report(connections: number, all: readonly Round[]): void {
  const rate = middleHalf(all.map(({ perSecond }) => perSecond))
  console.log(
    `${connections} connections, ${all.length} rounds of ${logins} logins: ${rate.median.toFixed(0)} a second ` +
      `(${rate.from.toFixed(0)} to ${rate.to.toFixed(0)})`,
  )
  const inAll = ({ spent }: Round, step: Step) =>
    [...(spent.get(step)?.values() ?? [])].reduce((sum, part) => sum + part, 0)
  let sum = 0
  for (const step of steps) {
    const { median } = middleHalf(all.map((round) => inAll(round, step)))
    sum += median
    console.log(`  ${step}: ${(median / 1000).toFixed(2)} ms`)
    for (const name of all[0]?.spent.get(step)?.keys() ?? []) {
      const thread = middleHalf(all.map(({ spent }) => spent.get(step)?.get(name) ?? 0)).median
      if (thread >= 50) console.log(`    ${name}: ${(thread / 1000).toFixed(2)}`)
    }
  }
  console.log(`  a login: ${(sum / 1000).toFixed(2)} ms of processor time`)
}
