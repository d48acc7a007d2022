import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The page that verifies a proof: one file without any request, so that it works from a disk, and from a server that
 * nobody trusts any more. Its policy lets it run its own script and styles alone, and ask nobody.
 */
export async function verifyPage(): Promise<string> {
  const { build } = await import('vite')
  const folder = join(import.meta.dirname, 'src', 'verify')
  const built = await build({
    configFile: false,
    root: folder,
    logLevel: 'warn',
    build: {
      write: false,
      target: ['chrome123', 'firefox125', 'safari17.5'],
      lib: { entry: join(folder, 'main.ts'), formats: ['iife'], name: 'verify' },
    },
  })
  const [output] = Array.isArray(built) ? built : []
  const [chunk] = output?.output ?? []
  if (chunk?.type !== 'chunk') throw new Error('the page that verifies proofs was not built')
  // The end of the element must not stand within it.
  const script = `\n${chunk.code.replaceAll(/<\/script/gi, '<\\/script')}`
  const style = `\n${readFileSync(join(folder, 'verify.css'), 'utf8')}`
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(script)}'`,
    `style-src '${hashOf(style)}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta http-equiv="Content-Security-Policy" content="${policy}" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Claviger</title>
    <style>${style}</style>
  </head>
  <body>
    <noscript>This page needs JavaScript: the browser verifies the proof itself.</noscript>
    <script>${script}</script>
  </body>
</html>
`
}

function hashOf(content: string): string {
  return `sha256-${createHash('sha256').update(content).digest('base64')}`
}
