import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { connected, head, operationPath, readUntil, sendRaw, startHttp } from '../../../../test/support/http_server.ts'
import { parseIpRange } from '../../../protocol/wire/ip_ranges.ts'
import type { Answer } from '../../requests/request.ts'
import type { Watches } from '../../requests/watches.ts'
import { begunAtOnceMax } from './beginnings.ts'
import { Connection } from './connection.ts'

const post = `${head(`POST ${operationPath} HTTP/1.1`, 'Content-Length: 2')}{}`
const ended = (socket: Socket) => new Promise<void>((resolve) => socket.once('close', () => resolve()))
const largeBytes = 4 * 1_048_576
const large = async (): Promise<Answer> => ({ status: 200, body: new Uint8Array(largeBytes) })

/** A client that reads nothing. An error is the server's way to end it. */
async function unread(port: number, from?: string): Promise<Socket> {
  const socket = await connected(port, from)
  socket.on('error', () => {}).pause()
  return socket
}

/** A client that does not read learns of the end when it writes. Blank lines may stand before a request. */
async function endedUnread(socket: Socket): Promise<void> {
  while (!socket.destroyed) {
    socket.write('\r\n')
    await sleep(10)
  }
}

/** Several turns of the server's event loop, in each of which it could begin what has arrived. */
async function serverHasWorked({ url }: { readonly url: string }): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await (await fetch(`${url}/livez`)).text()
}

test('the end of what a client sends is read in a turn of its connection, as what it sends', async () => {
  const asked: Connection[] = []
  const owner = { onArrived: (one: Connection) => void asked.push(one), onChange() {}, onTaken() {} }
  const patience = { idleMsMax: 60_000, unreadMsMax: 60_000 }
  const listener = createServer({ allowHalfOpen: true }, (socket) => {
    const connection = new Connection(socket, '127.0.0.1', { patience, owner })
    connection.on('end', () => read.push('the end')).on('data', (bytes) => read.push(String(bytes)))
  })
  const read: string[] = []
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const address = listener.address()
  const client = await connected(typeof address === 'object' && address !== null ? address.port : 0)
  client.write('GET /')
  await expect.poll(() => asked.length).toBe(1)
  asked.shift()?.readOn()
  await expect.poll(() => read).toEqual(['GET /'])
  client.end()
  await expect.poll(() => asked.length).toBe(1)
  expect(read).toEqual(['GET /'])
  asked.shift()?.readOn()
  await expect.poll(() => read).toEqual(['GET /', 'the end'])
  client.destroy()
  listener.close()
})

describe('connections that one address opens faster than they are begun', () => {
  const more = 40
  async function opened(port: number) {
    const count = begunAtOnceMax + more
    const sockets = await Promise.all(Array.from({ length: count }, () => connected(port, '127.0.0.9')))
    for (const socket of sockets) socket.on('error', () => {}).resume()
    return sockets
  }

  test('are all answered', async () => {
    const own = await startHttp()
    const sockets = await opened(own.port)
    const answered = sockets.map((socket) => readUntil(socket, /alive/))
    for (const socket of sockets) socket.write(head('GET /livez HTTP/1.1'))
    expect((await Promise.all(answered)).filter((text) => text.includes('alive'))).toHaveLength(begunAtOnceMax + more)
    await own.close()
  })

  test('do not keep the server from its end', async () => {
    const own = await startHttp()
    const sockets = await opened(own.port)
    const all = Promise.all(sockets.map(ended))
    await own.close()
    await all
  })
})

describe('requests that are sent without a wait for answers', () => {
  test('are begun one at a time, all answered, and in their order', async () => {
    const gates = Array.from({ length: 100 }, () => Promise.withResolvers<void>())
    const own = await startHttp({
      submit: async ({ body }) => {
        await gates[own.seen.length - 1]?.promise
        return { status: 200, body }
      },
    })
    const last = head('GET /livez HTTP/1.1', 'Connection: close')
    const requests = gates.map((_, index) => {
      const body = `{"request":${index}}`
      return `${head(`POST ${operationPath} HTTP/1.1`, `Content-Length: ${body.length}`)}${body}`
    })
    const answer = sendRaw(own.port, requests.join('') + last)
    for (const [index, gate] of gates.entries()) {
      while (own.seen.length <= index) await sleep(1)
      if (index % 25 === 0) await serverHasWorked(own)
      expect(own.seen.length).toBe(index + 1)
      gate.resolve()
    }
    const answered = [...(await answer).matchAll(/\{"request":(\d+)\}/g)].map(([, index]) => Number(index))
    expect(answered).toEqual(gates.map((_, index) => index))
    expect(await answer).toMatch(/"alive"\}$/)
    await own.close()
  })

  test('are the same requests however their bytes are cut', async () => {
    const own = await startHttp({ submit: async ({ body }) => ({ status: 200, body }) })
    const bodies = ['{}', '\r\n\r\n', 'a\r\n\r\nb', '', 'GET / HTTP/1.1\r\n\r\n', 'x'.repeat(20_000)]
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ body: fc.constantFrom(...bodies), inChunks: fc.boolean(), isUpgrade: fc.boolean() }), {
          maxLength: 6,
        }),
        fc.array(fc.nat(60_000), { maxLength: 12 }),
        async (sent, cuts) => {
          const before = own.seen.length
          const last = head('GET /livez HTTP/1.1', 'Connection: close')
          const bytes = Buffer.from(sent.map(requestOf).join('') + last)
          const socket = await connected(own.port)
          const answer = readUntil(socket)
          const places = [...new Set([0, ...cuts.map((cut) => cut % bytes.length), bytes.length])].sort((a, b) => a - b)
          for (const [index, end] of places.entries()) {
            socket.write(bytes.subarray(places[index - 1] ?? 0, end))
            await new Promise(setImmediate)
          }
          expect((await answer).match(/HTTP\/1\.1 200 /g)).toHaveLength(sent.length + 1)
          const read = own.seen.slice(before).map(({ body }) => Buffer.from(body).toString())
          expect(read).toEqual(sent.map(({ body }) => body))
        },
      ),
      { numRuns: 30 },
    )
    await own.close()
  })

  test('are answered when the client says with them that it sends no more', async () => {
    const own = await startHttp()
    const socket = await connected(own.port)
    const answer = readUntil(socket)
    socket.end(head('GET /livez HTTP/1.1').repeat(200))
    expect((await answer).match(/HTTP\/1\.1 200 /g)).toHaveLength(200)
    await own.close()
  })

  for (const [name, bytes, answers] of [
    ['stray bytes', 'XX', / 200 .* 400 /s],
    ['a request that is not valid', 'GET /livez HTTP/1.1\r\nno colon\r\n\r\n', / 200 .* 400 /s],
    ['a tunnel', head('CONNECT elsewhere:443 HTTP/1.1'), / 200 /],
    ['another request', head('GET /livez HTTP/1.1'), / 200 .* 200 /s],
  ] as const)
    test(`are answered, whatever follows in the same bytes: ${name}`, async () => {
      const own = await startHttp()
      const socket = await connected(own.port)
      const answer = readUntil(socket)
      socket.end(post + bytes)
      expect(await answer).toMatch(answers)
      await own.close()
    })

  test('are answered behind one that asks for another protocol', async () => {
    const own = await startHttp({ submit: async ({ body }) => ({ status: 200, body }) })
    const upgrade = ['Connection: Upgrade', 'Upgrade: h2c']
    const request = `${head(`POST ${operationPath} HTTP/1.1`, 'Content-Length: 2', ...upgrade)}{}`
    const socket = await connected(own.port)
    const answer = readUntil(socket)
    socket.end(request.repeat(3))
    expect((await answer).match(/HTTP\/1\.1 200 /g)).toHaveLength(3)
    await own.close()
  })

  test('are not read behind one that ends the connection, which is answered', async () => {
    const own = await startHttp({ submit: async ({ body }) => ({ status: 200, body }) })
    const request = `${head(`POST ${operationPath} HTTP/1.1`, 'Connection: close', 'Content-Length: 2')}{}`
    expect(await sendRaw(own.port, request + post)).toMatch(/^HTTP\/1\.1 200 .*\{\}$/s)
    expect(own.seen).toHaveLength(1)
    await own.close()
  })

  test('end where their length says, wherever their headers were cut', async () => {
    const own = await startHttp({ submit: async ({ body }) => ({ status: 200, body }) })
    const request = head(`POST ${operationPath} HTTP/1.1`, 'Connection: Upgrade', 'Upgrade: h2c', 'Content-Length: 2')
    for (let cut = 1; cut <= 4; cut += 1) {
      const socket = await connected(own.port)
      const answer = readUntil(socket)
      socket.write(request.slice(0, -cut))
      await serverHasWorked(own)
      socket.end(`${request.slice(-cut)}{}${head('GET /livez HTTP/1.1')}`)
      expect((await answer).match(/HTTP\/1\.1 200 /g)).toHaveLength(2)
    }
    await own.close()
  })

  test('take as many turns as their bytes need, though they are full of blank lines', async () => {
    const turnsOf = async (body: string, ...lines: readonly string[]) => {
      const own = await startHttp({ submit: async () => ({ status: 200, body: Buffer.from('{}') }) })
      let turns = 0
      let isOver = false
      const count = () => {
        turns += 1
        if (!isOver) setImmediate(count)
      }
      const answer = sendRaw(own.port, head(`POST ${operationPath} HTTP/1.1`, 'Connection: close', ...lines) + body)
      count()
      expect(await answer).toMatch(/^HTTP\/1\.1 200 /)
      isOver = true
      await own.close()
      return turns
    }
    const blank = '\r\n'.repeat(100_000)
    // In pieces of one blank line each these would be 50,000 pieces.
    expect(await turnsOf(blank, `Content-Length: ${blank.length}`)).toBeLessThan(5_000)
    const chunk = `${blank.length.toString(16)}\r\n${blank}\r\n0\r\n\r\n`
    expect(await turnsOf(chunk, 'Transfer-Encoding: chunked')).toBeLessThan(5_000)
  })

  test('are answered though the client sends no more while they are decided', async () => {
    const gate = Promise.withResolvers<Answer>()
    const own = await startHttp({ submit: () => gate.promise })
    const socket = await connected(own.port)
    const answer = readUntil(socket)
    socket.end(post)
    while (own.seen.length === 0) await sleep(1)
    await serverHasWorked(own)
    gate.resolve({ status: 200, body: Buffer.from('{}') })
    expect(await answer).toMatch(/^HTTP\/1\.1 200 .*\{\}$/s)
    await own.close()
  })

  test('take turns with the request of another connection', async () => {
    const own = await startHttp()
    const chunk = head('GET /x HTTP/1.1').repeat(1_500)
    const flooders = await Promise.all(Array.from({ length: 10 }, () => connected(own.port)))
    for (const flooder of flooders)
      flooder
        .on('error', () => {})
        .resume()
        .write(chunk)
    await sendRaw(own.port, head('GET /livez HTTP/1.1', 'Connection: close'))
    const before = own.logged.findIndex((line) => line.includes('"/livez"'))
    expect(before).toBeGreaterThanOrEqual(0)
    expect(before).toBeLessThan(1_000)
    for (const flooder of flooders) flooder.destroy()
    await own.close()
  })

  type Sent = { readonly body: string; readonly inChunks: boolean; readonly isUpgrade: boolean }

  function requestOf({ body, inChunks, isUpgrade }: Sent): string {
    const lines = [`POST ${operationPath} HTTP/1.1`, ...(isUpgrade ? ['Connection: Upgrade', 'Upgrade: h2c'] : [])]
    if (!inChunks) return `${head(...lines, `Content-Length: ${body.length}`)}${body}`
    const chunk = body === '' ? '' : `${body.length.toString(16)}\r\n${body}\r\n`
    return `${head(...lines, 'Transfer-Encoding: chunked')}${chunk}0\r\n\r\n`
  }

  test('are read no further while the client does not read: what is answered stays small', async () => {
    const own = await startHttp({ submit: large })
    const socket = await unread(own.port)
    socket.write(post.repeat(500))
    while (own.seen.length === 0) await sleep(1)
    await serverHasWorked(own)
    // The kernel takes some answers. All 500 would be 2 GB.
    expect(own.seen.length).toBeLessThan(20)
    socket.destroy()
    await own.close()
  })
})

describe('a client that does not read', () => {
  test('is ended, also while its answer stays open', async () => {
    let stopped = false
    const lines: Watches = {
      isWatched: () => true,
      open: async () => ({
        organizationId: 'an organization',
        start: (sink) => sink.write(new Uint8Array(8 * largeBytes)),
        stop: () => {
          stopped = true
        },
      }),
      close: async () => {},
    }
    const own = await startHttp({ watches: lines, unreadMsMax: 200 })
    const socket = await unread(own.port)
    const request = head(`POST ${operationPath} HTTP/1.1`, 'Accept: application/x-ndjson', 'Content-Length: 2')
    socket.write(`${request}{}`)
    while (!stopped) await sleep(1)
    socket.destroy()
    await own.close()
  })

  test('is ended with a page too', async () => {
    const own = await startHttp({
      submit: async () => ({ status: 200, body: new Uint8Array(8 * largeBytes) }),
      unreadMsMax: 200,
    })
    const socket = await unread(own.port)
    socket.write(post)
    await endedUnread(socket)
    await own.close()
  })

  test('is not meant by a time for reading that is shorter than the whole answer takes', async () => {
    const own = await startHttp({
      submit: async () => ({ status: 200, body: new Uint8Array(8 * largeBytes) }),
      unreadMsMax: 1_000,
    })
    const socket = await unread(own.port)
    socket.write(post)
    const startMs = performance.now()
    let bytes = 0
    for await (const chunk of socket) {
      const pauses = Math.floor((bytes + chunk.length) / largeBytes) - Math.floor(bytes / largeBytes)
      bytes += chunk.length
      await sleep(pauses * 250)
      if (bytes > 8 * largeBytes) break
    }
    expect(performance.now() - startMs).toBeGreaterThan(1_000)
    socket.destroy()
    await own.close()
  })

  test('is not one whose answer takes long to be decided', async () => {
    const gate = Promise.withResolvers<Answer>()
    const own = await startHttp({ submit: () => gate.promise, unreadMsMax: 20 })
    const answer = sendRaw(own.port, post, { until: /\}$/ })
    await sleep(100)
    gate.resolve({ status: 200, body: Buffer.from('{}') })
    expect(await answer).toMatch(/^HTTP\/1\.1 200 /)
    await own.close()
  })
})

describe('answers that nobody reads', () => {
  const answerBytes = 4 * largeBytes
  const submit = async (): Promise<Answer> => ({ status: 200, body: new Uint8Array(answerBytes) })

  async function unreadAnswers(
    own: { readonly port: number; readonly url: string; readonly seen: readonly unknown[] },
    count: number,
  ) {
    const sockets: Socket[] = []
    while (sockets.length < count) {
      const socket = await unread(own.port, '127.0.0.2')
      socket.write(post)
      sockets.push(socket)
      while (own.seen.length < sockets.length) await sleep(1)
      await serverHasWorked(own)
    }
    return sockets
  }

  test('have a bound of one peer: the connection that has waited longest is reset', async () => {
    const own = await startHttp({ submit, unreadMax: { all: 100 * answerBytes, ofPeer: 3.5 * answerBytes } })
    const [first, ...others] = await unreadAnswers(own, 4)
    if (first !== undefined) await endedUnread(first)
    for (const other of others) other.write('\r\n')
    await serverHasWorked(own)
    expect(others.map(({ destroyed }) => destroyed)).toEqual([false, false, false])
    expect(own.logged.join()).toContain('too many answers that nobody reads')
    for (const socket of others) socket.destroy()
    await own.close()
  })

  test('have a bound in all, for which the peer with the most gives way to those that read', async () => {
    const own = await startHttp({ submit, unreadMax: { all: 3.5 * answerBytes, ofPeer: 100 * answerBytes } })
    const [first, ...others] = await unreadAnswers(own, 3)
    const { status } = await fetch(`${own.url}${operationPath}`, { method: 'POST', body: '{}' }).then(
      async (answer) => {
        expect((await answer.arrayBuffer()).byteLength).toBe(answerBytes)
        return answer
      },
    )
    expect(status).toBe(200)
    if (first !== undefined) await endedUnread(first)
    for (const socket of others) socket.destroy()
    await own.close()
  })
})

test('a connection that waits for its client keeps nothing of what it has read', async () => {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc')
  const own = await startHttp({ submit: async () => ({ status: 200, body: new Uint8Array(2) }) })
  const body = 'x'.repeat(60_000)
  const request = `${head(`POST ${operationPath} HTTP/1.1`, `Content-Length: ${body.length}`)}${body}`
  gc()
  const before = process.memoryUsage().arrayBuffers
  const sockets: Socket[] = []
  for (let count = 0; count < 100; count += 1) {
    const socket = await connected(own.port)
    sockets.push(socket)
    socket.write(request)
    await once(socket, 'data')
    own.seen.length = 0
  }
  const keptBytes = () => {
    gc()
    return (process.memoryUsage().arrayBuffers - before) / sockets.length
  }
  await expect.poll(keptBytes, { timeout: 5_000 }).toBeLessThan(20_000)
  for (const socket of sockets) socket.destroy()
  await own.close()
})

describe('the connections of one peer', () => {
  test('have a bound: the one that has waited longest for its client makes room', async () => {
    const own = await startHttp({ connectionsMax: { all: 100, ofPeer: 3 } })
    const [first, second, third] = [await connected(own.port), await connected(own.port), await connected(own.port)]
    await answered(first)
    const gone = ended(second)
    const fourth = await connected(own.port)
    await answered(fourth)
    await gone
    await Promise.all([first, third, fourth].map(answered))
    const warnings = own.logged.filter((line) => line.includes('"warn"'))
    expect(warnings.map((line) => JSON.parse(line))).toMatchObject([{ peer: '127.0.0.1', connections: 3, ofPeer: 3 }])
    for (const socket of [first, third, fourth]) socket.destroy()
    await own.close()
  })

  test('that wait for the rest of a request, or for the client to read, make room too', async () => {
    const own = await startHttp({ submit: large, connectionsMax: { all: 100, ofPeer: 2 } })
    const sending = await connected(own.port)
    const sendingEnded = ended(sending.resume())
    sending.write(`${head(`POST ${operationPath} HTTP/1.1`, 'Content-Length: 9')}{`)
    const reading = await unread(own.port)
    reading.write(post.repeat(50))
    while (own.seen.length === 0) await sleep(1)
    const further = [await connected(own.port), await connected(own.port)]
    await sendingEnded
    await endedUnread(reading)
    for (const socket of further) await answered(socket)
    for (const socket of further) socket.destroy()
    await own.close()
  })

  test('that are all busy leave no room: a further one is ended unread', async () => {
    const gate = Promise.withResolvers<Answer>()
    const own = await startHttp({ submit: () => gate.promise, connectionsMax: { all: 100, ofPeer: 2 } })
    const busy = [sendRaw(own.port, post, { until: /\}$/ }), sendRaw(own.port, post, { until: /\}$/ })]
    while (own.seen.length < 2) await sleep(1)
    expect(await sendRaw(own.port, post)).toBe('')
    gate.resolve({ status: 200, body: Buffer.from('{}') })
    for (const answer of busy) expect(await answer).toMatch(/^HTTP\/1\.1 200 /)
    await own.close()
  })

  test('are not those of a trusted proxy, which are bounded in all', async () => {
    const own = await startHttp({ trustedProxies: rangeOf('127.0.0.0/8'), connectionsMax: { all: 3, ofPeer: 1 } })
    const sockets = [await connected(own.port), await connected(own.port), await connected(own.port)]
    for (const socket of sockets) await answered(socket)
    const gone = ended(sockets[0] as Socket)
    const further = await connected(own.port)
    await answered(further)
    await gone
    for (const socket of [...sockets, further]) socket.destroy()
    await own.close()
  })
})

describe('two peers that have taken all places', () => {
  const ofPeer = 20
  const livez = head('GET /livez HTTP/1.1', 'Connection: close')
  const inChunks = head(`POST ${operationPath} HTTP/1.1`, 'Transfer-Encoding: chunked')
  const watch = `${head(`POST ${operationPath} HTTP/1.1`, 'Accept: application/x-ndjson', 'Content-Length: 2')}{}`
  const attacks: readonly (readonly [string, string, string])[] = [
    ['send many small requests and read nothing', head('GET /livez HTTP/1.1').repeat(2_000), ''],
    ['ask for much and read nothing', head('GET /openapi.json HTTP/1.1').repeat(2_000), ''],
    ['send operations that are under way', post, ''],
    ['send operations and more behind each', post + head('GET /livez HTTP/1.1').repeat(100), ''],
    ['send nothing', '', ''],
    ['send bytes of headers', 'GET /livez HTTP/1.1\r\nHost: a\r\n', 'A: b\r\n'],
    ['send a body in chunks without an end', inChunks, '1\r\n{\r\n'],
    ['watch and read nothing', watch, ''],
  ]

  test.each(attacks)(
    'keep nobody out, though they %s',
    async (_, first, again) => {
      const gate = Promise.withResolvers<Answer>()
      const watches: Watches = {
        isWatched: () => true,
        open: async () => ({
          organizationId: 'an organization',
          start: (sink) => sink.write(new Uint8Array(65_536)),
          stop: () => {},
        }),
        close: async () => {},
      }
      const own = await startHttp({
        submit: () => gate.promise,
        connectionsMax: { all: 2 * ofPeer, ofPeer },
        ...(first === watch ? { watches } : {}),
      })
      const flooders: Socket[] = []
      for (let count = 0; count < 2 * ofPeer; count += 1) {
        const flooder = await unread(own.port, `127.0.0.${2 + (count % 2)}`)
        flooder.write(first)
        flooders.push(flooder)
      }
      await sleep(50)
      const sending = setInterval(() => {
        for (const flooder of flooders) if (again !== '') flooder.write(again)
      }, 1)
      for (let count = 0; count < 20; count += 1) {
        expect(await sendRaw(own.port, livez, { from: '127.0.0.4' })).toMatch(/^HTTP\/1\.1 200 /)
      }
      clearInterval(sending)
      gate.resolve({ status: 200, body: Buffer.from('{}') })
      for (const flooder of flooders) flooder.destroy()
      await own.close()
    },
    180_000,
  )

  test('give way to peers with fewer only, so each gets the same', async () => {
    const gate = Promise.withResolvers<Answer>()
    const own = await startHttp({ submit: () => gate.promise, connectionsMax: { all: 9, ofPeer: 9 } })
    const open = { '127.0.0.2': 0, '127.0.0.3': 0 }
    const sockets: Socket[] = []
    for (const from of ['127.0.0.2', '127.0.0.3'] as const) {
      for (let count = 0; count < 9; count += 1) {
        const socket = await connected(own.port, from)
        open[from] += 1
        socket
          .on('error', () => {})
          .once('close', () => {
            open[from] -= 1
          })
        socket.resume().write(post)
        sockets.push(socket)
      }
      while (own.seen.length < 9) await sleep(1)
    }
    await expect.poll(() => open).toEqual({ '127.0.0.2': 5, '127.0.0.3': 4 })
    gate.resolve({ status: 200, body: Buffer.from('{}') })
    for (const socket of sockets) socket.destroy()
    await own.close()
  })

  test('do not end what a trusted proxy is waiting for', async () => {
    const gate = Promise.withResolvers<Answer>()
    const trustedProxies = rangeOf('127.0.0.2/32')
    const own = await startHttp({ submit: () => gate.promise, trustedProxies, connectionsMax: { all: 2, ofPeer: 2 } })
    const proxied = [1, 2].map(() => sendRaw(own.port, post, { until: /\}$/, from: '127.0.0.2' }))
    while (own.seen.length < 2) await sleep(1)
    expect(await sendRaw(own.port, livez, { from: '127.0.0.3' })).toBe('')
    gate.resolve({ status: 200, body: Buffer.from('{}') })
    for (const answer of proxied) expect(await answer).toMatch(/^HTTP\/1\.1 200 /)
    await own.close()
  })
})

async function answered(socket: Socket): Promise<void> {
  socket.write(head('GET /livez HTTP/1.1'))
  const [chunk] = await once(socket, 'data')
  expect(String(chunk)).toMatch(/^HTTP\/1\.1 200 /)
}

describe('behind a trusted proxy', () => {
  test('one address has a bound of requests in flight, and others are answered', async () => {
    const gate = Promise.withResolvers<Answer>()
    const own = await startHttp({
      submit: () => gate.promise,
      trustedProxies: rangeOf('127.0.0.0/8'),
      ofForwardedMax: 2,
    })
    const from = (address: string) => {
      const lines = [`POST ${operationPath} HTTP/1.1`, `X-Forwarded-For: ${address}`, 'Content-Length: 2']
      return sendRaw(own.port, `${head(...lines)}{}`, { until: /\}$/ })
    }
    const two = [from('203.0.113.7'), from('203.0.113.7')]
    while (own.seen.length < 2) await sleep(1)
    const refused = await from('203.0.113.7')
    expect(refused).toMatch(/^HTTP\/1\.1 429 /)
    expect(refused).toMatch(/^retry-after: 1$/im)
    expect(refused).toMatch(/^content-type: application\/json$/im)
    expect(JSON.parse(refused.split('\r\n\r\n')[1] ?? '')).toMatchObject({ code: 8, details: [] })
    const other = from('203.0.113.8')
    while (own.seen.length < 3) await sleep(1)
    gate.resolve({ status: 200, body: Buffer.from('{}') })
    for (const answer of [...two, other]) expect(await answer).toMatch(/^HTTP\/1\.1 200 /)
    expect(await from('203.0.113.7')).toMatch(/^HTTP\/1\.1 200 /)
    await own.close()
  })
})

function rangeOf(text: string) {
  return [parseIpRange(text) ?? []].flat()
}

test('a body of chunks of one byte leaves turns to others until it is refused', async () => {
  const own = await startHttp()
  const flooder = await connected(own.port, '127.0.0.2')
  // For its size, or on a busy machine for its time.
  const refused = readUntil(
    flooder.on('error', () => {}),
    /^HTTP\/1\.1 (413|408) /,
  )
  flooder.write(head(`POST ${operationPath} HTTP/1.1`, 'Transfer-Encoding: chunked'))
  const chunks = Buffer.from('1\r\n \r\n'.repeat(10_000))
  let isOver = false
  const send = () => {
    while (!isOver && flooder.write(chunks));
    if (!isOver) flooder.once('drain', send)
  }
  send()
  void refused.then(() => {
    isOver = true
  })
  let answered = 0
  while (!isOver) {
    await (await fetch(`${own.url}/livez`)).text()
    answered += 1
  }
  expect(await refused).toMatch(/ (413|408) /)
  flooder.destroy()
  expect(answered).toBeGreaterThan(50)
  await own.close()
})

test.runIf(process.platform === 'linux')(
  'many connections at once are taken by the kernel while this process is busy',
  async () => {
    const { port } = await startHttp()
    const count = 2_000
    const taken = Math.min(count, Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8')))
    const connecting = `
    let open = 0
    for (let index = 0; index < ${count}; index += 1) {
      require('node:net').connect(${port}, '127.0.0.1', () => { open += 1 }).on('error', () => {})
    }
    setTimeout(() => { console.log(open); process.exit() }, 500)`
    // Nothing is accepted meanwhile, because this call blocks. One that the kernel has no place for tries again after a second.
    const open = Number(execFileSync(process.execPath, ['-e', connecting], { encoding: 'utf8' }))
    expect(open).toBeGreaterThanOrEqual(taken)
  },
)
