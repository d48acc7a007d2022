import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { createServer } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { createAuthority } from './certificates.ts'
import { writeWithoutEnd } from './endless.ts'
import { portOf } from './smtp_server.ts'

export type Received = { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: Buffer }
type Answer = {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Whether the body never ends. */
  readonly isEndless?: boolean
  /** Comes in place of the head, again and again, and the head never. */
  readonly withoutEnd?: string
}

/** Starts an HTTPS server of a receiver's on loopback. `answer` is called for each request that has arrived. */
export async function startReceiver(answer: (received: Received, count: number) => Answer | Promise<Answer>) {
  const authority = createAuthority()
  const received: Received[] = []
  let changed = Promise.withResolvers<void>()
  const server = createServer(authority.issue({ hosts: ['localhost', '127.0.0.1'] }), async (request, response) => {
    const bytes = await buffer(request).catch(() => undefined)
    if (bytes === undefined) return // The connection ended before all of it was there.
    const one = { path: request.url ?? '', headers: request.headers, body: bytes }
    received.push(one)
    const { status, headers = {}, body = '', isEndless = false, withoutEnd } = await answer(one, received.length)
    if (withoutEnd !== undefined) return writeWithoutEnd(request.socket, withoutEnd)
    response.writeHead(status, headers)
    response.write(body)
    if (!isEndless) response.end()
    changed.resolve()
    changed = Promise.withResolvers()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  /** Ends also the requests that were never answered. */
  function end(): void {
    server.closeAllConnections()
    server.close()
  }
  onTestFinished(end)
  const caFile = join(mkdtempSync(join(tmpdir(), 'claviger-receiver-')), 'authority.pem')
  writeFileSync(caFile, authority.certificate)

  /** Waits until so many requests have arrived. */
  async function got(count: number): Promise<readonly Received[]> {
    while (received.length < count) await changed.promise
    return received
  }

  return {
    port: portOf(server.address()),
    url: `https://localhost:${portOf(server.address())}`,
    caFile,
    received,
    got,
    end,
  }
}
