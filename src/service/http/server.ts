import { randomUUID } from 'node:crypto'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { errorAnswer, Failure } from '../../protocol/failures.ts'
import type { StampHeader } from '../../vault/verbs.ts'
import type { Log } from '../log.ts'
import type { Answer, Request } from '../submit.ts'
import type { Page } from './pages.ts'

export const bodyBytesMax = 1_048_576
export const headerBytesMax = 32_768

/** How long a client may take to send its request, and an idle connection stays open. */
const requestMsMax = 30_000
const keepAliveMs = 65_000

const stampHeaders = ['x-stamp', 'x-stamp-webauthn', 'x-stamp-attested'] as const satisfies readonly StampHeader[]

/** Browsers call the interface directly, from any page: the stamp is the authentication, there are no cookies. */
const allowedHeaders =
  'content-type, x-stamp, x-stamp-webauthn, x-stamp-attested, x-session, x-client-version, x-auth-proxy-config-id, x-captcha-token'

export type HttpServer = {
  listen(address: { readonly host: string; readonly port: number }): Promise<{ readonly port: number }>
  /** Stops listening and waits for the requests in flight. */
  close(): Promise<void>
}

type HttpServerParts = {
  readonly submit: (request: Request) => Promise<Answer>
  /** The dialect of `/public/…`; `/hosted/public/…` always speaks `hosted`. */
  readonly dialect: Request['dialect']
  readonly pages: readonly Page[]
  readonly readiness: () => Promise<Readiness>
  readonly log: Log
}

/** `reasons` say what keeps the server from answering. */
export type Readiness = { readonly ready: boolean; readonly reasons: readonly string[] }

/** Bytes in, bytes out: knows paths and headers, and no operation. */
export function createHttpServer(parts: HttpServerParts): HttpServer {
  const { pages, readiness, log } = parts
  const server = fastify({
    bodyLimit: bodyBytesMax,
    requestTimeout: requestMsMax,
    keepAliveTimeout: keepAliveMs,
    forceCloseConnections: 'idle',
    exposeHeadRoutes: true,
    routerOptions: { ignoreTrailingSlash: false, caseSensitive: true },
    http: { maxHeaderSize: headerBytesMax },
    clientErrorHandler: answerBrokenRequest,
    return503OnClosing: false,
  })
  // The body is what the caller signed: it is taken as bytes, whatever its content type says or does not say.
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))

  server.addHook('onRequest', async (_request, reply) => {
    reply.header('access-control-allow-origin', '*')
    reply.header('access-control-expose-headers', 'retry-after')
    reply.header('x-content-type-options', 'nosniff')
  })
  server.addHook('onResponse', async ({ method, url }, reply) => {
    log.debug({ method, path: pathOf(url), status: reply.statusCode, elapsedMs: reply.elapsedTime }, 'answered')
  })

  addOperations(server, parts)
  addHealth(server, readiness)
  for (const page of pages) addPage(server, page)

  server.setNotFoundHandler((_request, reply) => {
    sendFailure(reply, new Failure('OPERATION_UNKNOWN', { reason: 'see /docs for those that exist' }))
  })
  server.setErrorHandler((error, _request, reply) => sendFailure(reply, failureOf(error, log)))

  return {
    async listen({ host, port }) {
      await server.listen({ host, port })
      const address = server.server.address()
      if (typeof address !== 'object' || address === null) throw new Error('a listening server has a port')
      return { port: address.port }
    },
    close: () => server.close(),
  }
}

function addOperations(server: FastifyInstance, { submit, dialect }: HttpServerParts): void {
  for (const [prefix, spoken] of [
    ['', dialect],
    ['/hosted', 'hosted'],
  ] as const) {
    for (const family of ['query', 'submit']) {
      const url = `${prefix}/public/v1/${family}/*`
      server.post(url, async (request, reply) => {
        // A query string is signed by nobody.
        if (request.url.includes('?'))
          throw new Failure('OPERATION_UNKNOWN', { reason: 'this path takes no query string' })
        const answer = await submit({
          path: request.url.slice(prefix.length),
          body: bodyOf(request),
          stamps: stampsOf(request),
          dialect: spoken,
        })
        if (answer.retryAfterSeconds !== undefined) reply.header('retry-after', String(answer.retryAfterSeconds))
        return send(reply, answer.status, answer.body)
      })
      server.options(url, async (_request, reply) => {
        reply.header('access-control-allow-methods', 'POST')
        reply.header('access-control-allow-headers', allowedHeaders)
        reply.header('access-control-max-age', '86400')
        return reply.code(204).send()
      })
      server.route({
        url,
        method: ['GET', 'PUT', 'PATCH', 'DELETE'],
        handler: async (_request, reply) => {
          reply.header('allow', 'POST, OPTIONS')
          throw new Failure('METHOD_NOT_ALLOWED')
        },
      })
    }
  }
}

function addHealth(server: FastifyInstance, readiness: () => Promise<Readiness>): void {
  server.get('/livez', async (_request, reply) => send(reply, 200, json({ status: 'alive' })))
  server.get('/readyz', async (_request, reply) => {
    const { ready, reasons } = await readiness()
    return send(reply, ready ? 200 : 503, json({ status: ready ? 'ready' : 'not ready', reasons }))
  })
}

function addPage(server: FastifyInstance, page: Page): void {
  server.get(page.path, async (_request, reply) => {
    if (page.kind === 'redirect') return reply.redirect(page.to, 302)
    if (page.contentType.startsWith('text/html')) {
      reply.header(
        'content-security-policy',
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      )
      reply.header('referrer-policy', 'no-referrer')
    }
    reply.header('cache-control', 'no-cache')
    return reply.type(page.contentType).send(Buffer.from(await page.body()))
  })
}

/** Every occurrence of a stamp header, in order: Node joins or drops repeated ones. */
function stampsOf({ raw }: FastifyRequest): Request['stamps'] {
  const { rawHeaders } = raw
  return rawHeaders.flatMap((name, index) => {
    const header = index % 2 === 0 ? stampHeaders.find((known) => known === name.toLowerCase()) : undefined
    return header === undefined ? [] : [{ header, value: rawHeaders[index + 1] ?? '' }]
  })
}

function bodyOf({ body }: FastifyRequest): Uint8Array {
  return body instanceof Uint8Array ? body : new Uint8Array()
}

/** Clients compare the content type as a text: exactly this, without a character set. */
function send(reply: FastifyReply, status: number, body: Uint8Array): FastifyReply {
  return reply.code(status).header('content-type', 'application/json').send(body)
}

function sendFailure(reply: FastifyReply, failure: Failure | { readonly incidentId: string }): FastifyReply {
  if (failure instanceof Failure) return send(reply, failure.httpStatus, json(errorAnswer(failure)))
  const message = `internal server error (${failure.incidentId})`
  return send(reply, 500, json({ code: 13, message, details: [] }))
}

function failureOf(error: unknown, log: Log): Failure | { readonly incidentId: string } {
  if (error instanceof Failure) return error
  const status = statusOf(error)
  if (status === 413) return new Failure('BODY_TOO_LARGE')
  if (status !== undefined && status >= 400 && status < 500) {
    return new Failure('BODY_INVALID', { reason: 'the request could not be read', cause: error })
  }
  const incidentId = randomUUID()
  log.error({ incidentId, error }, 'internal server error')
  return { incidentId }
}

function statusOf(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  const status: unknown = Reflect.get(error, 'statusCode')
  return typeof status === 'number' ? status : undefined
}

/** What is not HTTP at all, or has more headers than fit, is answered in the shape that clients can read. */
function answerBrokenRequest(error: Error & { code?: string }, socket: import('node:net').Socket): void {
  if (socket.destroyed || !socket.writable) return
  const tooLarge = error.code === 'HPE_HEADER_OVERFLOW'
  const status = tooLarge ? '431 Request Header Fields Too Large' : '400 Bad Request'
  const reason = tooLarge ? `the headers are larger than ${headerBytesMax} bytes` : 'this is not HTTP'
  const body = json(errorAnswer(new Failure('BODY_INVALID', { reason })))
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
  )
}

function pathOf(url: string): string {
  return url.split('?', 1)[0] ?? url
}

function json(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value))
}
