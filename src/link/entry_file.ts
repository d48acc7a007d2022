import { extname, join } from 'node:path'

const extension = extname(import.meta.filename)

/**
 * The file of a module that is started by its path, as a process or a thread. It is TypeScript in the repository and
 * JavaScript in the package. The compiler rewrites the extension in imports, not in such paths.
 */
export function entryFile(folder: string, name: string): string {
  return join(folder, name + extension)
}

/**
 * The folder of the code that Node compiled from a checkout, for the next start. Undefined in the package, which reads
 * no code but its own. A user who can write to this folder can write to `node_modules`, and so change the code itself.
 * Node goes on without the folder where it cannot make it.
 */
export const compileCacheFolder =
  extension === '.js' ? undefined : join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'compiled')
