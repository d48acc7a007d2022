import { randomBytes, randomUUID } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { requestBytes } from './connection.ts'

/** Something that floods the server until it is stopped. */
export type Flood = {
  readonly what: string
  start(): RunningFlood
}

export type RunningFlood = {
  /** Resolves once the flood is under way. */
  readonly begun: Promise<unknown>
  /** Returns what became of the flood. */
  stop(): Promise<string>
}

type Client = {
  readonly what: string
  readonly connections: number
  /** Called for each connection, and again for the next one when the server has ended it. */
  readonly flood: (socket: Socket) => void
}

const chunkBytes = 65_536
/** A server that ends connections at once is asked no faster. */
const pauseMs = 50

/** Those who flood from an address of their own are no neighbours of those whom they flood. */
export const strangerAddress = '127.0.0.9'

/** The floods of those who have no credential. They need to know nothing but the id of an organization. */
export function connectionFloods(url: string, organizationId: string): readonly Flood[] {
  const { hostname, port } = new URL(url)
  const clients: readonly Client[] = [
    ...[10, 50].map((connections) => ({
      what: `${connections} connections that write 64 KiB of GET /x again and again`,
      connections,
      flood: (socket: Socket) => writeAgainAndAgain(socket.resume(), requests('/x')),
    })),
    {
      what: '300 connections that pipeline GET /openapi.json and read nothing',
      connections: 300,
      flood: (socket) => writeAgainAndAgain(socket.pause(), requests('/openapi.json')),
    },
    {
      what: '10 connections that send a body in chunks of one byte',
      connections: 10,
      flood: (socket) => {
        socket.resume().write(`POST /public/v1/query/whoami HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`)
        writeAgainAndAgain(socket, '1\r\n \r\n'.repeat(chunkBytes / 6))
      },
    },
    { what: '2,000 connections that send nothing', connections: 2_000, flood: (socket) => void socket.resume() },
    {
      what: '200 connections that send a body of 1 MiB of empty objects with an invalid stamp',
      connections: 200,
      flood: (socket) => askAgainAndAgain(socket, () => whoami(emptyObjects(1_048_000), invalidStamp)),
    },
    {
      what: '1,500 connections that send a body of 60 kB of empty objects with an invalid stamp',
      connections: 1_500,
      flood: (socket) => askAgainAndAgain(socket, () => whoami(emptyObjects(60_000), invalidStamp)),
    },
    {
      what: '1,500 connections that ask with a bad stamp and 60 kB for organizations that do not exist',
      connections: 1_500,
      flood: (socket) => askAgainAndAgain(socket, () => whoami(padded(randomUUID(), 60_000), badStamp())),
    },
    {
      what: '3,500 connections that ask with bad stamps for the organization that is quiet',
      connections: 3_500,
      flood: (socket) => askAgainAndAgain(socket, () => whoami(padded(organizationId, 0), badStamp())),
    },
  ]
  return clients.map((client) => ({ what: client.what, start: () => startFlood({ hostname, port, ...client }) }))
}

function requests(path: string): string {
  const request = `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`
  return request.repeat(Math.floor(chunkBytes / request.length))
}

/** A body for an organization that does not exist, of as many values as its bytes can hold. */
function emptyObjects(bytes: number): string {
  const empty = '{},'
  return `{"organizationId":"${randomUUID()}","a":[${empty.repeat(bytes / empty.length)}0]}`
}

function padded(organizationId: string, paddingBytes: number): string {
  return JSON.stringify({ organizationId }) + ' '.repeat(paddingBytes)
}

type Signed = { readonly publicKey: string; readonly signature: string }

/** Its signature has no form of one. */
const invalidStamp: Signed = { publicKey: `02${'ab'.repeat(32)}`, signature: 'cd'.repeat(70) }

/** Names a key that nobody has, each time another one. */
function badStamp(): Signed {
  return {
    publicKey: `02${randomBytes(32).toString('hex')}`,
    signature: `3044022011${'ab'.repeat(31)}022011${'cd'.repeat(31)}`,
  }
}

function whoami(body: string, signed: Signed): Buffer {
  const stamp = JSON.stringify({ ...signed, scheme: 'SIGNATURE_SCHEME_TK_API_P256' })
  const headers = { 'content-type': 'application/json', 'x-stamp': Buffer.from(stamp).toString('base64url') }
  return requestBytes('/public/v1/query/whoami', headers, Buffer.from(body))
}

/** Sends one request at a time. Each answer is small, so its first bytes begin a chunk. */
function askAgainAndAgain(socket: Socket, request: () => Buffer): void {
  socket.on('data', (chunk: Buffer) => {
    if (socket.writable && chunk.toString('latin1', 0, 7) === 'HTTP/1.') socket.write(request())
  })
  socket.write(request())
}

function writeAgainAndAgain(socket: Socket, chunk: string): void {
  const write = () => {
    if (socket.writable) socket.write(chunk, write)
  }
  write()
}

function startFlood({
  hostname,
  port,
  connections,
  flood,
}: Client & { readonly hostname: string; readonly port: string }): RunningFlood {
  const sockets = new Set<Socket>()
  const stopping = new AbortController()
  let opened = 0
  let bytesRead = 0
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()

  async function keepOne(): Promise<void> {
    while (!stopping.signal.aborted) {
      const socket = connect({ host: hostname, port: Number(port), localAddress: strangerAddress })
      sockets.add(socket)
      socket.once('connect', () => {
        opened += 1
        if (opened === connections) begin()
        flood(socket)
      })
      socket.on('error', () => {}) // 'close' follows
      await new Promise((resolve) => socket.once('close', resolve))
      bytesRead += socket.bytesRead
      sockets.delete(socket)
      await sleep(pauseMs)
    }
  }

  const kept = Array.from({ length: connections }, keepOne)
  return {
    begun,
    async stop() {
      stopping.abort()
      for (const socket of sockets) socket.destroy()
      await Promise.all(kept)
      return `${opened} connections, ${Math.round(bytesRead / 2 ** 20)} MiB read`
    },
  }
}
