/**
 * The program in a few files, for the many processes that tests start. From its sources, a process spends two thirds of
 * its start loading 1,500 modules.
 */

import { cpSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Plugin } from 'vite'

const variable = 'CLAVIGER_TEST_BUNDLE'

/** Garbage is collected as in `bin/claviger` and in the vault's process: `src/link/vault_command.ts` says why. */
export const nodeFlags = [
  '--min-semi-space-size=32',
  '--max-semi-space-size=32',
  '--external-memory-accounted-in-global-limit',
  '--v8-pool-size=0',
]

const repositoryFolder = join(import.meta.dirname, '..', '..')
const sources = join(repositoryFolder, 'src')

/** Called before all tests, and in watch mode before they run again. */
export async function makeBundle(): Promise<void> {
  process.env[variable] = await writeBundle()
}

/** Looks like the folder of the installed package. */
export function bundleFolder(): string {
  const folder = process.env[variable]
  if (folder === undefined) throw new Error(`${variable} is not set: the tests run without their global setup`)
  return folder
}

/** The file that Node starts for the command line. */
export const bundledProgram = (folder = bundleFolder()) => join(folder, 'dist', 'cli', 'main.js')

/** Writes the sources and what they import into a new temporary folder, and returns it. */
export async function writeBundle(plugins: readonly Plugin[] = []): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'claviger-bundle-'))
  const outDir = join(folder, 'dist')
  await build({
    configFile: false,
    root: repositoryFolder,
    logLevel: 'error',
    plugins: [placedIn(outDir), ...plugins],
    ssr: { noExternal: true, external: ['pg-native'] },
    build: {
      outDir,
      ssr: true,
      minify: false,
      sourcemap: true,
      target: 'esnext',
      rolldownOptions: {
        input: entries(),
        output: { entryFileNames: `[name]${bundled}`, chunkFileNames: 'shared/[name].js' },
      },
    },
  })
  for (const name of Object.keys(entries())) {
    writeFileSync(join(outDir, `${name}.js`), startOf(basename(name), join(folder, 'compiled')))
  }
  const assets = join('service', 'http', 'assets')
  mkdirSync(join(outDir, dirname(assets)), { recursive: true })
  cpSync(join(sources, assets), join(outDir, assets), { recursive: true })
  for (const name of ['package.json', 'console', 'node_modules']) {
    symlinkSync(join(repositoryFolder, name), join(folder, name))
  }
  return folder
}

const bundled = '.bundled.js'

/** Node keeps what it compiled for the next start of the run, which takes a sixth less. The vault has no environment. */
const startOf = (name: string, cache: string) => `import { enableCompileCache } from 'node:module'
enableCompileCache(${JSON.stringify(cache)})
await import('./${name}${bundled}')
`

/** The files that Node starts, by their names without extension. */
function entries(): Readonly<Record<string, string>> {
  const { files } = JSON.parse(readFileSync(join(repositoryFolder, 'tsconfig.build.json'), 'utf8'))
  return Object.fromEntries(
    files.map((file: string) => [file.replace(/^src\//, '').replace(/\.ts$/, ''), join(repositoryFolder, file)]),
  )
}

/** A file of the bundle holds many modules. Each goes on to say where it would be in the package. */
function placedIn(outDir: string): Plugin {
  return {
    name: 'placed-in-package',
    transform(code, id) {
      if (!id.startsWith(sources + sep) || !code.includes('import.meta.')) return undefined
      const filename = join(outDir, relative(sources, id)).replace(/\.ts$/, '.js')
      const values = { dirname: dirname(filename), filename, url: pathToFileURL(filename).href }
      const placed = (_: string, name: keyof typeof values) => JSON.stringify(values[name])
      return { code: code.replaceAll(/\bimport\.meta\.(dirname|filename|url)\b/g, placed), map: null }
    },
  }
}
