import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { access, mkdir, open, readdir, readFile, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createByteCache } from '../protocol/byte_cache.ts'
import { codeIn, UnsealError } from './wrapped_seed.ts'

/**
 * The mark: the newest version and seal tag of every organization's head that the vault has seen committed, outside the
 * database, so that an older copy of the whole database is noticed. One small file per organization:
 *
 *     <directory>/<last two digits of the id>/<organization id>
 *     claviger-mark-1 <organization id> <version> <tag> <first 16 digits of the SHA-256 of what precedes>
 *
 * The last digits, because an id of ours begins with its time. The checksum tells damage from truth; it keeps nobody
 * out who can write the directory.
 */
export type Mark = {
  readonly directory: string
  /** Makes the directory where it is missing. Throws `UnsealError` when it cannot be used. */
  prepare(): Promise<void>
  /** Undefined when the organization has no mark. Throws `MarkError` when its mark is damaged. */
  get(organizationId: string): Promise<MarkEntry | undefined>
  /** Whether no organization was ever marked here. */
  isEmpty(): Promise<boolean>
  /**
   * Resolves when the mark is on disk. Raising it to what it is does nothing; lowering it, or naming another tag for the
   * version that it has, throws `MarkError`. Raises of one organization happen one after the other.
   */
  raise(raised: { readonly organizationId: string } & MarkEntry): Promise<void>
}

export type MarkEntry = { readonly version: number; readonly tag: string }

/** The mark is damaged, or was to be moved in a way that it never may. */
export class MarkError extends Error {
  override readonly name = 'MarkError'
}

const cacheBytesMax = 8 * 1024 * 1024
const cachedEntryBytes = 250
const magic = 'claviger-mark-1'
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const line = /^(claviger-mark-1 ([0-9a-f-]{36}) ([1-9][0-9]{0,15}) ([\w+/=-]{1,128})) ([0-9a-f]{16})\n$/

/** The mark in `directory`, for which `prepare` comes first. One process at a time may write it. */
export function openMark({ directory }: { readonly directory: string }): Mark {
  const cache = createByteCache<MarkEntry>({ bytesMax: cacheBytesMax })
  const raising = new Map<string, Promise<void>>()

  /** The file itself, not the cache: what is compared before a write is what is there. */
  async function raiseNow(path: string, organizationId: string, { version, tag }: MarkEntry): Promise<void> {
    const marked = await readMark(path, organizationId)
    if (marked !== undefined && marked.version > version) {
      throw new MarkError(`organization ${organizationId}: the mark stands at ${marked.version} and is not lowered`)
    }
    if (marked?.version === version && marked.tag !== tag) {
      throw new MarkError(`organization ${organizationId}: the mark names another head of version ${version}`)
    }
    if (marked?.version !== version) await writeDurably(path, encodeMark(organizationId, { version, tag }))
    cache.set(organizationId, { version, tag }, cachedEntryBytes)
  }

  return {
    directory,

    async prepare() {
      try {
        await mkdir(directory, { recursive: true, mode: 0o700 })
        await access(directory, constants.R_OK | constants.W_OK | constants.X_OK)
      } catch (cause) {
        const reason = `the mark folder ${directory} cannot be used${codeIn(cause)}`
        const remedy = 'make it a folder that the user of the server may read and write, or set CLAVIGER_MARK_DIR'
        throw new UnsealError(`${reason}: ${remedy}`, { cause })
      }
    },

    async get(organizationId) {
      const path = pathOf(directory, organizationId)
      const cached = cache.get(organizationId)
      if (cached !== undefined) return cached
      const read = await readMark(path, organizationId)
      // A raise that ended while this was reading is newer; one that has not ended will fill the cache itself.
      const raised = cache.get(organizationId)
      if (raised !== undefined) return raised
      if (read !== undefined && !raising.has(organizationId)) cache.set(organizationId, read, cachedEntryBytes)
      return read
    },

    isEmpty: async () => (await readdir(directory)).length === 0,

    async raise({ organizationId, version, tag }) {
      const path = pathOf(directory, organizationId)
      const before = raising.get(organizationId) ?? Promise.resolve()
      const mine = before.catch(() => {}).then(() => raiseNow(path, organizationId, { version, tag }))
      raising.set(organizationId, mine)
      try {
        await mine
      } finally {
        if (raising.get(organizationId) === mine) raising.delete(organizationId)
      }
    },
  }
}

function pathOf(directory: string, organizationId: string): string {
  if (!uuid.test(organizationId)) throw new MarkError('an organization id that is not a lower-case UUID')
  return join(directory, organizationId.slice(-2), organizationId)
}

async function readMark(path: string, organizationId: string): Promise<MarkEntry | undefined> {
  let text: string
  try {
    text = await readFile(path, 'latin1')
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined
    throw new MarkError(`the mark ${path} cannot be read`, { cause })
  }
  const [, content = '', markedId, version, tag, checksum] = line.exec(text) ?? []
  const entry = { version: Number(version), tag: tag ?? '' }
  if (markedId !== organizationId || checksum !== checksumOf(content) || !Number.isSafeInteger(entry.version)) {
    throw new MarkError(`the mark ${path} is damaged: restore it, or remove it to trust the database as it is now`)
  }
  return entry
}

function encodeMark(organizationId: string, { version, tag }: MarkEntry): string {
  const content = `${magic} ${organizationId} ${version} ${tag}`
  const text = `${content} ${checksumOf(content)}\n`
  if (!line.test(text)) throw new MarkError(`a mark cannot hold version ${version} with tag ${JSON.stringify(tag)}`)
  return text
}

function checksumOf(content: string): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 16)
}

/** Replaces the file as a whole: after a power failure it is the former one or this one. */
async function writeDurably(path: string, text: string): Promise<void> {
  const shard = dirname(path)
  if ((await mkdir(shard, { recursive: true, mode: 0o700 })) !== undefined) await syncDirectory(dirname(shard))
  const temporaryPath = `${path}.new`
  {
    await using file = await open(temporaryPath, 'w', 0o600)
    await file.writeFile(text, 'latin1')
    await file.sync()
  }
  await rename(temporaryPath, path)
  await syncDirectory(shard)
}

async function syncDirectory(path: string): Promise<void> {
  await using directory = await open(path, 'r')
  await directory.sync()
}
