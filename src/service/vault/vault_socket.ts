import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { AdminUnreachable } from '../../link/admin_error.ts'
import { openChannel } from '../../link/channel/channel.ts'
import { type LaneRequest, requestEnd, requestLane } from '../../link/channel/lane_request.ts'
import { createLanes } from '../../link/channel/lanes.ts'
import { createPipeDialer } from '../../link/channel/pipes.ts'
import type { OpenPipe } from '../../link/verbs.ts'
import { codeOf } from '../../protocol/tools/error_codes.ts'
import { textOfError } from '../../protocol/tools/error_text.ts'
import { SettingsError } from '../process/settings_error.ts'
import { exitGraceMs, type OpenVault } from './vault_process.ts'

/** How long a vault may take to listen where this user may connect, or to be done with the service before. */
const connectMsMax = 10_000
const retryMs = 100

type VaultSocketParts = {
  /** The socket on which the vault listens. */
  readonly path: string
  /** Opens the connections that the vault asks for. */
  readonly dial: OpenPipe
  readonly signal: AbortSignal
}

/**
 * Connects to a vault that runs as a process of its own (`claviger vault`). Rejects with `AdminUnreachable` if it does
 * not take this service in time, and with `SettingsError` if this user may
 * still not connect then.
 */
export async function connectVault({ path, dial, signal }: VaultSocketParts): Promise<OpenVault> {
  const { service, small, large } = await connectLanes(path, signal)
  const channel = createLanes({
    small: openChannel(small, { pipes: createPipeDialer(dial) }),
    large: openChannel(large),
  })
  for (const socket of [small, large]) socket.resume() // the reading of the reply has paused them
  const closed = Promise.all([closeOf(small), closeOf(large)])
  const message = 'the connection to the vault ended and will be made again'

  async function kill(): Promise<void> {
    await requestEnd(connect(path), { ends: service })
    for (const socket of [small, large]) socket.destroy()
  }

  // A vault that hangs does not notice that the channel is closed, and keeps its place.
  function end(): void {
    channel.close()
    const timer = setTimeout(kill, exitGraceMs)
    void closed.then(() => clearTimeout(timer))
  }

  void channel.closed.then(end)
  return { channel, gone: closed.then(async () => ({ fields: { error: await channel.closed }, message })), end }
}

function closeOf(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once('close', () => resolve()))
}

/** The lanes, and the text by which the vault knows the service that has them. */
type Lanes = { readonly [L in LaneRequest['lane']]: Socket } & Pick<LaneRequest, 'service'>

async function connectLanes(path: string, signal: AbortSignal): Promise<Lanes> {
  const untilMs = performance.now() + connectMsMax
  for (;;) {
    const lanes = await tryLanes(path).catch((error: unknown) => failureOf(path, error))
    if (!(lanes instanceof Error)) return lanes
    if (performance.now() >= untilMs) throw lanes
    await sleep(retryMs, undefined, { signal })
  }
}

/** The vault replies once it has both requests. */
async function tryLanes(path: string): Promise<Lanes> {
  const service = randomBytes(16).toString('hex')
  const sockets = { small: connect(path), large: connect(path) }
  // Each step has its own listener for errors. This one is for the time between two steps.
  for (const socket of Object.values(sockets)) socket.on('error', () => {})
  try {
    await Promise.all([
      requestLane(sockets.small, { lane: 'small', service }),
      requestLane(sockets.large, { lane: 'large', service }),
    ])
    return { service, ...sockets }
  } catch (error) {
    for (const socket of Object.values(sockets)) socket.destroy()
    throw error
  }
}

function failureOf(path: string, cause: unknown): Error {
  const code = codeOf(cause)
  if (code === 'EACCES') {
    const remedy = 'add the user of the server to the group of that file, which has access to its folder too'
    return new SettingsError(`CLAVIGER_VAULT_SOCKET (--vault-socket): this user may not open ${path}: ${remedy}`, {
      cause,
    })
  }
  const isAbsent = code === 'ENOENT' || code === 'ECONNREFUSED'
  const reason = isAbsent ? `start one with \`claviger vault --socket ${path}\`` : textOfError(cause)
  return new AdminUnreachable(`no vault takes this server on ${path}: ${reason}`, { cause })
}
