import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { codeOf } from '../protocol/tools/error_codes.ts'

/**
 * Makes a folder, for this user alone unless the mode says otherwise, and those above it that are missing. Returns whether it was missing. Node's own
 * way to do this never ends where a folder cannot be made although the one above exists, as in `/proc`.
 */
export async function makeFolder(path: string, { mode = 0o700 }: { readonly mode?: number } = {}): Promise<boolean> {
  try {
    return await makeOne(path, mode)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' || dirname(path) === path) throw error
    await makeFolder(dirname(path), { mode })
    return makeOne(path, mode)
  }
}

async function makeOne(path: string, mode: number): Promise<boolean> {
  try {
    await mkdir(path, { mode })
    return true
  } catch (error) {
    if (await isFolder(path)) return false
    throw error
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory()
  } catch {
    return false
  }
}
