import { createRounds } from '../../turns/rounds.ts'

/** A step that takes longer is long. Usual certificates take a few milliseconds. */
const shortMsMax = 20

export type StepTurns = {
  /** Runs a step once its outermost owner has a turn. `owners`: from the outermost on, as many for each step. */
  add(owners: readonly string[], step: () => void): void
}

/**
 * Runs one step in each turn of the event loop. Owners take turns, and within the turns of one those below it. The
 * outermost owner of a long step rests for as long as that has taken, so it has half of the thread at most.
 */
export function createStepTurns(nowMs: () => number): StepTurns {
  const waiting = createRounds<() => void>()
  /** The outermost owners that rest, and until when. */
  const resting = new Map<unknown, number>()
  let isScheduled = false
  let wake: NodeJS.Timeout | undefined

  function schedule(): void {
    if (isScheduled || waiting.size === 0) return
    isScheduled = true
    setImmediate(runNext)
  }

  function runNext(): void {
    isScheduled = false
    const startMs = nowMs()
    for (const [owner, untilMs] of resting) if (untilMs <= startMs) resting.delete(owner)
    const step = waiting.take((owner) => !resting.has(owner))
    clearTimeout(wake)
    if (step === undefined) wake = setTimeout(schedule, Math.min(...resting.values()) - startMs)
    else {
      step()
      schedule()
    }
  }

  return {
    add(owners, step) {
      const [outermost = ''] = owners
      waiting.add(() => {
        const startMs = nowMs()
        step()
        const endMs = nowMs()
        if (endMs - startMs > shortMsMax) resting.set(outermost, endMs + (endMs - startMs))
      }, owners)
      schedule()
    },
  }
}
