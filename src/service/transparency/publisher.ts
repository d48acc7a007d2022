import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PublishedLog } from '../../link/verbs.ts'
import { readBundle } from '../../protocol/log/bundle.ts'
import { hashOfLogEntry } from '../../protocol/log/encode_entry.ts'
import { logIdOf } from '../../protocol/log/log_id.ts'
import { readEntriesUpTo, tileWidth } from '../../protocol/log/tree/tiles.ts'
import type { Log } from '../process/log.ts'
import type { KeptLog, LogRow, Store } from '../store/store.ts'
import { type VaultClient, VaultUnavailable } from '../vault/client.ts'
import { createIndexer } from './log_index.ts'

export type PublisherParts = {
  readonly vault: Pick<VaultClient, 'publishLog'>
  readonly store: Pick<Store, 'keepLog' | 'logs' | 'log' | 'logBundle' | 'indexBundle'>
  readonly log: Log
  /** Told of each new checkpoint once it is stored. */
  readonly onCheckpoint?: ((row: LogRow) => void) | undefined
  readonly everyMs?: number
  readonly indexEveryMs?: number
}

/** A second is the age of the newest checkpoint that an auditor has to expect. */
const everyMsDefault = 1_000
/** How long bundles of a node that is gone may stay without an index. */
const indexEveryMsDefault = 60_000

/**
 * Has the vault sign what is new in the transparency log of this node, once a second, and stores it. Whole bundles are
 * indexed behind that. Once a minute, first at the start, those are that earlier versions and nodes that are gone have
 * left without. `compared` resolves once the journal was compared with the log in the database, or could not be.
 */
export function startPublisher({
  vault,
  store,
  log,
  onCheckpoint,
  everyMs = everyMsDefault,
  indexEveryMs = indexEveryMsDefault,
}: PublisherParts): {
  readonly compared: Promise<void>
  close(): Promise<void>
} {
  const publish = createPublish({ vault, store, onCheckpoint })
  const closing = new AbortController()
  const compared = Promise.withResolvers<void>()
  const indexer = createIndexer(store, closing.signal)
  let indexAllAtMs = 0
  let hasFailed = false

  async function run(): Promise<void> {
    while (!closing.signal.aborted) {
      try {
        const published = await publish().finally(compared.resolve)
        if (published !== undefined) await indexer.index(published.logId)
        if (performance.now() >= indexAllAtMs) {
          indexAllAtMs = performance.now() + indexEveryMs
          await indexer.indexAll()
        }
        if (hasFailed) log.info({}, 'the transparency log is published again')
        hasFailed = false
        if (published?.isBehind === true) continue
      } catch (error) {
        if (!hasFailed && error instanceof ForkedLog) {
          log.error({ incidentId: randomUUID(), error }, 'nothing is changed or signed: the journal was set back')
          hasFailed = true
        }
        // The vault says itself that it is down.
        if (!hasFailed && !(error instanceof VaultUnavailable)) {
          log.warn({ error }, 'the transparency log could not be published')
          hasFailed = true
        }
      }
      await sleep(everyMs, undefined, { signal: closing.signal }).catch(() => {})
    }
  }

  const ended = run()
  return {
    compared: compared.promise,
    async close() {
      closing.abort()
      await ended
    },
  }
}

/**
 * Returns a function that publishes what is new, for one call at a time. The bundles that were stored are read back, and
 * shown to the vault by the next call: the vault keeps them until then. It resolves with the id of the log if it has
 * stored something. `isBehind`: the vault has more, and what was stored can be read.
 */
export function createPublish({
  vault,
  store,
  onCheckpoint,
}: Pick<PublisherParts, 'vault' | 'onCheckpoint'> & {
  readonly store: Pick<Store, 'keepLog' | 'logBundle' | 'log'>
}): () => Promise<{ readonly logId: string; readonly isBehind: boolean } | undefined> {
  /** The bundles that were stored and not yet shown to the vault. */
  let stored: readonly Uint8Array[] = []
  let size = -1
  let keptCheckpoint: Uint8Array | undefined

  async function readBack({ origin, bundles }: PublishedLog): Promise<readonly Uint8Array[]> {
    const found = await Promise.all(bundles.map(({ number }) => store.logBundle({ logId: logIdOf(origin), number })))
    // The vault looks at them in order, up to one that is missing.
    const missing = found.indexOf(undefined)
    return found.slice(0, missing === -1 ? found.length : missing).flatMap((bytes) => bytes ?? [])
  }

  /** Shows the vault a checkpoint that somebody else has stored for its log, before anything takes its place. */
  async function showForeign(logId: string): Promise<void> {
    const found = (await store.log(logId))?.checkpoint
    if (found === undefined || Buffer.compare(found, keptCheckpoint ?? Buffer.of()) === 0) return
    refuseForked(await vault.publishLog({ stored: [], seen: found }))
  }

  return async () => {
    const published = await vault.publishLog({ stored })
    stored = []
    const isNew = published.checkpoint !== undefined && published.size !== size
    refuseForked(published)
    // Another journal lies there now.
    if (published.size < size) keptCheckpoint = undefined
    if (!isNew && published.bundles.length === 0) return undefined
    await showForeign(logIdOf(published.origin))
    const kept = keptLogOf(published)
    await store.keepLog(kept)
    if (isNew) {
      size = published.size
      keptCheckpoint = published.checkpoint
    }
    if (isNew && kept.log !== undefined) onCheckpoint?.(kept.log)
    stored = await readBack(published)
    const isBehind = published.checkpoint === undefined && stored.length === published.bundles.length
    return { logId: logIdOf(published.origin), isBehind }
  }
}

/** Nobody may see a second history of the log. */
export class ForkedLog extends Error {
  override readonly name = 'ForkedLog'
}

function refuseForked({ forked }: PublishedLog): void {
  if (forked !== undefined) throw new ForkedLog(forked)
}

function keptLogOf({ origin, keys, size, checkpoint, bundles, unfinished }: PublishedLog): KeptLog {
  const logId = logIdOf(origin)
  const last = Buffer.concat(entriesIn(readEntriesUpTo(unfinished, { widthMax: tileWidth })).map(hashOfLogEntry))
  const log = { logId, origin, keys: Buffer.from(keys.join('\n')), size, last }
  return {
    logId,
    log: checkpoint && { ...log, checkpoint },
    bundles: [
      ...bundles.map(({ number, bytes }) => ({ number, root: rootOfBundle(bytes), entries: bytes })),
      ...(checkpoint === undefined || unfinished.length === 0 ? [] : [unfinishedBundle(size, unfinished)]),
    ],
  }
}

/** It is stored again with each checkpoint, so that an entry is there as soon as one covers it. */
function unfinishedBundle(size: number, entries: Uint8Array) {
  return { number: Math.floor(size / tileWidth), root: new Uint8Array(), entries }
}

function rootOfBundle(bytes: Uint8Array): Uint8Array {
  const bundle = readBundle(bytes)
  if (bundle === undefined) throw new Error('the vault handed over no bundle')
  return bundle.root
}

function entriesIn(found: ReturnType<typeof readEntriesUpTo>): readonly Uint8Array[] {
  if (found.kind === 'malformed') throw new Error(`the vault handed over no bundle: ${found.reason}`)
  return found.value
}
