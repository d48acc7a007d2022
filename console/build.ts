import { existsSync, globSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'

/**
 * Builds the console to `console/dist`. npm runs this at the end of an installation, which must not fail where the
 * development dependencies are absent: what is needed to run the server is there all the same.
 */
if (existsSync(join(import.meta.dirname, '..', 'node_modules', 'vite', 'package.json'))) {
  // A test that packs the package has another mode, in which Vite would build pages for development.
  process.env.NODE_ENV = 'production'
  const { build } = await import('vite')
  // In a folder of its own: npm also runs this for `npm pack` and for the first `npx` of a checkout, perhaps at once.
  const made = mkdtempSync(join(import.meta.dirname, '.dist-'))
  const outDir = join(made, 'dist')
  try {
    await build({ configFile: join(import.meta.dirname, 'vite.config.ts'), logLevel: 'warn', build: { outDir } })
    compressAssets(outDir)
    const { verifyPage } = await import('./verify_page.ts')
    writeFileSync(join(outDir, 'verify.html'), await verifyPage())
    putInPlace(outDir, made)
  } finally {
    rmSync(made, { recursive: true, force: true })
  }
  process.stdout.write('claviger: the console is built in console/dist\n')
} else {
  process.stdout.write('claviger: the console is not built, because the development dependencies are not installed\n')
}

/** Writes beside each file those that the server sends to browsers that take Brotli or gzip, unless it is no smaller. */
function compressAssets(outDir: string): void {
  for (const path of globSync(join(outDir, 'assets/*.{js,css,svg}'))) {
    const bytes = readFileSync(path)
    const compressed = { br: brotliCompressSync(bytes), gz: gzipSync(bytes, { level: 9 }) }
    for (const [extension, smaller] of Object.entries(compressed)) {
      if (smaller.length < bytes.length) writeFileSync(`${path}.${extension}`, smaller)
    }
  }
}

/** Moves the folder to where the server looks for it. When several builds end at once, one of them stays there. */
function putInPlace(outDir: string, made: string): void {
  const dist = join(import.meta.dirname, 'dist')
  for (let attempt = 0; ; attempt += 1) {
    try {
      takeAway(dist, join(made, `before-${attempt}`))
      renameSync(outDir, dist)
      return
    } catch (error) {
      // Another one has just put its own there.
      if (attempt === 100) throw error
    }
  }
}

/** Renames the folder, if it is there, because a removal takes longer, and a server that starts meanwhile reads a part. */
function takeAway(folder: string, to: string): void {
  try {
    renameSync(folder, to)
  } catch {
    // It is not there, or comes from an earlier layer of an image: the kernel removes such a folder, and does not rename it.
    rmSync(folder, { recursive: true, force: true })
  }
}
