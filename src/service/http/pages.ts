import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import { hexToBytes } from '@noble/hashes/utils.js'
import type { PublishedKeys } from '../../link/verbs.ts'
import { es256Jwk, tokenKeyNames } from '../../protocol/tokens/jwks.ts'
import { singleFlight } from '../../protocol/tools/single_flight.ts'
import { jsonBytes } from '../../protocol/wire/json.ts'
import { webhookJwk } from '../../protocol/wire/webhooks.ts'
import { commandName } from '../process/command_name.ts'
import { builtConsoleFolder, consolePages } from './console_pages.ts'
import { openApiDocument } from './openapi/openapi.ts'
import type { Compressed, Page } from './page.ts'

const assetsFolder = join(import.meta.dirname, 'assets')

export function createPages({
  version,
  publicUrl,
  publishedKeys: askKeys,
  consoleFolder = builtConsoleFolder,
}: {
  readonly version: string
  /** The address at which clients reach the server, when the operator has said it. */
  readonly publicUrl?: string | undefined
  readonly publishedKeys: () => Promise<PublishedKeys>
  /** The folder of the console's build, if there is one. */
  readonly consoleFolder?: string | undefined
}): readonly Page[] {
  // Strangers may ask as often as they like, past the turns of requests.
  const publishedKeys = singleFlight(askKeys)
  const openApi = jsonBytes(openApiDocument({ version, publicUrl, command: commandName() }))
  let compressedOpenApi: Promise<Compressed> | undefined
  return [
    ...consolePages(consoleFolder),
    { kind: 'redirect', path: '/docs/', to: '/docs' },
    { kind: 'redirect', path: '/favicon.ico', to: '/docs/icon.svg' }, // asked for beside every page without a link
    asset('/docs', 'docs.html', 'text/html; charset=utf-8'),
    asset('/docs/docs.js', 'docs.js', 'text/javascript; charset=utf-8'),
    asset('/docs/docs.css', 'docs.css', 'text/css; charset=utf-8'),
    asset('/docs/icon.svg', 'icon.svg', 'image/svg+xml'),
    {
      kind: 'content',
      path: '/openapi.json',
      contentType: 'application/json',
      body: () => openApi,
      compressed: () => {
        compressedOpenApi ??= compress(openApi)
        return compressedOpenApi
      },
    },
    {
      kind: 'content',
      path: '/.well-known/claviger-keys.json',
      contentType: 'application/json',
      body: async () => jsonBytes(await publishedKeys()),
    },
    {
      kind: 'content',
      path: '/.well-known/jwks.json',
      contentType: 'application/json',
      body: async () => jsonBytes(tokenKeySet(await publishedKeys())),
    },
    webhookKeys('/public/v1/discovery/webhooks/jwks', publishedKeys),
    webhookKeys('/hosted/public/v1/discovery/webhooks/jwks', publishedKeys),
  ]
}

/** In threads, once somebody asks: for the many who ask meanwhile too, because it takes a second of a processor. */
async function compress(bytes: Uint8Array): Promise<Compressed> {
  const [br, gz] = await Promise.all([promisify(brotliCompress)(bytes), promisify(gzip)(bytes)])
  return { br, gzip: gz }
}

/** A receiver that meets a key id which it does not know asks again, so the keys may be kept for a while. */
const webhookKeysSeconds = 300

/** Returns the key that signs webhooks, for the receivers, which verify with it. */
function webhookKeys(path: string, publishedKeys: () => Promise<PublishedKeys>): Page {
  return {
    kind: 'content',
    path,
    contentType: 'application/json',
    cacheControl: `public, max-age=${webhookKeysSeconds}`,
    async body() {
      const key = (await publishedKeys()).webhookSigning
      return jsonBytes({ keys: key === undefined ? [] : [webhookJwk(hexToBytes(key.compressed))] })
    },
  }
}

/** Returns the keys that sign tokens as a JSON Web Key Set (RFC 7517), for libraries that verify tokens. */
function tokenKeySet(keys: PublishedKeys) {
  return {
    keys: tokenKeyNames.flatMap((name) => {
      const key = keys[name]
      return key === undefined ? [] : [es256Jwk(hexToBytes(key.uncompressed), name)]
    }),
  }
}

function asset(path: string, file: string, contentType: string): Page {
  const bytes = readFileSync(join(assetsFolder, file))
  return { kind: 'content', path, contentType, body: () => bytes }
}
