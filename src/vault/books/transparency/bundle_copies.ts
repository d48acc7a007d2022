import { hash } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from '../../../link/make_folder.ts'
import type { Log } from '../../../link/vault_log.ts'
import { codeOf } from '../../../protocol/tools/error_codes.ts'

/**
 * Copies of the newest bundles that the journal has forgotten. The database has these bundles. When it goes back to a
 * backup it loses them, and then they are handed to it again.
 */
export type BundleCopies = {
  /** Keeps a copy, and drops the oldest one if there are too many. Never rejects: the log goes on without copies. */
  keep(number: number, bytes: Uint8Array): Promise<void>
  /** Undefined: there is no copy, or it is damaged. */
  read(number: number): Promise<Uint8Array | undefined>
}

/** A million entries, in about 250 MB. */
const countMax = 4_096
const digestBytes = 32

/**
 * Keeps each copy in a file of its own, behind its SHA-256. The files are not synced, and nothing waits for them: a loss
 * of power costs the copies of some seconds, and the end of the process those of the last bundles.
 */
export function bundleCopiesIn(directory: string, log: Pick<Log, 'warn'>): BundleCopies {
  const pathOf = (number: number) => join(directory, String(number))
  let hasFailed = false

  /** Each call of the file system takes a turn of the thread pool, so the folder is made where it is missing only. */
  async function write(number: number, copy: Buffer): Promise<void> {
    const writeNow = () => writeFile(pathOf(number), copy, { mode: 0o600 })
    try {
      await writeNow()
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error
      await makeFolder(directory)
      await writeNow()
    }
  }

  return {
    async keep(number, bytes) {
      try {
        await write(number, Buffer.concat([digestOf(bytes), bytes]))
        if (number >= countMax) await rm(pathOf(number - countMax), { force: true })
        hasFailed = false
      } catch (error) {
        if (!hasFailed) log.warn({ error }, 'copies of bundles of the transparency log cannot be kept')
        hasFailed = true
      }
    },

    async read(number) {
      try {
        const file = await readFile(pathOf(number))
        const bytes = file.subarray(digestBytes)
        return digestOf(bytes).equals(file.subarray(0, digestBytes)) ? bytes : undefined
      } catch (error) {
        if (codeOf(error) !== 'ENOENT') log.warn({ error }, 'a copy of a bundle of the transparency log cannot be read')
        return undefined
      }
    },
  }
}

function digestOf(bytes: Uint8Array): Buffer {
  return hash('sha256', bytes, 'buffer')
}
