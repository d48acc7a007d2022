import { constants, statfsSync } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { makeFolder } from '../../link/make_folder.ts'
import { IrregularFile, refuseIrregular } from '../../link/regular_file.ts'
import { codeOf, hasNoRoom } from '../../protocol/tools/error_codes.ts'
import { textOfError } from '../../protocol/tools/error_text.ts'
import { SettingsError } from '../process/settings_error.ts'
import { lockFile } from './sqlite/file_lock.ts'

const serverLockFile = 'server.lock'

/** The path of the embedded database in a data folder. */
export function databasePath(data: string): string {
  return join(data, 'claviger.db')
}

/**
 * Throws `SettingsError` if there is something at the path of the data folder that cannot be one. Its content would
 * only seem to be missing.
 */
export async function checkDataFolder(data: string): Promise<void> {
  await checkFolder(data, 'the data folder')
}

/** The same for a folder in it, so that its first use does not fail long after the start. */
export async function checkFolder(path: string, name = 'the folder'): Promise<void> {
  try {
    const folder = await stat(path)
    if (!folder.isDirectory()) throw new Error('it is no folder')
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (cause) {
    if (codeOf(cause) !== 'ENOENT') throw unusable(`${name} ${path}`, cause)
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
  refuseIrregularBeside(path)
  refuseIrregularAt(path, ownFileRemedy)
  try {
    return lockFile(path)
  } catch (cause) {
    throw noRoomAt(path, cause) ?? unusable(path, cause)
  }
}

/**
 * Throws `SettingsError` if there is a folder, a named pipe or the like at the path of a file that SQLite keeps beside a
 * database. It would wait for the writer of a pipe, and the process takes no signal meanwhile.
 */
export function refuseIrregularBeside(path: string): void {
  for (const end of ['-journal', '-wal', '-shm']) refuseIrregularAt(`${path}${end}`, ownFileRemedy)
}

const ownFileRemedy = 'move it away: the server makes the file itself'

/** The same for one path. `remedy` says what the operator does instead of changing the owner, which would not help. */
export function refuseIrregularAt(path: string, remedy: string): void {
  try {
    refuseIrregular(path)
  } catch (cause) {
    if (!(cause instanceof IrregularFile)) throw unusable(path, cause)
    throw new SettingsError(`${path} cannot be used (${cause.message}): ${remedy}`, { cause })
  }
}

/** A start writes less. With less room SQLite reports errors that do not say so. */
const startBytes = 65_536
/** The largest change is written to the log of the database, to the file and to the journal: each about a megabyte. */
const changeBytes = 4 * 1_048_576

/** The error of a disk that is full, for an error of SQLite. Room can come back: it is nothing that settings mend. */
export function noRoomAt(path: string, error: unknown): Error | undefined {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
  const code = sqliteCodeOf(cause)
  const isFull = code === sqliteFull || (sqliteOfDisk.includes(code) && hasLittleRoom(dirname(path), startBytes))
  if (!isFull && !hasNoRoom(cause)) return undefined
  return new Error(`the disk of ${path} is full (${reasonOf(cause)}): make room on it`, { cause })
}

function hasLittleRoom(folder: string, bytes: number): boolean {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize < bytes
}

/** Says that the disk of the data folder is full; undefined if it is not, or if nobody knows. */
export function fullDisk(data: string): string | undefined {
  try {
    return hasLittleRoom(data, changeBytes)
      ? 'the disk of the data folder is full: make room before changes are refused'
      : undefined
  } catch {
    return undefined
  }
}

const sqliteFull = 13
/** Result codes of SQLite that a full disk may have too: an error of the disk, and a file that cannot be opened. */
const sqliteOfDisk: readonly number[] = [10, 14]

/** The lowest byte of an extended result code is the code. 0: no error of SQLite. */
export function sqliteCodeOf(error: unknown): number {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : 0
}

/** Says how the operator mends the data folder. */
export function unusable(what: string, cause: unknown): SettingsError {
  const remedy =
    'make the user of the server the owner of the data folder and of all in it, who may read and write there (chown -R), or name another folder (CLAVIGER_DATA, --data)'
  return new SettingsError(`${what} cannot be used (${reasonOf(cause)}): ${remedy}`, { cause })
}

/** The code of an error of the operating system is shorter than its text, which has the path again. */
export function reasonOf(cause: unknown): string {
  const code = codeOf(cause)
  if (typeof code === 'string' && fileErrors.has(code)) return code
  return textOfError(cause)
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
