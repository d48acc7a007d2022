import { setTimeout as sleep } from 'node:timers/promises'
import { AdminError } from '../../link/admin_error.ts'
import { type CallLimits, type Channel, VaultError, VaultUnavailable } from '../../link/channel/channel.ts'
import { bytesIn, isLarge } from '../../link/channel/lanes.ts'
import type { Log } from '../../link/vault_log.ts'
import type {
  ConfirmAnswer,
  ConfirmRequest,
  Presented,
  UnsealAnswer,
  UnsealRequest,
  Vault,
  VaultAnswer,
  VaultRequest,
} from '../../link/verbs.ts'
import { SettingsError } from '../process/settings_error.ts'
import { networkOf } from '../turns/network_of.ts'
import { createSendingTurns } from './sending_turns.ts'
import { endIfSilent } from './silence.ts'
import type { OpenVault } from './vault_process.ts'

export { VaultError, VaultUnavailable }

/** The records that are presented with a request. A query of 200 bytes may need 24 MB of them. */
export type DroppableEvidence = {
  /** The records that were found. Nothing while they are dropped. */
  found(): readonly Presented[]
  drop(): void
  /** Looks up the dropped records again. */
  load(): Promise<void>
}

export type VaultClient = Omit<Vault, 'answer' | 'confirm'> & {
  /**
   * With `evidence` a request that has to wait keeps little of what is presented: it drops the evidence, and loads it
   * when its turn has come.
   */
  answer(request: VaultRequest, evidence?: DroppableEvidence): Promise<VaultAnswer>
  confirm(request: ConfirmRequest, options?: Pick<CallLimits, 'hasLargeReply'>): Promise<ConfirmAnswer>
  /** `starting`: the process runs and is not unsealed yet. `down`: it died and is started again soon, or was closed. */
  state(): VaultClientState
  /**
   * Resolves when the vault is ready for the first time. Rejects when the first start fails; further starts are tried
   * all the same. The log does not show an error of the first start that says what the operator has to mend: the caller
   * does.
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

/** Whether the message says what the operator has to mend. A stack would say nothing more. */
function isForOperator(error: unknown): error is Error {
  return isUnsealError(error) || error instanceof AdminError || error instanceof SettingsError
}

/** Keeps the vault's wrapped master seed for the service. */
export type VaultStateStore = {
  /** The stored state; undefined when there is none. */
  load(): Promise<Uint8Array | undefined>
  /** Stores `state` unless another node was faster; resolves with what is stored now. */
  initialize(state: Uint8Array): Promise<Uint8Array>
}

type Start = {
  /** Starts a vault (`spawnVault`), or connects to one that runs by itself (`connectVault`). */
  readonly open: (signal: AbortSignal) => OpenVault | Promise<OpenVault>
  readonly vaultState: VaultStateStore
  readonly log: Log
  /** Called after every start, when the vault can be asked. */
  readonly onUnsealed?: () => void
  /** For tests: after so many seconds in which it answers nothing an unsealed vault is ended. */
  readonly silentTicksMax?: number
}

/**
 * Unsealing takes a second of scrypt on purpose, and several on a slow machine. A node with several vaults does it twice
 * until it can answer, and may have to begin the second one anew (`vault/process/several_vaults.ts`).
 */
const unsealDeadlineMs = 180_000
const callDeadlineMs = 10_000
/** The bytes of evidence that a waiting request keeps. More is dropped, and loaded again in its turn. */
export const keptBytesMax = 16_384
/** Long, because the change to be confirmed is on disk already. */
const confirmDeadlineMs = 60_000
/** Short, because a balancer that asks `/readyz` waits for it. */
const conditionDeadlineMs = 4_000

/**
 * A signal to all processes can end a vault that starts before this process has it too. So a vault that is gone is no
 * failure until then.
 */
const signalMsMax = 1_000

const restartMsMin = 100
const restartMsMax = 5_000
/** After a vault has lived this long, the next pause is the shortest again. */
const livedMsMin = 30_000

/**
 * Opens a vault, unseals it, and opens one again whenever it is gone, until `close`. Ends one that hangs
 * (docs/decisions/0102-a-vault-that-hangs.md).
 */
export function startVault({ open, vaultState, log, onUnsealed, silentTicksMax = 30 }: Start): VaultClient {
  const started = Promise.withResolvers<void>()
  started.promise.catch(() => {}) // nobody has to wait for it
  const closing = new AbortController()
  let state: VaultClientState = 'starting'
  let running: OpenVault | undefined
  let starts = 0

  /** Leaves out what the operator has to mend at the first start: `started` rejects with it. */
  function logFailure(error: unknown, message: string): void {
    if (closing.signal.aborted) return
    if (!isForOperator(error)) log.error({ error }, message)
    else if (starts > 1) log.error({ reason: error.message }, message)
  }

  async function unseal(vault: OpenVault): Promise<void> {
    try {
      await unsealWith(vault.channel, vaultState)
      state = 'ready'
      started.resolve()
      onUnsealed?.()
    } catch (error) {
      vault.end()
      if (error instanceof VaultUnavailable) {
        await vault.gone
        await sleep(signalMsMax, undefined, { signal: closing.signal }).catch(() => {})
      }
      started.reject(error)
      logFailure(error, 'the vault could not be unsealed')
    }
  }

  /** Starts a vault and waits for its exit. */
  async function runOnce(): Promise<void> {
    state = 'starting'
    starts += 1
    running = await open(closing.signal)
    if (closing.signal.aborted) running.end()
    await unseal(running)
    const isEnded = endIfSilent(running, { ticksMax: silentTicksMax })
    await running.channel.closed
    state = 'down'
    const { fields, message } = await running.gone
    if (closing.signal.aborted) return
    const silence = `the vault answered nothing for ${silentTicksMax} s, so it was ended and will be started again`
    log.error(fields, (await isEnded) ? silence : message)
  }

  async function runUntilClosed(): Promise<void> {
    let restartMs = restartMsMin
    while (!closing.signal.aborted) {
      const startMs = performance.now()
      await runOnce().catch((error: unknown) => {
        started.reject(error)
        state = 'down'
        logFailure(error, 'the vault could not be started')
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

  // As many as there are lanes, because requests on one lane do not wait for those on another.
  const turns = { small: createSendingTurns(), large: createSendingTurns() }
  const answer: VaultClient['answer'] = (given, evidence) => {
    const { sourceAddress, organizationId = '', credential = '', waitMsMax = callDeadlineMs } = given
    const sender = { peer: networkOf(sourceAddress), organizationId, credential }
    const bytes = bytesIn(given)
    const mayDrop = bytes - given.body.length > keptBytesMax
    // The code below must not name `given`, which would keep the dropped evidence.
    let request = given
    let dropped: typeof evidence
    const onWait = () => {
      if (evidence === undefined || !mayDrop) return
      evidence.drop()
      dropped = evidence
      request = { ...request, presented: [] }
    }
    const send = (leftMs: number) =>
      asking('answer', { deadlineMs: leftMs, bytes })({ ...request, peer: sender.peer, waitMsMax: leftMs })
    return turns[isLarge(bytes) ? 'large' : 'small'].run(sender, { bytes, waitMsMax, onWait }, async (leftMs) => {
      if (dropped === undefined) return send(leftMs)
      const endsMs = performance.now() + leftMs
      await dropped.load()
      request = { ...request, presented: dropped.found() }
      // Its place was given for the bytes that it had.
      if (bytesIn(request) > 2 * bytes) throw new VaultUnavailable('what the request needs has grown while it waited')
      return send(Math.max(1, Math.floor(endsMs - performance.now())))
    })
  }

  return {
    state: () => state,
    started: started.promise,
    unseal: asking('unseal', { deadlineMs: unsealDeadlineMs }),
    answer,
    // Urgent, because the change is on disk already: other requests must not delay it.
    confirm: (request, options) =>
      asking('confirm', { deadlineMs: confirmDeadlineMs, isUrgent: true, ...options })(request),
    condition: asking('condition', { deadlineMs: conditionDeadlineMs, isUrgent: true }),
    createOrganization: asking('createOrganization'),
    openMessage: asking('openMessage'),
    publishLog: asking('publishLog', { isUrgent: true, hasLargeReply: true }),
    scrub: asking('scrub', { isUrgent: true, hasLargeReply: true }),
    publishedKeys: asking('publishedKeys'),
    async close() {
      closing.abort()
      running?.end()
      await stopped
    },
  }
}

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
