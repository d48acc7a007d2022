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

test('keys do not count for each other', () => {
  const { take } = limiterAt(0, 1)
  for (let key = 0; key < rateKeysMax; key += 1) expect(take(String(key))).toBeUndefined()
  expect(take('0')).toBe(60)
})

test.each([0, 1_000])('a busy key is not forgotten for any number that ask once, %d ms later', (laterMs) => {
  const { clock, take } = limiterAt(0, 1_200)
  while (take('busy') === undefined);
  for (let key = 0; key <= 3 * rateKeysMax; key += 1) expect(take(String(key))).toBeUndefined()
  clock.nowMs += laterMs
  for (let key = 0; key <= 3 * rateKeysMax; key += 1) expect(take(`again ${key}`)).toBeUndefined()
  let accepted = 0
  while (take('busy') === undefined) accepted += 1
  expect(accepted).toBe(laterMs / 50)
})

test('the keys that have the most of their requests left are forgotten', () => {
  const { take } = limiterAt(0, 2)
  expect(take('once')).toBeUndefined()
  for (let key = 0; key < rateKeysMax; key += 1) for (const _ of [1, 2]) take(String(key))
  for (const _ of [1, 2]) expect(take('once')).toBeUndefined()
  expect(take(String(rateKeysMax - 2))).toBe(30)
})
