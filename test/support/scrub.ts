import type { ScrubReport } from '../../src/link/scrubbing.ts'
import { startScrubber } from '../../src/service/transparency/scrubber.ts'
import type { Server } from './in_process.ts'

export type Scrubbed = ScrubReport & { readonly told: readonly string[] }

/** Has a server compare its transparency log with its database once. */
export async function scrub(
  { vault }: Pick<Server, 'vault'>,
  store: Parameters<typeof startScrubber>[0]['store'],
): Promise<Scrubbed> {
  const told: string[] = []
  const { promise, resolve, reject } = Promise.withResolvers<ScrubReport>()
  const end = (fields: object) => resolve(fields as ScrubReport)
  const log = {
    info() {},
    debug: end,
    warn: (fields: object) => ('error' in fields ? reject(fields.error) : end(fields)),
    error: (fields: object) => told.push((fields as { error: Error }).error.message),
  }
  const scrubber = startScrubber({ vault, store, log: log as never, everyMs: 3_600_000, share: 1 })
  try {
    return { ...(await promise), told }
  } finally {
    await scrubber.close()
  }
}
