import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { findOperation } from '../operations/catalogue.ts'
import { startVault, type VaultClient } from '../vault/client.ts'
import type { CreateOrganizationRequest } from '../vault/verbs.ts'
import { createOrganizationHandler } from './admin/create_organization.ts'
import { serveAdmin } from './admin/socket.ts'
import { createPages } from './http/pages.ts'
import { createHttpServer, type Readiness } from './http/server.ts'
import { createLog, type Log } from './log.ts'
import { type Settings, SettingsError } from './settings.ts'
import { openSqliteStore } from './store/sqlite/sqlite_store.ts'
import type { Store } from './store/store.ts'
import { createSubmit } from './submit.ts'

export type RunningServer = {
  readonly port: number
  createOrganization(request: CreateOrganizationRequest): Promise<{ organizationId: string; userId: string }>
  /** Answers what is in flight, then ends: the listener, the vault, the database, in this order. */
  close(): Promise<void>
}

export const databaseFile = 'claviger.db'
export const adminSocketFile = 'admin.sock'
const keyFile = join('vault', 'root.key')

/**
 * Starts everything on one data folder. `createKeyFile`: a vault without a passphrase makes its key file when there is
 * none, as `dev` does; `serve` refuses instead.
 */
export async function startServer(
  settings: Settings,
  { version, createKeyFile }: { readonly version: string; readonly createKeyFile: boolean },
): Promise<RunningServer> {
  const log = createLog({ level: settings.logLevel })
  const unsealer = unsealerOf(settings, createKeyFile)
  await mkdir(settings.data, { recursive: true, mode: 0o700 })
  const closers: (() => Promise<unknown>)[] = []
  const closeAll = async () => {
    for (const close of closers.splice(0).reverse()) await close()
  }
  try {
    const store = await openSqliteStore({ path: join(settings.data, databaseFile) })
    closers.push(() => store.close())
    const vault = startVault({
      settings: { unsealer, markDirectory: settings.markDirectory },
      vaultState: { load: () => store.vaultState(), initialize: (state) => store.initializeVaultState(state) },
      log,
    })
    closers.push(() => vault.close())
    await vault.started
    const createOrganization = createOrganizationHandler({ store, vault })
    const admin = await serveAdmin({
      path: join(settings.data, adminSocketFile),
      handlers: new Map([['createOrganization', createOrganization]]),
    })
    closers.push(() => admin.close())
    const http = createHttpServer({
      submit: createSubmit({ store, vault, log }),
      isOperation: (path) => findOperation(path) !== undefined,
      dialect: settings.wireDialect,
      pages: createPages({ version, publishedKeys: () => vault.publishedKeys() }),
      readiness: () => readiness(store, vault, log),
      log,
    })
    const { port } = await http.listen(settings)
    closers.push(() => http.close())
    return { port, createOrganization, close: closeAll }
  } catch (error) {
    await closeAll()
    throw error
  }
}

function unsealerOf({ rootPassphraseFile, data }: Settings, createKeyFile: boolean) {
  if (rootPassphraseFile !== undefined) return { kind: 'passphrase', path: rootPassphraseFile } as const
  const path = join(data, keyFile)
  if (!createKeyFile && !existsSync(path)) {
    throw new SettingsError(
      `there is no key file ${path}: set CLAVIGER_ROOT_PASSPHRASE_FILE, or run \`claviger dev\` once to make one`,
    )
  }
  return { kind: 'keyFile', path, create: createKeyFile } as const
}

async function readiness(store: Store, vault: VaultClient, log: Log): Promise<Readiness> {
  const { readError, writeError } = await store.health()
  if (readError !== undefined || writeError !== undefined) log.warn({ error: readError ?? writeError }, 'not ready')
  const reasons = [
    ...(vault.state() === 'ready' ? [] : [`the vault is ${vault.state()}`]),
    ...(readError === undefined ? [] : ['the database cannot be read']),
    ...(writeError === undefined ? [] : ['the database cannot be written']),
  ]
  return { ready: reasons.length === 0, reasons }
}
