import type { Log } from '../../link/vault_log.ts'

/** The vault's source of time. */
export type Clock = {
  /** Milliseconds since 1970. */
  readonly nowMs: () => number
  /** Describes the fault of the machine's clock to the operator. Undefined if there is none. */
  readonly problem: () => string | undefined
}

/** A difference to the machine's clock up to this is a correction. A larger one is a jump. */
const jumpMsMin = 10_000
/** The time constant of a jump: 63 % of it is taken up after this time, and 99 % after five times as long. */
const takenUpMs = 120_000

type ClockParts = {
  readonly wallMs: () => number
  readonly monotonicMs: () => number
  readonly log: Pick<Log, 'warn'>
}

/**
 * Makes a clock that runs with the monotonic clock of the process. Small corrections of the machine's clock count at
 * once. A jump is taken up slowly. So a wrong time that is mended soon has moved this clock little, and a vault whose
 * clock never runs backwards is not left hours ahead. A jump that lasts, as after a pause of the machine, is taken up
 * within minutes.
 */
export function createClock({ wallMs, monotonicMs, log }: ClockParts): Clock {
  let shownMs = wallMs()
  let seenMs = monotonicMs()
  let hasJumped = false

  /** How far the machine's clock is ahead of this one. */
  function errorMs(): number {
    return wallMs() - shownMs
  }

  function nowMs(): number {
    const elapsedMs = monotonicMs() - seenMs
    seenMs += elapsedMs
    shownMs += elapsedMs
    const error = errorMs()
    const isJump = Math.abs(error) > jumpMsMin
    shownMs += isJump ? error * (1 - Math.exp(-elapsedMs / takenUpMs)) : error
    if (isJump && !hasJumped) log.warn({ aheadMs: Math.round(error) }, jumpText)
    hasJumped = isJump
    return Math.floor(shownMs)
  }

  return {
    nowMs,
    problem() {
      nowMs()
      if (!hasJumped) return undefined
      const seconds = Math.round(Math.abs(errorMs()) / 1_000)
      return `the clock of the machine jumped: it is ${seconds} s ${errorMs() > 0 ? 'ahead of' : 'behind'} the vault, which follows slowly`
    },
  }
}

const jumpText = 'the clock of the machine jumped; the vault follows it slowly, so that a wrong time does no harm'
