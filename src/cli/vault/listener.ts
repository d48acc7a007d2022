import { spawn } from 'node:child_process'
import { createServer, type Socket } from 'node:net'
import { acceptLane, type LaneRequest, readLaneRequest, refuseLane } from '../../link/channel/lane_request.ts'
import { standardError } from '../../link/line_output.ts'
import { listenAt } from '../../link/socket.ts'
import { vaultCommand } from '../../link/vault_command.ts'
import type { Log } from '../../link/vault_log.ts'
import type { VaultSettings } from '../../link/vault_settings.ts'
import { textOfError } from '../../protocol/tools/error_text.ts'

/** Connections that may ask for a lane at once. */
const connectionsMax = 16
/** How long one lane waits for the other of its service. */
const pairMsMax = 5_000

type LanePair = { readonly [L in LaneRequest['lane']]: Socket }

/**
 * Listens for a service and starts a vault for it. The vault gets both lanes as descriptors, and ends when they or this
 * process end. So each service has a new vault, which is the same process as one that a service starts itself. The
 * process that listens holds no key and reads nothing of the channel.
 */
export async function listenForService({
  path,
  settings,
  log,
  entryPath,
}: {
  readonly path: string
  readonly settings: VaultSettings
  readonly log: Log
  /** Another entry than the vault's own, for tests. */
  readonly entryPath?: string
}): Promise<{ close(): Promise<void> }> {
  const addLane = createLanePairs()
  const connections = new Set<Socket>()
  let vault: { readonly service: string; kill(): void; readonly gone: Promise<object> } | undefined

  async function take(socket: Socket): Promise<void> {
    connections.add(socket)
    socket.on('error', () => socket.destroy()).once('close', () => connections.delete(socket))
    try {
      const request = await readLaneRequest(socket)
      if ('ends' in request) return await endVaultOf(request.ends, socket)
      // The server says so in its log, at each of its tries.
      if (vault !== undefined) return refuseLane(socket, 'it serves another server, and takes one at a time')
      const pair = addLane(request, socket)
      if (pair !== undefined) startVault(pair, request.service)
    } catch (error) {
      const reason = textOfError(error)
      refuseLane(socket, reason)
      log.warn({ reason }, 'a connection to the vault was refused')
    }
  }

  /** All that it has acknowledged is in its journal. */
  async function endVaultOf(service: string, socket: Socket): Promise<void> {
    if (vault?.service === service) {
      log.warn({}, 'the vault of that server hangs and is ended, as the server asks')
      vault.kill()
      await vault.gone
    }
    socket.destroy()
  }

  function startVault({ small, large }: LanePair, service: string): void {
    const { program, parts, environment } = vaultCommand(settings, entryPath)
    const child = spawn(program, parts, { stdio: ['pipe', 'ignore', 'pipe', small, large], env: environment })
    if (child.stderr) standardError.forward(child.stderr)
    // `once` of `node:events` would reject at an error. All lines of its log are there when it closes.
    const gone = new Promise<object>((resolve) => {
      child.once('close', (exitCode, signal) => resolve({ exitCode, signal }))
      child.once('error', (error) => resolve({ error }))
    })
    vault = { service, kill: () => child.kill('SIGKILL'), gone }
    void gone.then((fields) => {
      vault = undefined
      log.info(fields, 'the vault of that server has ended')
    })
    if (child.pid === undefined) {
      for (const socket of [small, large]) refuseLane(socket, 'its process could not be started')
      return
    }
    // `spawn` has stopped reading both here, so whatever the service sends next is read by the vault.
    for (const socket of [small, large]) acceptLane(socket, () => socket.destroy())
    log.info({ vaultPid: child.pid }, 'a server has connected')
  }

  const server = createServer((socket) => void take(socket))
  server.maxConnections = connectionsMax
  await listenAt(server, { path, mode: 0o660, taken: `another vault listens on ${path}` })
  return {
    async close() {
      server.close()
      // Else they could still ask for a vault, and this process would wait for their ends.
      for (const socket of connections) socket.destroy()
      // All that it has acknowledged is in its journal. It ignores the signals that a terminal sends to all.
      vault?.kill()
      await vault?.gone
    },
  }
}

/** Returns a function that adds a lane, and returns the pair once both lanes of a service are there. */
function createLanePairs(): (request: LaneRequest, socket: Socket) => LanePair | undefined {
  const waiting = new Map<string, { readonly lane: LaneRequest['lane']; readonly socket: Socket }>()

  return ({ lane, service }, socket) => {
    const other = waiting.get(service)
    if (other?.lane === lane) throw new Error(`the lane ${lane} was asked for twice`)
    if (other !== undefined) {
      waiting.delete(service)
      return lane === 'small' ? { small: socket, large: other.socket } : { small: other.socket, large: socket }
    }
    waiting.set(service, { lane, socket })
    const timer = setTimeout(() => {
      if (waiting.get(service)?.socket === socket && waiting.delete(service))
        refuseLane(socket, 'the other lane is missing')
    }, pairMsMax)
    timer.unref()
    return undefined
  }
}
