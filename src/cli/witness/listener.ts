import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { addCheckpointBytesMax } from '../../protocol/log/add_checkpoint.ts'
import { codeOf } from '../../protocol/tools/error_codes.ts'
import { Connection } from '../../service/http/connections/connection.ts'
import { Connections } from '../../service/http/connections/connections.ts'
import { readAdmitted } from '../../service/http/connections/read_admitted.ts'
import type { Log } from '../../service/process/log.ts'
import { SettingsError } from '../../service/process/settings_error.ts'
import type { KeptHeads } from './kept_heads.ts'
import { type HttpAnswer, plain, type Witness } from './witness.ts'

/** A witness has few clients, each with a small request once a second. */
const connectionsMax = { all: 1_024, ofPeer: 256 }
const headerBytesMax = 16_384
/** How long a client may take to send its request, and to read its answer. */
const requestMsMax = 10_000
const keepAliveMs = 65_000

type ListenerParts = {
  readonly address: { readonly host: string; readonly port: number }
  readonly witness: Witness
  readonly heads: KeptHeads
  readonly log: Log
}

/** Serves a witness over HTTP. TLS is the business of a proxy in front of it. */
export async function listen({ address, witness, heads, log }: ListenerParts) {
  const server = createServer({
    maxHeaderSize: headerBytesMax,
    headersTimeout: requestMsMax,
    requestTimeout: requestMsMax,
    keepAliveTimeout: keepAliveMs,
    connectionsCheckingInterval: 1_000,
  })
  const connections = new Connections({
    max: connectionsMax,
    patience: { idleMsMax: keepAliveMs, unreadMsMax: requestMsMax },
    unreadMax: undefined,
    trustedProxies: [],
    log,
  })
  readAdmitted(server, connections)
  server.on('request', (request, response) => {
    if (request.socket instanceof Connection) request.socket.begin(response)
    answerTo(request, { witness, heads })
      .catch((error: unknown) => {
        log.error({ error }, 'a request could not be answered')
        return text(500, 'the witness could not answer')
      })
      .then((answer) => send(response, answer))
  })
  server.listen(address)
  await once(server, 'listening').catch((cause) => {
    throw new SettingsError(`cannot listen on ${address.host} port ${address.port} (${codeOf(cause)})`, { cause })
  })
  // A connection that could not be accepted: no reason to end.
  server.on('error', (error) => log.error({ error }, 'the listener failed'))
  const bound = server.address()
  if (typeof bound !== 'object' || bound === null) throw new Error('a listening server has a port')
  const host = address.host.includes(':') ? `[${address.host}]` : address.host
  return {
    url: `http://${host}:${bound.port}`,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeIdleConnections()
      setTimeout(() => server.closeAllConnections(), requestMsMax / 2).unref()
      await closed
    },
  }
}

const checkpointPath = /^\/([0-9a-f]{64})\/checkpoint$/

async function answerTo(
  request: IncomingMessage,
  { witness, heads }: Pick<ListenerParts, 'witness' | 'heads'>,
): Promise<HttpAnswer> {
  const { method, url = '' } = request
  if (url === '/add-checkpoint') {
    if (method !== 'POST') return text(405, 'this is asked with POST')
    const body = await bodyOf(request)
    return body === undefined ? text(413, `a request has ${addCheckpointBytesMax} bytes at most`) : witness.add(body)
  }
  const id = checkpointPath.exec(url)?.[1]
  if (id === undefined) return text(404, 'there is no such path')
  if (method !== 'GET' && method !== 'HEAD') return text(405, 'this is asked with GET')
  const head = heads.at(id)
  return head === undefined
    ? text(404, 'nothing of this log is cosigned')
    : { status: 200, contentType: plain, body: head.note }
}

/** Undefined if it is too long, or if the client is gone. */
async function bodyOf(request: IncomingMessage): Promise<Uint8Array | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > addCheckpointBytesMax) return undefined
  const { promise, resolve } = Promise.withResolvers<Uint8Array | undefined>()
  const chunks: Uint8Array[] = []
  let bytes = 0
  request.on('data', (chunk: Uint8Array) => {
    bytes += chunk.length
    if (bytes <= addCheckpointBytesMax) chunks.push(chunk)
    else resolve(undefined)
  })
  request.once('end', () => resolve(Buffer.concat(chunks)))
  request.once('error', () => resolve(undefined))
  return promise
}

function text(status: number, reason: string): HttpAnswer {
  return { status, contentType: plain, body: Buffer.from(`${reason}\n`) }
}

function send(response: ServerResponse, { status, contentType, body }: HttpAnswer): void {
  response.writeHead(status, {
    'content-type': contentType,
    'content-length': body.length,
    'x-content-type-options': 'nosniff',
    // The rest of a refused body is not read.
    ...(response.req.complete ? {} : { connection: 'close' }),
  })
  response.end(body)
}
