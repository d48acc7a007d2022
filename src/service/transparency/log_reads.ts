import { hashOfLogEntry } from '../../protocol/log/encode_entry.ts'
import { bundleWidth, excerptHashes } from '../../protocol/log/exports/excerpt.ts'
import { decodeLogEntry } from '../../protocol/log/log_entry.ts'
import { readNote } from '../../protocol/log/notes/note.ts'
import { writeProof } from '../../protocol/log/proof.ts'
import { tileWidth, writeEntries } from '../../protocol/log/tree/tiles.ts'
import { leafHash } from '../../protocol/log/tree/tree.ts'
import { inclusionProof } from '../../protocol/log/tree/tree_proofs.ts'
import type { Found, FoundLogBundle, FoundLogProof, LogRead, Read } from '../../protocol/reads.ts'
import type { IndexedLog, Store } from '../store/store.ts'
import { allLogs } from './all_logs.ts'
import { indexKeyOf } from './log_index.ts'
import { placesIn } from './log_places.ts'
import { createLogTiles } from './log_tiles.ts'

/** The part of the database from which logs are read. */
type LogStore = Pick<Store, 'logs' | 'log' | 'logBundle' | 'bundleRoots' | 'logIndex'>

/** A page of bundles ends after so many of them, or with the bundle in which it has so many entries. */
const pageBundlesMax = 32
const pageEntriesMax = 1_024
/** Far more than the versions of an activity. */
const proofsMax = 256

/** Finds whatever the vault asks for, be it records or entries of the transparency logs. */
export function findWithLog(store: Pick<Store, 'find'> & LogStore): Store['find'] {
  const reader = createLogReader(store)
  return async (reads) => {
    const stored = reads.filter((read) => !isOfLog(read))
    if (stored.length === reads.length) return store.find(stored)
    const found = (await store.find(stored)).values()
    const all: Found[] = []
    for (const read of reads) {
      const one = isOfLog(read) ? await reader(read) : found.next().value
      if (one === undefined) throw new Error('the store answers every read')
      all.push(one)
    }
    return all
  }
}

function isOfLog(read: Read): read is LogRead {
  return read.read === 'logProofs' || read.read === 'logBundles'
}

/** An entry of an organization: the number of its bundle and its place there. */
type Place = { readonly number: number; readonly place: number }

/** Reads of the logs what an organization may see. */
function createLogReader(store: LogStore): (read: LogRead) => Promise<Found> {
  const tiles = createLogTiles(store)

  return async (read) => {
    if (read.read === 'logBundles') return { read: read.read, ...(await bundlesOf(read)) }
    return { read: read.read, rows: await proofsOf(read) }
  }

  async function proofsOf({ organizationId, changeKeys }: Extract<LogRead, { read: 'logProofs' }>) {
    const keys = new Set(changeKeys)
    const indexKeys = new Set(changeKeys.map(indexKeyOf))
    const proofs: FoundLogProof[] = []
    for await (const log of allLogs(store)) {
      for await (const { number, places } of placesOf(log, organizationId, 0)) {
        if (!places.some(({ key }) => indexKeys.has(key))) continue
        const entries = await bundleOf(log, number)
        for (const [at, entry] of entries.entries()) {
          const decoded = decodeLogEntry(entry)
          if (decoded?.organizationId !== organizationId || !keys.has(decoded.changeKey)) continue
          if (proofs.length < proofsMax) proofs.push(await proofOf(log, { number, place: at }, entry))
        }
      }
    }
    return proofs
  }

  async function proofOf(log: IndexedLog, { number, place }: Place, entry: Uint8Array): Promise<FoundLogProof> {
    const { origin, size, checkpoint } = log
    const index = number * tileWidth + place
    const note = readNote(checkpoint)
    if (note.kind === 'malformed') throw new Error(`the database has no checkpoint of the log ${log.logId}`)
    const hashes = await tiles.prove(log, size, (hashOf) => inclusionProof({ index, size }, hashOf))
    return { origin, index, entry, proof: writeProof({ extra: undefined, index, hashes, note: note.value }) }
  }

  async function bundlesOf({ organizationId, logId, size, from }: Extract<LogRead, { read: 'logBundles' }>) {
    const log = await store.log(logId)
    if (log === undefined || size > log.size) return { rows: undefined, next: undefined }
    const rows: FoundLogBundle[] = []
    let entriesCount = 0
    for await (const { number, places: all } of placesOf(log, organizationId, from)) {
      if (number * tileWidth >= size) break
      if (rows.length === pageBundlesMax || entriesCount >= pageEntriesMax) return { rows, next: number }
      const places = all.map(({ place }) => place).filter((at) => number * tileWidth + at < size)
      if (places.length === 0) continue
      rows.push(await excerptOf(log, size, { number, places }))
      entriesCount += places.length
    }
    return { rows, next: undefined }
  }

  async function excerptOf(
    log: IndexedLog,
    size: number,
    { number, places }: { readonly number: number; readonly places: readonly number[] },
  ): Promise<FoundLogBundle> {
    const from = number * tileWidth
    const entries = (await bundleOf(log, number)).slice(0, bundleWidth({ from, size }))
    const shown = { from, indexes: places.map((place) => from + place) }
    const whole = await tiles.prove(log, size, (hashOf) => inclusionProof({ index: from, size }, hashOf))
    const within = inclusionProof({ index: 0, size: entries.length }, () => new Uint8Array()).length
    const leaves = entries.map((entry) => leafHash(hashOfLogEntry(entry)))
    return {
      ...shown,
      entries: writeEntries(places.flatMap((place) => entries[place] ?? [])),
      hashes: Buffer.concat(excerptHashes(shown, leaves)),
      proof: Buffer.concat(whole.slice(within)),
    }
  }

  function placesOf(log: IndexedLog, organizationId: string, from: number) {
    return placesIn(store, (number) => bundleOf(log, number), { log, organizationId, from })
  }

  async function bundleOf(log: IndexedLog, number: number): Promise<readonly Uint8Array[]> {
    const entries = await tiles.entriesOf(log, number)
    if (entries === undefined) throw new Error(`the database lacks entries of bundle ${number} of the log ${log.logId}`)
    return entries
  }
}
