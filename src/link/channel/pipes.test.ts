import { type Duplex, duplexPair, PassThrough } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Destination } from '../../protocol/wire/destination.ts'
import type { OpenPipe } from '../verbs.ts'
import { openChannel, serve } from './channel.ts'
import { encodeFrame, FrameDecoder, FrameError } from './frames.ts'
import { createPipeDialer, createPipeOpener, type Message, pipeBytesMax, pipesOpenMax } from './pipes.ts'

const somewhere = { host: 'issuer.example', port: 443 }
const limits = { deadlineMs: 20_000 }

describe('a pipe', () => {
  test('carries bytes both ways, to the destination that was named, beside requests', async () => {
    const dialled: Destination[] = []
    const { openPipe, channel } = connected((to) => {
      dialled.push(to)
      return new PassThrough()
    })
    const pipes = [openPipe(somewhere), openPipe({ host: '::1', port: 8443 })]
    for (const [index, pipe] of pipes.entries()) pipe.end(Buffer.alloc(100_000, index))
    // The other end of a pipe that was ended here is gone; what it sends before is not lost.
    const open = openPipe(somewhere)
    open.write('hello')
    const [echoed] = await Promise.all([nextChunk(open), channel.call('echo', 1, limits)])
    expect(echoed.toString()).toBe('hello')
    expect(dialled).toEqual([somewhere, { host: '::1', port: 8443 }, somewhere])
  })

  test('that the other side ends, ends here after all its bytes', async () => {
    const { openPipe } = connected(() => {
      const far = new PassThrough()
      setImmediate(() => far.end(Buffer.alloc(300_000, 7)))
      return far
    })
    const pipe = openPipe(somewhere)
    expect((await buffer(pipe)).equals(Buffer.alloc(300_000, 7))).toBe(true)
    await until(() => pipe.destroyed)
  })

  test('that is destroyed here is closed there', async () => {
    const far = new PassThrough()
    const { openPipe } = connected(() => far)
    const pipe = openPipe(somewhere)
    pipe.write('hello')
    await until(() => far.readableFlowing === true)
    pipe.destroy()
    await until(() => far.destroyed)
  })

  test('that is refused or breaks there fails here, with the reason', async () => {
    const { openPipe } = connected(({ port }) => {
      const far = new PassThrough()
      return port === 1 ? far.destroy(new Error('not there')) : far.on('data', () => far.destroy(new Error('reset')))
    })
    await expect(buffer(openPipe({ ...somewhere, port: 1 }))).rejects.toThrow('not there')
    const pipe = openPipe(somewhere)
    pipe.write('hello')
    await expect(buffer(pipe)).rejects.toThrow('reset')
  })

  test('that is closed takes no others with it', async () => {
    const { openPipe } = connected(() => new PassThrough())
    const pipes = Array.from({ length: 10 }, () => openPipe(somewhere))
    for (const pipe of pipes.filter((_, index) => index % 2 === 0)) pipe.destroy()
    for (const [index, pipe] of pipes.entries()) {
      if (index % 2 === 0) continue
      pipe.write(`pipe ${index}`)
      expect((await nextChunk(pipe)).toString()).toBe(`pipe ${index}`)
    }
  })

  test('that is opened while no service is there fails, and so does one whose service goes', async () => {
    const before = createPipeOpener()
    await expect(buffer(before.openPipe(somewhere))).rejects.toThrow('there is no service')
    const { openPipe, service } = connected(() => new PassThrough())
    const pipe = openPipe(somewhere)
    const failed = expect(buffer(pipe)).rejects.toThrow('the service is gone')
    service.end()
    await failed
    await expect(buffer(openPipe(somewhere))).rejects.toThrow('there is no service')
  })

  test('is closed when the vault is gone', async () => {
    const far = new PassThrough()
    const { openPipe, vault } = connected(() => far)
    openPipe(somewhere).on('error', () => {})
    await until(() => far.readableFlowing === true)
    vault.end()
    await until(() => far.destroyed)
  })
})

describe('the bounds of memory:', () => {
  test(`a pipe breaks with more than ${pipeBytesMax} bytes from the other side, at the service`, async () => {
    const far = new PassThrough()
    const { openPipe, vault } = connected(() => far)
    const pipe = openPipe(somewhere)
    const received = countBytes(vault)
    const flood = setInterval(() => far.writable && far.write(Buffer.alloc(100_000)), 1)
    await expect(buffer(pipe)).rejects.toThrow(`more than ${pipeBytesMax} bytes`)
    clearInterval(flood)
    expect(far.destroyed).toBe(true)
    expect(received()).toBeLessThan(pipeBytesMax + 10_000)
  })

  test('and at the vault, when the service sends more all the same', () => {
    const { openPipe, end } = createPipeOpener()
    const sent: Message[] = []
    end.attach((message) => sent.push(message))
    const pipe = openPipe(somewhere)
    const errors: Error[] = []
    pipe.on('error', (error) => errors.push(error))
    end.receive({ pipe: 1, data: new Uint8Array(pipeBytesMax) })
    expect(pipe.destroyed).toBe(false)
    end.receive({ pipe: 1, data: new Uint8Array(1) })
    expect(pipe.destroyed).toBe(true)
    for (let times = 0; times < 100; times += 1) end.receive({ pipe: 1, data: new Uint8Array(pipeBytesMax) })
    expect(pipe.readableLength).toBeLessThanOrEqual(pipeBytesMax)
    expect(sent).toEqual([
      { pipe: 1, open: somewhere },
      { pipe: 1, close: '' },
    ])
  })

  test('and with more than that from the vault', async () => {
    const { openPipe } = connected(() => new PassThrough().resume())
    const pipe = openPipe(somewhere)
    pipe.write(Buffer.alloc(pipeBytesMax))
    pipe.write(Buffer.alloc(1))
    await expect(buffer(pipe)).rejects.toThrow(`more than ${pipeBytesMax} bytes`)
  })

  test(`there are at most ${pipesOpenMax} pipes, on either side`, async () => {
    const { openPipe } = connected(() => new PassThrough())
    const pipes = Array.from({ length: pipesOpenMax }, () => openPipe(somewhere))
    await expect(buffer(openPipe(somewhere))).rejects.toThrow(`more than ${pipesOpenMax} connections`)
    pipes[0]?.destroy()
    const another = openPipe(somewhere)
    another.write('hello')
    expect((await nextChunk(another)).toString()).toBe('hello')

    const sent: Message[] = []
    const dialer = createPipeDialer(() => new PassThrough())
    dialer.attach((message) => sent.push(message))
    for (let pipe = 1; pipe <= pipesOpenMax + 1; pipe += 1) dialer.receive({ pipe, open: somewhere })
    expect(sent).toEqual([{ pipe: pipesOpenMax + 1, close: `more than ${pipesOpenMax} connections at once` }])
  })
})

describe('a peer that breaks the rules loses the stream:', () => {
  for (const [name, message] of [
    ['a pipe that was never opened', { pipe: 2, data: new Uint8Array(1) }],
    ['a number that is none', { pipe: 'a', data: new Uint8Array(1) }],
    ['neither data nor its close', { pipe: 1 }],
    ['data that are text', { pipe: 1, data: 'hello' }],
    ['a close that is no text', { pipe: 1, close: 7 }],
    ['a pipe opened by the service', { pipe: 1, open: somewhere }],
  ] as const) {
    test(`the service, with ${name}`, async () => {
      const { openPipe, service, served } = connected(() => new PassThrough())
      const broken = expect(buffer(openPipe(somewhere))).rejects.toThrow('the service is gone')
      service.write(encodeFrame(message))
      expect(await served).toBeInstanceOf(FrameError)
      await broken
    })
  }

  for (const [name, message] of [
    ['a number that is not the next', { pipe: 2, open: somewhere }],
    ['a port that is none', { pipe: 1, open: { host: 'a', port: 65_536 } }],
    ['no host', { pipe: 1, open: { port: 443 } }],
    ['data for no pipe', { pipe: 1, data: new Uint8Array(1) }],
  ] as const) {
    test(`the vault, with ${name}`, async () => {
      const { vault, channel } = connected(() => new PassThrough())
      vault.write(encodeFrame(message))
      expect(await channel.closed).toBeInstanceOf(FrameError)
    })
  }

  test('whatever its message says', () => {
    const leaf = fc.oneof(
      fc.integer({ min: -1, max: 4 }),
      fc.string(),
      fc.uint8Array(),
      fc.constant(somewhere),
      fc.anything(),
    )
    const message = fc.record({ pipe: leaf, open: leaf, data: leaf, close: leaf }, { requiredKeys: ['pipe'] })
    fc.assert(
      fc.property(fc.array(message, { maxLength: 20 }), (messages) => {
        const opener = createPipeOpener()
        opener.end.attach(() => {})
        for (let pipe = 0; pipe < 3; pipe += 1) opener.openPipe(somewhere).on('error', () => {})
        const dialer = createPipeDialer(() => new PassThrough())
        dialer.attach(() => {})
        for (const end of [opener.end, dialer]) {
          for (const each of messages) {
            try {
              end.receive(each)
            } catch (error) {
              expect(error).toBeInstanceOf(FrameError)
            }
          }
          end.detach()
        }
      }),
    )
  })

  test('a channel without pipes knows none', async () => {
    const [service, vault] = duplexPair()
    const served = serve(vault, new Map(), { onHandlerError() {} })
    service.write(encodeFrame({ pipe: 1, close: '' }))
    expect(await served).toBeInstanceOf(FrameError)
  })
})

test('the messages of one pipe on the channel', async () => {
  const { openPipe, service, vault } = connected(() => new PassThrough())
  const messages = { fromVault: messagesTo(service), fromService: messagesTo(vault) }
  const pipe = openPipe(somewhere)
  pipe.write('hello')
  await nextChunk(pipe)
  pipe.destroy()
  await sleep(20)
  expect(messages.fromVault).toEqual([
    { pipe: 1, open: somewhere },
    { pipe: 1, data: new Uint8Array(Buffer.from('hello')) },
    { pipe: 1, close: '' },
  ])
  expect(messages.fromService).toEqual([{ pipe: 1, data: new Uint8Array(Buffer.from('hello')) }])
})

function connected(dial: OpenPipe) {
  const [service, vault] = duplexPair()
  const { openPipe, end } = createPipeOpener()
  const handlers = new Map([['echo', async (argument: unknown) => argument]])
  const served = serve(vault, handlers, { onHandlerError() {}, pipes: end })
  const channel = openChannel(service, { pipes: createPipeDialer(dial) })
  return { openPipe, service, vault, served, channel }
}

function messagesTo(stream: Duplex): unknown[] {
  const decoder = new FrameDecoder()
  const messages: unknown[] = []
  stream.on('data', (chunk: Uint8Array) => messages.push(...decoder.push(chunk)))
  return messages
}

function countBytes(stream: Duplex): () => number {
  let bytes = 0
  stream.on('data', (chunk: Uint8Array) => {
    bytes += chunk.length
  })
  return () => bytes
}

function nextChunk(stream: Duplex): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    stream.once('data', resolve)
    stream.once('error', reject)
  })
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(5)
}
