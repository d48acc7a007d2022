/** One server that the whole run shares, on each kind of database, for tests that need no more than an organization. */

import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { callAdmin } from '../../src/link/socket.ts'
import { adminSocketFile } from '../../src/link/socket_files.ts'
import { bundledProgram } from './bundle.ts'
import { plainEnvironment, type ReachableServer } from './running_server.ts'
import { databaseEnvironment, isOnPostgres, makeLastingDatabase } from './server_database.ts'
import { generateApiKey } from './stamping.ts'
import { endGroupOf, startOnce } from './start_once.ts'

const variable = 'CLAVIGER_TEST_SERVERS'
const databases = ['sqlite', 'postgres'] as const
const startMsMax = 60_000

/** Called before all tests. Nothing starts before the first test that needs a server. Returns what ends them. */
export function planSharedServers(): () => void {
  const planned = mkdtempSync(join(tmpdir(), 'claviger-servers-'))
  process.env[variable] = planned
  for (const database of databases) mkdirSync(join(planned, database))
  return () => {
    for (const database of databases) endGroupOf(join(planned, database))
  }
}

/**
 * Makes a root organization on the shared server, as `npm start` makes its first one, and returns the server with the
 * credentials of its root user. Mails to all organizations land in one folder, so contacts must differ between files.
 */
export async function organizationOnSharedServer(): Promise<ReachableServer> {
  const planned = process.env[variable]
  if (planned === undefined) throw new Error(`${variable} is not set: the tests run without their global setup`)
  const shared = join(planned, isOnPostgres ? 'postgres' : 'sqlite')
  const folder = join(shared, 'data')
  await startOnce(shared, () => startServerIn(shared, folder))
  const { apiBaseUrl } = JSON.parse(readFileSync(join(folder, 'credentials.json'), 'utf8'))
  const { publicKey: apiPublicKey, privateKeyHex: apiPrivateKey } = generateApiKey()
  const argument = {
    organizationName: 'My organization',
    userName: 'Root user',
    ...{ apiKeyName: 'First API key', apiPublicKey },
  }
  const made = await callAdmin({ path: join(folder, adminSocketFile), verb: 'createOrganization', argument })
  const { organizationId, userId } = made as { organizationId: string; userId: string }
  return {
    url: apiBaseUrl,
    folder,
    credentials: { apiBaseUrl, organizationId, userId, apiPublicKey, apiPrivateKey },
  }
}

async function startServerIn(shared: string, folder: string): Promise<void> {
  makeLastingDatabase(folder)
  const log = join(shared, 'log')
  const output = openSync(log, 'w')
  const child = spawn(process.execPath, [bundledProgram(), 'dev', '--port', '0', '--data', folder], {
    stdio: ['ignore', output, output],
    env: { ...plainEnvironment(), ...databaseEnvironment(folder) },
    detached: true, // a group of its own, which a signal ends as a whole
  })
  child.unref()
  writeFileSync(join(shared, 'pid'), String(child.pid))
  for (const end = Date.now() + startMsMax; Date.now() < end && child.exitCode === null; await setTimeout(20)) {
    if (/^claviger: ready on /m.test(await readFile(log, 'utf8'))) return
  }
  throw new Error(`the shared server did not start:\n${await readFile(log, 'utf8')}`)
}
