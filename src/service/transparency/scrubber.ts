import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { bytesIn } from '../../link/channel/lanes.ts'
import type { ScrubFound, ScrubReport, ScrubWanted } from '../../link/scrubbing.ts'
import type { Presented } from '../../link/verbs.ts'
import type { Found, Read } from '../../protocol/reads.ts'
import type { Log } from '../process/log.ts'
import type { Store } from '../store/store.ts'
import { type VaultClient, VaultUnavailable } from '../vault/client.ts'

type Wanted<Of extends ScrubWanted['of']> = Extract<ScrubWanted, { readonly of: Of }>

type ScrubberParts = {
  readonly vault: Pick<VaultClient, 'scrub'>
  readonly store: Pick<Store, 'find' | 'bundleRoots' | 'logBundle' | 'keepLog' | 'listedActivities'>
  readonly log: Log
  /** From the beginning of one comparison to that of the next. */
  readonly everyMs: number
  /** The share of a core that a comparison takes, above 0 and up to 1. */
  readonly share: number
}

/** Rows that are read at once, and the bytes of a message after which no more are read for it. */
const rowsAtOnce = 32
const messageBytesMax = 1024 * 1024
/** After a comparison that could not be ended, as when the vault was started again. */
const againAfterMs = 60_000

/** A database that answers slowly takes no processor time of this machine, so no rest for its sake is longer. */
const restMsMax = 60_000

/**
 * Has the vault compare its transparency log with the database, at the start and again and again, slowly: it reads what
 * the vault wants, and rests in between.
 */
export function startScrubber({ vault, store, log, everyMs, share }: ScrubberParts): { close(): Promise<void> } {
  const closing = new AbortController()
  const rest = (ms: number) => sleep(ms, undefined, { signal: closing.signal }).catch(() => {})

  /** When the last comparison that ended had begun, or else this process. */
  let wholeSinceMs = performance.now()
  let toldMs = wholeSinceMs

  /** Tells once for each comparison that should have been, because rows may be missing that nobody looked for. */
  function tellOverdue(): void {
    const nowMs = performance.now()
    if (nowMs - wholeSinceMs < 2 * everyMs || nowMs - toldMs < everyMs) return
    toldMs = nowMs
    const fields = { hours: Math.round((nowMs - wholeSinceMs) / 3_600_000) }
    log.warn(fields, 'a comparison of the transparency log with the database is overdue')
  }

  /** Undefined: this process ends. */
  async function compare(): Promise<ScrubReport | undefined> {
    let found: ScrubFound = { of: 'beginning' }
    while (!closing.signal.aborted) {
      const startedMs = performance.now()
      const { wanted, incidents } = await vault.scrub(found)
      for (const message of incidents) {
        const incident = { incidentId: randomUUID(), error: { name: 'IntegrityError', message } }
        log.error(incident, 'the database does not show what the transparency log has')
      }
      if (wanted.of === 'nothing') return wanted.report
      found = await lookUp(store, wanted)
      await rest(Math.min(restMsMax, (performance.now() - startedMs) * (1 / share - 1)))
      tellOverdue()
    }
    return undefined
  }

  async function run(): Promise<void> {
    while (!closing.signal.aborted) {
      const startedMs = performance.now()
      try {
        const report = await compare()
        if (report !== undefined) {
          wholeSinceMs = startedMs
          tell(report)
        }
        await rest(Math.max(0, everyMs - (performance.now() - startedMs)))
      } catch (error) {
        // The vault says itself that it is down.
        if (!(error instanceof VaultUnavailable)) {
          log.warn({ error }, 'the transparency log could not be compared with the database')
        }
        await rest(againAfterMs)
        tellOverdue()
      }
    }
  }

  function tell({ entries, late, unconfirmed, restored, incidents }: ScrubReport): void {
    const text = 'the transparency log was compared with the database'
    const isUsual = late === 0 && restored === 0 && incidents === 0
    log[isUsual ? 'debug' : 'warn']({ entries, late, unconfirmed, restored, incidents }, text)
  }

  const ended = run()
  return {
    async close() {
      closing.abort()
      await ended
    },
  }
}

async function lookUp(
  store: ScrubberParts['store'],
  wanted: Exclude<ScrubWanted, Wanted<'nothing'>>,
): Promise<ScrubFound> {
  switch (wanted.of) {
    case 'roots':
      return { of: 'roots', roots: await store.bundleRoots(wanted) }
    case 'bundle':
      return { of: 'bundle', bytes: await store.logBundle(wanted) }
    case 'restoring': {
      const { logId, number, root, entries } = wanted
      await store.keepLog({ logId, log: undefined, bundles: [{ number, root, entries }] })
      return { of: 'restored' }
    }
    case 'activities':
      return { of: 'activities', activities: await store.listedActivities({ ...wanted.after, limit: wanted.limit }) }
    case 'rows':
      return { of: 'rows', presented: await present(store, wanted) }
  }
}

async function present(store: Pick<Store, 'find'>, { reads }: Wanted<'rows'>): Promise<readonly Presented[]> {
  const presented: Presented[] = []
  for (let at = 0; at < reads.length && bytesIn(presented) < messageBytesMax; at += rowsAtOnce) {
    const some = reads.slice(at, at + rowsAtOnce)
    const found = await store.find(some)
    presented.push(...found.flatMap((one, index) => presentedAs(some[index], one)))
  }
  return presented
}

function presentedAs(read: Read | undefined, found: Found): readonly Presented[] {
  return read === undefined ? [] : [{ read, found }]
}
