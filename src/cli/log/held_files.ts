import { readFile } from 'node:fs/promises'
import { type ActivityProof, readActivityProof } from '../../protocol/log/activity_proof.ts'
import { type Checkpoint, readCheckpoint } from '../../protocol/log/checkpoint.ts'
import { type Note, readNote } from '../../protocol/log/note.ts'
import type { Reading } from '../../protocol/log/reading.ts'
import { codeIn } from '../../protocol/tools/error_codes.ts'
import { CommandError, exitCodes } from '../exit_codes.ts'

/** A reader's own knowledge of the logs, as from a witness, a mirror or a proof of an earlier day. */
export type Held = { readonly checkpoints: readonly HeldCheckpoint[]; readonly proofs: readonly HeldProof[] }

/** `path`: of the file. */
export type HeldCheckpoint = Checkpoint & { readonly path: string; readonly note: Note; readonly text: string }
export type HeldProof = ActivityProof & { readonly path: string }

export async function checkpointsIn(paths: readonly string[]): Promise<readonly HeldCheckpoint[]> {
  return Promise.all(
    paths.map(async (path) => {
      const bytes = await bytesIn(path)
      const note = valueIn(readNote(bytes), { path, thing: 'checkpoint' })
      const checkpoint = valueIn(readCheckpoint(note.text), { path, thing: 'checkpoint' })
      return { ...checkpoint, path, note, text: Buffer.from(bytes).toString('utf8') }
    }),
  )
}

export async function proofsIn(paths: readonly string[]): Promise<readonly HeldProof[]> {
  return Promise.all(
    paths.map(async (path) => ({
      ...valueIn(readActivityProof(await bytesIn(path)), { path, thing: 'proof of an activity' }),
      path,
    })),
  )
}

async function bytesIn(path: string): Promise<Uint8Array> {
  return readFile(path).catch((cause: unknown) => {
    throw new CommandError(`${path} cannot be read${codeIn(cause)}`, exitCodes.usage, { cause })
  })
}

function valueIn<T>(found: Reading<T>, { path, thing }: { readonly path: string; readonly thing: string }): T {
  if (found.kind === 'read') return found.value
  throw new CommandError(`${path} is no ${thing}: ${found.reason}`, exitCodes.usage)
}
