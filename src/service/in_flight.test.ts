import { expect, test } from 'vitest'
import {
  createInFlight,
  inFlightOfCredentialMax,
  inFlightOfOneMax,
  inFlightOfQuietMax,
  longBytesMax,
  longInFlightMax,
  quietMax,
} from './in_flight.ts'

test('an organization has so many requests in flight at most, and others are not affected', async () => {
  const inFlight = createInFlight<string>()
  const ended = Promise.withResolvers<string>()
  const running = Array.from({ length: inFlightOfOneMax }, () =>
    inFlight.runFor({ organizationId: 'one' }, () => ended.promise),
  )
  expect(await inFlight.runFor({ organizationId: 'one' }, async () => 'run')).toBeUndefined()
  expect(await inFlight.runFor({ organizationId: 'other' }, async () => 'run')).toBe('run')
  ended.resolve('ended')
  await Promise.all(running)
  expect(await inFlight.runFor({ organizationId: 'one' }, async () => 'run')).toBe('run')
})

test('a credential has so many requests in flight at most, and others of its organization are not affected', async () => {
  const inFlight = createInFlight<string>()
  const ended = Promise.withResolvers<string>()
  const busy = { organizationId: 'one', credential: 'busy' }
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
    await expect(inFlight.runFor({ organizationId: 'one' }, () => Promise.reject(new Error('failed')))).rejects.toThrow(
      'failed',
    )
  }
})

test('the first requests of a credential find a place while others have taken those of the organization', async () => {
  const inFlight = createInFlight<string>()
  const ended = Promise.withResolvers<string>()
  const organizationId = 'one'
  const begin = (credential: string, count: number) =>
    Array.from({ length: count }, () => inFlight.runFor({ organizationId, credential }, () => ended.promise))
  const running = [...begin('a', inFlightOfCredentialMax), ...begin('b', inFlightOfCredentialMax)]
  expect(await inFlight.runFor({ organizationId, credential: 'a' }, async () => 'run')).toBeUndefined()
  expect(await inFlight.runFor({ organizationId }, async () => 'run')).toBeUndefined()
  running.push(...begin('quiet', quietMax))
  expect(await inFlight.runFor({ organizationId, credential: 'quiet' }, async () => 'run')).toBeUndefined()
  expect(await inFlight.runFor({ organizationId, credential: 'other' }, async () => 'run')).toBe('run')
  for (let left = inFlightOfQuietMax - quietMax; left > 0; left -= 1) running.push(...begin(`${left}`, 1))
  expect(await inFlight.runFor({ organizationId, credential: 'other' }, async () => 'run')).toBeUndefined()
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
    const organizationId = 'one'
    const running = sizes.map((longBytes) => inFlight.runFor({ organizationId, longBytes }, () => ended.promise))
    expect(await inFlight.runFor({ organizationId, longBytes: 1 }, async () => 'run')).toBeUndefined()
    expect(await inFlight.runFor({ organizationId }, async () => 'run')).toBe('run')
    expect(await inFlight.runFor({ organizationId: 'other', longBytes: 1 }, async () => 'run')).toBe('run')
    ended.resolve('ended')
    await Promise.all(running)
    expect(await inFlight.runFor({ organizationId, longBytes: longBytesMax }, async () => 'run')).toBe('run')
  },
)
