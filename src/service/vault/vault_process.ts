import { type ChildProcess, spawn } from 'node:child_process'
import { Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { type Channel, openChannel } from '../../link/channel.ts'
import { compileCacheFolder } from '../../link/entry_file.ts'
import { createLanes } from '../../link/lanes.ts'
import { createPipeDialer } from '../../link/pipes.ts'
import { forwardLine, type Log } from '../../link/vault_log.ts'
import { laneDescriptors, settingsArgument, type VaultSettings } from '../../link/vault_settings.ts'
import type { OpenPipe } from '../../link/verbs.ts'

type Exit = { readonly exitCode: number | null; readonly signal: NodeJS.Signals | null }

export type VaultProcess = {
  readonly channel: Channel
  /** Resolves when the process is gone; never rejects. */
  readonly exited: Promise<Exit>
  /** Closes the channel, upon which the vault exits. Kills the vault if it has not exited after `exitGraceMs`. */
  end(): void
}

/** How long a vault whose channel is closed may take to exit before it is killed. */
const exitGraceMs = 2_000

/**
 * No signal opens a debugger. Garbage is collected half as often as by default, for 20 MiB more. Node's permission
 * model would also block the network, but it disables fsync, without which the journal is not durable.
 */
const nodeOptions = ['--disable-sigusr1', '--min-semi-space-size=32', '--max-semi-space-size=32']

/**
 * Starts a vault as a child process. Each lane of the channel is a pair of connected sockets without a name, so nobody
 * else can connect. The vault inherits no open file, and not the environment, which may hold the service's secrets. Throws when
 * the machine has no process or file descriptor left.
 */
export function spawnVault({
  entryPath,
  settings,
  dial,
  log,
}: {
  readonly entryPath: string
  readonly settings: VaultSettings
  /** Opens the connections that the vault asks for. */
  readonly dial: OpenPipe
  readonly log: Log
}): VaultProcess {
  const child = spawn(process.execPath, [...nodeOptions, entryPath, settingsArgument(settings)], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    env: compileCacheFolder === undefined ? {} : { NODE_COMPILE_CACHE: compileCacheFolder },
  })
  const exited = new Promise<Exit>((resolve) => {
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }))
    child.once('error', (error) => {
      log.error({ error }, 'the vault could not be started')
      resolve({ exitCode: null, signal: null })
    })
  })
  const { small, large } = socketsOf(child)
  if (child.stderr === null) throw new Error('no process could be started')
  createInterface({ input: child.stderr }).on('line', (line) => forwardLine(line, log))
  const channel = createLanes({
    small: openChannel(small, { pipes: createPipeDialer(dial) }),
    large: openChannel(large),
  })

  // A vault that hangs does not notice that the channel is closed.
  function end(): void {
    channel.close()
    const timer = setTimeout(() => child.kill('SIGKILL'), exitGraceMs)
    void exited.then(() => clearTimeout(timer))
  }

  void channel.closed.then(end)
  return { channel, exited, end }
}

function socketsOf(child: ChildProcess): { readonly small: Socket; readonly large: Socket } {
  const small = child.stdio[laneDescriptors.small]
  const large = child.stdio[laneDescriptors.large]
  if (child.pid === undefined || !(small instanceof Socket) || !(large instanceof Socket)) {
    throw new Error('no process could be started')
  }
  return { small, large }
}
