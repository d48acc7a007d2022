import type { RunningServer } from '../service/start.ts'

/** Resolves when the process is told to end; a second signal while draining changes nothing. */
export function untilStopped(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve(signal))
  })
}

/** The line that scripts wait for: nothing is printed after it before the server ends. */
export function announceReady({ url }: RunningServer, { json }: { readonly json: boolean }): void {
  console.log(json ? JSON.stringify({ event: 'ready', url }) : `claviger: ready on ${url}`)
}
