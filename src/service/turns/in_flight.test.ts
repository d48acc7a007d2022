import { describe, expect, test } from 'vitest'
import {
  createInFlight,
  inFlightOfAddressMax,
  inFlightOfCredentialMax,
  inFlightOfOneMax,
  inFlightOfQuietMax,
  longBytesMax,
  longBytesOfAddressMax,
  longBytesOfQuietMax,
  longInFlightMax,
  longOfAddressMax,
  longOfQuietMax,
  quietLongMax,
  quietMax,
} from './in_flight.ts'

const peer = 'address'
const isVerified = true
const run = async () => 'run'

test('an organization has so many requests in flight at most, also from one address, and others are not affected', async () => {
  const inFlight = createInFlight<string>()
  const ended = Promise.withResolvers<string>()
  const busy = Array.from({ length: quietMax }, () => ({ organizationId: 'one', peer, credential: 'busy', isVerified }))
  const running = busy.map((by) => inFlight.runFor(by, () => ended.promise))
  for (let index = quietMax; index < inFlightOfOneMax; index += 1) {
    const credential = index < inFlightOfCredentialMax ? 'busy' : 'other'
    running.push(inFlight.runFor({ organizationId: 'one', peer, credential, isVerified }, () => ended.promise))
  }
  expect(await inFlight.runFor({ organizationId: 'one', peer, credential: 'other', isVerified }, run)).toBeUndefined()
  expect(await inFlight.runFor({ organizationId: 'other', peer, credential: 'other', isVerified }, run)).toBe('run')
  ended.resolve('ended')
  expect(await Promise.all(running)).not.toContain(undefined)
  expect(await inFlight.runFor({ organizationId: 'one', peer, credential: 'other', isVerified }, run)).toBe('run')
})

describe('strangers at one address', () => {
  const stranger = (index: number, address = 'stranger') => ({
    organizationId: index % 2 === 0 ? 'one' : `made up ${index}`,
    credential: `made up ${index}`,
    peer: address,
    isVerified: false,
  })

  test('have so many requests in flight at most, whatever they name, and take no place of those whom the vault knows', async () => {
    const inFlight = createInFlight<string>()
    const ended = Promise.withResolvers<string>()
    const running: Promise<string | undefined>[] = []
    for (const address of ['a', 'b', 'c', 'd']) {
      for (let index = 0; index < inFlightOfAddressMax; index += 1) {
        running.push(inFlight.runFor(stranger(index, address), () => ended.promise))
      }
      expect(await inFlight.runFor(stranger(0, address), run)).toBeUndefined()
    }
    const user = { organizationId: 'one', peer: 'a', isVerified }
    for (let index = 0; index < inFlightOfOneMax; index += 1) {
      running.push(inFlight.runFor({ ...user, credential: `${index % 2}` }, () => ended.promise))
    }
    expect(await inFlight.runFor(stranger(0, 'e'), run)).toBe('run')
    ended.resolve('ended')
    expect(await Promise.all(running)).not.toContain(undefined)
  })

  test.each([
    ['requests', Array.from({ length: longOfAddressMax }, () => 1)],
    ['bytes', [longBytesOfAddressMax]],
  ])('have so many %s that take long at most, and others have theirs', async (_, sizes) => {
    const inFlight = createInFlight<string>()
    const ended = Promise.withResolvers<string>()
    const running = sizes.map((longBytes, index) =>
      inFlight.runFor({ ...stranger(index), longBytes }, () => ended.promise),
    )
    expect(await inFlight.runFor({ ...stranger(0), longBytes: 1 }, run)).toBeUndefined()
    expect(await inFlight.runFor({ ...stranger(0, 'another'), longBytes: 1 }, run)).toBe('run')
    const user = { organizationId: 'one', peer: 'stranger', credential: 'ada', isVerified }
    expect(await inFlight.runFor({ ...user, longBytes: longBytesMax }, run)).toBe('run')
    ended.resolve('ended')
    expect(await Promise.all(running)).not.toContain(undefined)
  })

  test.each([
    ['requests', Array.from({ length: longInFlightMax }, () => 1), 1],
    ['bytes', [longBytesMax - longBytesOfAddressMax, longBytesOfAddressMax], longBytesOfQuietMax],
  ])('leave %s that take long to addresses that have few', async (_, sizes, quietBytes) => {
    const inFlight = createInFlight<string>()
    const ended = Promise.withResolvers<string>()
    const running = sizes.map((longBytes, index) =>
      inFlight.runFor({ ...stranger(index, `${index % 2}`), longBytes }, () => ended.promise),
    )
    expect(await inFlight.runFor({ ...stranger(0, 'quiet'), longBytes: quietBytes }, run)).toBe('run')
    for (let index = 0; index < longOfQuietMax; index += 1) {
      const address = `quiet ${Math.floor(index / quietLongMax)}`
      running.push(inFlight.runFor({ ...stranger(index, address), longBytes: 0 }, () => ended.promise))
    }
    ended.resolve('ended')
    expect(await Promise.all(running)).not.toContain(undefined)
  })
})

test('a credential has so many requests in flight at most, and others of its organization are not affected', async () => {
  const inFlight = createInFlight<string>()
  const ended = Promise.withResolvers<string>()
  const busy = { organizationId: 'one', peer, credential: 'busy', isVerified }
  const running = Array.from({ length: inFlightOfCredentialMax }, () => inFlight.runFor(busy, () => ended.promise))
  expect(await inFlight.runFor(busy, async () => 'run')).toBeUndefined()
  expect(await inFlight.runFor({ ...busy, credential: 'other', isVerified }, run)).toBe('run')
  ended.resolve('ended')
  await Promise.all(running)
  expect(await inFlight.runFor(busy, async () => 'run')).toBe('run')
})

test('a request that fails makes room too', async () => {
  const inFlight = createInFlight<string>()
  for (let index = 0; index <= inFlightOfOneMax; index += 1) {
    await expect(
      inFlight.runFor({ organizationId: 'one', peer, credential: 'ada', isVerified }, () =>
        Promise.reject(new Error('failed')),
      ),
    ).rejects.toThrow('failed')
  }
})

test('the first requests of a credential find a place while others have taken those of the organization', async () => {
  const inFlight = createInFlight<string>()
  const ended = Promise.withResolvers<string>()
  const organizationId = 'one'
  const begin = (credential: string, count: number, address = peer) =>
    Array.from({ length: count }, () =>
      inFlight.runFor({ organizationId, peer: address, credential, isVerified }, () => ended.promise),
    )
  const running = [...begin('a', inFlightOfCredentialMax), ...begin('b', inFlightOfCredentialMax, 'another')]
  expect(await inFlight.runFor({ organizationId, peer, credential: 'a', isVerified }, run)).toBeUndefined()
  running.push(...begin('quiet', quietMax))
  expect(await inFlight.runFor({ organizationId, peer, credential: 'quiet', isVerified }, run)).toBeUndefined()
  expect(await inFlight.runFor({ organizationId, peer, credential: 'other', isVerified }, run)).toBe('run')
  for (let left = inFlightOfQuietMax - quietMax; left > 0; left -= 1) running.push(...begin(`${left}`, 1))
  expect(await inFlight.runFor({ organizationId, peer, credential: 'other', isVerified }, run)).toBeUndefined()
  ended.resolve('ended')
  expect(await Promise.all(running)).not.toContain(undefined)
})

test.each([
  ['requests', Array.from({ length: longInFlightMax }, () => 1)],
  ['bytes', [longBytesMax - 1, 1]],
])(
  'the %s that take long are bounded for themselves, and others of the organization are not affected',
  async (_, sizes) => {
    const inFlight = createInFlight<string>()
    const ended = Promise.withResolvers<string>()
    const ada = { organizationId: 'one', peer, credential: 'ada', isVerified }
    const running = sizes.map((longBytes) => inFlight.runFor({ ...ada, longBytes }, () => ended.promise))
    expect(await inFlight.runFor({ ...ada, longBytes: 1 }, run)).toBeUndefined()
    expect(await inFlight.runFor(ada, run)).toBe('run')
    expect(await inFlight.runFor({ ...ada, organizationId: 'other', longBytes: 1 }, run)).toBe('run')
    ended.resolve('ended')
    await Promise.all(running)
    expect(await inFlight.runFor({ ...ada, longBytes: longBytesMax }, run)).toBe('run')
  },
)
