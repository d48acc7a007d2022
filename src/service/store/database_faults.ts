import { codeOf } from '../../protocol/tools/error_codes.ts'
import { SettingsError } from '../process/settings_error.ts'
import {
  fileErrors,
  noRoomAt,
  reasonOf,
  refuseIrregularAt,
  refuseIrregularBeside,
  sqliteCodeOf,
  unusable,
} from './data_folder.ts'
import { stateOf } from './postgres/answers.ts'

/** Opens the embedded database. Throws `SettingsError` if the operator has to mend its file. */
export async function openingFile<T>(path: string, open: () => Promise<T>): Promise<T> {
  refuseIrregularBeside(path)
  refuseIrregularAt(path, 'move it away, and put the database or a backup back')
  try {
    return await open()
  } catch (error) {
    const noRoom = noRoomAt(path, error)
    if (noRoom !== undefined) throw noRoom
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
    const code = sqliteCodeOf(cause)
    if (sqliteRights.includes(code) || fileErrors.has(codeOf(cause))) throw unusable(path, cause)
    if (!sqliteDamages.includes(code)) throw error
    const reason = `${path} is damaged, or no database of this program (${reasonOf(cause)})`
    throw new SettingsError(`${reason}: put a backup back, with its own -wal if it has one`, { cause: error })
  }
}

/** Result codes of SQLite: no right, read-only, cannot be opened, not authorized. */
const sqliteRights: readonly number[] = [3, 8, 14, 23]
/** Malformed, and no database. */
const sqliteDamages: readonly number[] = [11, 26]

/**
 * Opens a database of PostgreSQL. Throws `SettingsError` if the operator has to mend the address or the rights of its
 * role. A database that does not answer may do so at the next start, so its error stays as it is.
 */
export async function openingServer<T>(open: () => Promise<T>): Promise<T> {
  try {
    return await open()
  } catch (error) {
    const states = error instanceof AggregateError ? error.errors.map(stateOf) : [stateOf(error)]
    const remedies = states.map((state) => remediesOfStates.get(state))
    const [remedy] = remedies
    if (error instanceof Error && remedy !== undefined && !remedies.includes(undefined)) {
      throw new SettingsError(`the database cannot be used: ${error.message}: ${remedy}`, { cause: error })
    }
    throw error
  }
}

const loginRemedy = 'mend the user or the password in CLAVIGER_DATABASE_URL, or pg_hba.conf of the database'

/** By the states of SQL that another start meets again. */
const remediesOfStates: ReadonlyMap<string | undefined, string> = new Map([
  ['28000', loginRemedy],
  ['28P01', loginRemedy],
  ['3D000', 'make the database (create database), or name another one in CLAVIGER_DATABASE_URL'],
  ['3F000', 'make a schema for the role (create schema), or set its search_path'],
  ['42501', 'make the role the owner of the database, and of the tables if there are some'],
])
