import { expect, test } from 'vitest'
import { createRateLimiter, rateKeysMax } from './rate_limiter.ts'

const minuteMs = 60_000

function limiterAt(startMs: number, perMinuteMax = 6) {
  const clock = { nowMs: startMs }
  return { clock, ...createRateLimiter({ perMinuteMax, nowMs: () => clock.nowMs }) }
}

test('a key has a minute’s requests at once, and then one after the other', () => {
  const { clock, take } = limiterAt(minuteMs)
  for (let request = 0; request < 6; request += 1) expect(take('one')).toBeUndefined()
  expect(take('one')).toBe(10)
  clock.nowMs += 9_999
  expect(take('one')).toBe(1)
  clock.nowMs += 1
  expect(take('one')).toBeUndefined()
  expect(take('one')).toBe(10)
})

test('a refused request costs nothing, and a key that waits has all of them again', () => {
  const { clock, take } = limiterAt(0)
  for (let request = 0; request < 100; request += 1) take('one')
  clock.nowMs += minuteMs
  for (let request = 0; request < 6; request += 1) expect(take('one')).toBeUndefined()
})

test('keys do not count for each other, and the one that asked longest ago is forgotten first', () => {
  const { take } = limiterAt(0, 1)
  expect(take('first')).toBeUndefined()
  for (let key = 1; key < rateKeysMax; key += 1) expect(take(String(key))).toBeUndefined()
  expect(take('first')).toBe(60)
  expect(take('one more')).toBeUndefined()
  expect(take('first')).toBeUndefined()
})
