import { once } from 'node:events'
import { endWritingAt } from '../../link/line_output.ts'
import { StoppedEarly } from '../../service/process/stopped_early.ts'
import type { RunningServer } from '../../service/start.ts'
import { exitCodes } from './exit_codes.ts'
import { announce, printLast, refuseLostOutput } from './standard_output.ts'

/**
 * A stop may take so long in all, whatever hangs: what is under way has seven seconds, and a vault that hangs two more.
 * Docker kills a container after ten.
 */
const stopMsMax = 9_500
/** Before that the lines of the log that still wait have some time, and then the end of the process. */
const lastLinesMs = 200
const processEndMs = 200

/** Resolves when `stopping` is aborted. */
export async function untilStopped(stopping: AbortSignal): Promise<void> {
  if (!stopping.aborted) await once(stopping, 'abort')
}

/**
 * Returns a signal that is aborted by the first signal of the operating system that ends the process. A second one while
 * it drains changes nothing. The process ends `stopMsMax` after the first one at the latest, also if
 * nobody reads its log. SIGHUP ends it too: there
 * is no file to open again, because the log is standard error.
 */
export function stopSignal(): AbortSignal {
  const stop = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const) {
    process.on(name, () => stop.abort(new StoppedEarly(name)))
  }
  stop.signal.addEventListener('abort', () => {
    const end = () => {
      printLast('the stop took too long: what still hangs is cut off', { json: false })
      process.exit(exitCodes.done)
    }
    endWritingAt(performance.now() + stopMsMax - processEndMs)
    setTimeout(end, stopMsMax - processEndMs - lastLinesMs).unref()
  })
  return stop.signal
}

/**
 * Prints the database, so that a forgotten setting is seen, and the line that scripts wait for. Nothing is printed after
 * that line until the server ends. Throws `CommandError` if the line or the log cannot be written.
 */
export function announceReady({ url, database }: RunningServer, { json }: { readonly json: boolean }): void {
  refuseLostOutput()
  if (json) announce(JSON.stringify({ event: 'ready', url, database }))
  else announce(`claviger: the database is ${database}\nclaviger: ready on ${url}`)
  refuseLostOutput()
}
