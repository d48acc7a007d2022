import { randomBytes } from 'node:crypto'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { Page } from './page.ts'

/** The folder of the console's build: beside `src` in a checkout, beside `dist` in the package. */
export const builtConsoleFolder = join(import.meta.dirname, '..', '..', '..', 'console', 'dist')

/** The build writes it wherever a nonce belongs (`console/vite.config.ts`). */
const noncePlaceholder = '__STYLE_NONCE__'
const nonceBytes = 16

const contentTypes: ReadonlyMap<string, string> = new Map([
  ['.js', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
  ['.woff2', 'font/woff2'],
])

/**
 * The console: its page at `/`, and its files, whose names change with their content. The page runs scripts of this
 * server only, none in its markup, and talks to this server only. Styles in the markup need the nonce of that load.
 */
export function consolePages(folder: string): readonly Page[] {
  const indexPath = join(folder, 'index.html')
  if (!existsSync(indexPath))
    return [{ kind: 'content', path: '/', contentType: 'text/plain; charset=utf-8', body: () => notBuilt }]
  const index = readFileSync(indexPath, 'utf8')
  return [
    {
      kind: 'answer',
      path: '/',
      answer: () => {
        const nonce = randomBytes(nonceBytes).toString('base64')
        return { headers: indexHeaders(nonce), body: Buffer.from(index.replaceAll(noncePlaceholder, nonce)) }
      },
    },
    ...verifyPageIn(folder),
    ...globSync('assets/*', { cwd: folder }).flatMap((file): readonly Page[] => {
      const contentType = contentTypes.get(extname(file))
      if (contentType === undefined) return []
      const path = join(folder, file)
      // The build compresses each file that gets smaller by it. The first person would wait two seconds for it.
      const compressed = { br: readIfThere(`${path}.br`), gzip: readIfThere(`${path}.gz`) }
      return [{ kind: 'file', path: `/${file}`, contentType, body: readFileSync(path), compressed }]
    }),
  ]
}

/**
 * The page that verifies proofs: one file, which asks nobody. Its markup names its policy, because it must hold where the
 * file is opened from a disk too.
 */
function verifyPageIn(folder: string): readonly Page[] {
  const body = readIfThere(join(folder, 'verify.html'))
  const [, policy] = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(body?.toString('utf8') ?? '') ?? []
  if (body === undefined || policy === undefined) return []
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-cache',
    'content-security-policy': `${policy}; frame-ancestors 'none'`,
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
  }
  return [{ kind: 'answer', path: '/verify', answer: () => ({ headers, body }) }]
}

function readIfThere(path: string): Buffer | undefined {
  return existsSync(path) ? readFileSync(path) : undefined
}

const notBuilt = Buffer.from(
  'The console is not built here: run `npm ci` in the checkout. The documentation of the interface is at /docs.\n',
)

function indexHeaders(nonce: string) {
  return {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': [
      "default-src 'none'",
      "script-src 'self'",
      `style-src 'nonce-${nonce}'`,
      "img-src 'self'",
      "connect-src 'self'",
      "object-src 'none'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  }
}
