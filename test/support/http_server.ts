import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { PublishedKeys } from '../../src/link/verbs.ts'
import { unsupportedNameAt } from '../../src/operations/unsupported.ts'
import type { IpRange } from '../../src/protocol/wire/ip_ranges.ts'
import type { Bodies } from '../../src/service/http/body.ts'
import type { ConnectionsMax, UnreadMax } from '../../src/service/http/connections/connections.ts'
import { createPages } from '../../src/service/http/pages.ts'
import { createHttpServer, type Readiness } from '../../src/service/http/server.ts'
import { createLogTo } from '../../src/service/process/log.ts'
import type { Answer, Request } from '../../src/service/requests/request.ts'
import type { Watches } from '../../src/service/requests/watches.ts'
import type { FoundFile } from '../../src/service/transparency/log_files.ts'

/** For the tests of `src/service/http`: a listening server that answers with what it was asked. */

export const operationPath = '/public/v1/query/whoami'

export type Listening = Awaited<ReturnType<typeof startHttp>>

type Options = {
  readonly submit?: (request: Request) => Promise<Answer>
  readonly readiness?: () => Promise<Readiness>
  readonly isOperation?: (path: string) => boolean
  readonly publishedKeys?: () => Promise<PublishedKeys>
  readonly trustedProxies?: readonly IpRange[]
  readonly requestMsMax?: number
  readonly unreadMsMax?: number
  readonly connectionsMax?: ConnectionsMax
  readonly unreadMax?: UnreadMax
  readonly ofForwardedMax?: number
  readonly bodies?: Bodies
  readonly watches?: Watches
  readonly files?: (path: string, peer: string) => Promise<FoundFile | undefined>
  readonly consoleFolder?: string
}

export async function startHttp(options: Options = {}) {
  const { submit = echo, readiness = async () => ({ ready: true, reasons: [] }) } = options
  const { requestMsMax, unreadMsMax, connectionsMax, unreadMax, ofForwardedMax, bodies, watches, files } = options
  const seen: Request[] = []
  const logged: string[] = []
  const http = createHttpServer({
    submit: (request) => {
      seen.push(request)
      return submit(request)
    },
    isOperation: options.isOperation ?? ((path) => [operationPath, '/public/v1/submit/create_wallet'].includes(path)),
    unsupportedNameAt,
    dialect: 'spec',
    trustedProxies: options.trustedProxies ?? [],
    pages: createPages({
      version: '1.2.3',
      publishedKeys: options.publishedKeys ?? (async () => ({})),
      consoleFolder: options.consoleFolder,
    }),
    readiness,
    log: createLogTo({ write: (line) => logged.push(line) }, { level: 'debug' }),
    ...(requestMsMax === undefined ? {} : { requestMsMax }),
    ...(unreadMsMax === undefined ? {} : { unreadMsMax }),
    ...(connectionsMax === undefined ? {} : { connectionsMax }),
    ...(unreadMax === undefined ? {} : { unreadMax }),
    ...(ofForwardedMax === undefined ? {} : { ofForwardedMax }),
    ...(bodies === undefined ? {} : { bodies }),
    ...(watches === undefined ? {} : { watches }),
    ...(files === undefined ? {} : { files }),
  })
  const { port } = await http.listen({ host: '127.0.0.1', port: 0 })
  return { url: `http://127.0.0.1:${port}`, port, seen, logged, close: () => http.close() }
}

async function echo({ path, dialect, body, stamps }: Request): Promise<Answer> {
  const answer = { path, dialect, bytes: body.length, stamps: stamps.map(({ header }) => header) }
  return { status: 200, body: Buffer.from(JSON.stringify(answer)) }
}

/** What the server says to these bytes before it closes, or, with `until`, before that text stands in its answer. */
export async function sendRaw(
  port: number,
  text: string | Uint8Array,
  { until, from }: { until?: RegExp; from?: string } = {},
): Promise<string> {
  const socket = await connected(port, from)
  socket.write(text)
  const answer = await readUntil(socket, until)
  socket.destroy()
  return answer
}

/** `from`: an address of this machine, such as `127.0.0.2`. Each is another peer. */
export async function connected(port: number, from = '127.0.0.1'): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port, localAddress: from })
  await once(socket, 'connect')
  return socket
}

export function readUntil(socket: Socket, until?: RegExp): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      if (until?.test(text)) resolve(text)
    })
    socket.on('error', () => resolve(text))
    socket.on('close', () => resolve(text))
  })
}

/** The lines of a request, with the blank one behind them. It names a host unless the lines do. */
export function head(...lines: readonly string[]): string {
  const host = lines.some((line) => /^host:/i.test(line)) ? [] : ['Host: claviger.example']
  return headAsGiven(...lines.slice(0, 1), ...host, ...lines.slice(1))
}

/** The same with these lines only. */
export function headAsGiven(...lines: readonly string[]): string {
  return `${lines.join('\r\n')}\r\n\r\n`
}
