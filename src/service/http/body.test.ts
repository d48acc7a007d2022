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
  const answered = Promise.withResolvers<void>()
  const read = large.map(({ request }, index) => bodies.read(request, `flooder ${index % 2}`, () => answered.promise))
  for (const { stream } of large) stream.end()
  await nextTurn()
  await expect(bodies.read(requestWith(8_192).request, 'flooder 0', sizeOf)).rejects.toThrow()
  const other = requestWith(8_192)
  other.stream.end()
  expect(await bodies.read(other.request, 'other', sizeOf)).toBe(8_192)
  await expect(bodies.read(requestWith(8_193).request, 'other', sizeOf)).rejects.toThrow()
  answered.resolve()
  await Promise.all(read)
})

test('peers that have little each leave room for small bodies', async () => {
  const bodies = createBodies(128 * 8_192)
  const quiet: { readonly stream: PassThrough; readonly status: Promise<string> }[] = []
  for (let peer = 0; peer < 200; peer += 1) {
    const { stream, request } = requestWith(8_192)
    const read = bodies.read(request, `flooder ${peer}`, sizeOf)
    quiet.push({ stream, status: read.then(String, ({ code }) => code) })
    await nextTurn()
  }
  const small = requestWith(4_096)
  small.stream.end()
  expect(await bodies.read(small.request, 'other', sizeOf)).toBe(4_096)
  for (const { stream } of quiet) stream.end()
  const statuses = await Promise.all(quiet.map(({ status }) => status))
  expect(statuses.filter((status) => status === '8192')).toHaveLength(112)
  expect(statuses.filter((status) => status === 'UNAVAILABLE')).toHaveLength(88)
})

test('a body takes memory for what has arrived of it', async () => {
  const bodies = createBodies(84_000)
  const large = Array.from({ length: 3 }, () => requestWith(16_384))
  const read = large.map(({ request }) => bodies.read(request, 'peer', sizeOf))
  await nextTurn()
  for (const { stream } of large) stream.write(new Uint8Array(1))
  await nextTurn()
  for (const { stream } of large) stream.end()
  expect(await Promise.all(read)).toEqual([16_385, 16_385, 16_385])
})

test('a body that stalls gives way when another needs its room, the one that has stalled longest first', async () => {
  let nowMs = 0
  const bodies = createBodies(80_000, () => nowMs)
  const read = (request: ReturnType<typeof requestWith>['request']) => bodies.read(request, 'peer', sizeOf)
  const [first, second] = [requestWith(20_480), requestWith(20_480)]
  const stalls = expect(read(first.request)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  await nextTurn()
  nowMs = 1
  const goesOn = read(second.request)
  await nextTurn()
  nowMs = 1_999
  await expect(read(requestWith(20_480).request)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  nowMs = 2_001
  const third = requestWith(20_480)
  const comes = read(third.request)
  await stalls
  // A body that gave way may send the rest, which takes nothing.
  first.stream.end(new Uint8Array(20_480))
  second.stream.end()
  third.stream.end()
  expect(await Promise.all([goesOn, comes])).toEqual([20_480, 20_480])
})

test('the one address with the most makes no slow body of another give way', async () => {
  let nowMs = 0
  const bodies = createBodies(80_000, () => nowMs)
  const slow = requestWith(8_192)
  const goesOn = bodies.read(slow.request, 'slow', sizeOf)
  await nextTurn()
  nowMs = 2_000
  const large = [requestWith(20_480), requestWith(20_480)]
  const ofMany = large.map(({ request }) => bodies.read(request, 'many', sizeOf))
  await nextTurn()
  await expect(bodies.read(requestWith(20_480).request, 'many', sizeOf)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  for (const { stream } of [slow, ...large]) stream.end()
  expect(await Promise.all([goesOn, ...ofMany])).toEqual([8_192, 20_480, 20_480])
})

test('a body that fits into its first block keeps it, however slow it is', async () => {
  let nowMs = 0
  const bodies = createBodies(80_000, () => nowMs)
  const small = requestWith(100)
  const goesOn = bodies.read(small.request, 'peer', sizeOf)
  await nextTurn()
  nowMs = 60_000
  const large = [requestWith(28_672), requestWith(20_480)]
  const [first, second] = large.map(({ request }) => bodies.read(request, 'peer', sizeOf))
  await nextTurn()
  await expect(bodies.read(requestWith(20_480).request, 'peer', sizeOf)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  for (const { stream } of [small, ...large]) stream.end()
  expect(await Promise.all([goesOn, first, second])).toEqual([100, 28_672, 20_480])
})

test('a body that is being answered does not give way', async () => {
  let nowMs = 0
  const bodies = createBodies(80_000, () => nowMs)
  const answered = Promise.withResolvers<void>()
  const [first, second] = [requestWith(28_672), requestWith(28_672)]
  for (const { stream } of [first, second]) stream.end()
  const read = [first, second].map(({ request }) => bodies.read(request, 'flooder', () => answered.promise))
  await nextTurn()
  nowMs = 60_000
  await expect(bodies.read(requestWith(28_672).request, 'peer', sizeOf)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  answered.resolve()
  await Promise.all(read)
})

test('the peer with the most gives way to one that has less then, and loses no body that is its only one', async () => {
  const bodies = createBodies(80_000)
  const [many, few, one] = [[requestWith(20_480), requestWith(20_480)], requestWith(16_384), requestWith(20_480)]
  const ofMany = Promise.allSettled(many.map(({ request }) => bodies.read(request, 'many', sizeOf)))
  const ofFew = bodies.read(few.request, 'few', sizeOf)
  await nextTurn()
  const ofOne = bodies.read(one.request, 'one', sizeOf)
  await nextTurn()
  await expect(bodies.read(requestWith(16_384).request, 'further', sizeOf)).rejects.toMatchObject({
    code: 'UNAVAILABLE',
  })
  for (const { stream } of [...many, few, one]) stream.end()
  expect(await Promise.all([ofFew, ofOne])).toEqual([16_384, 20_480])
  expect((await ofMany).map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
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
