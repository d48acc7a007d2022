import { expect, test } from 'vitest'
import {
  createInFlight,
  inFlightOfAddressMax,
  inFlightOfCredentialMax,
  inFlightOfOneMax,
  inFlightOfQuietMax,
  longBytesMax,
  longBytesOfAddressMax,
  longInFlightMax,
  longOfAddressMax,
  quietMax,
} from './in_flight.ts'

const peer = 'address'

test('an organization has so many requests in flight at most, and others are not affected', async () => {
  const inFlight = createInFlight<string>()
  const ended = Promise.withResolvers<string>()
  const running = Array.from({ length: inFlightOfOneMax }, (_, index) =>
    inFlight.runFor({ organizationId: 'one', peer: `${index % 2}` }, () => ended.promise),
  )
  expect(await inFlight.runFor({ organizationId: 'one', peer }, async () => 'run')).toBeUndefined()
  expect(await inFlight.runFor({ organizationId: 'other', peer }, async () => 'run')).toBe('run')
  ended.resolve('ended')
  await Promise.all(running)
  expect(await inFlight.runFor({ organizationId: 'one', peer }, async () => 'run')).toBe('run')
})

test('one address leaves places of an organization to others, also with as many credentials as it makes up', async () => {
  const inFlight = createInFlight<string>()
  const ended = Promise.withResolvers<string>()
  const begin = (address: string, credential: string) =>
    inFlight.runFor({ organizationId: 'one', peer: address, credential }, () => ended.promise)
  const taken = inFlightOfAddressMax + inFlightOfQuietMax
  const running = Array.from({ length: taken }, (_, index) => begin('stranger', `made up ${index}`))
  expect(await begin('stranger', 'one more')).toBeUndefined()
  running.push(...Array.from({ length: inFlightOfOneMax - taken }, () => begin('user', 'ada')))
  running.push(...Array.from({ length: inFlightOfQuietMax }, (_, index) => begin('user', `quiet ${index}`)))
  ended.resolve('ended')
  expect(await Promise.all(running)).not.toContain(undefined)
})

test.each([
  ['requests', Array.from({ length: longOfAddressMax }, () => 1)],
  ['bytes', [longBytesOfAddressMax]],
])('so it does with the %s that take long', async (_, sizes) => {
  const inFlight = createInFlight<string>()
  const ended = Promise.withResolvers<string>()
  const ofStranger = { organizationId: 'one', peer: 'stranger' }
  const running = sizes.map((longBytes) => inFlight.runFor({ ...ofStranger, longBytes }, () => ended.promise))
  expect(await inFlight.runFor({ ...ofStranger, longBytes: 1 }, async () => 'run')).toBeUndefined()
  expect(await inFlight.runFor({ organizationId: 'one', peer, longBytes: 1 }, async () => 'run')).toBe('run')
  ended.resolve('ended')
  expect(await Promise.all(running)).not.toContain(undefined)
})

test('a credential has so many requests in flight at most, and others of its organization are not affected', async () => {
  const inFlight = createInFlight<string>()
  const ended = Promise.withResolvers<string>()
  const busy = { organizationId: 'one', peer, credential: 'busy' }
  const running = Array.from({ length: inFlightOfCredentialMax }, () => inFlight.runFor(busy, () => ended.promise))
  expect(await inFlight.runFor(busy, async () => 'run')).toBeUndefined()
  expect(await inFlight.runFor({ ...busy, credential: 'other' }, async () => 'run')).toBe('run')
  ended.resolve('ended')
  await Promise.all(running)
  expect(await inFlight.runFor(busy, async () => 'run')).toBe('run')
})

test('a request that fails makes room too', async () => {
  const inFlight = createInFlight<string>()
  for (let index = 0; index <= inFlightOfOneMax; index += 1) {
    await expect(
      inFlight.runFor({ organizationId: 'one', peer }, () => Promise.reject(new Error('failed'))),
    ).rejects.toThrow('failed')
  }
})

test('the first requests of a credential find a place while others have taken those of the organization', async () => {
  const inFlight = createInFlight<string>()
  const ended = Promise.withResolvers<string>()
  const organizationId = 'one'
  const begin = (credential: string, count: number, address = peer) =>
    Array.from({ length: count }, () =>
      inFlight.runFor({ organizationId, peer: address, credential }, () => ended.promise),
    )
  const running = [...begin('a', inFlightOfCredentialMax), ...begin('b', inFlightOfCredentialMax, 'another')]
  expect(await inFlight.runFor({ organizationId, peer, credential: 'a' }, async () => 'run')).toBeUndefined()
  expect(await inFlight.runFor({ organizationId, peer }, async () => 'run')).toBeUndefined()
  running.push(...begin('quiet', quietMax))
  expect(await inFlight.runFor({ organizationId, peer, credential: 'quiet' }, async () => 'run')).toBeUndefined()
  expect(await inFlight.runFor({ organizationId, peer, credential: 'other' }, async () => 'run')).toBe('run')
  for (let left = inFlightOfQuietMax - quietMax; left > 0; left -= 1) running.push(...begin(`${left}`, 1))
  expect(await inFlight.runFor({ organizationId, peer, credential: 'other' }, async () => 'run')).toBeUndefined()
  ended.resolve('ended')
  expect(await Promise.all(running)).not.toContain(undefined)
})

test.each([
  ['requests', Array.from({ length: longInFlightMax }, () => 1)],
  ['bytes', [longBytesMax - longBytesOfAddressMax, longBytesOfAddressMax]],
])(
  'the %s that take long are bounded for themselves, and others of the organization are not affected',
  async (_, sizes) => {
    const inFlight = createInFlight<string>()
    const ended = Promise.withResolvers<string>()
    const organizationId = 'one'
    const running = sizes.map((longBytes, index) =>
      inFlight.runFor({ organizationId, peer: `${index % 2}`, longBytes }, () => ended.promise),
    )
    expect(await inFlight.runFor({ organizationId, peer, longBytes: 1 }, async () => 'run')).toBeUndefined()
    expect(await inFlight.runFor({ organizationId, peer }, async () => 'run')).toBe('run')
    expect(await inFlight.runFor({ organizationId: 'other', peer, longBytes: 1 }, async () => 'run')).toBe('run')
    ended.resolve('ended')
    await Promise.all(running)
    expect(await inFlight.runFor({ organizationId, peer, longBytes: longBytesOfAddressMax }, async () => 'run')).toBe(
      'run',
    )
  },
)
