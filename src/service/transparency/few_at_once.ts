import { Failure } from '../../protocol/wire/failures.ts'

/**
 * Returns a function that runs `atOnceMax` readings at the same time. Others wait in the order in which they came, and
 * one that comes when `waitingMax` wait is answered 503.
 */
export function fewAtOnce({
  atOnceMax,
  waitingMax,
}: {
  readonly atOnceMax: number
  readonly waitingMax: number
}): <T>(read: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let underWay = 0

  async function takePlace(): Promise<void> {
    if (underWay < atOnceMax) {
      underWay += 1
      return
    }
    if (waiting.length >= waitingMax) throw new Failure('UNAVAILABLE', 'too many read the transparency log')
    await new Promise<void>((resolve) => waiting.push(resolve))
  }

  return async (read) => {
    await takePlace()
    try {
      return await read()
    } finally {
      // One that waits takes over the place.
      const next = waiting.shift()
      if (next === undefined) underWay -= 1
      else next()
    }
  }
}
