import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { Failure } from '../../protocol/failures.ts'
import type { IpRange } from '../../protocol/ip_ranges.ts'
import { jsonBytes } from '../../protocol/json.ts'
import type { StampHeader } from '../../vault/verbs.ts'
import type { Log } from '../log.ts'
import type { Answer, Request } from '../submit.ts'
import { send, sendError } from './answers.ts'
import { answerBrokenRequest } from './broken_request.ts'
import type { Page } from './pages.ts'
import { sourceAddressOf } from './source_address.ts'

export const bodyBytesMax = 1_048_576
export const headerBytesMax = 32_768

/** How long a client may take to send its request, and an idle connection stays open. */
const requestMsDefault = 30_000
const keepAliveMs = 65_000
/** How long closing waits for requests that are being sent or answered. */
const drainMsMax = 15_000

const stampHeaders = ['x-stamp', 'x-stamp-webauthn', 'x-stamp-attested'] as const satisfies readonly StampHeader[]

/** Browsers call the interface directly, from any page: the stamp is the authentication, there are no cookies. */
const allowedHeaders =
  'content-type, x-stamp, x-stamp-webauthn, x-stamp-attested, x-session, x-client-version, x-auth-proxy-config-id, x-captcha-token'

const contentSecurityPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

export type HttpServer = {
  listen(address: { readonly host: string; readonly port: number }): Promise<{ readonly port: number }>
  /** Stops listening, waits for the requests in flight, at most `drainMsMax`, and closes every connection. */
  close(): Promise<void>
}

type HttpServerParts = {
  readonly submit: (request: Request) => Promise<Answer>
  /** Whether an operation has this path: what is no operation is refused before its body is read. */
  readonly isOperation: (path: string) => boolean
  /** The dialect of `/public/…`; `/hosted/public/…` always speaks `hosted`. */
  readonly dialect: Request['dialect']
  /** Those that say in `X-Forwarded-For` from where a request came. */
  readonly trustedProxies: readonly IpRange[]
  readonly pages: readonly Page[]
  readonly readiness: () => Promise<Readiness>
  readonly log: Log
  readonly requestMsMax?: number
}

/** `reasons` say what keeps the server from answering. */
export type Readiness = { readonly ready: boolean; readonly reasons: readonly string[] }

/** Bytes in, bytes out: knows paths and headers, and no operation. */
export function createHttpServer(parts: HttpServerParts): HttpServer {
  const { pages, readiness, log, requestMsMax = requestMsDefault } = parts
  const inFlight = trackInFlight()
  const server = fastify({
    bodyLimit: bodyBytesMax,
    requestTimeout: requestMsMax,
    keepAliveTimeout: keepAliveMs,
    forceCloseConnections: 'idle',
    http: {
      maxHeaderSize: headerBytesMax,
      headersTimeout: requestMsMax,
      connectionsCheckingInterval: Math.min(requestMsMax, 5_000),
      requireHostHeader: false, // its refusal would not be in the shape that clients can read, and nothing here needs it
    },
    // Only for a path that is no URL, such as %zz.
    frameworkErrors: (_error, _request, reply) => {
      addCommonHeaders(reply)
      sendError(reply, new Failure('OPERATION_UNKNOWN'), log)
    },
    clientErrorHandler: (error, socket) => answerBrokenRequest(error, socket, { isBusy: inFlight.isBusy(socket) }),
    rewriteUrl: ({ url = '/' }) => withoutAuthority(url),
    return503OnClosing: false,
  })
  // All of them are kept, within the limit of bytes: one that was dropped could be a second stamp.
  server.server.maxHeadersCount = 0
  server.server.on('checkExpectation', (request, response) => server.server.emit('request', request, response))

  // The body is what the caller signed: it is taken as bytes, whatever its content type says or does not say.
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))

  server.addHook('onRequest', async (request, reply) => {
    inFlight.add(reply.raw)
    addCommonHeaders(reply)
    delete request.raw.headers['content-type']
    if (request.is404) refuseUnrouted(request, reply, parts)
  })
  server.addHook('onResponse', async ({ method, url }, reply) => {
    log.debug({ method, path: pathOf(url), status: reply.statusCode, elapsedMs: reply.elapsedTime }, 'answered')
  })
  server.setErrorHandler((error, _request, reply) => {
    // What is left of a refused body is read and dropped: closing at once would reset the connection under the answer.
    reply.removeHeader('connection')
    return sendError(reply, error, log)
  })

  for (const route of operationRoutes(parts.dialect)) addOperations(server, route, parts)
  addPreflight(server)
  addHealth(server, readiness)
  for (const page of pages) addPage(server, page)

  return {
    async listen({ host, port }) {
      await server.listen({ host, port })
      const address = server.server.address()
      if (typeof address !== 'object' || address === null) throw new Error('a listening server has a port')
      return { port: address.port }
    },
    async close() {
      const closed = server.close()
      await inFlight.ended(drainMsMax)
      server.server.closeAllConnections() // those left sent half a request, or wait for nothing
      await closed
    },
  }
}

type OperationRoute = { readonly prefix: '' | '/hosted'; readonly dialect: Request['dialect'] }

function operationRoutes(dialect: Request['dialect']): readonly OperationRoute[] {
  return [
    { prefix: '', dialect },
    { prefix: '/hosted', dialect: 'hosted' },
  ]
}

function addOperations(server: FastifyInstance, route: OperationRoute, parts: HttpServerParts): void {
  const { submit, isOperation, trustedProxies } = parts
  // Compared as it was sent: no other spelling of a path is that path. Nor may it have a query, which nobody signed.
  const path = ({ url }: FastifyRequest) => url.slice(route.prefix.length)

  for (const family of ['query', 'submit']) {
    const url = `${route.prefix}/public/v1/${family}/*`
    server.post(
      url,
      {
        onRequest: async (request) => {
          if (!isOperation(path(request))) throw unknownOperation()
          refuseContentEncoding(request)
        },
      },
      async (request, reply) => {
        const { body } = request
        const answer = await submit({
          path: path(request),
          body: body instanceof Uint8Array ? body : new Uint8Array(),
          stamps: stampsOf(request),
          dialect: route.dialect,
          sourceAddress: sourceAddressOf(request.raw, trustedProxies),
        })
        if (answer.retryAfterSeconds !== undefined) reply.header('retry-after', String(answer.retryAfterSeconds))
        return send(reply, answer.status, answer.body)
      },
    )
  }
}

/** A browser asks before it sends a stamp. Which path it asks about makes no difference. */
function addPreflight(server: FastifyInstance): void {
  server.options('*', async (_request, reply) => {
    reply.header('access-control-allow-methods', 'POST')
    reply.header('access-control-allow-headers', allowedHeaders)
    reply.header('access-control-max-age', '86400')
    return reply.code(204).send()
  })
}

/** No route has this path and method: the path first, then the method. */
function refuseUnrouted(
  { url }: FastifyRequest,
  reply: FastifyReply,
  { isOperation, dialect }: HttpServerParts,
): never {
  const path = pathOf(url)
  const isKnown = operationRoutes(dialect).some(
    ({ prefix }) => path.startsWith(prefix) && isOperation(path.slice(prefix.length)),
  )
  if (!isKnown) throw unknownOperation()
  reply.header('allow', 'POST, OPTIONS')
  throw new Failure('METHOD_NOT_ALLOWED')
}

function unknownOperation(): Failure {
  return new Failure('OPERATION_UNKNOWN', { reason: 'see /docs for those that exist' })
}

/** The stamp is over the bytes as they arrive, and nothing here unpacks them. */
function refuseContentEncoding({ headers }: FastifyRequest): void {
  if ((headers['content-encoding'] ?? 'identity') === 'identity') return
  throw new Failure('BODY_INVALID', { reason: 'a Content-Encoding is not supported' })
}

function addHealth(server: FastifyInstance, readiness: () => Promise<Readiness>): void {
  server.get('/livez', async (_request, reply) => send(reply, 200, jsonBytes({ status: 'alive' })))
  server.get('/readyz', async (_request, reply) => {
    const { ready, reasons } = await readiness()
    return send(reply, ready ? 200 : 503, jsonBytes({ status: ready ? 'ready' : 'not ready', reasons }))
  })
}

function addPage(server: FastifyInstance, page: Page): void {
  server.get(page.path, async (_request, reply) => {
    if (page.kind === 'redirect') return reply.redirect(page.to, 302)
    if (page.contentType.startsWith('text/html')) {
      reply.header('content-security-policy', contentSecurityPolicy)
      reply.header('referrer-policy', 'no-referrer')
    }
    reply.header('cache-control', 'no-cache')
    return reply.type(page.contentType).send(Buffer.from(await page.body()))
  })
}

function addCommonHeaders(reply: FastifyReply): void {
  reply.header('access-control-allow-origin', '*')
  reply.header('access-control-expose-headers', 'retry-after')
  reply.header('x-content-type-options', 'nosniff')
}

/** Every occurrence of a stamp header, in order: Node joins or drops repeated ones. */
function stampsOf({ raw }: FastifyRequest): Request['stamps'] {
  const { rawHeaders } = raw
  return rawHeaders.flatMap((name, index) => {
    const header = index % 2 === 0 ? stampHeaders.find((known) => known === name.toLowerCase()) : undefined
    return header === undefined ? [] : [{ header, value: rawHeaders[index + 1] ?? '' }]
  })
}

/** A request may name the whole address (RFC 9112, 3.2.2); clients of a proxy do. */
function withoutAuthority(url: string): string {
  return url.replace(/^https?:\/\/[^/?#]*(?=\/)/i, '')
}

function pathOf(url: string): string {
  return url.split('?', 1)[0] ?? url
}

/** The requests whose headers have arrived and whose answer is not out yet. */
function trackInFlight() {
  const responses = new Set<ServerResponse>()
  let onEmpty: (() => void) | undefined
  return {
    add(response: ServerResponse): void {
      responses.add(response)
      response.once('close', () => {
        responses.delete(response)
        if (responses.size === 0) onEmpty?.()
      })
    },
    isBusy: (socket: Socket): boolean =>
      [...responses].some((response) => response.socket === socket && response.req.complete),
    async ended(msMax: number): Promise<void> {
      if (responses.size === 0) return
      const timer = new AbortController()
      const empty = new Promise<void>((resolve) => {
        onEmpty = resolve
      })
      await Promise.race([empty, sleep(msMax, undefined, { signal: timer.signal, ref: false }).catch(() => {})])
      timer.abort()
    },
  }
}
