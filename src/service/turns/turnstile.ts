import { createRounds } from './rounds.ts'

/** Lets one pass in each turn of the event loop. Peers take turns. */
export function createTurnstile() {
  const waiting = createRounds<() => void>()

  function letNextPass(): void {
    waiting.take()?.()
    if (waiting.size > 0) setImmediate(letNextPass)
  }

  return {
    turn(peer: string): Promise<void> {
      return new Promise((pass) => {
        if (waiting.size === 0) setImmediate(letNextPass)
        waiting.add(pass, [peer])
      })
    },
  }
}
