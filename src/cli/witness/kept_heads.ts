import { existsSync } from 'node:fs'
import { open, readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { makeFolder } from '../../link/make_folder.ts'
import { type Checkpoint, readCheckpoint } from '../../protocol/log/notes/checkpoint.ts'
import { openNote, readNote, type Verifier } from '../../protocol/log/notes/note.ts'
import { witnessedPath } from '../../protocol/log/witness.ts'
import { codeIn } from '../../protocol/tools/error_codes.ts'
import { SettingsError } from '../../service/process/settings_error.ts'
import { lockFile } from '../../service/store/sqlite/file_lock.ts'
import { replaceFile } from '../shared/replace_file.ts'

/** The newest head of a log that a witness has cosigned. */
export type KeptHead = {
  readonly checkpoint: Checkpoint
  /** The note with the signatures of the log and of the witness, as it is served. */
  readonly note: Uint8Array
}

/**
 * The newest checkpoint of each log that this witness has cosigned, on disk. A witness that forgets one would cosign
 * another history: so each is a file of its own, and a list says which files there must be.
 */
export type KeptHeads = {
  get(origin: string): KeptHead | undefined
  /** The one whose path of C2SP tlog-witness begins with these hex digits. */
  at(id: string): KeptHead | undefined
  /** It is on disk when this resolves. If it rejects, no signature may leave. One call at a time. */
  put(head: KeptHead): Promise<void>
}

const headsFolder = 'heads'
/** The ids of all logs that have a file in `headsFolder`, one a line. */
const listFile = 'heads.list'
const ownOnly = { mode: 0o600 }

/** Makes the empty store of a new witness. */
export async function createHeads(folder: string): Promise<void> {
  await makeFolder(join(folder, headsFolder))
  await replaceFile(join(folder, listFile), '', ownOnly)
  await syncFolder(folder)
}

/** Keeps other processes away from the store until `release`. Throws `SettingsError` if there is none, or one has it. */
export function lockHeads(folder: string): { release(): void } {
  if (!existsSync(join(folder, listFile))) throw lost(join(folder, listFile))
  const lock = lockFile(join(folder, 'witness.lock'))
  if (lock === undefined) throw new SettingsError(`another witness is running on ${folder}`)
  return lock
}

/** Throws `SettingsError` if a file is lost, damaged, or not signed by the keys of this witness. */
export async function openHeads(folder: string, own: readonly Verifier[]): Promise<KeptHeads> {
  const [listPath, headsPath] = [join(folder, listFile), join(folder, headsFolder)]
  const listed = idsIn(await read(listPath))
  if (listed === undefined) throw lost(listPath)
  const found = await readdir(headsPath).catch(() => [])
  const kept = new Map<string, KeptHead>()
  // A file that is not listed yet was written before the process ended.
  for (const id of new Set([...listed, ...found.filter((name) => /^[0-9a-f]{64}$/.test(name))])) {
    const path = join(headsPath, id)
    const head = headIn(await read(path), own)
    if (head === undefined || idOf(head.checkpoint.origin) !== id) throw lost(path)
    kept.set(id, head)
  }

  async function list(): Promise<void> {
    await replaceFile(listPath, [...kept.keys()].map((id) => `${id}\n`).join(''), ownOnly)
    await syncFolder(folder)
  }

  if (kept.size > listed.size) await list()
  return {
    get: (origin) => kept.get(idOf(origin)),
    at: (id) => kept.get(id),
    async put(head) {
      const id = idOf(head.checkpoint.origin)
      await replaceFile(join(headsPath, id), head.note, ownOnly)
      await syncFolder(headsPath)
      kept.set(id, head)
      // Before its first signature leaves: a list that lacked it would not miss the file.
      if (listed.has(id)) return
      await list()
      listed.add(id)
    },
  }
}

async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path, 'r')
  await folder.sync()
}

async function read(path: string): Promise<Uint8Array> {
  return readFile(path).catch((cause) => {
    throw lost(path, cause)
  })
}

function idsIn(bytes: Uint8Array): Set<string> | undefined {
  const text = Buffer.from(bytes).toString('latin1')
  return /^([0-9a-f]{64}\n)*$/.test(text) ? new Set(text.split('\n').slice(0, -1)) : undefined
}

/** Undefined unless one of these keys has signed it, and none wrongly. */
function headIn(bytes: Uint8Array, own: readonly Verifier[]): KeptHead | undefined {
  const note = readNote(bytes)
  if (note.kind === 'malformed') return undefined
  const opened = openNote(note.value, own)
  const checkpoint = readCheckpoint(note.value.text)
  const isOwn = opened.kind === 'signed' && checkpoint.kind === 'read'
  return isOwn ? { checkpoint: checkpoint.value, note: bytes } : undefined
}

function idOf(origin: string): string {
  return witnessedPath(origin).slice(0, 64)
}

function lost(path: string, cause?: unknown): SettingsError {
  return new SettingsError(
    `${path} is lost or damaged${codeIn(cause)}: without the newest ${basename(path)} this witness could cosign a second history. Put the newest one back; if there is none, make a new witness with \`claviger witness create\``,
    { cause },
  )
}
