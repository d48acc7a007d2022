import { expect, test } from 'vitest'
import type { Channel } from './channel.ts'
import { createLanes } from './lanes.ts'

function startLane(name: string) {
  const ended = Promise.withResolvers<Error | undefined>()
  const channel: Channel = {
    closed: ended.promise,
    close: () => ended.resolve(undefined),
    heard: () => 1,
    call: async () => name,
  }
  return { channel, ended }
}

function startLanes() {
  const [small, large] = [startLane('small'), startLane('large')]
  return { small, large, lanes: createLanes({ small: small.channel, large: large.channel }) }
}

test('a call with many bytes, wherever they are, takes the lane for large ones', async () => {
  const { lanes } = startLanes()
  const limits = { deadlineMs: 1_000 }
  const bytes = new Uint8Array(40_000)
  expect(await lanes.call('answer', { body: bytes }, limits)).toBe('small')
  expect(await lanes.call('answer', { body: bytes, presented: [{ found: { rows: [bytes] } }] }, limits)).toBe('large')
  expect(await lanes.call('condition', undefined, limits)).toBe('small')
})

test('so does a call that will have a large reply', async () => {
  const { lanes } = startLanes()
  expect(await lanes.call('confirm', {}, { deadlineMs: 1_000, hasLargeReply: true })).toBe('large')
  expect(await lanes.call('confirm', {}, { deadlineMs: 1_000, hasLargeReply: false })).toBe('small')
})

test('what comes on either is heard', () => {
  expect(startLanes().lanes.heard()).toBe(2)
})

test('both lanes end when one does, with what broke it', async () => {
  const { small, large, lanes } = startLanes()
  const broken = new Error('broken')
  large.ended.resolve(broken)
  expect(await lanes.closed).toBe(broken)
  expect(await small.channel.closed).toBeUndefined()
})
