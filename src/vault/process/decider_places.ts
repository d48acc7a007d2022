import { setTimeout as sleep } from 'node:timers/promises'
import { VaultError } from '../../link/channel/channel.ts'
import type { Log } from '../../link/vault_log.ts'
import type { BooksDesk, Listener } from '../books/remote/books_desk.ts'
import type { BooksVerbs } from '../books/remote/messages.ts'
import type { Decider } from './decider_process.ts'

/** The places for the vaults of a node. Each has a vault that decides, or one that is being started. */
export type Places = {
  /** By place: the vault that may be asked. */
  readonly deciders: readonly (Decider | undefined)[]
  /**
   * Resolves once one vault can be asked. The others follow, and each that dies is started again.
   * @throws Error when the first vault did not start, after some attempts.
   */
  fill(desk: BooksDesk, vaultState: Uint8Array): Promise<void>
  /** Asks a vault that is gone no more. */
  leave(index: number, decider: Decider): void
  /** Starts no vault any more. */
  close(): void
}

/**
 * For the whole start of a vault. It takes a second of scrypt on purpose, and several on a slow machine. The limit of the
 * service for `unseal` leaves room for all attempts to start the first vault (`service/vault/client.ts`).
 */
const startMsMax = 40_000
const firstAttemptsMax = 3
const restartMs = 200
const notStartedText = 'a vault of this node could not be started'

type DeciderPlacesParts = {
  readonly count: number
  readonly log: Pick<Log, 'error'>
  readonly spawn: (verbsFor: (listener: Listener) => BooksVerbs) => Decider
  /** Tells a vault that starts what the operator has said. */
  readonly tellOperators: (decider: Decider) => Promise<void>
}

export function createDeciderPlaces({ count, log, spawn, tellOperators }: DeciderPlacesParts): Places {
  const deciders: (Decider | undefined)[] = Array.from({ length: count })
  let isClosed = false

  type Way = { readonly desk: BooksDesk; readonly vaultState: Uint8Array }

  async function start(index: number, { desk, vaultState }: Way): Promise<Decider> {
    const untilMs = performance.now() + startMsMax
    const limits = () => ({ deadlineMs: Math.max(1, untilMs - performance.now()) })
    const decider = spawn(desk.verbsFor)
    try {
      await decider.channel.call('ready', undefined, limits())
      await desk.open(decider)
      await tellOperators(decider)
      await decider.channel.call('unseal', { vaultState }, limits())
      await desk.join(decider)
    } catch (error) {
      decider.end()
      desk.close(decider)
      throw error
    }
    deciders[index] = decider
    return decider
  }

  /** Throws at once when the operator has to mend the fault. */
  async function startFirst(way: Way): Promise<Decider> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await start(0, way)
      } catch (error) {
        const isForOperator = error instanceof VaultError && error.thrownName === 'UnsealError'
        if (isForOperator || attempt === firstAttemptsMax) rethrown(error)
        log.error({ error }, notStartedText)
        await sleep(restartMs)
      }
    }
  }

  /** Returns undefined when it could not be started. */
  async function startLater(index: number, way: Way): Promise<Decider | undefined> {
    try {
      return await start(index, way)
    } catch (error) {
      if (!isClosed) log.error({ error }, notStartedText)
      return undefined
    }
  }

  async function keepAlive(index: number, way: Way, first: Decider | undefined): Promise<void> {
    for (let decider = first; ; decider = await startLater(index, way)) {
      if (decider !== undefined) {
        const fields = await decider.gone
        deciders[index] = undefined
        way.desk.close(decider)
        log.error(fields, 'a vault of this node died and will be started again')
      }
      await sleep(restartMs)
      if (isClosed) return
    }
  }

  /** One after the other: a passphrase takes much memory for a moment. */
  async function startOthers(way: Way): Promise<void> {
    for (let index = 1; index < count && !isClosed; index += 1) {
      void keepAlive(index, way, await startLater(index, way))
    }
  }

  return {
    deciders,
    async fill(desk, vaultState) {
      const way = { desk, vaultState }
      void keepAlive(0, way, await startFirst(way))
      void startOthers(way)
    },
    leave(index, decider) {
      if (deciders[index] === decider) deciders[index] = undefined
    },
    close() {
      isClosed = true
    },
  }
}

/** Throws an error of another process again under its own name, by which the service knows it. */
export function rethrown(error: unknown): never {
  if (!(error instanceof VaultError)) throw error
  const thrown = new Error(error.message, { cause: error })
  thrown.name = error.thrownName
  throw thrown
}
