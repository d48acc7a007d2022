import { existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Duplex, PassThrough } from 'node:stream'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { listenForService } from '../../src/cli/vault/listener.ts'
import { limitsDefault } from '../../src/contract/limits.ts'
import { oauth2EndpointsKnown } from '../../src/contract/oauth2.ts'
import type { OpenPipe } from '../../src/link/verbs.ts'
import { createDial } from '../../src/service/delivery/connections/dial.ts'
import { issuerDestinations } from '../../src/service/delivery/connections/issuers.ts'
import { startVault } from '../../src/service/vault/client.ts'
import { emptyNetwork } from '../../src/service/vault/empty_network.ts'
import { spawnVault } from '../../src/service/vault/vault_process.ts'
import { connectVault } from '../../src/service/vault/vault_socket.ts'
import { type OidcIssuer, startOidcIssuer } from '../support/oidc_issuer.ts'

// A vault in its own process, a real issuer, and between them an honest or a stolen service.

const entryPath = join(import.meta.dirname, '..', 'support', 'fetching_vault.ts')

let issuer: OidcIssuer
beforeAll(async () => {
  issuer = await startOidcIssuer()
})
afterAll(() => issuer.close())

function honestDial(): OpenPipe {
  const destinations = issuerDestinations({ oidcIssuers: [issuer.url], oidcKeyHosts: [] })
  return createDial({ destinations, privateAddresses: true })
}

async function startFetchingVault(
  dial: OpenPipe = honestDial(),
  oidcIssuers: readonly string[] = [issuer.url],
  { listensOn, inside = [] }: { readonly listensOn?: string; readonly inside?: readonly string[] } = {},
) {
  const settings = {
    unsealer: { kind: 'keyFile', path: '/nowhere', create: false },
    journalDirectory: '/nowhere',
    operatorSocket: '/nowhere',
    limits: limitsDefault,
    oidcIssuers,
    oidcAudiences: [],
    oauth2Endpoints: oauth2EndpointsKnown,
    ownIssuer: undefined,
    consoleUrl: undefined,
    sendsNotices: false,
    caFile: issuer.caFile,
    loopbackHttp: false,
    sandboxPasscodes: false,
    mailDecider: 'parent',
    vaults: 1,
    logHost: undefined,
    logWaitingMbMax: 128,
  } as const
  const log = { info() {}, warn() {}, error() {} }
  if (listensOn !== undefined) {
    const listener = await listenForService({ path: listensOn, settings, log, entryPath })
    onTestFinished(() => listener.close())
  }
  const vault = startVault({
    open: (signal) =>
      listensOn === undefined
        ? spawnVault({ settings, dial, log, entryPath, inside })
        : connectVault({ path: listensOn, dial, signal }),
    vaultState: { load: async () => new Uint8Array(), initialize: async (state) => state },
    log,
  })
  onTestFinished(() => vault.close())
  await vault.started

  async function ask(path: string, body = '') {
    const request = {
      path,
      body: Buffer.from(body),
      stamps: [],
      dialect: 'spec',
      presented: [],
      outcomes: [],
    } as const
    const answer = await vault.answer(request)
    if (answer.kind !== 'answer') throw new Error(`expected an answer, got ${answer.kind}`)
    return { status: answer.status, body: JSON.parse(Buffer.from(answer.body).toString()) }
  }
  return {
    vault,
    verify: (token: string) => ask('/verify', token),
    pid: async () => (await ask('/pid')).body as number,
  }
}

test('the vault verifies with keys that it fetched through the service', async () => {
  const { verify } = await startFetchingVault()
  const token = await issuer.mint({ sub: 'ada', nonce: 'n' })
  expect(await verify(token)).toMatchObject({
    status: 200,
    body: { subject: 'ada', audience: issuer.clientId, nonce: 'n' },
  })
})

test('a vault that listens on a socket fetches through the service that has connected', async () => {
  const listensOn = join(mkdtempSync(join(tmpdir(), 'claviger-evidence-')), 'vault.sock')
  const { verify } = await startFetchingVault(honestDial(), [issuer.url], { listensOn })
  expect(await verify(await issuer.mint({ sub: 'ada' }))).toMatchObject({ status: 200, body: { subject: 'ada' } })
})

test('a vault without a network fetches through the service', async () => {
  const inside = await emptyNetwork({ warn() {} })
  const { verify, pid } = await startFetchingVault(honestDial(), [issuer.url], { inside })
  expect(await verify(await issuer.mint({ sub: 'ada' }))).toMatchObject({ status: 200, body: { subject: 'ada' } })
  if (inside.length > 0) expect(interfacesOf(await pid())).toEqual(['lo'])
})

test('the service connects only to destinations that its operator named', async () => {
  const elsewhere = await startOidcIssuer({ authority: issuer.authority })
  onTestFinished(() => elsewhere.close())
  // A vault that was made to ask for another host:
  const { verify } = await startFetchingVault(honestDial(), [elsewhere.url])
  const { status, body } = await verify(await elsewhere.mint({ sub: 'ada' }))
  expect(status).toBe(503)
  expect(body.message).toContain(`localhost:${elsewhere.port} is no destination of the settings`)
  expect(elsewhere.requests).toEqual([])
})

test('an issuer that does not answer delays no other request', async () => {
  const { verify, pid, vault } = await startFetchingVault()
  const asked = Promise.withResolvers<void>()
  issuer.intercept = () => {
    asked.resolve()
    return true
  }
  onTestFinished(() => {
    issuer.intercept = undefined
  })
  let isOver = false
  const waiting = verify(await issuer.mint({ sub: 'ada' })).finally(() => {
    isOver = true
  })
  await asked.promise
  const waitingToo = verify(await issuer.mint({ sub: 'bob' }))
  for (let times = 0; times < 100; times += 1) expect(await pid()).toBeGreaterThan(0)
  expect(await vault.publishedKeys()).toEqual({})
  expect(isOver).toBe(false)
  for (const { status, body } of await Promise.all([waiting, waitingToo])) {
    expect([status, body.code]).toEqual([503, 14])
    expect(body.message).toContain('no answer in time')
  }
})

test.runIf(existsSync('/proc/self/fd'))(
  'the process of the vault has no socket of its own while it fetches',
  async () => {
    const { verify, pid } = await startFetchingVault()
    const asked = Promise.withResolvers<readonly string[]>()
    const socketsOf = (id: number) =>
      readdirSync(`/proc/${id}/fd`)
        .map((descriptor) => linkOf(`/proc/${id}/fd/${descriptor}`))
        .filter((target) => target.startsWith('socket:'))
    const id = await pid()
    const before = socketsOf(id)
    issuer.intercept = () => {
      asked.resolve(socketsOf(id))
      return false
    }
    onTestFinished(() => {
      issuer.intercept = undefined
    })
    expect(await verify(await issuer.mint({ sub: 'ada' }))).toMatchObject({ status: 200 })
    expect(before.length).toBeGreaterThan(0)
    expect(await asked.promise).toEqual(before)
  },
)

describe('a stolen service can refuse evidence and not forge it:', () => {
  for (const [name, dial] of [
    ['it refuses', () => new PassThrough().destroy(new Error('no'))],
    ['it ends every connection', ended],
    ['it sends 10 MB', flooding],
    ['it sends what it received', () => new PassThrough()],
  ] as const satisfies readonly (readonly [string, OpenPipe])[]) {
    test(name, async () => {
      const { verify, pid } = await startFetchingVault(dial)
      const { status, body } = await verify(await issuer.mint({ sub: 'ada' }))
      expect([status, body.code]).toEqual([503, 14])
      expect(body.message).toContain(`the keys of the issuer ${issuer.url} cannot be fetched: `)
      expect(await pid()).toBeGreaterThan(0)
    })
  }

  test('it leads the vault to an issuer of its own that has the same name', async () => {
    const impostor = await startOidcIssuer()
    onTestFinished(() => impostor.close())
    const toImpostor = createDial({ destinations: new Set([`localhost:${impostor.port}`]), privateAddresses: true })
    const { verify } = await startFetchingVault(() => toImpostor({ host: 'localhost', port: impostor.port }))
    const forged = await impostor.mint({ sub: 'ada', iss: issuer.url })
    const { status, body } = await verify(forged)
    expect(status).toBe(503)
    expect(body.message).toMatch(/certificate|signature/)
    expect(impostor.requests).toEqual([])
  })
})

function ended(): Duplex {
  const stream = new Duplex({ allowHalfOpen: false, read() {}, write: (_chunk, _encoding, done) => done() })
  stream.push(null)
  return stream
}

function flooding(): Duplex {
  let left = 100
  return new Duplex({
    read() {
      this.push(left > 0 ? Buffer.alloc(100_000, 0x16) : null)
      left -= 1
    },
    write: (_chunk, _encoding, done) => done(),
  })
}

/** The network interfaces that a process sees. */
function interfacesOf(id: number): readonly string[] {
  const table = readFileSync(`/proc/${id}/net/dev`, 'utf8')
  return [...table.matchAll(/^ *(\S+):/gm)].map(([, name = '']) => name)
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return '' // closed in the meantime
  }
}
