import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { bundledProgram, nodeFlags } from './bundle.ts'
import { databaseEnvironment } from './server_database.ts'
import { type Spawned, spawnApart } from './spawner.ts'

/** The content of `credentials.json`. */
export type Credentials = {
  readonly apiBaseUrl: string
  readonly organizationId: string
  readonly userId: string
  readonly apiPublicKey: string
  readonly apiPrivateKey: string
}

export type Exit = { readonly exitCode: number | null; readonly signal: NodeJS.Signals | null }

/** All that a client of a server needs, and its data folder. */
export type ReachableServer = {
  readonly url: string
  readonly folder: string
  readonly credentials: Credentials
}

/** A server of a test's own: start another one with its folder after this one ended. */
export type RunningServer = ReachableServer & {
  /** The id of the started process: the server, or npm when it was started through npm. */
  readonly pid: number
  /** The lines on standard output so far. */
  readonly lines: readonly string[]
  /** The lines of the log, on standard error, so far. */
  readonly complaints: readonly string[]
  /** Sends a signal to the process that was started and waits for its exit. */
  end(signal: NodeJS.Signals): Promise<Exit>
  /** Ends the server as an operator does. Throws unless it exits with code 0. */
  stop(): Promise<void>
}

type Start = {
  /** A new temporary folder when not given. */
  readonly folder?: string
  /**
   * `bundle`: the program in a few files, which starts soonest. `npm`: as the README says, `npm start -- …`. `bin`: the
   * command of an installed package.
   */
  readonly through?: 'bundle' | 'npm' | 'bin'
  /** For `bundle`: the file that Node runs, behind options of Node. */
  readonly nodeParts?: readonly string[]
  /** A checkout, or for `bin` the folder with the package in its `node_modules`. This repository when not given. */
  readonly where?: string
  /** `serve` needs a folder that `dev` has made. */
  readonly command?: 'dev' | 'serve'
  /** Added to `--port 0 --data FOLDER`; a later `--port` wins. */
  readonly flags?: readonly string[]
}

export const repositoryFolder = join(import.meta.dirname, '..', '..')

/** Starts the real server in its own processes, as a user does, and waits for the line that says it is ready. */
export async function startRunningServer({
  folder = mkdtempSync(join(tmpdir(), 'claviger-')),
  through = 'bundle',
  nodeParts = [...nodeFlags, bundledProgram()],
  where = repositoryFolder,
  command = 'dev',
  flags = [],
}: Start = {}): Promise<RunningServer> {
  const given = ['--port', '0', '--data', folder, ...flags]
  const [program, ...first] = {
    bundle: [process.execPath, ...nodeParts, command] as const,
    npm: ['npm', 'start', '--'] as const,
    bin: ['node_modules/.bin/claviger', command] as const,
  }[through]
  const child = spawnIn(where, program, [...first, ...given], databaseEnvironment(folder))
  const exited = once(child, 'exit').then(([exitCode, signal]): Exit => ({ exitCode, signal }))
  const lines: string[] = []
  const complaints: string[] = []
  const url = await readyUrl(child, lines, complaints)
  if (child.pid === undefined) throw new Error('a process that printed has an id')

  async function end(signal: NodeJS.Signals): Promise<Exit> {
    child.kill(signal)
    return exited
  }

  return {
    url,
    folder,
    credentials: JSON.parse(readFileSync(join(folder, 'credentials.json'), 'utf8')),
    pid: child.pid,
    lines,
    complaints,
    end,
    async stop() {
      const exit = await end('SIGTERM')
      if (exit.exitCode !== 0) throw new Error(`the server ended with ${JSON.stringify(exit)}`)
    },
  }
}

/** The environment without the settings of the person who runs the tests. */
export function plainEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('CLAVIGER_')))
}

type RunningProcess = { readonly pid: number; readonly parentPid: number; readonly command: string }

/** The processes below `pid`, however deep, without ended ones that are not reaped yet. */
export function processesBelow(pid: number): readonly RunningProcess[] {
  const all = runningProcesses()
  const childrenOf = (parent: number): readonly RunningProcess[] =>
    all.filter(({ parentPid }) => parentPid === parent).flatMap((child) => [child, ...childrenOf(child.pid)])
  return childrenOf(pid)
}

/** The vaults that run on a data folder: their settings, and with them the folder, are on their command line. */
export function vaultsOf(data: string): readonly RunningProcess[] {
  return runningProcesses().filter(
    ({ command }) => command.includes(join('vault', 'main.js')) && command.includes(data),
  )
}

export function isRunning(pid: number): boolean {
  return runningProcesses().some((running) => running.pid === pid)
}

function runningProcesses(): readonly RunningProcess[] {
  // Without `/proc`, as on macOS, a program must be started, which costs a large process much (`spawner.ts`).
  if (!existsSync('/proc/self/stat')) return listedProcesses()
  return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (processIn(join('/proc', name)) ?? []) : []))
}

/** Undefined when it has ended, also when nobody has taken notice yet. */
function processIn(folder: string): RunningProcess | undefined {
  try {
    // The name of the program stands in brackets, and may hold some.
    const [, pid, state, parentPid] = /^(\d+) \(.*\) (\S) (\d+) /s.exec(read(join(folder, 'stat'))) ?? []
    if (pid === undefined || state === 'Z') return undefined
    const command = read(join(folder, 'cmdline')).replaceAll('\0', ' ').trim()
    return { pid: Number(pid), parentPid: Number(parentPid), command }
  } catch {
    return undefined
  }
}

const read = (path: string) => readFileSync(path, 'utf8')

function listedProcesses(): readonly RunningProcess[] {
  const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat=,args='], { encoding: 'utf8' })
  return table.split('\n').flatMap((line) => {
    const [, pid, parentPid, state, command] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? []
    if (state === undefined || state.startsWith('Z')) return []
    return [{ pid: Number(pid), parentPid: Number(parentPid), command: command ?? '' }]
  })
}

function spawnIn(folder: string, command: string, args: readonly string[], environment: NodeJS.ProcessEnv): Spawned {
  return spawnApart(command, args, { cwd: folder, env: { ...plainEnvironment(), ...environment } })
}

/**
 * Returns the address in the line that says the server is ready. Throws with its output when the server ends before.
 */
async function readyUrl(child: Spawned, lines: string[], complaints: string[]): Promise<string> {
  createInterface({ input: child.stderr }).on('line', (line) => complaints.push(line))
  const ready = Promise.withResolvers<string>()
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line)
    const url = /^claviger: ready on (\S+)$/.exec(line)?.[1] ?? /"event":"ready","url":"([^"]+)"/.exec(line)?.[1]
    if (url !== undefined) ready.resolve(url)
  })
  child.once('error', ready.reject)
  child.once('close', () =>
    ready.reject(new Error(`the server did not start:\n${[...lines, ...complaints].join('\n')}`)),
  )
  return ready.promise
}
