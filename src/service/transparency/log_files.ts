import { setImmediate } from 'node:timers/promises'
import { hashBytes } from '../../protocol/log/lines.ts'
import { readTilePath, rootOver, type Tile, tileAt, tileWidth, writeEntries } from '../../protocol/log/tiles.ts'
import { createByteCache } from '../../protocol/tools/byte_cache.ts'
import { singleFlight, singleFlights } from '../../protocol/tools/single_flight.ts'
import { Failure } from '../../protocol/wire/failures.ts'
import { jsonBytes } from '../../protocol/wire/json.ts'
import { cosignedIdOf, type LogRow, type Store } from '../store/store.ts'
import { createBundleHashes } from './bundle_hashes.ts'
import { fewAtOnce } from './few_at_once.ts'

/** A file that anybody may read. */
export type FoundFile = {
  readonly contentType: string
  /** Whether the bytes under this path never change. */
  readonly isForever: boolean
  readonly body: Uint8Array
}

/** Roots of tiles that were computed from those of bundles, 32 bytes each. */
const rootsBytesMax = 4 * 1024 * 1024
/**
 * Strangers may ask as often as they like, past the turns of requests. So they wait for one another, and all others who
 * need the database wait for these few at most.
 */
const readings = { atOnceMax: 2, waitingMax: 1_000 }

/**
 * Serves the transparency logs of the deployment as C2SP tlog-tiles has it: `/log/` lists them, and each one has its
 * `checkpoint` and its tiles below `/log/<journal>/`. Beside these, `cosigned` is the newest checkpoint that a quorum of
 * the operator's witnesses has cosigned. Undefined: there is no such file.
 */
export function createLogFiles(
  store: Pick<Store, 'logs' | 'log' | 'logBundle' | 'bundleRoots'>,
): (path: string) => Promise<FoundFile | undefined> {
  const roots = createByteCache<Uint8Array>({ bytesMax: rootsBytesMax })
  const read = fewAtOnce(readings)
  const logs = singleFlight(() => read(() => store.logs()))
  const logOf = singleFlights((logId: string) => read(() => store.log(logId)))
  const hashesOf = createBundleHashes({ logBundle: (bundle) => read(() => store.logBundle(bundle)) })

  return singleFlights((path) => fileAt(path).catch(refuseUnread))

  async function fileAt(path: string): Promise<FoundFile | undefined> {
    if (path === '/log/') return listOf(await logs())
    const [, logId, name] = /^\/log\/([0-9a-f]{32})\/(.+)$/.exec(path) ?? []
    const log = logId === undefined ? undefined : await logOf(logId)
    if (log === undefined || name === undefined) return undefined
    if (name === 'checkpoint' || name === 'cosigned') {
      const cosigned = (await logOf(cosignedIdOf(log.logId)))?.checkpoint
      const body = name === 'cosigned' ? cosigned : withCosignatures(log.checkpoint, cosigned)
      return body && { contentType: 'text/plain; charset=utf-8', isForever: false, body }
    }
    const tile = readTilePath(name)
    if (tile.kind === 'malformed' || !isPublished(tile.value, log)) return undefined
    const body = await bytesOf(log, tile.value)
    return body && { contentType: 'application/octet-stream', isForever: true, body }
  }

  /** The hashes at the beginning of a tile, or its entries. Undefined: the database lacks something. */
  async function bytesOf(log: LogRow, { level, index, width }: Tile): Promise<Uint8Array | undefined> {
    if (level === 'entries' || level === 0) {
      const hashes = await hashesOf({ log, number: index })
      if (hashes === undefined) return undefined
      return level === 0 ? hashes.leaves.subarray(0, width * hashBytes) : writeEntries(hashes.entries.slice(0, width))
    }
    if (level === 1) return bundleRoots(log, index * tileWidth, width)
    const found: Uint8Array[] = []
    for (let at = 0; at < width; at += 1) {
      await setImmediate() // Each has hundreds of hashes below it.
      const root = await rootOf(log, level - 1, index * tileWidth + at)
      if (root === undefined) return undefined
      found.push(root)
    }
    return Buffer.concat(found)
  }

  /** A bundle is a full tile of level 0, and the database has its root. */
  async function bundleRoots({ logId }: LogRow, from: number, limit: number): Promise<Uint8Array | undefined> {
    const found = await read(() => store.bundleRoots({ logId, from, limit }))
    const isWhole = found.length === limit && found.every(({ number }, at) => number === from + at)
    return isWhole ? Buffer.concat(found.map(({ root }) => root)) : undefined
  }

  /** The root of a full tile above the bundles. */
  async function rootOf(log: LogRow, level: number, index: number): Promise<Uint8Array | undefined> {
    const key = `${log.logId} ${level} ${index}`
    const known = roots.get(key)
    if (known !== undefined) return known
    const hashes = await bytesOf(log, { level, index, width: tileWidth })
    const root = hashes && rootOver(hashes)
    if (root !== undefined) roots.set(key, root, hashBytes)
    return root
  }
}

/** The newest checkpoint, with its cosignatures if it has some: these stand behind what the log has signed. */
function withCosignatures(checkpoint: Uint8Array, cosigned: Uint8Array | undefined): Uint8Array {
  const isOfIt = cosigned !== undefined && Buffer.compare(cosigned.subarray(0, checkpoint.length), checkpoint) === 0
  return isOfIt ? cosigned : checkpoint
}

/** Whether the log has published so much of the tile. */
function isPublished({ level, index, width }: Tile, { size }: LogRow): boolean {
  return width <= (tileAt({ level, index, size })?.width ?? 0)
}

function refuseUnread(cause: unknown): never {
  if (cause instanceof Failure) throw cause
  throw new Failure('UNAVAILABLE', { reason: 'the database cannot be used', cause })
}

function listOf(logs: readonly LogRow[]): FoundFile {
  const list = logs.map(({ logId, origin, keys, size }) => ({
    origin,
    keys: Buffer.from(keys).toString('ascii').split('\n'),
    size,
    path: `/log/${logId}`,
  }))
  return { contentType: 'application/json', isForever: false, body: jsonBytes({ logs: list }) }
}
