import { lookup } from 'node:dns'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { createServer } from 'node:https'
import { createSecureContext } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { createAuthority } from '../../../../test/support/certificates.ts'
import { portOf } from '../../../../test/support/smtp_server.ts'
import { securedBytesMax } from './connect_tls.ts'
import { startPost } from './post.ts'

const authority = createAuthority()

/** Posts to a server that answers with so many bytes, each in a TLS record of its own. */
async function postToDripping(bodyBytes: number) {
  const server = createServer(authority.issue({ hosts: ['localhost'] }), async ({ socket }) => {
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${bodyBytes}\r\n\r\n`)
    for (let sent = 0; sent < bodyBytes && !socket.destroyed; sent += 1) {
      await new Promise<void>((resolve) => socket.write('.', () => resolve()))
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const secureContext = createSecureContext({ ca: authority.certificate })
  const url = `https://localhost:${portOf(server.address())}/`
  const { signal } = new AbortController()
  const sent = startPost({ url, headers: {}, body: Buffer.of(), secureContext, lookup, signal })
  const [response]: IncomingMessage[] = await once(sent, 'response')
  response?.resume()
  if (response === undefined) throw new Error('there is a response')
  return response
}

test('an answer may come in small records, but not beyond the bytes of a connection', async () => {
  const recordBytes = 23
  const tooMany = Math.ceil(securedBytesMax / recordBytes)
  const response = await postToDripping(tooMany)
  await expect(once(response, 'end')).rejects.toMatchObject({ code: 'ECONNRESET' })
  const few = await postToDripping(1_000)
  await once(few, 'end')
})
