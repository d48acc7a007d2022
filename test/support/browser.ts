import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join, normalize } from 'node:path'
import { onTestFinished, type TestContext } from 'vitest'
import { ownChromium, sharedChromium } from './chromium.ts'
import { needsDebian } from './debian.ts'
import { connectDevTools, type DevTools, type Send } from './devtools.ts'
import { repositoryFolder } from './running_server.ts'

/** A page with storage of its own. */
export type Page = {
  /** `http://localhost:PORT`, to which passkeys of the page are bound by the name `localhost`. */
  readonly origin: string
  /**
   * Runs the text of a function, such as `async (name) => …`, in the page. Arguments and result are JSON values. The
   * function may `import()` the page's modules. Throws when the function throws.
   */
  evaluate<T>(functionText: string, ...args: readonly unknown[]): Promise<T>
  /** Sends the browser itself a command for this page. */
  readonly send: Send
}

type Opened = {
  /** From the name of an ES module to its file in `node_modules`; each is served as it is, unbundled. */
  readonly modules?: Readonly<Record<string, string>>
}

/**
 * Opens an empty page for one test, whose end closes it. Without Debian's Chromium the test is skipped, or fails with
 * `CLAVIGER_TEST_ALL=1`.
 */
export async function openPage(context: TestContext, { modules = {} }: Opened = {}): Promise<Page> {
  needsChromium(context)
  const origin = await servePage(modules)
  return openAddress(context, `${origin}/`)
}

/**
 * Opens the page at an address, with storage of its own that is empty. It is in the browser that all tests share, or in
 * one of its own with these flags.
 */
export async function openAddress(
  context: TestContext,
  url: string,
  tab: Parameters<DevTools['openTab']>[1] = {},
  flags: readonly string[] = [],
): Promise<Page> {
  const chromium = needsChromium(context)
  const address = flags.length === 0 ? await sharedChromium(chromium) : await ownChromium(chromium, flags)
  const tools = await connectDevTools(address)
  onTestFinished(() => tools.close())
  const send = await tools.openTab(url, tab)
  const { origin } = new URL(url)
  return {
    origin,
    send,
    async evaluate<T>(functionText: string, ...args: readonly unknown[]) {
      // Held by the page: Chromium may collect a promise that waits for a timer alone, and then answers with an error.
      const expression = `(globalThis.evaluated = (${functionText})(...${JSON.stringify(args)}))`
      const options = { awaitPromise: true, returnByValue: true, userGesture: true }
      const { result, exceptionDetails } = await send<Evaluated<T>>('Runtime.evaluate', { expression, ...options })
      if (exceptionDetails !== undefined) {
        throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text)
      }
      return result.value
    },
  }
}

/** Chromium without windows, which takes half the time, or with them. The engine is the same. */
export function needsChromium(context: TestContext): string {
  return needsDebian('chromium-headless-shell', context, 'chromium-headless-shell', 'chromium')
}

type Evaluated<T> = {
  readonly result: { readonly value: T }
  readonly exceptionDetails?: { readonly text: string; readonly exception?: { readonly description?: string } }
}

/** Gives the page an authenticator that has a passkey's abilities and consents to everything. Returns its id. */
export async function addAuthenticator({ send }: Page): Promise<string> {
  await send('WebAuthn.enable', {})
  const { authenticatorId } = await send<{ authenticatorId: string }>('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return authenticatorId
}

/** Removes the authenticator with every passkey on it, as when the user loses the device. */
export async function removeAuthenticator({ send }: Page, authenticatorId: string): Promise<void> {
  await send('WebAuthn.removeVirtualAuthenticator', { authenticatorId })
}

/**
 * Serves a page that has only an import map, and the modules that the map names, until the test ends. Returns its origin
 * by the name `localhost`; 127.0.0.1 leads there too.
 */
export async function servePage(modules: Readonly<Record<string, string>>): Promise<string> {
  const imports = Object.fromEntries(Object.entries(modules).map(([name, file]) => [name, `/modules/${file}`]))
  const html = `<!doctype html><script type="importmap">${JSON.stringify({ imports })}</script>`
  const server = createServer(async ({ url = '/' }, response) => {
    const file = normalize(url).replace(/^\/modules\//, '')
    const isPage = url === '/'
    const content = isPage ? html : await readFile(join(repositoryFolder, 'node_modules', file)).catch(() => undefined)
    const contentType = isPage ? 'text/html' : 'text/javascript'
    response.writeHead(content === undefined ? 404 : 200, { 'content-type': contentType }).end(content)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('a listening server has a port')
  return `http://localhost:${address.port}`
}
