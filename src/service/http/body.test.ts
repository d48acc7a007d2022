import { PassThrough } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createBodies } from './body.ts'

/** A request whose body has begun to arrive. */
function requestWith(bytes: number) {
  const stream = Object.assign(new PassThrough(), { headers: {} })
  stream.write(new Uint8Array(bytes))
  return { stream, request: stream }
}

const sizeOf = async (body: Uint8Array) => body.length

test('bodies in flight share their memory: more are refused, and small ones longer than large ones', async () => {
  const bodies = createBodies(80_000)
  const large = Array.from({ length: 3 }, () => requestWith(16_000))
  const read = large.map(({ request }) => bodies.read(request, 'peer', sizeOf))
  await nextTurn()
  await expect(bodies.read(requestWith(16_000).request, 'peer', sizeOf)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  const small = requestWith(100)
  small.stream.end()
  expect(await bodies.read(small.request, 'peer', sizeOf)).toBe(100)

  for (const { stream } of large) stream.end()
  expect(await Promise.all(read)).toEqual([16_000, 16_000, 16_000])
  const later = requestWith(16_000)
  later.stream.end()
  expect(await bodies.read(later.request, 'peer', sizeOf)).toBe(16_000)
})

test('peers that have taken all that large bodies may take leave some to another peer', async () => {
  const bodies = createBodies(128 * 8_192)
  const large = Array.from({ length: 48 }, () => requestWith(16_384))
  const read = large.map(({ request }, index) => bodies.read(request, `flooder ${index % 2}`, sizeOf))
  await nextTurn()
  await expect(bodies.read(requestWith(8_192).request, 'flooder 0', sizeOf)).rejects.toThrow()
  const other = requestWith(8_192)
  other.stream.end()
  expect(await bodies.read(other.request, 'other', sizeOf)).toBe(8_192)
  await expect(bodies.read(requestWith(8_193).request, 'other', sizeOf)).rejects.toThrow()
  for (const { stream } of large) stream.end()
  await Promise.all(read)
})

test('a body counts until its request is answered, also when it fails', async () => {
  const bodies = createBodies(6_000)
  const [first, second] = [requestWith(10), requestWith(10)]
  for (const { stream } of [first, second]) stream.end()
  const answered = Promise.withResolvers<number>()
  const answer = bodies.read(first.request, 'peer', () => answered.promise)
  await nextTurn()
  await expect(bodies.read(second.request, 'peer', sizeOf)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  answered.reject(new Error('it failed'))
  await expect(answer).rejects.toThrow('it failed')
  const third = requestWith(10)
  third.stream.end()
  expect(await bodies.read(third.request, 'peer', sizeOf)).toBe(10)
})
