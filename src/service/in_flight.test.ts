import { expect, test } from 'vitest'
import { createInFlight, inFlightOfOneMax } from './in_flight.ts'

test('an organization has so many requests in flight at most, and others are not affected', async () => {
  const inFlight = createInFlight<string>()
  const ended = Promise.withResolvers<string>()
  const running = Array.from({ length: inFlightOfOneMax }, () => inFlight.runFor('one', () => ended.promise))
  expect(await inFlight.runFor('one', async () => 'run')).toBeUndefined()
  expect(await inFlight.runFor('other', async () => 'run')).toBe('run')
  ended.resolve('ended')
  await Promise.all(running)
  expect(await inFlight.runFor('one', async () => 'run')).toBe('run')
})

test('a request that fails makes room too', async () => {
  const inFlight = createInFlight<string>()
  for (let index = 0; index <= inFlightOfOneMax; index += 1) {
    await expect(inFlight.runFor('one', () => Promise.reject(new Error('failed')))).rejects.toThrow('failed')
  }
})
