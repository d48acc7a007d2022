import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from '../link/make_folder.ts'
import { refuseIrregular } from '../link/regular_file.ts'
import { codeOf, hasNoRoom } from '../protocol/tools/error_codes.ts'
import { SettingsError } from './settings/setting_values.ts'
import { lockFile } from './store/sqlite/file_lock.ts'

const serverLockFile = 'server.lock'

/** Where the embedded database of a data folder is. */
export function databasePath(data: string): string {
  return join(data, 'claviger.db')
}

/**
 * Throws `SettingsError` if there is something at the path of the data folder that cannot be one. What lies in it would
 * only seem to be missing.
 */
export async function checkDataFolder(data: string): Promise<void> {
  try {
    const folder = await stat(data)
    if (!folder.isDirectory()) throw new Error('it is no folder')
    await access(data, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (cause) {
    if (codeOf(cause) !== 'ENOENT') throw unusable(`the data folder ${data}`, cause)
  }
}

/**
 * Makes the data folder if there is none, and keeps other servers away from it until `release`.
 * @throws SettingsError when a server has it, or it cannot be used.
 */
export async function lockDataFolder(data: string): Promise<{ release(): void }> {
  await checkDataFolder(data)
  await makeFolder(data).catch((cause) => {
    if (hasNoRoom(cause)) throw cause
    throw unusable(`the data folder ${data}`, cause)
  })
  const lock = lockOf(join(data, serverLockFile))
  if (lock === undefined) throw new SettingsError(`another server is running on the data folder ${data}`)
  return lock
}

function lockOf(path: string): ReturnType<typeof lockFile> {
  try {
    refuseIrregular(path)
    return lockFile(path)
  } catch (cause) {
    throw unusable(path, cause)
  }
}

/** What the operator has to mend in the data folder. */
export function unusable(what: string, cause: unknown): SettingsError {
  const remedy =
    'make the user of the server the owner of the data folder and of all in it, who may read and write there (chown -R), or name another folder (CLAVIGER_DATA, --data)'
  return new SettingsError(`${what} cannot be used (${reasonOf(cause)}): ${remedy}`, { cause })
}

/** The code of an error of the operating system is shorter than its text, which has the path again. */
export function reasonOf(cause: unknown): string {
  const code = codeOf(cause)
  if (typeof code === 'string' && fileErrors.has(code)) return code
  return cause instanceof Error ? cause.message : String(cause)
}

/** Errors that say that a path is not what it should be, or not for this user. */
export const fileErrors: ReadonlySet<unknown> = new Set([
  'EACCES',
  'EEXIST',
  'EISDIR',
  'ELOOP',
  'ENAMETOOLONG',
  'ENOENT',
  'ENOTDIR',
  'EPERM',
  'EROFS',
])
