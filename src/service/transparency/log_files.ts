import { readTilePath, type Tile, tileAt } from '../../protocol/log/tree/tiles.ts'
import { Failure } from '../../protocol/wire/failures.ts'
import { jsonBytes } from '../../protocol/wire/json.ts'
import { cosignedIdOf, type LogRow, type Store } from '../store/store.ts'
import { createInFlight } from '../turns/in_flight.ts'
import { createPlaces } from '../turns/places.ts'
import { createKnownLogs } from './known_logs.ts'
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
const filesAtOnceMax = 2
const everybody = 'everybody'

/**
 * Serves the transparency logs of the deployment as C2SP tlog-tiles has it: `/log/` lists them, and each one has its
 * `checkpoint` and its tiles below `/log/<journal>/`. Beside these, `cosigned` is the newest checkpoint that a quorum of
 * the operator's witnesses has cosigned. Peers take turns. Undefined: there is no such file.
 */
export function createLogFiles(
  store: Pick<Store, 'logs' | 'log' | 'logBundle' | 'bundleRoots'>,
  nowMs: () => number = () => performance.now(),
): (path: string, peer: string) => Promise<FoundFile | undefined> {
  const inFlight = createInFlight<{ readonly found: FoundFile | undefined }>()
  const places = createPlaces(filesAtOnceMax)
  const logs = createKnownLogs(store, nowMs)
  const tiles = createLogTiles(store)

  return (path, peer) => fileAt(path, peer).catch(refuseUnread)

  async function fileAt(path: string, peer: string): Promise<FoundFile | undefined> {
    if (path === '/log/') return listOf(await logs.list())
    const [, logId = '', name = ''] = /^\/log\/([0-9a-f]{32})\/(.+)$/.exec(path) ?? []
    const file = fileNamed(name)
    // A name of no file and an id that is no log take no place.
    if (file === undefined || !(await logs.mayBe(logId))) return undefined
    const asker = { organizationId: everybody, peer, isVerified: false }
    const answer = await inFlight.runFor(asker, async () => ({
      found: await places.run(asker, () =>
        typeof file === 'string' ? checkpointFile(logId, file) : tileFile(logId, file),
      ),
    }))
    if (answer === undefined) throw new Failure('UNAVAILABLE', 'this address reads too many files of the log at once')
    return answer.found
  }

  async function checkpointFile(logId: string, name: CheckpointName): Promise<FoundFile | undefined> {
    const log = await logs.newest(logId)
    if (log === undefined) return undefined
    const cosigned = (await logs.newest(cosignedIdOf(logId)))?.checkpoint
    const body = name === 'cosigned' ? cosigned : withCosignatures(log.checkpoint, cosigned)
    return body && { contentType: 'text/plain; charset=utf-8', isForever: false, body }
  }

  async function tileFile(logId: string, tile: Tile): Promise<FoundFile | undefined> {
    const seen = logs.seen(logId)
    const log = isPublished(tile, seen) ? seen : await logs.newest(logId)
    const body = isPublished(tile, log) ? await tiles.bytesOf(log, tile) : undefined
    return body && { contentType: 'application/octet-stream', isForever: true, body }
  }
}

type CheckpointName = 'checkpoint' | 'cosigned'

/** Undefined: no log has a file of this name. */
function fileNamed(name: string): CheckpointName | Tile | undefined {
  if (name === 'checkpoint' || name === 'cosigned') return name
  const tile = readTilePath(name)
  return tile.kind === 'malformed' ? undefined : tile.value
}

/** The newest checkpoint, with its cosignatures if it has some: these stand behind what the log has signed. */
function withCosignatures(checkpoint: Uint8Array, cosigned: Uint8Array | undefined): Uint8Array {
  return hasCosignatures(checkpoint, cosigned) ? cosigned : checkpoint
}

/** Whether the newest cosigned checkpoint of a log is this one. */
export function hasCosignatures(checkpoint: Uint8Array, cosigned: Uint8Array | undefined): cosigned is Uint8Array {
  return cosigned !== undefined && Buffer.compare(cosigned.subarray(0, checkpoint.length), checkpoint) === 0
}

/** Whether the log has published so much of the tile. */
function isPublished({ level, index, width }: Tile, log: LogRow | undefined): log is LogRow {
  return log !== undefined && width <= (tileAt({ level, index, size: log.size })?.width ?? 0)
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
