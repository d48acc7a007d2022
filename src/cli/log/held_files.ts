import { open, readFile, stat } from 'node:fs/promises'
import { markless } from '../../link/text_file.ts'
import { type ActivityProof, readActivityProof } from '../../protocol/log/activity_proof.ts'
import { type ExportHeader, readExportHeader } from '../../protocol/log/exports/export_lines.ts'
import { type Checkpoint, readCheckpoint } from '../../protocol/log/notes/checkpoint.ts'
import { type Note, readNote, writeNote } from '../../protocol/log/notes/note.ts'
import { type Policy, readPolicy } from '../../protocol/log/policy.ts'
import type { Reading } from '../../protocol/log/reading.ts'
import { codeIn } from '../../protocol/tools/error_codes.ts'
import { CommandError, exitCodes } from '../shared/exit_codes.ts'
import { linesFrom } from './export_file.ts'

/** A reader's own knowledge of the logs, as from a witness, a mirror or a proof of an earlier day. */
export type Held = { readonly checkpoints: readonly HeldCheckpoint[]; readonly proofs: readonly HeldProof[] }

/** `path`: of the file. */
export type HeldCheckpoint = Checkpoint & { readonly path: string; readonly note: Note; readonly text: string }
export type HeldProof = ActivityProof & { readonly path: string }

/** Reads checkpoints, and those of exports: one for each log. */
export async function checkpointsIn(paths: readonly string[]): Promise<readonly HeldCheckpoint[]> {
  const held = await Promise.all(
    paths.map(async (path) => {
      const header = await headerIn(path)
      if (header !== undefined) return header.logs.map(({ note }) => heldIn(note, path))
      return [heldIn(valueIn(readNote(await bytesIn(path)), { path, thing: 'checkpoint' }), path)]
    }),
  )
  return held.flat()
}

function heldIn(note: Note, path: string): HeldCheckpoint {
  const checkpoint = valueIn(readCheckpoint(note.text), { path, thing: 'checkpoint' })
  return { ...checkpoint, path, note, text: Buffer.from(writeNote(note)).toString('utf8') }
}

/** The first line of an export, which may be a large file. Undefined: the file is no export, as a pipe is none. */
async function headerIn(path: string): Promise<ExportHeader | undefined> {
  // To read a pipe twice would lose what it had.
  if (!(await stat(path).catch(unread(path))).isFile()) return undefined
  const file = await open(path).catch(unread(path))
  try {
    const { value: first } = await linesFrom(file, 0).next()
    const text = first?.text.replace(/^\uFEFF/, '')
    if (!text?.startsWith('{')) return undefined
    return valueIn(readExportHeader(text), { path, thing: 'export' })
  } finally {
    await file.close()
  }
}

export async function proofsIn(paths: readonly string[]): Promise<readonly HeldProof[]> {
  return Promise.all(
    paths.map(async (path) => ({
      ...valueIn(readActivityProof(await bytesIn(path)), { path, thing: 'proof of an activity' }),
      path,
    })),
  )
}

/** Reads the file of `--policy`. */
export async function policyIn(path: string): Promise<Policy> {
  return valueIn(readPolicy(await bytesIn(path)), { path, thing: 'policy' })
}

async function bytesIn(path: string): Promise<Uint8Array> {
  return readFile(path).then(markless).catch(unread(path))
}

function unread(path: string) {
  return (cause: unknown): never => {
    throw new CommandError(`${path} cannot be read${codeIn(cause)}`, exitCodes.usage, { cause })
  }
}

function valueIn<T>(found: Reading<T>, { path, thing }: { readonly path: string; readonly thing: string }): T {
  if (found.kind === 'read') return found.value
  throw new CommandError(`${path} is no ${thing}: ${found.reason}`, exitCodes.usage)
}
