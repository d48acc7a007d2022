import { execFile } from 'node:child_process'
import { appendFileSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'
import { isRunning } from '../running_server.ts'
import { killPostgres, makePostgres, serverUser, startPostgres, stopPostgres } from './server.ts'

const run = promisify(execFile)
const name = 'standby'

/** A primary and its standby, each with a folder of its own. Both end after the test. */
export async function primaryAndStandby({ isSynchronous }: { readonly isSynchronous: boolean }) {
  const [primaryFolder, standbyFolder] = [temporaryServerFolder(), temporaryServerFolder()]
  await makePostgres(primaryFolder)
  await stopPostgres(primaryFolder)
  symlinkSync(join(primaryFolder, 'native'), join(standbyFolder, 'native'))
  await run('cp', ['-a', join(primaryFolder, 'data'), join(standbyFolder, 'data')])
  await run('chown', [`--reference=${primaryFolder}`, standbyFolder])
  writeFileSync(join(standbyFolder, 'data/standby.signal'), '')
  appendFileSync(
    join(standbyFolder, 'data/postgresql.auto.conf'),
    `\nprimary_conninfo = 'host=${primaryFolder} user=postgres application_name=${name}'\n`,
  )
  const primary = await startPostgres(primaryFolder, isSynchronous ? [`synchronous_standby_names=${name}`] : [])
  const standby = await startPostgres(standbyFolder)
  return {
    primary,
    standby,
    /** Both hosts in one address. */
    url: `postgres://postgres@/postgres?host=${primaryFolder},${standbyFolder}`,
    promote: () =>
      run(
        join(standbyFolder, 'native/bin/pg_ctl'),
        ['promote', '--wait', '--pgdata', join(standbyFolder, 'data')],
        serverUser,
      ),
  }
}

/** The folder of a server that is ended and removed after the test. A socket's path must be short. */
export function temporaryServerFolder(): string {
  const folder = mkdtempSync('/tmp/claviger-postgres-')
  onTestFinished(() => removeServerFolder(folder))
  return folder
}

/**
 * Ends the server of a folder, if one runs there, as a crash does. It ends after its processes: without waiting for it a
 * standby would take what comes after.
 */
export async function endPostgres(folder: string): Promise<void> {
  const pid = killPostgres(folder)
  while (pid !== undefined && isRunning(pid)) await setTimeout(20)
}

/** Ends the server of a folder and removes the folder. */
export async function removeServerFolder(folder: string): Promise<void> {
  // It still writes for a moment, and what it writes would be left.
  await endPostgres(folder)
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
}
