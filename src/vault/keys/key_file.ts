import { randomBytes } from 'node:crypto'
import { link, mkdir, open, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { SecretBytes } from '../../protocol/crypto/secret_bytes.ts'
import { UnsealError } from './wrapped_seed.ts'

const keyBytes = 32

/** The key in the file. Throws `UnsealError` when it is missing, of another size, or readable for others. */
export async function openKeyFile(path: string): Promise<SecretBytes> {
  const key = await readKeyFile(path)
  if (key === undefined) {
    throw new UnsealError(`the key file ${path} is missing: restore it from where you keep its copy, or set its path`)
  }
  return key
}

/** The key in the file, which is made when it is missing: 0600, in a directory that is made 0700. */
export async function openOrCreateKeyFile(path: string): Promise<SecretBytes> {
  const key = await readKeyFile(path)
  if (key !== undefined) return key
  await createKeyFile(path)
  return openKeyFile(path)
}

async function readKeyFile(path: string): Promise<SecretBytes | undefined> {
  try {
    await using file = await open(path, 'r')
    // Mode and size of the file that was opened, whatever has become of the path meanwhile.
    const { mode, size } = await file.stat()
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
    throw new UnsealError(`the key file ${path} cannot be read: its owner must be the user of the vault`, { cause })
  }
}

/**
 * Written in full under another name and then linked, which fails when the path exists: nobody finds half a key, and
 * of two that make one at once the first wins and the other uses it.
 */
async function createKeyFile(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
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

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
