/** In place of `src/link/entry_file.ts` in the process of the tests: its threads and vaults start from the bundle too. */

import { join, relative } from 'node:path'
import { bundleFolder } from './bundle.ts'

const sources = join(import.meta.dirname, '..', '..', 'src')

export function entryFile(folder: string, name: string): string {
  return join(bundleFolder(), 'dist', relative(sources, folder), `${name}.js`)
}

/** As in the package. */
export const compileCacheFolder = undefined
