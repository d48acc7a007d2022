import { spawn } from 'node:child_process'
import { Socket } from 'node:net'
import { type Channel, type Handlers, openChannel, serve } from '../../link/channel/channel.ts'
import { createLanes } from '../../link/channel/lanes.ts'
import { createPipeDialer } from '../../link/channel/pipes.ts'
import { standardError } from '../../link/line_output.ts'
import { noProcessText, vaultCommand } from '../../link/vault_command.ts'
import type { Log } from '../../link/vault_log.ts'
import { laneDescriptors, type VaultSettings } from '../../link/vault_settings.ts'
import type { OpenPipe } from '../../link/verbs.ts'
import type { Listener } from '../books/remote/books_desk.ts'
import type { BooksVerbs } from '../books/remote/messages.ts'
import { booksDescriptor, deciderArgument } from './decider.ts'

/** One of the vaults of a node, as the process that keeps the books sees it. */
export type Decider = Listener & {
  readonly channel: Channel
  /** Resolves when the process is gone. */
  readonly gone: Promise<{ readonly exitCode: number | null; readonly signal: string | null }>
  end(): void
}

/** How long a vault may take to say that it has taken news. Then it is ended, because it might decide on older heads. */
const newsMsMax = 5_000

type DeciderParts = {
  readonly settings: VaultSettings
  readonly openPipe: OpenPipe
  readonly log: Log
  readonly verbsFor: (listener: Listener) => BooksVerbs
}

/** Starts one of several vaults. It gets two lanes as any vault does, and one socket on which it asks the books. */
export function spawnDecider({ settings, openPipe, log, verbsFor }: DeciderParts): Decider {
  const { program, parts, environment } = vaultCommand(settings)
  const child = spawn(program, [...parts, deciderArgument], {
    stdio: ['pipe', 'ignore', 'pipe', 'pipe', 'pipe', 'pipe'],
    env: environment,
  })
  const gone = new Promise<Awaited<Decider['gone']>>((resolve) => {
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }))
    child.once('error', (error) => {
      log.error({ error }, 'a vault of this node could not be started')
      resolve({ exitCode: null, signal: null })
    })
  })
  if (child.pid === undefined || child.stderr === null) throw new Error(noProcessText)
  standardError.forward(child.stderr)
  const [small, large, books] = [laneDescriptors.small, laneDescriptors.large, booksDescriptor].map((descriptor) => {
    const socket = child.stdio[descriptor]
    if (!(socket instanceof Socket)) throw new Error(noProcessText)
    return socket
  }) as [Socket, Socket, Socket]
  const channel = createLanes({
    small: openChannel(small, { pipes: createPipeDialer(openPipe) }),
    large: openChannel(large),
  })
  const end = () => void child.kill('SIGKILL')
  void channel.closed.then(end)
  endWithThisProcess(end, gone)

  const decider: Decider = {
    channel,
    gone,
    end,
    async tell(verb, news) {
      try {
        await channel.call(verb, news, { deadlineMs: newsMsMax, isUrgent: true })
      } catch (error) {
        log.error({ verb, error, vaultPid: child.pid }, 'a vault of this node did not take what is new: it is ended')
        end()
        await gone
      }
    },
  }
  void serve(books, handlersOf(verbsFor(decider)), {
    onHandlerError: (verb, error) => log.error({ verb, error }, 'the books could not do what a vault asked'),
  })
  return decider
}

const running = new Set<() => void>()

/** Ends a vault when this process ends. One that stands still would not notice that this process is gone. */
function endWithThisProcess(end: () => void, gone: Promise<unknown>): void {
  // Node warns of more than ten listeners, and there may be more vaults.
  if (running.size === 0) process.on('exit', endAll)
  running.add(end)
  void gone.then(() => {
    running.delete(end)
    if (running.size === 0) process.off('exit', endAll)
  })
}

function endAll(): void {
  for (const end of running) end()
}

/** Both ends are the vault's own, so what is asked is not checked member by member. */
function handlersOf(verbs: BooksVerbs): Handlers {
  return new Map(
    Object.entries(verbs).map(([verb, answer]) => [verb, answer as (argument: unknown) => Promise<unknown>] as const),
  )
}
