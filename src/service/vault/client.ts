import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type CallLimits, type Channel, VaultError, VaultUnavailable } from '../../link/channel.ts'
import { entryFile } from '../../link/entry_file.ts'
import type { Log } from '../../link/vault_log.ts'
import type { VaultSettings } from '../../link/vault_settings.ts'
import type { OpenPipe, UnsealAnswer, UnsealRequest, Vault } from '../../link/verbs.ts'
import { spawnVault, type VaultProcess } from './vault_process.ts'

export { VaultError, type VaultSettings, VaultUnavailable }

export type VaultClient = Vault & {
  /** `starting`: the process runs and is not unsealed yet. `down`: it died and is started again soon, or was closed. */
  state(): VaultClientState
  /**
   * Resolves when the vault is ready for the first time. Rejects when the first start fails; further starts are tried
   * all the same. The log does not show an error of the first start for which `isUnsealError` is true: the caller does.
   */
  readonly started: Promise<void>
  /** Ends the vault and waits for its exit. Pending calls reject with `VaultUnavailable`: drain first. */
  close(): Promise<void>
}

type VaultClientState = 'starting' | 'ready' | 'down'

/** The vault cannot be opened until the operator mends something, which the message says. */
export function isUnsealError(error: unknown): error is VaultError {
  return error instanceof VaultError && error.thrownName === 'UnsealError'
}

/** Where the service keeps the vault's wrapped master seed. */
export type VaultStateStore = {
  /** The stored state; undefined when there is none. */
  load(): Promise<Uint8Array | undefined>
  /** Stores `state` unless another node was faster; resolves with what is stored now. */
  initialize(state: Uint8Array): Promise<Uint8Array>
}

type Start = {
  readonly settings: VaultSettings
  readonly vaultState: VaultStateStore
  /** Opens the connections that the vault asks for, or refuses them. */
  readonly dial: OpenPipe
  readonly log: Log
  /** Called after every start, when the vault can be asked. */
  readonly onUnsealed?: () => void
  /** Another entry than `main.ts`: a path to a file that serves a vault on `laneDescriptors`. */
  readonly entryPath?: string
}

/** Unsealing takes a second of scrypt on purpose, and several on a slow machine. */
const unsealDeadlineMs = 60_000
const callDeadlineMs = 10_000
/** Long, because the change to be confirmed is on disk already. */
const confirmDeadlineMs = 60_000

const restartMsMin = 100
const restartMsMax = 5_000
/** After a vault has lived this long, the next pause is the shortest again. */
const livedMsMin = 30_000

/** Starts the vault as a child process, unseals it, and starts it again whenever it dies, until `close`. */
export function startVault({ settings, vaultState, dial, log, onUnsealed, entryPath = mainPath }: Start): VaultClient {
  const started = Promise.withResolvers<void>()
  started.promise.catch(() => {}) // nobody has to wait for it
  const closing = new AbortController()
  let state: VaultClientState = 'starting'
  let running: VaultProcess | undefined
  let starts = 0

  /** Leaves an unseal error of the first start out: `started` rejects with it. */
  function logUnsealFailure(error: unknown): void {
    if (closing.signal.aborted) return
    if (!isUnsealError(error)) log.error({ error }, 'the vault could not be unsealed')
    else if (starts > 1) log.error({ reason: error.message }, 'the vault could not be unsealed')
  }

  async function unseal(vault: VaultProcess): Promise<void> {
    try {
      await unsealWith(vault.channel, vaultState)
      state = 'ready'
      started.resolve()
      onUnsealed?.()
    } catch (error) {
      started.reject(error)
      logUnsealFailure(error)
      vault.end()
    }
  }

  /** Starts a vault and waits for its exit. */
  async function runOnce(): Promise<void> {
    state = 'starting'
    starts += 1
    running = spawnVault({ entryPath, settings, dial, log })
    await unseal(running)
    await running.channel.closed
    state = 'down'
    const exit = await running.exited
    if (!closing.signal.aborted) log.error(exit, 'the vault died and will be started again')
  }

  async function runUntilClosed(): Promise<void> {
    let restartMs = restartMsMin
    while (!closing.signal.aborted) {
      const startMs = performance.now()
      await runOnce().catch((error: unknown) => {
        started.reject(error)
        state = 'down'
        log.error({ error }, 'the vault could not be started')
      })
      if (performance.now() - startMs >= livedMsMin) restartMs = restartMsMin
      await sleep(restartMs, undefined, { signal: closing.signal }).catch(() => {})
      restartMs = Math.min(2 * restartMs, restartMsMax)
    }
  }

  const stopped = runUntilClosed()

  /** Asks the vault, whose answers are not checked: the service relies on them. */
  function asking<V extends keyof Vault>(verb: V, limits: Partial<CallLimits> = {}): Vault[V] {
    const ask = async (argument?: unknown) => {
      if (state !== 'ready' || running === undefined) throw new VaultUnavailable(`the vault is ${state}`)
      return running.channel.call(verb, argument, { deadlineMs: callDeadlineMs, ...limits })
    }
    return ask as Vault[V]
  }

  return {
    state: () => state,
    started: started.promise,
    unseal: asking('unseal', { deadlineMs: unsealDeadlineMs }),
    answer: (request) =>
      asking('answer', request.waitMsMax === undefined ? {} : { deadlineMs: request.waitMsMax })(request),
    // Urgent, because the change is on disk already: other requests must not delay it.
    confirm: asking('confirm', { deadlineMs: confirmDeadlineMs, isUrgent: true }),
    condition: asking('condition', { isUrgent: true }),
    createOrganization: asking('createOrganization'),
    openMessage: asking('openMessage'),
    publishedKeys: asking('publishedKeys'),
    async close() {
      closing.abort()
      running?.end()
      await stopped
    },
  }
}

const mainPath = entryFile(join(import.meta.dirname, '..', '..', 'vault'), 'main')

/**
 * Unseals with the stored state. Where none is stored, the vault makes one, and the first node to store its own wins.
 */
async function unsealWith(channel: Channel, vaultState: VaultStateStore): Promise<void> {
  const first = await askUnseal(channel, { vaultState: await vaultState.load() })
  if (first.kind === 'unsealed') return
  const stored = await vaultState.initialize(first.vaultState)
  const second = await askUnseal(channel, { vaultState: stored })
  if (second.kind !== 'unsealed') throw new Error('the vault did not take the state that is stored')
}

async function askUnseal(channel: Channel, request: UnsealRequest): Promise<UnsealAnswer> {
  return (await channel.call('unseal', request, { deadlineMs: unsealDeadlineMs })) as UnsealAnswer
}
