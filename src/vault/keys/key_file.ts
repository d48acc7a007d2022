import { randomBytes } from 'node:crypto'
import { link, open, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makeFolder } from '../../link/make_folder.ts'
import { isOfSocket, readingFlags } from '../../link/regular_file.ts'
import { SecretBytes } from '../../protocol/crypto/secret_bytes.ts'
import { codeOf } from '../../protocol/tools/error_codes.ts'
import { UnsealError } from './wrapped_seed.ts'

const keyBytes = 32

/**
 * Returns the key in the file. Throws `UnsealError` if the file is missing, has another size, or others may read it.
 */
export async function openKeyFile(path: string): Promise<SecretBytes> {
  const key = await readKeyFile(path)
  if (key === undefined) {
    const remedy = 'restore it from where you keep its copy, or copy that of the first node there'
    throw new UnsealError(`the key file ${path} is missing: ${remedy}`)
  }
  return key
}

/** Returns the key in the file. Makes a missing file with mode 0600, and a missing directory with mode 0700. */
export async function openOrCreateKeyFile(path: string): Promise<SecretBytes> {
  const key = await readKeyFile(path)
  if (key !== undefined) return key
  await createKeyFile(path)
  return openKeyFile(path)
}

async function readKeyFile(path: string): Promise<SecretBytes | undefined> {
  try {
    await using file = await open(path, readingFlags)
    // Mode and size belong to the opened file, even if the path names another file by now.
    const status = await file.stat()
    if (!status.isFile()) throw irregular(path)
    const { mode, size } = status
    if ((mode & 0o077) !== 0) throw new UnsealError(`others may read the key file ${path}: run chmod 600 ${path}`)
    if (size !== keyBytes) {
      throw new UnsealError(`the key file ${path} has ${size} bytes, not ${keyBytes}: restore it from its copy`)
    }
    const bytes = new Uint8Array(keyBytes)
    const { bytesRead } = await file.read(bytes, 0, keyBytes, 0)
    if (bytesRead !== keyBytes) throw new UnsealError(`the key file ${path} changed while it was read`)
    return new SecretBytes(bytes)
  } catch (cause) {
    if (cause instanceof UnsealError) throw cause
    if (codeOf(cause) === 'ENOENT') return undefined
    if (isOfSocket(cause)) throw irregular(path)
    throw new UnsealError(`the key file ${path} cannot be read: its owner must be the user of the vault`, { cause })
  }
}

function irregular(path: string): UnsealError {
  return new UnsealError(`the key file ${path} is no regular file: restore it from its copy`)
}

/**
 * Makes the key file. It writes the whole file under another name and then links it to the path, so no process reads
 * half a key. `link` fails if the path exists: if two processes make the file at once, both use the first one.
 */
async function createKeyFile(path: string): Promise<void> {
  await makeFolder(dirname(path))
  const temporaryPath = `${path}.${randomBytes(8).toString('hex')}.new`
  {
    using key = new SecretBytes(randomBytes(keyBytes))
    await using file = await open(temporaryPath, 'wx', 0o600)
    await file.write(key.reveal())
    await file.sync()
  }
  try {
    await link(temporaryPath, path)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  } finally {
    await unlink(temporaryPath)
  }
  await using directory = await open(dirname(path), 'r')
  await directory.sync()
}
