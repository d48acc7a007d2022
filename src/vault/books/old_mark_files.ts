import { createHash } from 'node:crypto'
import { open, readdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from '../../link/make_folder.ts'
import { readRegular } from '../../link/regular_file.ts'
import { codeIn } from '../../protocol/tools/error_codes.ts'
import { UnsealError } from '../keys/wrapped_seed.ts'

/**
 * A mark file. An earlier version of the vault kept the newest head of each organization in one small file each:
 *
 *     <directory>/<last two digits of the id>/<organization id>
 *     claviger-mark-1 <organization id> <version> <tag> <first 16 digits of the SHA-256 of what precedes>
 */
export type MarkEntry = { readonly organizationId: string; readonly version: number; readonly tag: string }

const shardName = /^[0-9a-f]{2}$/
const line = /^(claviger-mark-1 ([0-9a-f-]{36}) ([1-9][0-9]{0,15}) ([0-9a-f]{32})) ([0-9a-f]{16})\n$/
const convertedFolder = 'converted'

/** Returns all marks in the folder. Throws `UnsealError` if a mark is damaged. */
export async function readMarks(directory: string): Promise<readonly MarkEntry[]> {
  const marks: MarkEntry[] = []
  for (const shard of await shardsIn(directory)) {
    // A mark that was being written at a crash ends in .new.
    const names = (await namesIn(join(directory, shard))).filter((name) => !name.endsWith('.new'))
    for (const name of names) marks.push(readMark(join(directory, shard, name), name))
  }
  return marks
}

/**
 * Calls `book`, which makes the marks durable on the books, then moves the files. A start after a crash repeats this.
 */
export async function convertMarks(directory: string, book: () => Promise<void>): Promise<void> {
  const shards = await shardsIn(directory)
  if (shards.length === 0) return
  await book()
  await makeFolder(join(directory, convertedFolder))
  for (const shard of shards) await rename(join(directory, shard), join(directory, convertedFolder, shard))
  await using folder = await open(directory, 'r')
  await folder.sync()
}

async function shardsIn(directory: string): Promise<readonly string[]> {
  return (await readdir(directory)).filter((name) => shardName.test(name))
}

async function namesIn(shard: string): Promise<readonly string[]> {
  try {
    return await readdir(shard)
  } catch (cause) {
    throw new UnsealError(`the folder of marks ${shard} cannot be read${codeIn(cause)}: restore it`, { cause })
  }
}

function readText(path: string): string {
  try {
    return readRegular(path).toString('latin1')
  } catch (cause) {
    throw new UnsealError(`the mark ${path} cannot be read${codeIn(cause)}: restore it`, { cause })
  }
}

function readMark(path: string, name: string): MarkEntry {
  const text = readText(path)
  const [, content = '', organizationId = '', version, tag = '', checksum] = line.exec(text) ?? []
  const digest = createHash('sha256').update(content).digest('hex').slice(0, 16)
  if (organizationId !== name || checksum !== digest || !Number.isSafeInteger(Number(version))) {
    throw new UnsealError(`the mark ${path} is damaged: restore it, or remove it to trust the database as it is now`)
  }
  return { organizationId, version: Number(version), tag }
}
