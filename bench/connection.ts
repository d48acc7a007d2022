import { connect, type Socket } from 'node:net'

/** The parts of an HTTP answer that a measurement needs. */
export type Answer = { readonly status: number; readonly body: Buffer }

/** One request at a time over one connection that is kept open. */
export type Connection = {
  /** `request`: the whole request as it goes over the wire. Rejects when the connection ends first. */
  exchange(request: Uint8Array): Promise<Answer>
  close(): void
}

/**
 * The least of an HTTP/1.1 client that these servers need, because the loader shares two cores with the server. Every
 * answer has a Content-Length, and only the answer to the last request is on the wire. `from`: an address of this machine.
 */
export async function openConnection(url: string, from?: string): Promise<Connection> {
  const { hostname, port } = new URL(url)
  const socket = await connected(hostname, Number(port), from)
  let received: Buffer[] = []
  let receivedBytes = 0
  let head: Head | undefined
  let waiting: PromiseWithResolvers<Answer> | undefined

  socket.on('data', (chunk: Buffer) => {
    received.push(chunk)
    receivedBytes += chunk.length
    head ??= readHead(Buffer.concat(received))
    if (head === undefined || receivedBytes < head.bodyEnd) return
    const { status, bodyStart, bodyEnd } = head
    const body = Buffer.concat(received).subarray(bodyStart, bodyEnd)
    const asked = waiting
    received = []
    receivedBytes = 0
    head = undefined
    waiting = undefined
    asked?.resolve({ status, body })
  })
  socket.on('error', () => {}) // 'close' follows
  socket.on('close', () => waiting?.reject(new Error('the connection ended before the answer')))

  return {
    exchange(request) {
      waiting = Promise.withResolvers<Answer>()
      socket.write(request)
      return waiting.promise
    },
    close: () => socket.destroy(),
  }
}

/** The bytes of a request, with only the headers that the interface needs. */
export function requestBytes(path: string, headers: Readonly<Record<string, string>>, body: Uint8Array): Buffer {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const head = `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${lines.join('')}content-length: ${body.length}\r\n\r\n`
  return Buffer.concat([Buffer.from(head, 'latin1'), body])
}

function connected(host: string, port: number, from: string | undefined): Promise<Socket> {
  const local = from === undefined ? {} : { localAddress: from }
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true, ...local }, () => resolve(socket))
    socket.once('error', reject)
  })
}

const statusStart = 'HTTP/1.1 '.length

type Head = { readonly status: number; readonly bodyStart: number; readonly bodyEnd: number }

/** Undefined while the head of the answer is not complete. */
function readHead(received: Buffer): Head | undefined {
  const headEnd = received.indexOf('\r\n\r\n')
  if (headEnd === -1) return undefined
  const head = received.toString('latin1', 0, headEnd)
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
  if (length === undefined) throw new Error(`an answer without a length: ${head}`)
  const bodyStart = headEnd + 4
  return {
    status: Number(head.slice(statusStart, statusStart + 3)),
    bodyStart,
    bodyEnd: bodyStart + Number(length),
  }
}
