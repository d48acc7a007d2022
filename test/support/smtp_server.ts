import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { buffer } from 'node:stream/consumers'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

export type Received = {
  /** The addresses of the envelope, whatever the headers say. */
  readonly from: string
  readonly to: readonly string[]
  readonly raw: string
  /** The mail, read by another library than the one that wrote it. */
  readonly mail: Email
  readonly isEncrypted: boolean
}

export type MailServer = {
  readonly port: number
  readonly received: readonly Received[]
  /** Resolves when `count` mails have arrived. */
  arrived(count: number): Promise<readonly Received[]>
  close(): Promise<void>
}

/** Starts a real SMTP server that accepts every mail, without encryption unless `options` say otherwise. */
export async function startMailServer(options: SMTPServerOptions = {}, port = 0): Promise<MailServer> {
  const received: Received[] = []
  let changed = Promise.withResolvers<void>()
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    disableReverseLookup: true,
    logger: false,
    closeTimeout: 1,
    onData: (stream, session, done) => {
      const { mailFrom, rcptTo } = session.envelope
      buffer(stream)
        .then(async (content) => {
          received.push({
            from: mailFrom === false ? '' : mailFrom.address,
            to: rcptTo.map(({ address }) => address),
            raw: content.toString('utf8'),
            mail: await PostalMime.parse(content),
            isEncrypted: session.secure,
          })
          changed.resolve()
          changed = Promise.withResolvers()
          done()
        })
        .catch(done)
    },
    ...options,
  })
  server.on('error', () => {}) // a client that hangs up
  server.listen(port, '127.0.0.1')
  await once(server.server, 'listening')

  return {
    port: portOf(server.server.address()),
    received,
    async arrived(count) {
      while (received.length < count) await changed.promise
      return received
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

/** Starts a server that takes every mail and keeps the commands as they came. The other one decodes addresses. */
export async function startPlainServer() {
  const commands: string[] = []
  const server = createServer((socket) => {
    let isData = false
    socket.on('error', () => {})
    socket.write('220 plain ESMTP\r\n')
    createInterface({ input: socket }).on('line', (line) => {
      if (isData && line !== '.') return
      const isEnd = isData
      isData = line === 'DATA'
      if (!isEnd) commands.push(line)
      if (line.startsWith('EHLO')) socket.write('250-plain\r\n250-8BITMIME\r\n250 SMTPUTF8\r\n')
      else socket.write(isData ? '354 go on\r\n' : '250 ok\r\n')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { port: portOf(server.address()), commands, close: () => server.close() }
}

/** Starts a server that accepts connections, sends `greeting`, and then hangs. */
export async function startHangingServer({ greeting }: { readonly greeting: string }) {
  const sockets = new Set<Socket>()
  const connected = Promise.withResolvers<void>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    socket.write(greeting)
    socket.resume()
    connected.resolve()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: portOf(server.address()),
    connected: connected.promise,
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** A port of this machine on which no process listens. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const port = portOf(server.address())
  server.close()
  await once(server, 'close')
  return port
}

/** The reply with which a handler of the server refuses. */
export function refusal(responseCode: number, text: string): Error {
  return Object.assign(new Error(text), { responseCode })
}

export function portOf(address: AddressInfo | string | null): number {
  if (typeof address !== 'object' || address === null) throw new Error('this server has no port')
  return address.port
}
