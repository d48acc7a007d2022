import { cp, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A line of the source, and what stands in its place in a copy of the program. */
export type ReplacedLine = { readonly file: string; readonly line: string; readonly without: string }

/** Copies the program to a folder with the line replaced. Throws unless the line stands in its file once. */
export async function copyWithout({ file, line, without }: ReplacedLine, root: string): Promise<string> {
  const repository = join(import.meta.dirname, '..')
  for (const part of ['src', 'bin', 'package.json']) {
    await cp(join(repository, part), join(root, part), { recursive: true })
  }
  await symlink(join(repository, 'node_modules'), join(root, 'node_modules'))
  const [before, after, again] = (await readFile(join(root, file), 'utf8')).split(line)
  if (before === undefined || after === undefined || again !== undefined) {
    throw new Error(`${file} has this line once: ${line}`)
  }
  await writeFile(join(root, file), `${before}${without}${after}`)
  return root
}
