import { setImmediate as nextTurn } from 'node:timers/promises'

/** Lets one pass in each turn of the event loop. */
export function createTurnstile() {
  let last = Promise.resolve()
  return {
    turn(): Promise<void> {
      last = last.then(() => nextTurn())
      return last
    },
  }
}
