import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect } from 'vitest'
import { bundledProgram, nodeFlags } from './bundle.ts'
import { plainEnvironment } from './running_server.ts'
import { copyServerFolder, databaseEnvironment, makeLastingDatabase } from './server_database.ts'
import { type Spawned, spawnApart } from './spawner.ts'

type Given = {
  readonly environment?: Readonly<Record<string, string>>
  /** The limit of open files. */
  readonly openFiles?: number
}
type Ran = { readonly code: number | null; readonly stdout: readonly string[]; readonly stderr: string }

/** One that is not there yet. */
export const freshFolder = () => join(mkdtempSync(join(tmpdir(), 'claviger-cli-')), 'data')

const children = new Set<Spawned>()

/** Ends what a failed test has left. */
export function killLaunched(): void {
  for (const child of children) child.kill('SIGKILL')
  children.clear()
}

/** Starts a command; `stdout` grows by its lines. */
export function launch(parts: readonly string[], { environment = {}, openFiles }: Given = {}) {
  const env = { ...plainEnvironment(), ...environment }
  const command = [process.execPath, ...nodeFlags, bundledProgram(), ...parts]
  const limited = ['-c', 'ulimit -n "$0" && exec "$@"', String(openFiles), ...command]
  const [program = '', ...rest] = openFiles === undefined ? command : ['sh', ...limited]
  const child = spawnApart(program, rest, { env })
  children.add(child)
  const stdout: string[] = []
  let stderr = ''
  const ready = Promise.withResolvers<string>()
  ready.promise.catch(() => {})
  createInterface({ input: child.stdout }).on('line', (line) => {
    stdout.push(line)
    const url = /ready on (http:\S+)$/.exec(line)?.[1] ?? /"event":"ready","url":"([^"]+)"/.exec(line)?.[1]
    if (url !== undefined) ready.resolve(url)
  })
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  const ended = once(child, 'close').then(([code]): Ran => {
    ready.reject(new Error(`it ended with ${code}: ${stdout.join('\n')} ${stderr}`))
    return { code, stdout, stderr }
  })
  return { child, stdout, ready: ready.promise, ended }
}

export const run = (parts: readonly string[], given?: Given) => launch(parts, given).ended

export async function serve(command: 'dev' | 'serve', data: string, flags: readonly string[] = [], given: Given = {}) {
  const environment = { ...databaseEnvironment(data), ...given.environment }
  const launched = launch([command, '--data', data, '--port', '0', ...flags], { ...given, environment })
  const url = await launched.ready
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    launched.child.kill(signal)
    return launched.ended
  }
  return { ...launched, url, port: Number(new URL(url).port), stop }
}

/** A data folder with a key file, a first organization, and no server: a copy of one that `dev` made. */
export async function madeFolder(): Promise<string> {
  made ??= makeFolder()
  const data = freshFolder()
  copyServerFolder(await made, data)
  return data
}

let made: Promise<string> | undefined

async function makeFolder(): Promise<string> {
  const data = freshFolder()
  makeLastingDatabase(data)
  const server = await serve('dev', data)
  expect((await server.stop()).code).toBe(0)
  return data
}

export const whoami = (credentials: string) => run(['request', 'whoami', '--json', '--credentials', credentials])
