import { type Duplex, duplexPair } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { callsInFlightMax, type Handlers, openChannel, serve, VaultError, VaultUnavailable } from './channel.ts'
import { encodeFrame, FrameDecoder, FrameError, frameBytesMax } from './frames.ts'

const limits = { deadlineMs: 20_000 }

describe('calls', () => {
  test('are answered each with its own reply, whatever the order of the replies', async () => {
    const { channel } = connected(
      new Map([
        [
          'wait',
          async (argument) => {
            await sleep(Number(argument))
            return argument
          },
        ],
      ]),
    )
    const order: unknown[] = []
    const waits = [60, 0, 30]
    const replies = await Promise.all(
      waits.map(async (ms) => {
        const reply = await channel.call('wait', ms, limits)
        order.push(reply)
        return reply
      }),
    )
    expect(replies).toEqual(waits)
    expect(order).toEqual([0, 30, 60])
  })

  test('carry bytes both ways', async () => {
    const { channel } = connected(new Map([['echo', async (argument) => argument]]))
    const argument = { body: Uint8Array.of(1, 2, 3), rows: [{ sealed: new Uint8Array(200_000).fill(7) }] }
    expect(await channel.call('echo', argument, limits)).toEqual(argument)
    expect(await channel.call('echo', undefined, limits)).toBeUndefined()
  })

  test('made in one turn leave eight to a write behind the first, and so do their replies', async () => {
    const { channel, service, vault } = connected(new Map([['echo', async (argument) => argument]]))
    const writes = { service: countWrites(service), vault: countWrites(vault) }
    await Promise.all(Array.from({ length: 50 }, (_, index) => channel.call('echo', index, limits)))
    expect({ service: writes.service(), vault: writes.vault() }).toEqual({ service: 1 + 7, vault: 1 + 7 })
  })

  test('that wait delay no other', async () => {
    const handler = async (argument: unknown) => (argument === 3 ? new Promise(() => {}) : argument)
    const { channel } = connected(new Map([['step', handler]]))
    void channel.call('step', 3, limits).catch(() => {})
    expect(await Promise.all([4, 5].map((index) => channel.call('step', index, limits)))).toEqual([4, 5])
  })

  test('that are too large are refused alone', async () => {
    const { channel } = connected(new Map([['echo', async (argument) => argument]]))
    const large = channel.call('echo', new Uint8Array(frameBytesMax + 1), limits)
    await expect(large).rejects.toBeInstanceOf(FrameError)
    expect(await channel.call('echo', 1, limits)).toBe(1)
  })

  test('beyond the number that may be in flight are refused, unless they are urgent', async () => {
    const { channel } = connected(
      new Map([
        ['hang', () => new Promise(() => {})],
        ['echo', async (argument: unknown) => argument],
      ]),
    )
    const pending = Array.from({ length: callsInFlightMax }, () => channel.call('hang', undefined, limits))
    const settled = Promise.allSettled(pending)
    await expect(channel.call('hang', undefined, limits)).rejects.toBeInstanceOf(VaultUnavailable)
    expect(await channel.call('echo', 'urgent', { ...limits, isUrgent: true })).toBe('urgent')
    channel.close()
    expect((await settled).every(({ status }) => status === 'rejected')).toBe(true)
  })
})

describe('a handler that throws', () => {
  test('gives its error name and message to the caller, and all of it to the log', async () => {
    const thrown = Object.assign(new TypeError('no such thing', { cause: new Error('inside') }), { detail: 'inside' })
    const { channel, vault, handlerErrors } = connected(
      new Map([
        ['fail', () => Promise.reject(thrown)],
        ['echo', async (argument: unknown) => argument],
      ]),
    )
    const bytes = capture(vault)
    const error = await channel.call('fail', 1, limits).catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(VaultError)
    expect(error).toMatchObject({ thrownName: 'TypeError', message: 'no such thing' })
    expect(new FrameDecoder().push(bytes())).toEqual([
      { id: 1, error: { name: 'TypeError', message: 'no such thing' } },
    ])
    expect(handlerErrors).toEqual([['fail', thrown]])
    expect(await channel.call('echo', 1, limits)).toBe(1)
  })

  test('and an unknown verb, a handler that throws no error, and a reply that is too large reject alike', async () => {
    const { channel } = connected(
      new Map([
        ['fail', () => Promise.reject('text')],
        ['large', async () => new Uint8Array(frameBytesMax + 1)],
      ]),
    )
    const unknown = expect.objectContaining({ thrownName: 'Error', message: 'there is no verb "constructor"' })
    await expect(channel.call('constructor', 1, limits)).rejects.toEqual(unknown)
    await expect(channel.call('fail', 1, limits)).rejects.toMatchObject({ thrownName: 'Error', message: 'failed' })
    await expect(channel.call('large', 1, limits)).rejects.toMatchObject({ thrownName: 'FrameError' })
  })
})

describe('no answer is VaultUnavailable', () => {
  test('after the deadline, and a late reply is heard and dropped', async () => {
    const release = Promise.withResolvers<void>()
    const { channel } = connected(
      new Map([
        ['slow', () => release.promise],
        ['echo', async (argument: unknown) => argument],
      ]),
    )
    await expect(channel.call('slow', 1, { deadlineMs: 20 })).rejects.toBeInstanceOf(VaultUnavailable)
    expect(channel.heard()).toBe(0)
    release.resolve()
    while (channel.heard() === 0) await sleep(1)
    expect(await channel.call('echo', 1, limits)).toBe(1)
  })

  test('when the other side ends', async () => {
    const { channel, vault } = connected(new Map([['hang', () => new Promise(() => {})]]))
    const call = channel.call('hang', 1, limits)
    setImmediate(() => vault.end())
    await expect(call).rejects.toBeInstanceOf(VaultUnavailable)
    expect(await channel.closed).toBeUndefined()
    await expect(channel.call('hang', 1, limits)).rejects.toBeInstanceOf(VaultUnavailable)
  })

  test('when this side closes, and the other side learns of it', async () => {
    const { channel, served } = connected(new Map([['hang', () => new Promise(() => {})]]))
    const call = channel.call('hang', 1, limits)
    setImmediate(() => channel.close())
    await expect(call).rejects.toBeInstanceOf(VaultUnavailable)
    expect(await served).toBeUndefined()
  })
})

describe('a peer that breaks the rules loses the stream', () => {
  for (const [name, reply] of [
    ['no frame', Buffer.alloc(8)],
    ['no object', encodeFrame('reply')],
    ['no id', encodeFrame({ result: 1 })],
    ['an id that was never sent', encodeFrame({ id: 2, result: 1 })],
    ['an error that is no object', encodeFrame({ id: 1, error: 'text' })],
  ] as const) {
    test(`as the vault: ${name}`, async () => {
      const [service, vault] = duplexPair()
      const channel = openChannel(service)
      const call = channel.call('answer', 1, limits)
      vault.write(reply)
      await expect(call).rejects.toBeInstanceOf(VaultUnavailable)
      expect(await channel.closed).toBeInstanceOf(FrameError)
    })
  }

  for (const [name, request] of [
    ['no frame', Buffer.alloc(8)],
    ['no object', encodeFrame([])],
    ['no verb', encodeFrame({ id: 1 })],
    ['an id that is no integer', encodeFrame({ id: '1', verb: 'answer' })],
  ] as const) {
    test(`as the service: ${name}`, async () => {
      const { service, served, handlerErrors } = connected(new Map())
      service.write(request)
      expect(await served).toBeInstanceOf(FrameError)
      expect(handlerErrors).toEqual([])
    })
  }

  test('as the service: an end inside a frame', async () => {
    const { service, served } = connected(new Map())
    service.end(encodeFrame({ id: 1, verb: 'answer' }).subarray(0, 9))
    expect(await served).toBeInstanceOf(FrameError)
  })
})

function connected(handlers: Handlers) {
  const [service, vault] = duplexPair()
  const handlerErrors: [string, unknown][] = []
  const served = serve(vault, handlers, { onHandlerError: (verb, error) => handlerErrors.push([verb, error]) })
  return { service, vault, served, handlerErrors, channel: openChannel(service) }
}

function countWrites(stream: Duplex): () => number {
  const bytes = { writes: 0 }
  const write = stream.write.bind(stream)
  stream.write = (chunk: Uint8Array) => {
    bytes.writes += 1
    return write(chunk)
  }
  return () => bytes.writes
}

function capture(stream: Duplex): () => Uint8Array {
  const chunks: Uint8Array[] = []
  const write = stream.write.bind(stream)
  stream.write = (chunk: Uint8Array) => {
    chunks.push(chunk)
    return write(chunk)
  }
  return () => Buffer.concat(chunks)
}
