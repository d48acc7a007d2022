import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'

/**
 * Builds the console to `console/dist`. npm runs this at the end of an installation, which must not fail where the
 * development dependencies are absent: what is needed to run the server is there all the same.
 */
if (existsSync(join(import.meta.dirname, '..', 'node_modules', 'vite', 'package.json'))) {
  // A test that packs the package has another mode, in which Vite would build pages for development.
  process.env.NODE_ENV = 'production'
  const { build } = await import('vite')
  await build({ configFile: join(import.meta.dirname, 'vite.config.ts'), logLevel: 'warn' })
  compressAssets()
  process.stdout.write('claviger: the console is built in console/dist\n')
} else {
  process.stdout.write('claviger: the console is not built, because the development dependencies are not installed\n')
}

/** Writes beside each file the one that the server sends to browsers that take Brotli, unless it is no smaller. */
function compressAssets(): void {
  for (const path of globSync(join(import.meta.dirname, 'dist/assets/*.{js,css,svg}'))) {
    const bytes = readFileSync(path)
    const compressed = brotliCompressSync(bytes)
    if (compressed.length < bytes.length) writeFileSync(`${path}.br`, compressed)
  }
}
