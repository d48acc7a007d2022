import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import { repositoryFolder } from './running_server.ts'

export const firstLoadBytesMax = 280 * 1_024

const builtFolder = join(repositoryFolder, 'console', 'dist')

type Loaded = { readonly file: string; readonly bytes: number }

/**
 * What a browser loads to show the first page to somebody who is logged in: `index.html`, all that it names, and one
 * language, with all that these import. Compressed as `send_page.ts` does.
 */
export function firstLoad(): { readonly files: readonly Loaded[]; readonly bytes: number } {
  if (!existsSync(join(builtFolder, 'index.html'))) throw new Error('console/dist is missing: npm run build:console')
  const index = readFileSync(join(builtFolder, 'index.html'), 'utf8')
  const named = [...index.matchAll(/(?:src|href)="\/(assets\/[^"]+)"/g)].map(([, file = '']) => file)
  const lazy = ['en', 'overview_page'].flatMap((name) => globSync(`assets/${name}-*.js`, { cwd: builtFolder }))
  if (named.length < 3 || lazy.length !== 2) throw new Error('console/dist has other files than this looks for')
  const files = new Set<string>()
  for (const file of [...named, ...lazy]) add(file)
  const loaded = ['index.html', ...files].map((file) => ({ file, bytes: compressedSize(file) }))
  return { files: loaded, bytes: loaded.reduce((sum, { bytes }) => sum + bytes, 0) }

  function add(file: string): void {
    if (files.has(file)) return
    files.add(file)
    if (!file.endsWith('.js')) return
    const text = readFileSync(join(builtFolder, file), 'utf8')
    for (const [, imported = ''] of text.matchAll(/(?:from|import)\s*["']\.\/([^"']+)["']/g)) add(`assets/${imported}`)
  }
}

function compressedSize(file: string): number {
  const bytes = readFileSync(join(builtFolder, file))
  return brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }).length
}
