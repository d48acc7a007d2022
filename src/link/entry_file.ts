import { extname, join } from 'node:path'

const extension = extname(import.meta.filename)

/**
 * The file of a module that is started by its path, as a process or a thread. It is TypeScript in the repository and
 * JavaScript in the package. The compiler rewrites the extension in imports, not in such paths.
 */
export function entryFile(folder: string, name: string): string {
  return join(folder, name + extension)
}
