import { once } from 'node:events'
import { Duplex } from 'node:stream'
import { expect, test } from 'vitest'
import { handshakeBytesMax, limitBelowTls } from './tls_limit.ts'

const securedBytesMax = 50_000

/** A connection whose other side has sent so many bytes, in part after it has proved its name. */
async function received(before: number, after?: number): Promise<unknown> {
  const raw = new Duplex({ read: () => {}, write: (_chunk, _encoding, done) => done() })
  const { stream, proved } = limitBelowTls(raw, { securedBytesMax })
  stream.resume()
  const ended = Promise.race([
    once(stream, 'error').then(([error]) => error.code),
    once(stream, 'end').then(() => 'end'),
  ])
  raw.push(Buffer.alloc(before))
  if (after !== undefined) {
    await new Promise(setImmediate)
    proved()
    raw.push(Buffer.alloc(after))
  }
  raw.push(null)
  return ended
}

test.each([
  [handshakeBytesMax, undefined, 'end'],
  [handshakeBytesMax + 1, undefined, 'HANDSHAKE_TOO_LONG'],
  [handshakeBytesMax, securedBytesMax, 'end'],
  [handshakeBytesMax, securedBytesMax + 1, 'ANSWER_TOO_LONG'],
] as const)('%i bytes of a handshake and %s after it: %s', async (before, after, outcome) => {
  expect(await received(before, after)).toBe(outcome)
})
