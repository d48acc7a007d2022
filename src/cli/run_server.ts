import type { RunningServer } from '../service/start.ts'

/** Resolves with the first signal that ends the process. A second signal while it drains changes nothing. */
export function untilStopped(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve(signal))
  })
}

/** Prints the line that scripts wait for. Nothing is printed after it until the server ends. */
export function announceReady({ url }: RunningServer, { json }: { readonly json: boolean }): void {
  console.log(json ? JSON.stringify({ event: 'ready', url }) : `claviger: ready on ${url}`)
}
