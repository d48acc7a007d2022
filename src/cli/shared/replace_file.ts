import { rename, writeFile } from 'node:fs/promises'

/**
 * Replaces a file as a whole or not at all. The content is on disk when this resolves; its name is once the folder is
 * synced too.
 */
export async function replaceFile(
  path: string,
  content: string | Uint8Array,
  { mode }: { readonly mode: number },
): Promise<void> {
  const temporaryPath = `${path}.new`
  await writeFile(temporaryPath, content, { mode, flush: true })
  await rename(temporaryPath, path)
}
