import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { createDial, destinationKey } from './dial.ts'

async function echoServer(): Promise<{ readonly port: number; readonly connections: Socket[] }> {
  const connections: Socket[] = []
  const server = createServer((socket) => {
    connections.push(socket.on('error', () => {}))
    socket.pipe(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const connection of connections) connection.destroy()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, connections }
}

function dialer(destinations: readonly string[], { privateAddresses = true, connectionMsMax = 15_000 } = {}) {
  return createDial({ destinations: new Set(destinations), privateAddresses, connectionMsMax })
}

test('a connection to a destination of the settings is made', async () => {
  const { port } = await echoServer()
  for (const host of ['127.0.0.1', 'localhost']) {
    const pipe = dialer([`${host}:${port}`])({ host, port })
    pipe.end('hello')
    expect((await buffer(pipe)).toString()).toBe('hello')
  }
})

test('any other destination is refused with the names of the settings, and no connection is made', async () => {
  const { port, connections } = await echoServer()
  const dial = dialer([`localhost:${port}`, `127.0.0.1:${port + 1}`])
  for (const to of [
    { host: '127.0.0.1', port },
    { host: 'localhost', port: port + 1 },
    { host: 'localhost.', port },
    { host: '', port },
    { host: 'issuer.example', port: 443 },
  ]) {
    await expect(buffer(dial(to))).rejects.toThrow(`${to.host}:${to.port} is no destination of the settings`)
    await expect(buffer(dial(to))).rejects.toThrow('CLAVIGER_OIDC_ISSUERS')
  }
  expect(connections).toEqual([])
})

test('a private address is refused unless the settings allow it, by address and by name', async () => {
  const { port, connections } = await echoServer()
  for (const host of ['127.0.0.1', 'localhost', '::1', '10.0.0.1', '169.254.169.254']) {
    const dial = dialer([destinationKey({ host, port })], { privateAddresses: false })
    await expect(buffer(dial({ host, port }))).rejects.toThrow(
      `${host} has no public address: set CLAVIGER_PRIVATE_DESTINATIONS to allow`,
    )
  }
  expect(connections).toEqual([])
})

test('a connection that fails is an error of its stream', async () => {
  await expect(buffer(dialer(['127.0.0.1:1'])({ host: '127.0.0.1', port: 1 }))).rejects.toMatchObject({
    code: 'ECONNREFUSED',
  })
  for (const privateAddresses of [true, false]) {
    const dial = dialer(['nobody.invalid:443'], { privateAddresses })
    await expect(buffer(dial({ host: 'nobody.invalid', port: 443 }))).rejects.toMatchObject({
      code: expect.stringMatching(/^(ENOTFOUND|EAI_AGAIN)$/),
    })
  }
})

test('a connection that the vault forgot is ended', async () => {
  const { port, connections } = await echoServer()
  const pipe = dialer([`127.0.0.1:${port}`], { connectionMsMax: 50 })({ host: '127.0.0.1', port })
  await expect(buffer(pipe)).rejects.toThrow('open for too long')
  await Promise.all(connections.map((connection) => connection.destroyed || once(connection, 'close')))
})
