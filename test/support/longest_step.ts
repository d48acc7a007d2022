/**
 * Runs `work` and returns the longest time, in ms of processor time, for which this thread served nothing else: the most
 * that it used between two turns of the event loop. Work after the last turn does not count. A processor that others use
 * too does less in its time, so the result is what it would be on one that is `slowness` times as fast.
 */
export async function longestStep(work: () => Promise<unknown>): Promise<number> {
  let longestMs = 0
  let isDone = false
  let beforeMs = usedMs()
  function turn(): void {
    longestMs = Math.max(longestMs, usedMs() - beforeMs)
    beforeMs = usedMs()
    if (!isDone) setImmediate(turn)
  }
  setImmediate(turn)
  try {
    await work()
  } finally {
    isDone = true
  }
  return longestMs / slowness()
}

const prime = 2n ** 255n - 19n
const squarings = 100_000
/** They take so long, in ms of processor time, on the quiet machine on which the limit of a step was set. */
const squaringsMs = 20

/** How many times longer the squarings take at this moment. One at least. */
function slowness(): number {
  // The first time it is compiled, too.
  return Math.max(1, Math.min(squareMs(), squareMs()) / squaringsMs)
}

function squareMs(): number {
  const beforeMs = usedMs()
  let value = 3n
  for (let index = 0; index < squarings; index += 1) value = (value * value) % prime
  return usedMs() - beforeMs
}

function usedMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
