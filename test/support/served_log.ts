import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { writeCheckpoint } from '../../src/protocol/log/notes/checkpoint.ts'
import { writeNote } from '../../src/protocol/log/notes/note.ts'
import { type SigningKey, signerOf } from '../../src/protocol/log/notes/signatures.ts'
import {
  rootOver,
  type Tile,
  tilePath,
  tilesOfGrowth,
  tileWidth,
  writeEntries,
} from '../../src/protocol/log/tree/tiles.ts'
import { emptyFrontier, grown, leafHash, rootOf } from '../../src/protocol/log/tree/tree.ts'
import { logKey, signedNote, vkey } from './log_keys.ts'

/** A made-up log as a server serves it: the tree of `size` of its entries, and another one from `fork` on. */
export type Tree = { readonly size: number; readonly fork?: number; readonly salt?: number }

export const logId = 'a'.repeat(32)
export const origin = `keys.example/log/${logId}`
export const keyOfLog = logKey(origin, 'Ed25519', 1)

const entryOf = (index: number, salt: number) => {
  const entry = Buffer.alloc(32, salt)
  entry.writeUInt32BE(index)
  return entry
}

/** The files of the log by their names. `cosigners`: they cosign the tree of `cosigned`. */
export function filesOf(
  { size, fork = size, salt = 1 }: Tree,
  { key = keyOfLog, cosigned, cosigner }: { key?: SigningKey; cosigned?: Tree; cosigner?: SigningKey } = {},
): Map<string, Uint8Array> {
  const entries = Array.from({ length: size }, (_, index) => entryOf(index, index < fork ? 0 : salt))
  const levels: Uint8Array[][] = [entries.map(leafHash)]
  for (let below = levels[0]; below !== undefined && below.length >= tileWidth; below = levels.at(-1)) {
    const full = Math.floor(below.length / tileWidth)
    const hashes = below
    levels.push(
      Array.from({ length: full }, (_, at) => rootOver(Buffer.concat(hashes.slice(at * 256, (at + 1) * 256)))),
    )
  }
  const contentOf = ({ level, index, width }: Tile) => {
    const of = <T>(all: readonly T[] = []) => all.slice(index * tileWidth, index * tileWidth + width)
    return level === 'entries' ? writeEntries(of(entries)) : Buffer.concat(of(levels[level]))
  }
  const note = (leaves: readonly Uint8Array[], signers: readonly SigningKey[]) => {
    const root = rootOf(leaves.reduce(grown, emptyFrontier))
    const text = writeCheckpoint({ origin: key.name, size: leaves.length, root, extensions: [] })
    return writeNote(
      signedNote(
        text,
        signers.map((one) => signerOf(one, { timeS: one.type === 'Ed25519' ? 0 : 1_790_000_000 })),
      ),
    )
  }
  const files = new Map([...tilesOfGrowth({ from: 0, to: size })].map((tile) => [tilePath(tile), contentOf(tile)]))
  files.set('checkpoint', note(levels[0] ?? [], [key]))
  if (cosigned !== undefined && cosigner !== undefined) {
    const leaves = Array.from({ length: cosigned.size }, (_, index) =>
      leafHash(entryOf(index, index < (cosigned.fork ?? cosigned.size) ? 0 : salt)),
    )
    files.set('cosigned', note(leaves, [key, cosigner]))
  }
  return files
}

/** A server of these files, which a test exchanges. It counts what was asked for. */
export async function serveLog(first: Map<string, Uint8Array>) {
  const served = { files: first, keys: [vkey(keyOfLog)], isListed: true, asked: [] as string[], breaksAfter: Infinity }
  const server = createServer(({ url = '' }, response) => {
    const name = url.slice(`/log/${logId}/`.length)
    served.asked.push(name)
    if (served.asked.length > served.breaksAfter) return void response.writeHead(503).end()
    const listed = served.isListed ? [{ origin, keys: served.keys, size: 0, path: `/log/${logId}` }] : []
    const body = url === '/log/' ? JSON.stringify({ logs: listed }) : served.files.get(name)
    return body === undefined ? void response.writeHead(404).end() : void response.end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { served, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}
