import { constants } from 'node:fs'
import { access, readdir } from 'node:fs/promises'
import { makeFolder } from '../../link/make_folder.ts'
import { codeIn, hasNoRoom } from '../../protocol/tools/error_codes.ts'
import { UnsealError } from '../keys/wrapped_seed.ts'
import { noRoomIn } from './journal/errors.ts'

/** Makes the folder if it is missing. Returns whether it is empty. Throws `UnsealError` if it cannot be used. */
export async function prepareFolder(directory: string): Promise<boolean> {
  try {
    await makeFolder(directory)
    await access(directory, constants.R_OK | constants.W_OK | constants.X_OK)
    return (await readdir(directory)).length === 0
  } catch (cause) {
    if (hasNoRoom(cause)) throw noRoomIn(directory, cause)
    const reason = `the folder of the journal, ${directory}, cannot be used${codeIn(cause)}`
    const remedy = 'make it a folder that the user of the server may read and write, or set CLAVIGER_MARK_DIR'
    throw new UnsealError(`${reason}: ${remedy}`, { cause })
  }
}
