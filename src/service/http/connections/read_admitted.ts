import type { Server } from 'node:http'
import type { Connections } from './connections.ts'

/** Has a server read requests from the connections that are admitted: Node's own listener reads any stream it is given. */
export function readAdmitted(server: Server, connections: Connections): void {
  const [readRequests] = server.listeners('connection')
  if (readRequests === undefined) throw new Error('a server of Node listens for its connections')
  server.removeAllListeners('connection')
  server.on('connection', (socket) => {
    const connection = connections.admit(socket)
    if (connection === undefined) return
    connections.begin(connection, () => Reflect.apply(readRequests, server, [connection]))
  })
}
