import { readTilePath, type Tile, tileAt } from '../../protocol/log/tiles.ts'
import { singleFlight, singleFlights } from '../../protocol/tools/single_flight.ts'
import { Failure } from '../../protocol/wire/failures.ts'
import { jsonBytes } from '../../protocol/wire/json.ts'
import { cosignedIdOf, type LogRow, type Store } from '../store/store.ts'
import { fewAtOnce } from './few_at_once.ts'
import { createLogTiles } from './log_tiles.ts'

/** A file that anybody may read. */
export type FoundFile = {
  readonly contentType: string
  /** Whether the bytes under this path never change. */
  readonly isForever: boolean
  readonly body: Uint8Array
}

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
  const read = fewAtOnce(readings)
  const logs = singleFlight(() => read(() => store.logs()))
  const logOf = singleFlights((logId: string) => read(() => store.log(logId)))
  const tiles = createLogTiles({
    logBundle: (bundle) => read(() => store.logBundle(bundle)),
    bundleRoots: (range) => read(() => store.bundleRoots(range)),
  })

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
    const body = await tiles.bytesOf(log, tile.value)
    return body && { contentType: 'application/octet-stream', isForever: true, body }
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
