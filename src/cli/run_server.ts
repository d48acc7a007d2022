import type { RunningServer } from '../service/start.ts'

/** Resolves with the first signal that ends the process. A second signal while it drains changes nothing. */
export function untilStopped(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve(signal))
  })
}

/**
 * Prints the database, so that a forgotten setting is seen, and the line that scripts wait for. Nothing is printed after
 * that line until the server ends.
 */
export function announceReady({ url, database }: RunningServer, { json }: { readonly json: boolean }): void {
  if (json) console.log(JSON.stringify({ event: 'ready', url, database }))
  else console.log(`claviger: the database is ${database}\nclaviger: ready on ${url}`)
}
