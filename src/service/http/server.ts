import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Server as NetServer } from 'node:net'
import type { StampHeader } from '../../link/verbs.ts'
import { Failure } from '../../protocol/wire/failures.ts'
import type { IpRange } from '../../protocol/wire/ip_ranges.ts'
import { jsonBytes } from '../../protocol/wire/json.ts'
import type { Log } from '../process/log.ts'
import type { Answer, Request } from '../requests/request.ts'
import type { Watches } from '../requests/watches.ts'
import type { FoundFile } from '../transparency/log_files.ts'
import { networkOf } from '../turns/network_of.ts'
import { createTurnstile } from '../turns/turnstile.ts'
import { refuseAmbiguous } from './ambiguous_request.ts'
import { retryAfter, send, sendEmpty, sendError } from './answers.ts'
import { type AuthProxyGate, createAuthProxyGate } from './auth_proxy_gate.ts'
import { type Bodies, createBodies } from './body.ts'
import { answerBrokenRequest } from './broken_request.ts'
import { Connection } from './connections/connection.ts'
import { Connections, type ConnectionsMax, connectionsMaxDefault, type UnreadMax } from './connections/connections.ts'
import { createForwardedBound, ofForwardedMaxDefault } from './connections/forwarded_bound.ts'
import { readAdmitted } from './connections/read_admitted.ts'
import { isLocalRequest } from './local_request.ts'
import { noOperation, type OperationPaths, operationAt } from './operation_paths.ts'
import type { Page } from './page.ts'
import { type InTurn, type PageSender, pageSender, sendFile } from './send_page.ts'
import { sourceAddressOf } from './source_address.ts'
import { asksToWatch, sendWatch } from './watch_stream.ts'

const headerBytesMax = 32_768
/** Connections that the kernel takes before this process does. Beyond them a client tries again after a second. */
const backlogMax = 4_096
/** Clients send a dozen, and proxies add a few. 6,000 empty ones would fit into the limit of bytes, and take long. */
export const headersMax = 256

/** How long a client may take to send its request, and an idle connection stays open. */
const requestMsDefault = 30_000
const keepAliveMs = 65_000
/** A client that is told of the time above may use its connection until then. */
const keepAliveGraceMs = 1_000
/** The kernel has room again after a third of its 4 MB was read: this is for clients that read 25 KB a second. */
const unreadMsDefault = 60_000
/** Less than so much of a connection waits to be read before a further chunk, of at most 64 KiB, is taken in. */
const arrivedBytesMax = 16_384

const stampHeaders = ['x-stamp', 'x-stamp-webauthn', 'x-stamp-attested'] as const satisfies readonly StampHeader[]

/** A browser asks before it sends a stamp. Which path it asks about makes no difference. */
const preflightHeaders = {
  'access-control-allow-methods': 'POST',
  'access-control-allow-headers':
    'content-type, x-stamp, x-stamp-webauthn, x-stamp-attested, x-session, x-client-version, x-auth-proxy-config-id, x-captcha-token',
  'access-control-max-age': '86400',
}

export type HttpServer = {
  listen(address: { readonly host: string; readonly port: number }): Promise<{ readonly port: number }>
  /** Stops listening, waits for the requests in flight, at most until `over` is aborted, and closes every connection. */
  close(over?: AbortSignal): Promise<void>
}

type HttpServerParts = OperationPaths & {
  readonly submit: (request: Request) => Promise<Answer>
  /** The proxies that say in `X-Forwarded-For` from where a request came. */
  readonly trustedProxies: readonly IpRange[]
  /** Keeps the answers of queries that are watched up to date. Without it, every request is answered once. */
  readonly watches?: Watches
  readonly pages: readonly Page[]
  /** Files that are looked up when somebody asks. Undefined: there is none under this path. */
  readonly files?: (path: string, peer: string) => Promise<FoundFile | undefined>
  readonly readiness: () => Promise<Readiness>
  readonly log: Log
  readonly requestMsMax?: number
  readonly unreadMsMax?: number
  readonly connectionsMax?: ConnectionsMax
  readonly unreadMax?: UnreadMax
  /** Requests in flight of one address behind a trusted proxy. */
  readonly ofForwardedMax?: number
  readonly bodies?: Bodies
}

/** `reasons` say what keeps the server from answering. */
export type Readiness = { readonly ready: boolean; readonly reasons: readonly string[] }

/** Bytes in, bytes out: knows paths and headers, and no operation. */
export function createHttpServer(parts: HttpServerParts): HttpServer {
  const { log, trustedProxies, requestMsMax = requestMsDefault, unreadMsMax = unreadMsDefault } = parts
  const route = createRouter(parts)
  const inFlight = trackInFlight()
  let isClosing = false
  const server = createServer({
    maxHeaderSize: headerBytesMax,
    headersTimeout: requestMsMax,
    requestTimeout: requestMsMax,
    keepAliveTimeout: keepAliveMs,
    connectionsCheckingInterval: Math.min(requestMsMax, 5_000),
    requireHostHeader: false, // its refusal would not be in the shape that clients can read: `refuseAmbiguous` refuses
    highWaterMark: arrivedBytesMax,
  })
  // Node refuses a request with more. It drops none, which could be a second stamp.
  server.maxHeadersCount = headersMax
  const connections = new Connections({
    max: parts.connectionsMax ?? connectionsMaxDefault,
    patience: { idleMsMax: keepAliveMs + keepAliveGraceMs, unreadMsMax },
    unreadMax: parts.unreadMax,
    trustedProxies,
    log,
  })
  readAdmitted(server, connections)
  server.on('request', answer)
  server.on('checkExpectation', answer) // one that Node does not know is ignored: its own answer is not of our form
  server.on('clientError', (error, socket) => {
    answerBrokenRequest(error, socket, { isBusy: socket instanceof Connection && socket.isAnswering })
  })

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const startMs = performance.now()
    inFlight.add(response)
    if (request.socket instanceof Connection) request.socket.begin(response)
    if (isClosing) response.setHeader('connection', 'close')
    const url = withoutAuthority(request.url ?? '/')
    const requestId = randomUUID()
    const about = await route(request, response, { url, requestId }).catch((error: unknown) => {
      sendError(response, error, { log, requestId })
      return {}
    })
    const elapsedMs = Math.round((performance.now() - startMs) * 10) / 10
    const answered = { method: request.method, path: pathOf(url), status: response.statusCode, elapsedMs }
    log.debug({ requestId, ...about, ...answered }, 'answered')
  }

  return {
    async listen({ host, port }) {
      server.listen({ host, port, backlog: backlogMax })
      await once(server, 'listening')
      // A connection that could not be accepted, for want of memory: no reason to end.
      server.on('error', (error) => log.error({ error }, 'the listener failed'))
      const address = server.address()
      if (typeof address !== 'object' || address === null) throw new Error('a listening server has a port')
      return { port: address.port }
    },
    async close(over) {
      isClosing = true
      await parts.watches?.close()
      // Not the `close` of the HTTP server, which also ends connections whose answer is still being read.
      const closed = new Promise((resolve) => Reflect.apply(NetServer.prototype.close, server, [resolve]))
      await inFlight.ended(over)
      connections.endAll() // those left sent half a request, or wait for nothing
      await closed
    },
  }
}

type ReceivedRequest = { readonly url: string; readonly requestId: string }
/** The ids in an answer, for the log. */
type AboutAnswer = Pick<Answer, 'organizationId' | 'activityId'>
type Route = (request: IncomingMessage, response: ServerResponse, received: ReceivedRequest) => Promise<AboutAnswer>

function createRouter(parts: HttpServerParts): Route {
  const readable = readablePaths(parts)
  const { bodies = createBodies() } = parts
  const gate = createAuthProxyGate()
  const turns = createTurnstile()
  const forwarded = createForwardedBound(parts.ofForwardedMax ?? ofForwardedMaxDefault, parts.trustedProxies)
  return async (request, response, received) => {
    refuseAmbiguous(request, response)
    forwarded.enter(request, response)
    if (request.method === 'POST') return answerOperation(request, response, { ...received, parts, bodies, gate })
    await answerOther(request, response, received)
    return {}
  }

  async function answerOther(
    request: IncomingMessage,
    response: ServerResponse,
    { url }: ReceivedRequest,
  ): Promise<void> {
    const { method } = request
    if (method === 'OPTIONS') return sendEmpty(response, 204, preflightHeaders)
    const read = method === 'GET' || method === 'HEAD' ? readable.get(pathOf(url)) : undefined
    const peer = networkOf(sourceAddressOf(request, parts.trustedProxies))
    const inTurn: InTurn = (ready) => ready.finally(() => turns.turn(peer))
    if (read !== undefined) {
      await turns.turn(peer)
      return read(response, request, inTurn)
    }
    const isFile = parts.files !== undefined && (method === 'GET' || method === 'HEAD')
    const file = isFile ? await inTurn(parts.files(pathOf(url), peer)) : undefined
    if (file !== undefined) return sendFile(response, file)
    if (operationAt(pathOf(url), parts) === undefined) throw noOperation(pathOf(url), parts)
    response.setHeader('allow', 'POST, OPTIONS')
    throw new Failure('METHOD_NOT_ALLOWED')
  }
}

type Answering = ReceivedRequest & {
  readonly parts: HttpServerParts
  readonly bodies: Bodies
  readonly gate: AuthProxyGate
}

async function answerOperation(
  request: IncomingMessage,
  response: ServerResponse,
  { url, requestId, parts, bodies, gate }: Answering,
): Promise<AboutAnswer> {
  // Compared as it was sent, but for the authority before it: no other spelling of a path is that path. Nor may it have
  // a query, which nobody signed.
  const operation = operationAt(url, parts)
  if (operation === undefined) throw noOperation(url, parts)
  refuseContentEncoding(request)
  const stamps = stampsOf(request)
  const sourceAddress = sourceAddressOf(request, parts.trustedProxies)
  const isLocal = isLocalRequest(request) ? true : undefined
  const proxied = gate.enter(request, response, { ...operation, sourceAddress, requestId })
  const { watches } = parts
  const answer = await bodies.read(request, networkOf(sourceAddress), (body) => {
    const asked: Request = { ...operation, body, stamps, sourceAddress, isLocal, requestId, proxied }
    const isWatch = asksToWatch(request) && watches?.isWatched(operation.path) === true
    return isWatch ? watches.open(asked) : parts.submit(asked)
  })
  if ('start' in answer) {
    sendWatch(response, answer)
    return { organizationId: answer.organizationId }
  }
  const { status, body, retryAfterSeconds, organizationId, activityId } = answer
  send(response, status, body, retryAfter(status, retryAfterSeconds))
  return {
    ...(organizationId === undefined ? {} : { organizationId }),
    ...(activityId === undefined ? {} : { activityId }),
  }
}

/** The stamp is over the bytes as they arrive, and nothing here unpacks them. */
function refuseContentEncoding({ headers }: IncomingMessage): void {
  if ((headers['content-encoding'] ?? 'identity') === 'identity') return
  throw new Failure('BODY_INVALID', 'a Content-Encoding is not supported')
}

/** The handlers of GET, by path. */
function readablePaths({ pages, readiness }: HttpServerParts) {
  const paths = new Map<string, PageSender>()
  paths.set('/livez', async (response) => send(response, 200, jsonBytes({ status: 'alive' })))
  paths.set('/readyz', async (response, _, inTurn) => {
    const { ready, reasons } = await inTurn(readiness())
    const status = ready ? 200 : 503
    send(response, status, jsonBytes({ status: ready ? 'ready' : 'not ready', reasons }), retryAfter(status))
  })
  for (const page of pages) paths.set(page.path, pageSender(page))
  return paths
}

/** Every occurrence of a stamp header, in order: Node joins or drops repeated ones. */
function stampsOf({ rawHeaders }: IncomingMessage): Request['stamps'] {
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
    async ended(over?: AbortSignal): Promise<void> {
      if (responses.size === 0 || over?.aborted) return
      await new Promise<void>((resolve) => {
        onEmpty = resolve
        over?.addEventListener('abort', () => resolve())
      })
    },
  }
}
