import type { RunningServer } from '../service/start.ts'

/** Resolves when the process is told to end; a second signal while draining changes nothing. */
export function untilStopped(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve(signal))
  })
}

/** The line that scripts wait for: nothing is printed after it before the server ends. */
export function announceReady({ port }: RunningServer, json: boolean): void {
  if (json) console.log(JSON.stringify({ event: 'ready', url: `http://127.0.0.1:${port}` }))
  else console.log(`claviger: ready on http://127.0.0.1:${port}`)
}
