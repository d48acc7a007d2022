import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import type { Resolve } from './dial.ts'
import { createResolve } from './resolve.ts'

const typeA = 1

/** A name server (RFC 1035). It answers every name with 192.0.2.7, except names below `silent.test`: those never. */
async function nameServer() {
  const socket = createSocket('udp4')
  const asked: string[] = []
  socket.on('message', (query, { port, address }) => {
    const labels: string[] = []
    let at = 12
    for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
      labels.push(query.toString('latin1', at + 1, at + 1 + length))
      at += 1 + length
    }
    const name = labels.join('.')
    asked.push(name)
    if (name.endsWith('silent.test')) return
    const question = query.subarray(12, at + 5)
    const isA = query.readUInt16BE(at + 1) === typeA
    const header = Buffer.from([...query.subarray(0, 2), 0x81, 0x80, 0, 1, 0, isA ? 1 : 0, 0, 0, 0, 0])
    const record = Buffer.from([0xc0, 12, 0, typeA, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 7])
    socket.send(Buffer.concat([header, question, ...(isA ? [record] : [])]), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  onTestFinished(() => void socket.close())
  return { servers: [`127.0.0.1:${socket.address().port}`], asked }
}

function find(resolve: Resolve, name: string): Promise<unknown> {
  return new Promise((found, failed) => {
    resolve(name, { all: true }, (error, addresses) => (error === null ? found(addresses) : failed(error)))
  })
}

test('names whose servers say nothing keep no other name waiting', async () => {
  const { servers, asked } = await nameServer()
  const resolve = createResolve({ servers })
  let answered = 0
  const silent = Array.from({ length: 40 }, async (_, index) => {
    await find(resolve, `${index}.silent.test`).catch(() => {})
    answered += 1
  })
  await expect.poll(() => asked.length).toBeGreaterThanOrEqual(80)
  expect(await find(resolve, 'good.test')).toEqual([{ address: '192.0.2.7', family: 4 }])
  expect(answered).toBe(0)
  await Promise.all(silent)
})

test('a name whose servers say nothing has no address after a while', async () => {
  const { servers } = await nameServer()
  await expect(find(createResolve({ servers }), 'nobody.silent.test')).rejects.toThrow(/ETIMEOUT/)
})

test('names without a dot are those of the machine', async () => {
  const { servers, asked } = await nameServer()
  expect(await find(createResolve({ servers }), 'localhost')).toContainEqual({ address: '127.0.0.1', family: 4 })
  expect(asked).toEqual([])
})
