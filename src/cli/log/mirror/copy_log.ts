import { base64 } from '@scure/base'
import { hashBytes } from '../../../protocol/log/lines.ts'
import { noteBytesMax } from '../../../protocol/log/notes/note.ts'
import { readVerifierKey, type VerifierKey, writeVerifierKey } from '../../../protocol/log/notes/verifier_keys.ts'
import type { Policy } from '../../../protocol/log/policy.ts'
import {
  readEntries,
  type Tile,
  tileAt,
  tilePath,
  tilesFor,
  tilesOfGrowth,
  tileWidth,
  writeEntries,
} from '../../../protocol/log/tree/tiles.ts'
import { isSameHash } from '../../../protocol/log/tree/tree.ts'
import { consistencyProof, continues, rootAt } from '../../../protocol/log/tree/tree_proofs.ts'
import { type CheckedTiles, checkedTilesOf, type TileSource } from './checked_tiles.ts'
import type { CopiedFiles } from './copied_files.ts'
import { LogFault } from './log_fault.ts'
import type { PublicFiles } from './public_files.ts'
import { type SignedTree, type Signers, signedTreeIn } from './signed_tree.ts'

/** A log as a server lists it. */
export type ListedLog = {
  readonly origin: string
  readonly keys: readonly VerifierKey[]
  /** Below which its files are. */
  readonly path: string
}

export type LogCopy = {
  readonly listed: ListedLog
  readonly server: PublicFiles
  readonly files: CopiedFiles
  readonly policy: Policy | undefined
  /** Whether all files of the copy are read and checked again, and wrong ones are replaced. */
  readonly isAnew: boolean
  readonly onProgress: (entries: { readonly done: number; readonly all: number }) => void
}

/** `before`: the size that the copy had. `cosigned`: that of the newest checkpoint that witnesses have cosigned. */
export type Copied = { readonly size: number; readonly before: number; readonly cosigned: number | undefined }

/** Bundles that are asked for at once. */
const bundlesAtOnce = 8
/** Each entry of a server of Claviger has 32 bytes. Other logs have larger ones. */
const bundleBytesMax = 16 * 1024 * 1024

/**
 * Takes over what a log has published since the last time. A file is written once it leads to the root of a signed
 * checkpoint that continues the one before, and the checkpoint is written last. So a copy that was broken off goes on.
 */
export async function copyLog(copy: LogCopy): Promise<Copied> {
  const { listed, server, files, policy } = copy
  const signers: Signers = { keys: await keysOf(files, listed), policy: policy && { ...policy, quorum: 'none' } }
  const keptNote = await files.read('checkpoint')
  const kept = keptNote && signedTreeIn(keptNote, signers)
  // In this order: the newest checkpoint continues the one that was cosigned before.
  const cosignedNote = await server.get(`${listed.path}/cosigned`, { bytesMax: noteBytesMax })
  const shownNote = await server.get(`${listed.path}/checkpoint`, { bytesMax: noteBytesMax })
  if (shownNote === undefined) throw new LogFault('the server has no checkpoint of it')
  const shown = signedTreeIn(shownNote, signers)
  const cosigned = cosignedNote && signedTreeIn(cosignedNote, { ...signers, policy })
  if (cosigned === undefined && policy !== undefined && policy.quorum !== 'none') {
    throw new LogFault('it has no checkpoint that the quorum of the policy has cosigned')
  }
  const before = kept?.size ?? 0
  const [local, remote] = [localOf(files), remoteOf(server, listed)]
  if (shown.size < before) {
    if (kept !== undefined) await refuseFork(files, kept, [shown, cosigned], [local])
    throw new LogFault(`the server shows ${shown.size} entries, and the copy has ${before}`)
  }
  const sources: readonly TileSource[] = [async (tile) => (await local(tile)) ?? remote(tile), remote]
  const tiles = await refuseFork(files, shown, [kept, cosigned], sources)
  await copyTiles(copy, shown, tiles, copy.isAnew ? 0 : before)
  await files.write('keys', signers.keys.map((key) => `${writeVerifierKey(key)}\n`).join(''))
  await files.write('checkpoint', shown.note)
  if (cosigned !== undefined) await copyCosigned(files, cosigned, { tiles, size: shown.size })
  return { size: shown.size, before, cosigned: cosigned?.size }
}

/** The keys that the log had the first time: a history that begins anew with other keys is no longer that log. */
async function keysOf(files: CopiedFiles, { keys }: ListedLog): Promise<readonly VerifierKey[]> {
  const text = await files.read('keys')
  if (text === undefined) return keys
  return Buffer.from(text)
    .toString('utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => {
      const key = readVerifierKey(line)
      if (key.kind === 'malformed') throw new LogFault(`the file keys of the copy is damaged: ${key.reason}`)
      return key.value
    })
}

function localOf(files: CopiedFiles): TileSource {
  return (tile) => files.read(tilePath(tile))
}

function remoteOf(server: PublicFiles, { path }: ListedLog): TileSource {
  return (tile) => {
    const bytesMax = tile.level === 'entries' ? bundleBytesMax : tileWidth * hashBytes
    return server.get(`${path}/${tilePath(tile)}`, { bytesMax })
  }
}

/** Returns the tiles of the newest tree. Throws `LogFault` if one of the others is not its beginning. */
async function refuseFork(
  files: CopiedFiles,
  newest: SignedTree,
  others: readonly (SignedTree | undefined)[],
  sources: readonly TileSource[],
): Promise<CheckedTiles> {
  const older = others.filter((tree) => tree !== undefined)
  for (const tree of older) {
    if (tree.size > newest.size) throw new LogFault('the server shows an older checkpoint than the cosigned one')
    // Two roots of one size are a fork, whatever files there are.
    if (tree.size === newest.size && !isSameHash(tree.root, newest.root)) await keepFork(files, tree, newest, [])
  }
  const tiles = await checkedTilesOf(newest, sources)
  for (const tree of older) {
    const growth = { from: tree.size, to: newest.size }
    const proof = await tiles.prove((hashOf) => consistencyProof(growth, hashOf))
    const isContinued = continues({ ...growth, fromRoot: tree.root, toRoot: newest.root, proof })
    if (!isContinued) await keepFork(files, tree, newest, proof)
  }
  return tiles
}

/**
 * Keeps the evidence of the first fork: two checkpoints that one log has signed, and a proof of consistency that leads
 * to the root of the newer one and to another root than that of the older one.
 */
async function keepFork(
  files: CopiedFiles,
  older: SignedTree,
  newer: SignedTree,
  proof: readonly Uint8Array[],
): Promise<never> {
  if ((await files.read('fork/proof')) === undefined) {
    await files.write('fork/older', older.note)
    await files.write('fork/newer', newer.note)
    await files.write('fork/proof', proof.map((hash) => `${base64.encode(hash)}\n`).join(''))
  }
  const what = `A FORK: its checkpoint of ${newer.size} entries does not continue that of ${older.size}`
  throw new LogFault(`${what}. Both are in the folder fork of its copy`, { isFork: true })
}

async function copyTiles(
  { files, onProgress }: LogCopy,
  { size }: SignedTree,
  tiles: CheckedTiles,
  from: number,
): Promise<void> {
  const end = Math.ceil(size / tileWidth)
  const first = size === from ? end : Math.floor(from / tileWidth)
  for (let next = first; next < end; next += bundlesAtOnce) {
    const indexes = Array.from({ length: Math.min(bundlesAtOnce, end - next) }, (_, at) => next + at)
    await Promise.all(
      indexes.map(async (index) => {
        const { tile, entries, leaves } = await tiles.bundle(index)
        await writeChanged(files, { ...tile, level: 'entries' }, entries)
        await writeChanged(files, tile, leaves)
      }),
    )
    onProgress({ done: Math.min(size, (next + bundlesAtOnce) * tileWidth), all: size })
  }
  for (const tile of tilesOfGrowth({ from, to: size })) {
    if (Number(tile.level) > 0) await writeChanged(files, tile, await tiles.hashes(tile))
  }
}

async function writeChanged(files: CopiedFiles, tile: Tile, content: Uint8Array): Promise<void> {
  const known = await files.read(tilePath(tile))
  if (known === undefined || Buffer.compare(known, content) !== 0) await files.writeTile(tile, content)
}

/** The checkpoint with its partial tiles, which are the beginnings of those of the newest tree. */
async function copyCosigned(
  files: CopiedFiles,
  cosigned: SignedTree,
  { tiles, size }: { readonly tiles: CheckedTiles; readonly size: number },
): Promise<void> {
  for (const tile of tilesFor((hashOf) => rootAt(cosigned.size, hashOf), { size: cosigned.size })) {
    const whole = tileAt({ ...tile, size })
    if (whole === undefined || whole.width === tileWidth) continue // A full one takes the place of partial ones.
    await files.writeTile(tile, (await tiles.hashes(whole)).subarray(0, tile.width * hashBytes))
    if (tile.level !== 0) continue
    const read = readEntries((await tiles.bundle(tile.index)).entries, whole)
    if (read.kind === 'read') {
      await files.writeTile({ ...tile, level: 'entries' }, writeEntries(read.value.slice(0, tile.width)))
    }
  }
  await files.write('cosigned', cosigned.note)
}
