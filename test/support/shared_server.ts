/** One server that the whole run shares, on each kind of database, for tests that need no more than an organization. */

import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { callAdmin } from '../../src/link/socket.ts'
import { adminSocketFile } from '../../src/link/socket_files.ts'
import { bundledProgram } from './bundle.ts'
import { isRunning, plainEnvironment, type ReachableServer } from './running_server.ts'
import { databaseEnvironment, isOnPostgres, makeLastingDatabase } from './server_database.ts'
import { generateApiKey } from './stamping.ts'
import { endGroupOf, startOnce } from './start_once.ts'

const variable = 'CLAVIGER_TEST_SERVERS'
const databases = ['sqlite', 'postgres'] as const
const startMsMax = 30_000
const endMsMax = 10_000

type Folders = {
  /** The server's. The path of a socket in it is short, so it has no folder above it but that of all tests. */
  readonly data: string
  /** What its starter leaves: its process and its log. */
  readonly start: string
}

const foldersIn = (planned: string, database: (typeof databases)[number]): Folders => ({
  data: join(planned, `server-${database}`),
  start: join(planned, `server-${database}-start`),
})

/**
 * Called before all tests, in the temporary folder of the run. Nothing starts before the first test that needs a server.
 * Returns what ends them, which throws with the log of one that has ended before or does not end when it is told to.
 */
export function planSharedServers(): () => Promise<void> {
  process.env[variable] = tmpdir()
  const all = plannedFolders()
  for (const { data, start } of all) {
    for (const folder of [data, start]) rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
    mkdirSync(start)
  }
  return async () => {
    for (const { start } of all) await endServer(start)
  }
}

const plannedFolders = () => databases.map((database) => foldersIn(tmpdir(), database))

/** Ends those that run without a look at how they end. */
export function killSharedServers(): void {
  for (const { start } of plannedFolders()) endGroupOf(start)
}

/**
 * Makes a root organization on the shared server, as `npm start` makes its first one, and returns the server with the
 * credentials of its root user. Mails to all organizations land in one folder, so contacts must differ between files.
 */
export async function organizationOnSharedServer(): Promise<ReachableServer> {
  const planned = process.env[variable]
  if (planned === undefined) throw new Error(`${variable} is not set: the tests run without their global setup`)
  const folders = foldersIn(planned, isOnPostgres ? 'postgres' : 'sqlite')
  await startOnce(folders.start, () => startServer(folders))
  const { apiBaseUrl } = JSON.parse(readFileSync(join(folders.data, 'credentials.json'), 'utf8'))
  const { publicKey: apiPublicKey, privateKeyHex: apiPrivateKey } = generateApiKey()
  const argument = {
    organizationName: 'My organization',
    userName: 'Root user',
    ...{ apiKeyName: 'First API key', apiPublicKey },
  }
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
  const child = spawn(process.execPath, [bundledProgram(), 'dev', '--port', '0', '--data', data], {
    stdio: ['ignore', output, output],
    env: { ...plainEnvironment(), ...databaseEnvironment(data) },
    detached: true, // a group of its own, which a signal ends as a whole
  })
  child.unref()
  writeFileSync(join(start, 'pid'), String(child.pid))
  const isOver = () => child.exitCode !== null || child.signalCode !== null
  for (const end = Date.now() + startMsMax; Date.now() < end && !isOver(); await setTimeout(20)) {
    if (/^claviger: ready on /m.test(logIn(start))) return
  }
  throw new Error(`the shared server did not start:\n${logIn(start)}`)
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
