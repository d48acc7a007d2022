import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import { bundleFolder } from './bundle.ts'
import { plainEnvironment, repositoryFolder } from './running_server.ts'

/** A user of the operating system, who need not have a name. Undefined: the user who runs the tests. */
export type User = { readonly uid: number; readonly gid: number } | undefined

const group = 64_000
export const vaultUser = { uid: 64_001, gid: group }
export const serverUser = { uid: 64_002, gid: group }
export const isRoot = process.getuid?.() === 0

/** A copy of what `npm ci --omit=dev` makes of this repository, which every user can read. Returns its command. */
export function installForAll(): string {
  const folder = openFolder()
  const listed = execFileSync('npm', ['ls', '--omit=dev', '--all', '--parseable'], { cwd: repositoryFolder })
  const packages = listed.toString().trim().split('\n').slice(1)
  for (const part of ['bin', 'src', 'package.json', ...packages.map((path) => relative(repositoryFolder, path))]) {
    cpSync(join(repositoryFolder, part), join(folder, part), { recursive: true })
  }
  execFileSync('chmod', ['-R', 'a+rX', folder])
  // Where `bin/claviger` keeps what Node compiled. Without it each start takes twice as long.
  const cache = join(folder, 'node_modules', '.cache', 'compiled')
  mkdirSync(cache, { recursive: true })
  chmodSync(cache, 0o777)
  return join(folder, 'bin', 'claviger')
}

/** The bundle (`bundle.ts`) where every user can read it. Returns its command, which starts in half the time. */
export function bundleForAll(): string {
  const folder = openFolder()
  for (const part of ['bin', 'package.json', 'node_modules/node']) {
    cpSync(join(repositoryFolder, part), join(folder, part), { recursive: true })
  }
  symlinkSync(join(bundleFolder(), 'dist'), join(folder, 'dist'))
  execFileSync('chmod', ['-R', 'a+rX', folder, bundleFolder()])
  return join(folder, 'bin', 'claviger')
}

function openFolder(): string {
  // The folder of the tests is their user's alone. Others need not list it, only pass through.
  if ((statSync(tmpdir()).mode & 0o001) === 0) chmodSync(tmpdir(), 0o711)
  const folder = mkdtempSync(join(tmpdir(), 'claviger-users-'))
  chmodSync(folder, 0o755)
  return folder
}

/** The folders of a vault and a server, as the units in `deploy/systemd` have them made. */
export function foldersOf(users: { readonly vault: User; readonly server: User }) {
  const base = openFolder()
  const made = (name: string, owner: User, mode: number) => {
    const path = join(base, name)
    mkdirSync(path)
    if (owner !== undefined) chownSync(path, owner.uid, owner.gid)
    chmodSync(path, mode)
    return path
  }
  const vaultData = made('vault', users.vault, 0o700)
  const socket = join(made('run', users.vault, 0o750), 'vault.sock')
  const keyFile = join(vaultData, 'vault', 'root.key')
  mkdirSync(dirname(keyFile), { mode: 0o700 })
  writeFileSync(keyFile, crypto.getRandomValues(new Uint8Array(32)), { mode: 0o600 })
  if (users.vault !== undefined)
    for (const path of [dirname(keyFile), keyFile]) chownSync(path, users.vault.uid, users.vault.gid)
  return { vaultData, serverData: made('server', users.server, 0o700), socket, keyFile }
}

/** Runs a command to its end. */
export function asUser(user: User, command: readonly string[]) {
  const [program = '', ...parts] = commandOf(user, command)
  const { status, stdout, stderr } = spawnSync(program, parts, { encoding: 'utf8', env: plainEnvironment() })
  return { status, stdout, stderr }
}

const children = new Set<ChildProcess>()

/** Ends what a failed test has left. */
export function killStarted(): void {
  for (const child of children) child.kill('SIGKILL')
}

/** Starts a command, and waits for the line in which it says that it is ready. */
export async function startedAs(user: User, command: readonly string[]) {
  const [program = '', ...parts] = commandOf(user, command)
  const child = spawn(program, parts, { env: plainEnvironment(), stdio: ['ignore', 'pipe', 'pipe'] })
  children.add(child)
  const ended = once(child, 'exit').finally(() => children.delete(child))
  let log = ''
  child.stderr.on('data', (chunk) => (log += chunk))
  const ready = new Promise<string>((resolve) => {
    const lines = createInterface({ input: child.stdout })
    lines.on('line', (line) => /ready on|listens on/.test(line) && resolve(line))
  })
  const readyLine = await Promise.race([ready, ended.then(() => undefined)])
  if (readyLine === undefined || child.pid === undefined) throw new Error(`${command.join(' ')} ended: ${log}`)
  return {
    pid: child.pid,
    readyLine,
    log: () => log,
    async stop(signal: NodeJS.Signals = 'SIGTERM') {
      child.kill(signal)
      return ended
    },
  }
}

/** `setpriv` replaces itself by the command, so the process is the command's. */
function commandOf(user: User, command: readonly string[]): readonly string[] {
  if (user === undefined) return command
  return ['setpriv', `--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups', ...command]
}
