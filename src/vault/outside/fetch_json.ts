import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request as startRequest } from 'node:http'
import type { Duplex } from 'node:stream'
import { connect, createSecureContext, getCACertificates, type SecureContext } from 'node:tls'
import type { OpenPipe } from '../../link/verbs.ts'
import { destinationOf } from '../../protocol/wire/destination.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../protocol/wire/json.ts'
import { isLoopbackHttp } from '../../protocol/wire/loopback.ts'

/**
 * HTTP/1.1 over TLS that begins in the vault: the service carries bytes that it can neither read nor change. This is
 * the only file of the vault that knows TLS and HTTP, and it opens no connection: both are handed a pipe.
 */

export const fetchMsMax = 5_000
export const fetchedBytesMax = 256 * 1024

const reasonCharactersMax = 300

/** No usable answer. The message names the address and what was wrong, never what was sent. */
export class FetchError extends Error {
  override readonly name = 'FetchError'
}

type FetchRequest = {
  /** `https`; `http` on loopback only, and only where the settings allow it. */
  readonly url: string
  /** With it the method is POST, without it GET. Its type goes into `headers`. */
  readonly body?: Uint8Array
  readonly headers?: Readonly<Record<string, string>>
  /** Ends everything when it aborts. Left out: after `fetchMsMax`. */
  readonly signal?: AbortSignal
}

export type FetchedJson = {
  /** Not a redirect, else whatever it was: a token endpoint says by it that it refuses. */
  readonly status: number
  readonly json: JsonObject
  readonly cacheControl: string | undefined
}

/** One answer that is one JSON object of at most `fetchedBytesMax` bytes. Throws `FetchError`. */
export type FetchJson = (request: FetchRequest) => Promise<FetchedJson>

type VaultServices = {
  readonly openPipe: OpenPipe
  /** Certificates in PEM that are trusted besides those of the system. */
  readonly authorities?: string
  readonly loopbackHttp: boolean
}

export function createFetchJson({ openPipe, authorities, loopbackHttp }: VaultServices): FetchJson {
  let secureContext: SecureContext | undefined

  return async function fetchJson(request) {
    const url = readUrl(request.url, { loopbackHttp })
    const destination = destinationOf(url)
    const pipe = openPipe(destination)
    const broken = brokenBy(pipe, request.signal ?? AbortSignal.timeout(fetchMsMax))
    try {
      if (url.protocol !== 'https:') return await Promise.race([exchange(pipe, url, request), broken])
      secureContext ??= createSecureContext({ ca: trusted(authorities) }) // a tenth of a second, so it is kept
      return await Promise.race([
        exchangeSecurely({ pipe, host: destination.host, secureContext }, url, request),
        broken,
      ])
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : 'failed'
      throw new FetchError(`${url.origin}${url.pathname}: ${reason.slice(0, reasonCharactersMax)}`, { cause })
    } finally {
      pipe.destroy()
    }
  }
}

function readUrl(text: string, { loopbackHttp }: { readonly loopbackHttp: boolean }): URL {
  const url = URL.parse(text)
  if (url === null || url.username !== '' || url.password !== '') throw new FetchError('not an address to fetch from')
  if (url.protocol === 'https:' || (loopbackHttp && isLoopbackHttp(url))) return url
  throw new FetchError(`${url.origin}: only https is fetched from`)
}

function trusted(authorities: string | undefined): string[] {
  const system = getCACertificates('system')
  const roots = system.length > 0 ? system : getCACertificates('bundled') // a bare container has none of its own
  return authorities === undefined ? roots : [...roots, authorities]
}

/** Rejects when the pipe breaks or the time is up; a pipe that just ends is for the layers above to judge. */
function brokenBy(pipe: Duplex, signal: AbortSignal): Promise<never> {
  const broken = Promise.withResolvers<never>()
  broken.promise.catch(() => {}) // it may break when nobody waits any more
  pipe.on('error', broken.reject)
  const giveUp = () => broken.reject(new Error('no answer in time'))
  if (signal.aborted) giveUp() // by an earlier fetch of the same caller
  signal.addEventListener('abort', giveUp, { once: true })
  return broken.promise
}

type Secured = { readonly pipe: Duplex; readonly host: string; readonly secureContext: SecureContext }

async function exchangeSecurely({ pipe, host, secureContext }: Secured, url: URL, request: FetchRequest) {
  const isAddress = /^[\d.]+$|:/.test(host)
  const socket = connect({
    socket: pipe,
    host, // what the certificate must be for
    ...(isAddress ? {} : { servername: host }), // RFC 6066: no address in the server name indication
    secureContext,
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
  })
  ignoreErrors(socket)
  try {
    await once(socket, 'secureConnect') // nothing is written before it is known who reads
    return await exchange(socket, url, request)
  } finally {
    socket.destroy()
  }
}

async function exchange(stream: Duplex, url: URL, { body, headers }: FetchRequest): Promise<FetchedJson> {
  const outgoing = startRequest({
    createConnection: () => stream,
    method: body === undefined ? 'GET' : 'POST',
    path: url.pathname + url.search,
    headers: { ...headers, host: url.host, accept: 'application/json', connection: 'close' },
  })
  outgoing.end(body)
  const incoming = await answered(outgoing)
  const status = incoming.statusCode ?? 0
  if (status >= 300 && status < 400) throw new Error('it redirects, which is not followed')
  if (!/^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(incoming.headers['content-type'] ?? '')) {
    throw new Error(`it answers ${status} and no JSON`)
  }
  const json = parse(await read(incoming))
  if (!isJsonObject(json)) throw new Error('its answer is no JSON object')
  return { status, json, cacheControl: incoming.headers['cache-control'] }
}

function answered(outgoing: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    outgoing.on('error', reject)
    outgoing.on('response', (incoming) => {
      ignoreErrors(incoming)
      resolve(incoming)
    })
  })
}

async function read(incoming: IncomingMessage): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of incoming) {
    bytes += chunk.length
    if (bytes > fetchedBytesMax) throw new Error(`its answer is longer than ${fetchedBytesMax} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const decoder = new TextDecoder('utf-8', { fatal: true })

function parse(bytes: Uint8Array): JsonValue {
  try {
    return JSON.parse(decoder.decode(bytes))
  } catch {
    // The parser's own error quotes what it read, which may be a provider's token; causes are logged, by the service.
    throw new Error('its answer is no JSON')
  }
}

/** An error that comes when nobody waits for it must not end the process; while somebody waits, the promise has it. */
function ignoreErrors(emitter: { on(event: 'error', listener: () => void): unknown }): void {
  emitter.on('error', () => {})
}
