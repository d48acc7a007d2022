import { once } from 'node:events'
import { request } from 'node:http'
import { createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { portOf } from '../../test/support/smtp_server.ts'
import { limitAnswer } from './answer_limit.ts'

const bytesMax = 4_096
const early = `HTTP/1.1 103 Early Hints\r\nX-A: ${'a'.repeat(bytesMax)}\r\n\r\n`
const upgrade = 'Connection: Upgrade\r\nUpgrade: x\r\n\r\n'
const long = 'a'.repeat(2 * bytesMax)

/** Asks a server that sends this in one chunk. Returns the errors that nobody listened to. */
async function uncaughtBy(chunk: string, method: string): Promise<unknown[]> {
  const server = createServer((socket) => {
    socket.on('error', () => {}).once('data', () => socket.write(chunk))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const uncaught: unknown[] = []
  const sent = request({ port: portOf(server.address()), method, agent: false })
  sent.on('socket', (socket) => {
    limitAnswer(socket, bytesMax)
    const { emit } = socket
    socket.emit = (name: string, ...about: unknown[]) => {
      if (name !== 'error' || socket.listenerCount('error') > 0) return emit.call(socket, name, ...about)
      uncaught.push(about[0])
      return false
    }
  })
  const ended = new Promise<void>((resolve) => {
    sent.on('error', () => resolve()).on('close', resolve)
    for (const name of ['upgrade', 'connect']) sent.on(name, (_response, socket) => socket.once('close', resolve))
  })
  sent.on('response', (response) => response.on('error', () => {}).resume())
  sent.end()
  await ended
  return uncaught
}

test.each([
  ['a head', `HTTP/1.1 200 OK\r\nX-A: ${long}`, 'POST'],
  ['an informational head', early, 'POST'],
  ['a head before another protocol', `${early}HTTP/1.1 101 Switching Protocols\r\n${upgrade}`, 'POST'],
  ['bytes of another protocol', `HTTP/1.1 101 Switching Protocols\r\n${upgrade}${long}`, 'POST'],
  ['a head before a tunnel', `${early}HTTP/1.1 200 OK\r\n\r\n`, 'CONNECT'],
  ['bytes of a tunnel', `HTTP/1.1 200 OK\r\n\r\n${long}`, 'CONNECT'],
  ['a body', `HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n${long}`, 'POST'],
  ['trailers', `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX-A: ${long}\r\n\r\n`, 'POST'],
  ['what follows the answer', `HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n${long}`, 'POST'],
])('%s beyond the bound ends the connection by no error that nobody listens to', async (_, chunk, method) => {
  expect(await uncaughtBy(chunk, method)).toEqual([])
})
