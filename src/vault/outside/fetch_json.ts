import { constants } from 'node:crypto'
import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request as startRequest } from 'node:http'
import type { Duplex } from 'node:stream'
import { connect, createSecureContext, DEFAULT_CIPHERS, getCACertificates, type SecureContext } from 'node:tls'
import { limitAnswer } from '../../link/answer_limit.ts'
import { limitBelowTls } from '../../link/tls_limit.ts'
import type { OpenPipe } from '../../link/verbs.ts'
import { destinationOf } from '../../protocol/wire/destination.ts'
import { type JsonObject, jsonObjectIn } from '../../protocol/wire/json.ts'
import { isLoopbackHttp } from '../../protocol/wire/loopback.ts'
import { noGroupOfServer } from '../../protocol/wire/tls_ciphers.ts'

/**
 * HTTP/1.1 over TLS that begins in the vault. The service carries bytes that it can neither read nor change. This is
 * the only file of the vault that knows TLS and HTTP. It opens no connection: TLS and HTTP both run over a pipe.
 */

export const fetchMsMax = 5_000
/** So much is read of an answer, from its first byte. */
export const fetchedBytesMax = 256 * 1024

/** So much is read of a connection after its handshake: records and messages of TLS are in it. */
const securedBytesMax = fetchedBytesMax + 64 * 1024

const reasonCharactersMax = 300

/** A fetch got no usable answer. The message names the address and the reason, never the bytes that were sent. */
export class FetchError extends Error {
  override readonly name = 'FetchError'
}

type FetchRequest = {
  /** `https`; `http` on loopback only, and only where the settings allow it. */
  readonly url: string
  /** With a body the method is POST, without a body GET. The type of the body goes into `headers`. */
  readonly body?: Uint8Array
  readonly headers?: Readonly<Record<string, string>>
  /** The fetch ends when this signal aborts. Without a signal, it ends after `fetchMsMax`. */
  readonly signal?: AbortSignal
}

export type FetchedJson = {
  /** Any status but a redirect. A token endpoint refuses by its status. */
  readonly status: number
  readonly json: JsonObject
  readonly cacheControl: string | undefined
}

/** Fetches one JSON object, in an answer of at most `fetchedBytesMax` bytes. Throws `FetchError`. */
export type FetchJson = (request: FetchRequest) => Promise<FetchedJson>

type FetchJsonParts = {
  readonly openPipe: OpenPipe
  /** The certificates in PEM that the vault trusts besides those of the system. */
  readonly authorities?: string
  readonly loopbackHttp: boolean
}

export function createFetchJson({ openPipe, authorities, loopbackHttp }: FetchJsonParts): FetchJson {
  let secureContext: SecureContext | undefined

  return async function fetchJson(request) {
    const url = readUrl(request.url, { loopbackHttp })
    const destination = destinationOf(url)
    const pipe = openPipe(destination)
    const broken = brokenBy(pipe, request.signal ?? AbortSignal.timeout(fetchMsMax))
    try {
      if (url.protocol !== 'https:') return await Promise.race([exchange(pipe, url, request), broken])
      // It takes a tenth of a second, so it is kept.
      secureContext ??= createSecureContext({
        ca: trusted(authorities),
        ciphers: `${DEFAULT_CIPHERS}:${noGroupOfServer}`,
        secureOptions: constants.SSL_OP_NO_RENEGOTIATION, // a server of TLS 1.2 could begin handshakes without end
      })
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
  const roots = system.length > 0 ? system : getCACertificates('bundled') // a bare container has no system certificates
  return authorities === undefined ? roots : [...roots, authorities]
}

/** Returns a promise that rejects when the pipe breaks or the time is up. TLS and HTTP judge a pipe that only ends. */
function brokenBy(pipe: Duplex, signal: AbortSignal): Promise<never> {
  const broken = Promise.withResolvers<never>()
  broken.promise.catch(() => {}) // the pipe may break when nothing awaits the promise any more
  pipe.on('error', broken.reject)
  const giveUp = () => broken.reject(new Error('no answer in time'))
  if (signal.aborted) giveUp() // an earlier fetch with the same signal took all the time
  signal.addEventListener('abort', giveUp, { once: true })
  return broken.promise
}

type Secured = { readonly pipe: Duplex; readonly host: string; readonly secureContext: SecureContext }

async function exchangeSecurely({ pipe, host, secureContext }: Secured, url: URL, request: FetchRequest) {
  const isAddress = /^[\d.]+$|:/.test(host)
  const { stream, protects } = limitBelowTls(pipe, { securedBytesMax, bodyBytes: request.body?.length ?? 0 })
  const socket = connect({
    socket: stream,
    host, // what the certificate must be for
    ...(isAddress ? {} : { servername: host }), // RFC 6066: no address in the server name indication
    secureContext,
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
  })
  ignoreErrors(socket)
  protects(socket)
  try {
    await once(socket, 'secureConnect') // nothing is written before the server has proved its name
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
    headers: {
      ...headers,
      host: url.host,
      accept: 'application/json',
      // RFC 9110, 12.5.3: without this header, any encoding of the answer is acceptable.
      'accept-encoding': 'identity',
      connection: 'close',
    },
  })
  limitAnswer(stream, fetchedBytesMax)
  outgoing.end(body)
  const incoming = await answered(outgoing)
  const status = incoming.statusCode ?? 0
  if (status >= 300 && status < 400) throw new Error('it redirects, which is not followed')
  if (!/^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(incoming.headers['content-type'] ?? '')) {
    throw new Error(`it answers ${status} and no JSON`)
  }
  const json = parse(Buffer.concat(await incoming.toArray()))
  return { status, json, cacheControl: incoming.headers['cache-control'] }
}

function answered(outgoing: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    outgoing.on('error', reject)
    outgoing.on('upgrade', () => reject(new Error('it switches to another protocol')))
    outgoing.on('response', (incoming) => {
      ignoreErrors(incoming)
      outgoing.on('error', (error) => incoming.destroy(error)) // otherwise it would only say that it was aborted
      resolve(incoming)
    })
  })
}

/**
 * Reads an answer as strictly as a request (`parseBody`). If a member is there twice, another reader may take the other
 * one. The parser's own error is left out: it quotes its input, which may be a provider's token, and causes are logged.
 */
function parse(bytes: Uint8Array): JsonObject {
  const object = jsonObjectIn(bytes)
  if (object !== undefined) return object
  throw new Error(isJson(bytes) ? 'its answer is no JSON object with each member once' : 'its answer is no JSON')
}

const decoder = new TextDecoder('utf-8', { fatal: true })

function isJson(bytes: Uint8Array): boolean {
  try {
    JSON.parse(decoder.decode(bytes))
    return true
  } catch {
    return false
  }
}

/** Keeps a late error from ending the process. A promise that still waits for the emitter gets the error itself. */
function ignoreErrors(emitter: { on(event: 'error', listener: () => void): unknown }): void {
  emitter.on('error', () => {})
}
