import { type ChildProcess, spawn } from 'node:child_process'
import { Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { type Channel, openChannel } from '../../link/channel/channel.ts'
import { createLanes } from '../../link/channel/lanes.ts'
import { createPipeDialer } from '../../link/channel/pipes.ts'
import { noProcessText, vaultCommand } from '../../link/vault_command.ts'
import { forwardLine, type Log } from '../../link/vault_log.ts'
import { laneDescriptors, type VaultSettings } from '../../link/vault_settings.ts'
import type { OpenPipe } from '../../link/verbs.ts'

/** A vault that runs, with all that the service needs of it. */
export type OpenVault = {
  readonly channel: Channel
  /** Resolves when the vault is gone, with what the log says of it; never rejects. */
  readonly gone: Promise<{ readonly fields: object; readonly message: string }>
  /** Closes the channel, upon which the vault exits. One that hangs is killed after `exitGraceMs`. */
  end(): void
}

/** How long a vault whose channel is closed may take to exit before it is killed. */
export const exitGraceMs = 2_000

type VaultProcessParts = {
  /** Another entry than the vault's own: a path to a file that serves a vault on `laneDescriptors`. */
  readonly entryPath?: string
  /** A command in front of the vault's own, which becomes the vault's: `emptyNetwork`. */
  readonly inside?: readonly string[]
  readonly settings: VaultSettings
  /** Opens the connections that the vault asks for. */
  readonly dial: OpenPipe
  readonly log: Log
}

/**
 * Starts a vault as a child process. Each lane of the channel is a pair of connected sockets without a name, so nobody
 * else can connect. The vault inherits no open file, and not the environment, which may hold the service's secrets. Throws when
 * the machine has no process or file descriptor left.
 *
 * `end` kills a vault that has not exited after `exitGraceMs`.
 */
export function spawnVault({ entryPath, inside = [], settings, dial, log }: VaultProcessParts): OpenVault {
  const { program, parts, environment } = vaultCommand(settings, entryPath)
  const [first = program, ...rest] = [...inside, program, ...parts]
  const child = spawn(first, rest, { stdio: ['pipe', 'ignore', 'pipe', 'pipe', 'pipe'], env: environment })
  // A vault that hangs would go on without this process.
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  const gone = new Promise<Awaited<OpenVault['gone']>>((resolve) => {
    const message = 'the vault died and will be started again'
    child.once('exit', (exitCode, signal) => resolve({ fields: { exitCode, signal }, message }))
    child.once('error', (error) => resolve({ fields: { error }, message: 'the vault could not be started' }))
  })
  void gone.then(() => process.off('exit', kill))
  const { small, large } = socketsOf(child)
  if (child.stderr === null) throw new Error(noProcessText)
  createInterface({ input: child.stderr }).on('line', (line) => forwardLine(line, log))
  const channel = createLanes({
    small: openChannel(small, { pipes: createPipeDialer(dial) }),
    large: openChannel(large),
  })

  // A vault that hangs does not notice that the channel is closed.
  function end(): void {
    channel.close()
    const timer = setTimeout(kill, exitGraceMs)
    void gone.then(() => clearTimeout(timer))
  }

  void channel.closed.then(end)
  return { channel, gone, end }
}

function socketsOf(child: ChildProcess): { readonly small: Socket; readonly large: Socket } {
  // Then it may have no streams, whatever its type says.
  if (child.pid === undefined) throw new Error(noProcessText)
  const small = child.stdio[laneDescriptors.small]
  const large = child.stdio[laneDescriptors.large]
  if (!(small instanceof Socket) || !(large instanceof Socket)) throw new Error(noProcessText)
  return { small, large }
}
