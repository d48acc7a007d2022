import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream/promises'

export type ReverseProxy = { readonly url: string; close(): Promise<void> }

/**
 * Starts a proxy in front of a server, as operators do. It passes requests on unchanged and adds the client's address
 * to `X-Forwarded-For`. The test chooses that address, because every client of a test comes from 127.0.0.1.
 */
export async function startReverseProxy(serverUrl: string, clientAddress: string): Promise<ReverseProxy> {
  const proxy = createServer(async (incoming, outgoing) => {
    const { method, url = '/', headers } = incoming
    const forwarded = { ...headers, 'x-forwarded-for': clientAddress }
    const onward = request(new URL(url, serverUrl), { method, headers: forwarded })
    await pipeline(incoming, onward)
    const [answer] = await once(onward, 'response')
    outgoing.writeHead(answer.statusCode, answer.headers)
    await pipeline(answer, outgoing)
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const { port } = proxy.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      proxy.close()
      proxy.closeAllConnections()
      await once(proxy, 'close')
    },
  }
}
