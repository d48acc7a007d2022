import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { Limits } from '../../src/contract/limits.ts'
import { type Oauth2EndpointTable, oauth2EndpointsKnown } from '../../src/contract/oauth2.ts'
import type { OpenPipe } from '../../src/link/verbs.ts'
import type { Dialect } from '../../src/protocol/wire/dialect.ts'
import type { MailDecider } from '../../src/protocol/wire/sub_organization_mails.ts'
import { createDial } from '../../src/service/delivery/connections/dial.ts'
import { issuerDestinations, oauth2Destinations } from '../../src/service/delivery/connections/issuers.ts'
import type { Request } from '../../src/service/requests/request.ts'
import { createSubmit } from '../../src/service/requests/submit.ts'
import { readDatabaseUrl } from '../../src/service/store/postgres/database_address.ts'
import { openPostgresStore } from '../../src/service/store/postgres/postgres_store.ts'
import type { Store } from '../../src/service/store/store.ts'
import { findWithLog } from '../../src/service/transparency/log_reads.ts'
import { openVaultState } from '../../src/vault/keys/master_seed.ts'
import { createSeals, type Seals } from '../../src/vault/keys/seal.ts'
import { keyFileUnsealer } from '../../src/vault/keys/unsealer.ts'
import { createFetchJson } from '../../src/vault/outside/fetch_json.ts'
import type { Turns } from '../../src/vault/state/turns.ts'
import { decidingAgain } from './decided_again.ts'
import { type SoftPasskey, stampWithPasskey } from './passkeys.ts'
import { openStoreIn } from './server_database.ts'
import { createTestVault } from './several_vaults.ts'
import { generateApiKey, stampWith } from './stamping.ts'

export type ServerOptions = {
  readonly nowMs?: () => number
  /** An existing folder, on which the server starts again. */
  readonly folder?: string
  /** A database of PostgreSQL, which several servers may share. Absent: that of the folder. */
  readonly databaseUrl?: string
  /** Servers that share a database share the key. Absent: a file in the folder. */
  readonly keyFile?: string
  readonly journalDirectory?: string
  /** Absent: a sixteenth of the vault's own, because each start reads and writes all of it. */
  readonly segmentBytes?: number
  readonly logWaitingMbMax?: number
  readonly newId?: () => string
  readonly limits?: Limits
  readonly oidcIssuers?: readonly string[]
  readonly oidcAudiences?: readonly string[]
  readonly caFile?: string
  readonly oauth2Endpoints?: Oauth2EndpointTable
  /** Absent: `https://keys.example`. Null: no issuer. */
  readonly ownIssuer?: string | null
  readonly sendsNotices?: boolean
  readonly sandboxPasscodes?: boolean
  /** Webhooks may go to this machine by plain HTTP, as under `dev`. */
  readonly loopbackHttp?: boolean
  readonly mailDecider?: MailDecider
  /** The vault answers in turns of the event loop of its own, as if it were another process. */
  readonly isVaultApart?: boolean
  /** Absent: those of the vault. */
  readonly turns?: Turns
  /** No decision is made again (`decided_again.ts`), for a test of how long the steps of this thread are. */
  readonly decidesOnce?: true
  /** Absent: the service's own, which connects to these issuers. */
  readonly openPipe?: OpenPipe
}

const segmentBytes = 2 ** 18

export type Server = Awaited<ReturnType<typeof startInProcess>>

type Source = {
  readonly dialect?: Dialect
  readonly sourceAddress?: string | undefined
  readonly isLocal?: true | undefined
}

/** Starts `submit.ts` and a vault in one process, on real files in their own folder. */
export async function startInProcess(options: ServerOptions = {}) {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'claviger-'))
  const keyFile = options.keyFile ?? join(folder, 'vault', 'root.key')
  const opened = await openStore(folder, options)
  const store = options.decidesOnce ? opened : decidingAgain(opened, () => sealsOf(keyFile, opened))
  const incidents: unknown[] = []
  const warnings: string[] = []
  const log = {
    debug() {},
    info() {},
    warn: (_fields: object, message: string) => warnings.push(message),
    error: (...args: unknown[]) => incidents.push(args),
  }
  const { oidcIssuers = [], oidcAudiences = [], caFile } = options
  const { oauth2Endpoints = oauth2EndpointsKnown, ownIssuer = 'https://keys.example' } = options
  const issuers = issuerDestinations({ oidcIssuers, oidcKeyHosts: [] })
  const destinations = new Set([...issuers, ...oauth2Destinations(oauth2Endpoints)])
  const vault = createTestVault({
    unsealer: keyFileUnsealer({ path: keyFile, create: true }),
    journalDirectory: options.journalDirectory ?? join(folder, 'mark'),
    onSuperseded: () => log.error('another vault has opened the journal'),
    clock: { nowMs: options.nowMs ?? Date.now },
    randomBytes: (size) => new Uint8Array(randomBytes(size)),
    oidcIssuers,
    oidcAudiences,
    oauth2Endpoints,
    ownIssuer: ownIssuer ?? undefined,
    consoleUrl: ownIssuer ?? undefined,
    sendsNotices: options.sendsNotices ?? false,
    ...(options.turns === undefined ? {} : { turns: options.turns }),
    sandboxPasscodes: options.sandboxPasscodes ?? false,
    loopbackHttp: options.loopbackHttp ?? false,
    mailDecider: options.mailDecider ?? 'parent',
    fetchJson: createFetchJson({
      openPipe: options.openPipe ?? createDial({ destinations, privateAddresses: true }),
      ...(caFile === undefined ? {} : { authorities: readFileSync(caFile, 'utf8') }),
      loopbackHttp: true,
    }),
    log,
    segmentBytes: options.segmentBytes ?? segmentBytes,
    logWaitingMbMax: options.logWaitingMbMax,
    ...(options.limits === undefined ? {} : { limits: options.limits }),
    ...(options.newId === undefined ? {} : { newId: options.newId }),
  })
  const stored = await store.vaultState()
  if (stored === undefined) {
    const first = await vault.unseal({ vaultState: undefined })
    if (first.kind !== 'initialized') throw new Error('a new vault initializes')
    await vault.unseal({ vaultState: await store.initializeVaultState(first.vaultState) })
  } else {
    await vault.unseal({ vaultState: stored })
  }
  const apart: typeof vault = {
    ...vault,
    async answer(request) {
      await setImmediate()
      return vault.answer(request)
    },
  }
  // A test may replace a method of the store later.
  const withLog: Store = Object.create(store, { find: { value: findWithLog(store) } })
  const submitNow = createSubmit({
    store: withLog,
    vault: options.isVaultApart ? apart : vault,
    log: log as never,
  })

  /** Runs in its own turn of the event loop, as requests from sockets do, so that it sees what the test did before. */
  async function submit(request: Request) {
    await setImmediate()
    return submitNow(request)
  }

  async function createOrganization(apiKey: ApiKeyPair = generateApiKey()) {
    const made = await vault.createOrganization({
      organizationName: 'First',
      userName: 'root',
      userEmail: undefined,
      apiKeyName: 'root key',
      apiPublicKey: apiKey.publicKey,
    })
    if ((await store.commit(made.commit)) !== 'committed') throw new Error('a fresh id conflicts with nothing')
    if ((await vault.confirm(made)).kind !== 'answer') throw new Error('a new organization is confirmed')
    return { ...made, apiKey }
  }

  async function post(
    path: string,
    body: object | string,
    signer: ApiKeyPair | SoftPasskey,
    { dialect = 'spec', isLocal, ...source }: Source = {},
  ) {
    const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
    const sourceAddress = 'sourceAddress' in source ? source.sourceAddress : '127.0.0.1'
    const answer = await submit({
      path,
      body: bytes,
      stamps: [stampOf(signer, bytes)],
      dialect,
      sourceAddress,
      isLocal,
    })
    // To read the answer is not the server's work, so it is no step of it (`longestStep`).
    await setImmediate()
    return { status: answer.status, body: JSON.parse(Buffer.from(answer.body).toString('utf8')) }
  }

  async function close(): Promise<void> {
    await store.close()
    await vault.close()
  }

  return { folder, store, vault, submit, incidents, warnings, createOrganization, post, close }
}

function openStore(folder: string, { databaseUrl }: ServerOptions): Promise<Store> {
  return databaseUrl === undefined ? openStoreIn(folder) : openPostgresStore(readDatabaseUrl(databaseUrl))
}

async function sealsOf(keyFile: string, store: Store): Promise<Seals> {
  const state = await store.vaultState()
  if (state === undefined) throw new Error('a vault that decides has a state')
  const masterSeeds = await openVaultState(keyFileUnsealer({ path: keyFile, create: false }), state)
  return createSeals({ masterSeeds, randomBytes: (size) => new Uint8Array(randomBytes(size)) })
}

function stampOf(signer: ApiKeyPair | SoftPasskey, body: Uint8Array) {
  return 'credentialId' in signer
    ? ({ header: 'x-stamp-webauthn', value: stampWithPasskey(signer, body) } as const)
    : ({ header: 'x-stamp', value: stampWith(signer, body) } as const)
}

export type ApiKeyPair = ReturnType<typeof generateApiKey>
