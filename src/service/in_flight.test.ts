import { expect, test } from 'vitest'
import { createInFlight, inFlightOfCredentialMax, inFlightOfOneMax } from './in_flight.ts'

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
