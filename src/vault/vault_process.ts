import { spawn } from 'node:child_process'
import { Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { type Channel, openChannel } from './channel.ts'
import { forwardLine, type Log } from './log.ts'
import { settingsArgument, type VaultSettings, vaultDescriptor } from './settings.ts'

type Exit = { readonly exitCode: number | null; readonly signal: NodeJS.Signals | null }

export type VaultProcess = {
  readonly channel: Channel
  /** Resolves when the process is gone; never rejects. */
  readonly exited: Promise<Exit>
  /** Ends the channel, upon which the vault exits; kills it when it does not within `exitGraceMs`. */
  end(): void
}

/** How long a vault whose channel is closed may take to exit before it is killed. */
export const exitGraceMs = 2_000

/**
 * Starts a vault as a child process. It is reached over a pair of connected sockets that have no name, so nobody else
 * can connect. It inherits neither the environment, which may hold the service's secrets, nor any open file. Throws
 * when the machine has no process or file descriptor left for it.
 */
export function spawnVault(entryPath: string, settings: VaultSettings, log: Log): VaultProcess {
  const child = spawn(process.execPath, [...permissions(entryPath, settings), entryPath, settingsArgument(settings)], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    env: {},
  })
  const socket = child.stdio[vaultDescriptor]
  if (!(socket instanceof Socket) || child.stderr === null) throw new Error('no process could be started')
  createInterface({ input: child.stderr }).on('line', (line) => forwardLine(line, log))

  const channel = openChannel(socket)
  const exited = new Promise<Exit>((resolve) => {
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }))
    child.once('error', (error) => {
      log.error({ error }, 'the vault could not be started')
      resolve({ exitCode: null, signal: null })
    })
  })

  // A vault that hangs sees no end of the channel and does not close its own end either.
  function end(): void {
    channel.close()
    const timer = setTimeout(() => child.kill('SIGKILL'), exitGraceMs)
    void exited.then(() => clearTimeout(timer))
  }

  void channel.closed.then(end)
  return { channel, exited, end }
}

/**
 * Node's permission model for the vault's process: no network, no child processes, no files but its own code, the key
 * file's directory and the mark. A second line against a dependency that misbehaves, not a sandbox: native modules,
 * which secp256k1 needs, are not held by it.
 */
function permissions(entryPath: string, settings: VaultSettings): readonly string[] {
  const root = join(import.meta.dirname, '..', '..')
  const code = ['src', 'node_modules', 'package.json'].map((name) => join(root, name))
  // Where secp256k1 looks for its native build.
  const nativeBuild = ['/etc/alpine-release', dirname(process.execPath)]
  const { unsealer, markDirectory } = settings
  const written = unsealer.kind === 'keyFile' ? [dirname(unsealer.path), markDirectory] : [markDirectory]
  return [
    '--permission',
    '--allow-addons',
    ...[...code, dirname(entryPath), ...nativeBuild, unsealer.path, ...written].map(
      (path) => `--allow-fs-read=${path}`,
    ),
    ...written.map((path) => `--allow-fs-write=${path}`),
    '--disable-warning=PERM0001', // that addons are allowed is said above
    '--disable-sigusr1', // the signal that opens a debugger's port
  ]
}
