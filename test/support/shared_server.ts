/** One server that the whole run shares, on each kind of database, for tests that need no more than an organization. */

import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { callAdmin } from '../../src/link/socket.ts'
import { adminSocketFile } from '../../src/link/socket_files.ts'
import { bundledProgram, nodeFlags } from './bundle.ts'
import { isRunning, plainEnvironment, type ReachableServer } from './running_server.ts'
import { databaseEnvironment, isOnPostgres, makeLastingDatabase } from './server_database.ts'
import { generateApiKey } from './stamping.ts'
import { endGroupOf, foundAtStart, startOnce } from './start_once.ts'

const databases = ['sqlite', 'postgres'] as const
const startMsMax = 30_000
const endMsMax = 10_000

type Folders = {
  /** The server's. The path of a socket in it is short, so it has no folder above it but that of all tests. */
  readonly data: string
  /** Holds the server's log and the id of its process, and says how far its start is. */
  readonly start: string
}

/** In the temporary folder of the run. */
const foldersOf = (database: (typeof databases)[number]): Folders => ({
  data: join(tmpdir(), `server-${database}`),
  start: join(tmpdir(), `server-${database}-start`),
})

/**
 * Called before all tests, once they have their temporary folder. Nothing starts before the first test that needs a
 * server. Returns what ends them, which throws with the log of one that has ended before or does not end when it is told
 * to.
 */
export function planSharedServers(): () => Promise<void> {
  for (const { data, start } of databases.map(foldersOf)) {
    for (const folder of [data, start]) rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
    mkdirSync(start)
  }
  return async () => {
    for (const { start } of databases.map(foldersOf)) await endServer(start)
  }
}

/** Ends those that run, without a look at how they end. */
export function killSharedServers(): void {
  for (const { start } of databases.map(foldersOf)) endGroupOf(start)
}

/**
 * Makes a root organization on the shared server, as `npm start` makes its first one, and returns the server with the
 * credentials of its root user. Mails to all organizations land in one folder, so contacts must differ between files.
 */
export async function organizationOnSharedServer(): Promise<ReachableServer> {
  const folders = foldersOf(isOnPostgres ? 'postgres' : 'sqlite')
  if (!existsSync(folders.start)) throw new Error('no server is planned: the tests run without their global setup')
  await startOnce(folders.start, () => startServer(folders))
  const { apiBaseUrl } = JSON.parse(readFileSync(join(folders.data, 'credentials.json'), 'utf8'))
  const { publicKey: apiPublicKey, privateKeyHex: apiPrivateKey } = generateApiKey()
  const names = { organizationName: 'My organization', userName: 'Root user', apiKeyName: 'First API key' }
  const argument = { ...names, apiPublicKey }
  const path = join(folders.data, adminSocketFile)
  const made = await callAdmin({ path, verb: 'createOrganization', argument }).catch((cause: unknown) => {
    throw new Error(`the shared server makes no organization:\n${logIn(folders.start)}`, { cause })
  })
  const { organizationId, userId } = made as { organizationId: string; userId: string }
  return {
    url: apiBaseUrl,
    folder: folders.data,
    credentials: { apiBaseUrl, organizationId, userId, apiPublicKey, apiPrivateKey },
  }
}

async function startServer({ data, start }: Folders): Promise<void> {
  makeLastingDatabase(data)
  const output = openSync(join(start, 'log'), 'w')
  const command = [...nodeFlags, bundledProgram(), 'dev', '--port', '0', '--data', data]
  const child = spawn(process.execPath, command, {
    stdio: ['ignore', output, output],
    env: { ...plainEnvironment(), ...databaseEnvironment(data) },
    detached: true, // a group of its own, which a signal ends as a whole
  })
  child.unref()
  writeFileSync(join(start, 'pid'), String(child.pid))
  const isReady = await foundAtStart(child, startMsMax, () => /^claviger: ready on /m.test(logIn(start)) || undefined)
  if (!isReady) throw new Error(`the shared server did not start:\n${logIn(start)}`)
}

async function endServer(start: string): Promise<void> {
  if (!existsSync(join(start, 'ready'))) return endGroupOf(start)
  const pid = Number(readFileSync(join(start, 'pid'), 'utf8'))
  const isOverBefore = !isRunning(pid)
  if (!isOverBefore) process.kill(pid, 'SIGTERM')
  for (const end = Date.now() + endMsMax; Date.now() < end && isRunning(pid); ) await setTimeout(20)
  const isOver = !isRunning(pid)
  endGroupOf(start)
  if (isOverBefore) throw new Error(`the shared server ended before the tests did:\n${logIn(start)}`)
  if (!isOver) throw new Error(`the shared server did not end when it was told to:\n${logIn(start)}`)
}

const logIn = (start: string) => readFileSync(join(start, 'log'), 'utf8')
