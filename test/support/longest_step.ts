/**
 * Runs `work` and returns the longest time, in ms of processor time, for which this thread served nothing else: the most
 * that it used between two turns of the event loop. Work after the last turn does not count.
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
  return longestMs
}

function usedMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
