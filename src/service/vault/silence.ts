import { setImmediate as afterReading, setTimeout as sleep } from 'node:timers/promises'
import type { OpenVault } from './vault_process.ts'

const tickMs = 1_000

/** Any reply is good, a refusal too: the event loop of the vault turns. So nobody waits for this one. */
const askLimits = { deadlineMs: tickMs, isUrgent: true }

/**
 * Ends the vault when nothing has come from it for `ticksMax` ticks since it was asked for its condition. Anything that
 * it sends counts, also the reply to a call that nobody waits for any more. Resolves with whether it was ended, when its
 * channel is closed at the latest.
 */
export async function endIfSilent(
  { channel, end }: Pick<OpenVault, 'channel' | 'end'>,
  { ticksMax, tick = secondOfThisProcess }: { readonly ticksMax: number; readonly tick?: typeof secondOfThisProcess },
): Promise<boolean> {
  const gone = new AbortController()
  void channel.closed.then(() => gone.abort())
  let heard = channel.heard()
  for (let silentTicks = 0; silentTicks <= ticksMax; ) {
    if (silentTicks > 0) channel.call('condition', undefined, askLimits).catch(() => {})
    await tick(gone.signal)
    if (gone.signal.aborted) return false
    silentTicks = channel.heard() === heard ? silentTicks + 1 : 0
    heard = channel.heard()
  }
  end()
  return true
}

/**
 * A second in which this process ran. If it stood still, one second passes at most, and what came meanwhile is read
 * before the second is over. So its own standing still is never the silence of the vault.
 */
async function secondOfThisProcess(gone: AbortSignal): Promise<void> {
  await sleep(tickMs, undefined, { signal: gone }).catch(() => {})
  if (!gone.aborted) await afterReading()
}
