import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { repositoryFolder } from './running_server.ts'

export const firstLoadBytesMax = 280 * 1_024
/** Of the editor, beyond the first load. */
export const editorBytesMax = 139 * 1_024

const builtFolder = join(repositoryFolder, 'console', 'dist')

type Loaded = { readonly file: string; readonly bytes: number }

type Load = { readonly files: readonly Loaded[]; readonly bytes: number }

/**
 * What a browser loads to show the first page to somebody who is logged in: `index.html`, all that it names, and one
 * language, with all that these import. Compressed as `send_page.ts` does.
 */
export function firstLoad(): Load {
  const files = new Set(['index.html', ...firstFiles()])
  return loadOf([...files])
}

/** What a browser loads besides when somebody first opens the page of a policy that is edited. */
export function editorLoad(): Load {
  const known = firstFiles()
  const files = withImports(['edit_policy_page', 'code_editor'].flatMap(chunksOf))
  const styles = globSync('assets/*.css', { cwd: builtFolder })
  return loadOf([...files, ...styles].filter((file) => !known.has(file)))
}

function firstFiles(): ReadonlySet<string> {
  if (!existsSync(join(builtFolder, 'index.html'))) throw new Error('console/dist is missing: npm run build:console')
  const index = readFileSync(join(builtFolder, 'index.html'), 'utf8')
  const named = [...index.matchAll(/(?:src|href)="\/(assets\/[^"]+)"/g)].map(([, file = '']) => file)
  const lazy = ['en', 'overview_page'].flatMap(chunksOf)
  if (named.length < 3) throw new Error('console/dist has other files than this looks for')
  return withImports([...named, ...lazy])
}

/** The file of a module that is loaded when it is asked for. */
function chunksOf(name: string): readonly string[] {
  const found = globSync(`assets/${name}-*.js`, { cwd: builtFolder })
  if (found.length !== 1) throw new Error(`console/dist has ${found.length} files for ${name}`)
  return found
}

function withImports(named: readonly string[]): ReadonlySet<string> {
  const files = new Set<string>()
  for (const file of named) add(file)
  return files

  function add(file: string): void {
    if (files.has(file)) return
    files.add(file)
    if (!file.endsWith('.js')) return
    const text = readFileSync(join(builtFolder, file), 'utf8')
    for (const [, imported = ''] of text.matchAll(/(?:from|import)\s*["']\.\/([^"']+)["']/g)) add(`assets/${imported}`)
  }
}

function loadOf(files: readonly string[]): Load {
  const loaded = files.map((file) => ({ file, bytes: compressedSize(file) }))
  return { files: loaded, bytes: loaded.reduce((sum, { bytes }) => sum + bytes, 0) }
}

/** The size of what the server sends to a browser that takes Brotli. */
function compressedSize(file: string): number {
  const path = join(builtFolder, file)
  return statSync(existsSync(`${path}.br`) ? `${path}.br` : path).size
}
