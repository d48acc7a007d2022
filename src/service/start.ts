import { join } from 'node:path'
import { serveAdmin } from '../link/socket.ts'
import { adminSocketFile } from '../link/socket_files.ts'
import { findOperation } from '../operations/catalogue.ts'
import { unsupportedNameAt } from '../operations/unsupported.ts'
import { unlessAborted } from '../protocol/tools/unless_aborted.ts'
import { proxiedNameAt } from '../protocol/wire/auth_proxy.ts'
import { Failure } from '../protocol/wire/failures.ts'
import { createOrganizationHandler } from './admin/organization_handler.ts'
import { presentedHeadsHandler } from './admin/presented_heads.ts'
import { channelsInFiles, createCarriers } from './delivery/carriers/carriers.ts'
import { createWitnessClient } from './delivery/connections/witness_client.ts'
import { startDelivery } from './delivery/delivery.ts'
import { startNoticeDelivery } from './delivery/notice_delivery.ts'
import { startWebhookDelivery } from './delivery/webhooks/webhook_delivery.ts'
import { createWebhookThread } from './delivery/webhooks/webhook_thread.ts'
import type { Delivery } from './delivery/worker.ts'
import { connectionsMaxWith } from './http/connections/connections.ts'
import { listen } from './http/listen.ts'
import { createPages } from './http/pages.ts'
import { createReadiness, type Mismatches } from './http/readiness.ts'
import { createHttpServer, type HttpServer } from './http/server.ts'
import { createLog, type Log } from './process/log.ts'
import { openFilesLimit } from './process/open_files_limit.ts'
import { SettingsError } from './process/settings_error.ts'
import { createSubmit } from './requests/submit.ts'
import { createWatches } from './requests/watches.ts'
import type { Settings } from './settings/settings.ts'
import { checkDataFolder, checkFolder, databasePath, fullDisk, lockDataFolder } from './store/data_folder.ts'
import { openingFile, openingServer } from './store/database_faults.ts'
import { nameOf } from './store/postgres/hosts.ts'
import { openPostgresStore } from './store/postgres/postgres_store.ts'
import { SchemaError } from './store/schema_error.ts'
import { openSqliteStore } from './store/sqlite/sqlite_store.ts'
import type { Store } from './store/store.ts'
import { createLogFiles } from './transparency/log_files.ts'
import { findWithLog } from './transparency/log_reads.ts'
import { createLogTiles } from './transparency/log_tiles.ts'
import { readOwnWitnesses } from './transparency/own_witnesses.ts'
import { type Publishing, startPublishing } from './transparency/publishing.ts'
import { startScrubber } from './transparency/scrubber.ts'
import { isUnsealError, startVault, type VaultClient, VaultUnavailable } from './vault/client.ts'
import { vaultOpener } from './vault_opener.ts'

export type RunningServer = {
  /** Its address on this machine: `http://127.0.0.1:8787`. */
  readonly url: string
  /** The kind and place of the database, without user, password and parameters. */
  readonly database: string
  readonly createOrganization: ReturnType<typeof createOrganizationHandler>
  /** Answers what is in flight, then ends: the listener, deliveries, the vault, the database, in this order. */
  close(): Promise<void>
}

/** The answer of the operator's socket, for the credentials of a client. */
export type CreatedOrganization = {
  readonly apiBaseUrl: string
  readonly organizationId: string
  readonly userId: string
}

type Surroundings = { readonly development: boolean }

type Start = Surroundings & {
  readonly version: string
  /** When it is aborted before the server is ready, the start ends, and rejects with its reason. */
  readonly stopping?: AbortSignal
}

const outboxFolder = 'outbox'
/**
 * Requests and deliveries that are under way when the server ends may take so long in all. Docker kills a container
 * after ten seconds, and a vault that hangs takes two of these.
 */
const underWayMsMax = 7_000

/**
 * Starts everything on one data folder, or nothing: what was started is ended again before this throws. `development`,
 * as `dev` starts it: a vault without a passphrase makes its key file when there is none, and issuers of ID tokens may be
 * at private addresses and, on this machine, speak plain HTTP. `serve` refuses these, and warns of what is for
 * development only.
 */
export async function startServer(
  settings: Settings,
  { version, development, stopping = new AbortController().signal }: Start,
): Promise<RunningServer> {
  const log = createLog({ level: settings.logLevel })
  await checkDataFolder(settings.data)
  if (channelsInFiles(settings.delivery).length > 0) await checkFolder(join(settings.data, outboxFolder))
  const own = settings.witnessesFile === undefined ? undefined : readOwnWitnesses(settings.witnessesFile)
  const open = await vaultOpener(settings, { development, log })

  await using started = new AsyncDisposableStack() // ended in the opposite order
  const lock = await lockDataFolder(settings.data)
  started.defer(() => lock.release())

  const store = await openStore(settings, { development, log }).catch(refuseToStart)
  started.defer(() => store.close())

  const vault = openVault(open, { store, log })
  started.defer(() => vault.close())
  // This step and the comparison below may take long. The end of the vault makes them fail too, and later.
  await unlessAborted(stopping, vault.started.catch(refuseToStart), () => stopping.reason)

  const ofWitnesses = { post: createWitnessClient(settings), tiles: createLogTiles(store) }
  const publishing = startPublishing(own, { store, vault, ...ofWitnesses, log })
  started.defer(() => publishing.close())
  await unlessAborted(stopping, publishing.compared, () => stopping.reason) // before any decision leaves
  const scrubber = startScrubber({ vault, store, log, ...settings.scrub })
  started.defer(() => scrubber.close())

  const over = new AbortController()
  const delivery = startDeliveries(settings, { store, vault, development, log })
  started.defer(() => delivery.close(over.signal))

  const http = createHttp(settings, { store, vault, delivery, publishing, version, log })
  const listeners: Closing[] = [http]
  started.defer(() => {
    setTimeout(() => over.abort(), underWayMsMax).unref()
    return closeAll(listeners, over.signal)
  })
  const url = await listen(http, settings)

  const createOrganization = createOrganizationHandler({ store, vault })
  listeners.push(await serveOperator(settings, { store, createOrganization, url }))

  const running = started.move()
  const database = databaseText(settings)
  // A person at a terminal has it from standard output: once is enough there.
  if (!development || !process.stderr.isTTY) log.info({ url, database }, 'ready')
  return { url, database, createOrganization, close: () => running.disposeAsync() }
}

type ServerParts = { readonly store: Store; readonly vault: VaultClient; readonly log: Log }

function openVault(
  open: Awaited<ReturnType<typeof vaultOpener>>,
  { store, log }: Omit<ServerParts, 'vault'>,
): VaultClient {
  return startVault({
    open,
    vaultState: { load: () => store.vaultState(), initialize: (state) => store.initializeVaultState(state) },
    log,
  })
}

/** Starts to deliver messages to people, notices and webhooks. */
function startDeliveries(
  settings: Settings,
  { store, vault, development, log }: ServerParts & Surroundings,
): Pick<Delivery, 'wake'> & Closing {
  const outbox = join(settings.data, outboxFolder)
  const carriers = createCarriers(settings.delivery, { folder: outbox, caFile: settings.caFile, log })
  const privateAddresses = (settings.webhookPrivateAddresses ?? (development ? 'allow' : 'refuse')) === 'allow'
  const webhookRules = { privateAddresses, loopbackHttp: development, caFile: settings.caFile }
  const webhooks = createWebhookThread(webhookRules, { log })
  const all = [
    startDelivery({ store, vault, carriers, log }),
    startNoticeDelivery({ store, vault, carry: carriers.mail, log }),
    startWebhookDelivery({ store, vault, carry: webhooks, log }),
  ]
  if (!development) {
    for (const channel of channelsInFiles(settings.delivery)) {
      log.warn({ channel, folder: outbox }, 'messages are written to files, passcodes among them, and reach nobody')
    }
  }
  return {
    wake(written) {
      for (const one of all) one.wake(written)
    },
    close: (over) => closeAll(all, over),
  }
}

function createHttp(
  settings: Settings,
  {
    store,
    vault,
    delivery,
    publishing,
    version,
    log,
  }: ServerParts &
    Pick<Start, 'version'> & {
      readonly delivery: Pick<Delivery, 'wake'>
      readonly publishing: Publishing
    },
): HttpServer {
  const mismatches: Mismatches = { count: 0, lastMs: 0 }
  const onMismatch = () => {
    mismatches.count += 1
    mismatches.lastMs = Date.now()
  }
  const find = findWithLog(store)
  const submit = createSubmit({ store: { ...store, find }, vault, delivery, onMismatch, log })
  return createHttpServer({
    submit,
    watches: createWatches({ submit, store, log }),
    isOperation: (path) => findOperation(path) !== undefined || proxiedNameAt(path) !== undefined,
    unsupportedNameAt,
    dialect: settings.wireDialect,
    trustedProxies: settings.trustedProxies,
    connectionsMax: connectionsMaxWith(openFilesLimit()),
    pages: createPages({
      version,
      publicUrl: settings.publicUrl,
      publishedKeys: () => vault.publishedKeys().catch(refuseWhileDown),
    }),
    files: createLogFiles(store),
    readiness: createReadiness({
      ...{ store, vault, mismatches, log },
      disk: () => fullDisk(settings.data),
      witnesses: publishing.troubles,
    }),
    log,
  })
}

type OperatorSocketParts = Pick<ServerParts, 'store'> & Pick<RunningServer, 'createOrganization' | 'url'>

/** Answers the operator's commands on a socket in the data folder. */
function serveOperator(
  { data, publicUrl }: Settings,
  { store, createOrganization, url }: OperatorSocketParts,
): Promise<Closing> {
  return serveAdmin({
    path: join(data, adminSocketFile),
    handlers: new Map<string, (argument: unknown) => Promise<unknown>>([
      [
        'createOrganization',
        async (argument): Promise<CreatedOrganization> => ({
          ...(await createOrganization(argument)),
          apiBaseUrl: publicUrl ?? url,
        }),
      ],
      ['presentedHeads', presentedHeadsHandler({ store })],
    ]),
  })
}

type Closing = { close(over: AbortSignal): Promise<void> }

async function closeAll(ending: readonly Closing[], over: AbortSignal): Promise<void> {
  await Promise.all(ending.map((one) => one.close(over)))
}

/** In production another server may be using the PostgreSQL database, so `claviger migrate` changes its schema. */
function openStore(
  { data, database }: Settings,
  { development, log }: Surroundings & { readonly log: Log },
): Promise<Store> {
  const path = databasePath(data)
  if (database === undefined)
    return openingFile(path, () => openSqliteStore({ path, onWarning: (text) => log.warn({}, text) }))
  return openingServer(() => openPostgresStore(database, { migrates: development, log }))
}

function databaseText({ data, database }: Settings): string {
  if (database === undefined) return `SQLite, ${databasePath(data)}`
  return `PostgreSQL, database ${database.database} on ${database.hosts.map(nameOf).join(', ')}`
}

/** The vault's own message is for the operator. Its absence alone does not say why. */
function refuseToStart(error: unknown): never {
  if (isUnsealError(error) || error instanceof SchemaError) throw new SettingsError(error.message, { cause: error })
  if (!(error instanceof VaultUnavailable)) throw error
  throw new Error(`${error.message}: the lines of its log say why it did not start`, { cause: error })
}

function refuseWhileDown(error: unknown): never {
  if (error instanceof VaultUnavailable) throw new Failure('UNAVAILABLE', { reason: error.message, cause: error })
  throw error
}
