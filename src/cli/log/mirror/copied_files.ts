import { readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { makeFolder } from '../../../link/make_folder.ts'
import { type Tile, tilePath, tileWidth } from '../../../protocol/log/tree/tiles.ts'
import { codeIn, codeOf } from '../../../protocol/tools/error_codes.ts'
import { CommandError, exitCodes } from '../../shared/exit_codes.ts'
import { replaceFile } from '../../shared/replace_file.ts'

/** The copy of one log: the files of C2SP tlog-tiles, and beside them the keys of the log, a line each. */
export type CopiedFiles = {
  /** Undefined: there is no such file. */
  read(name: string): Promise<Uint8Array | undefined>
  write(name: string, content: Uint8Array | string): Promise<void>
  /** A full tile takes the place of its partial ones. */
  writeTile(tile: Tile, content: Uint8Array): Promise<void>
}

/** Anybody may read a copy of public files. */
export const publicFolder = 0o755
const publicFile = 0o644

export function copiedFilesIn(folder: string): CopiedFiles {
  async function write(name: string, content: Uint8Array | string): Promise<void> {
    const path = join(folder, name)
    try {
      await makeFolder(dirname(path), { mode: publicFolder })
      await replaceFile(path, content, { mode: publicFile })
    } catch (cause) {
      throw new CommandError(`${path} cannot be written${codeIn(cause)}`, exitCodes.usage, { cause })
    }
  }

  return {
    async read(name) {
      const path = join(folder, name)
      try {
        return await readFile(path)
      } catch (cause) {
        if (codeOf(cause) === 'ENOENT') return undefined
        throw new CommandError(`${path} cannot be read${codeIn(cause)}`, exitCodes.usage, { cause })
      }
    },
    write,
    async writeTile(tile, content) {
      await write(tilePath(tile), content)
      if (tile.width === tileWidth) await rm(join(folder, `${tilePath(tile)}.p`), { recursive: true, force: true })
    },
  }
}
