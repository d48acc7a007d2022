import { once } from 'node:events'
import { Duplex } from 'node:stream'
import { expect, test } from 'vitest'
import { soon } from '../../test/support/soon.ts'
import { handshakeBytesMax, limitBelowTls, limitInAll, ownBytesMax } from './tls_limit.ts'

const securedBytesMax = 50_000

/** A connection whose other side sends what is pushed, and takes everything. */
function limited({ bodyBytes = 0, runInTurn = undefined as ((step: () => void) => void) | undefined } = {}) {
  const raw = new Duplex({ read: () => {}, write: (_chunk, _encoding, done) => done() })
  const { stream, protects } = limitBelowTls(raw, { securedBytesMax, bodyBytes, runInTurn })
  const secured = new Duplex()
  protects(secured)
  const chunks: number[] = []
  stream.on('data', (chunk: Uint8Array) => chunks.push(chunk.length))
  const got = (bytes: number) => soon(() => expect(chunks.reduce((sum, one) => sum + one, 0)).toBe(bytes))
  const ended = Promise.race([
    once(stream, 'error').then(([error]) => error.code),
    once(stream, 'end').then(() => 'end'),
  ])
  return { raw, stream, secured, chunks, got, ended }
}

test.each([
  [handshakeBytesMax, undefined, 'end'],
  [handshakeBytesMax + 1, undefined, 'HANDSHAKE_TOO_LONG'],
  [handshakeBytesMax, securedBytesMax, 'end'],
  [handshakeBytesMax, securedBytesMax + 1, 'ANSWER_TOO_LONG'],
] as const)('%i bytes of a handshake and %s after it: %s', async (before, after, outcome) => {
  const { raw, secured, got, ended } = limited()
  raw.push(Buffer.alloc(before))
  if (after !== undefined) {
    await got(before)
    secured.emit('secureConnect')
    raw.push(Buffer.alloc(after))
  }
  raw.push(null)
  expect(await ended).toBe(outcome)
})

test('TLS reads a little at a time, and the thread has turns in between', async () => {
  const { raw, chunks, got } = limited()
  const seen: number[] = []
  const turn = () => {
    seen.push(chunks.length)
    if (chunks.length < 5) setImmediate(turn)
  }
  setImmediate(turn)
  raw.push(Buffer.alloc(10_000))
  await got(10_000)
  expect(chunks).toEqual([4_096, 4_096, 1_808])
  expect(seen).toEqual(expect.arrayContaining([1, 2]))
})

test('each step has a turn, and nothing else takes one', async () => {
  const asked: (() => void)[] = []
  const { raw, chunks, got, ended } = limited({ runInTurn: (step) => void asked.push(step) })
  raw.push(Buffer.alloc(5_000))
  await soon(() => expect(asked).toHaveLength(1))
  expect(chunks).toEqual([])
  asked[0]?.()
  await soon(() => expect(asked).toHaveLength(2))
  expect(chunks).toEqual([4_096])
  asked[1]?.()
  await got(5_000)
  raw.push(Buffer.alloc(1))
  await soon(() => expect(asked).toHaveLength(3))
  asked[2]?.()
  await got(5_001)
  raw.push(null)
  expect(await ended).toBe('end')
  expect(asked).toHaveLength(3)
})

test.each([0, 1_000_000])('TLS writes the body of a request, of %i bytes, and little besides', async (bodyBytes) => {
  const { stream, ended } = limited({ bodyBytes })
  await new Promise((written) => stream.write(Buffer.alloc(bodyBytes + ownBytesMax), written))
  stream.write(Buffer.alloc(ownBytesMax))
  expect(await ended).toBe('ANSWER_TOO_LONG')
})

test('a second handshake ends the connection', async () => {
  const { secured } = limited()
  secured.emit('secureConnect')
  expect(secured.destroyed).toBe(false)
  secured.emit('secureConnect')
  await expect(once(secured, 'close')).rejects.toMatchObject({ code: 'SECOND_HANDSHAKE' })
})

test.each([
  [10_000, 'end'],
  [10_001, 'ANSWER_TOO_LONG'],
])('of a session with 10,000 bytes in all, %i bytes: %s', async (bytes, outcome) => {
  const raw = new Duplex({ read: () => {}, write: (_chunk, _encoding, done) => done() })
  const stream = limitInAll(raw, 10_000).resume()
  raw.push(Buffer.alloc(bytes))
  raw.push(null)
  const ended = [once(stream, 'error').then(([error]) => error.code), once(stream, 'end').then(() => 'end')]
  expect(await Promise.race(ended)).toBe(outcome)
})
