import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dayMs, durationMsMax, hourMs, minuteMs } from './language/time/durations.ts'
import { type Amount, sumOf, withAmount } from './spending.ts'

const startMs = Date.UTC(2026, 0, 1)

function signed(...amounts: readonly (readonly [atMs: number, amount: bigint])[]): readonly Amount[] {
  return amounts.reduce<readonly Amount[]>(
    (before, [atMs, amount]) => withAmount(before, { atMs: startMs + atMs, amount }, durationMsMax),
    [],
  )
}

describe('a window', () => {
  const amounts = signed([0, 5n], [hourMs, 7n])

  test.each([
    [hourMs, 2 * hourMs, 12n],
    [2 * hourMs - 1, 2 * hourMs, 12n],
    [2 * hourMs, 2 * hourMs, 7n],
    [3 * hourMs - 1, 2 * hourMs, 7n],
    [3 * hourMs, 2 * hourMs, 0n],
  ])('at %d ms, of %d ms, has %d', (nowMs, durationMs, sum) => {
    expect(sumOf(amounts, { nowMs: startMs + nowMs, durationMs })).toBe(sum)
  })

  test('includes amounts that lie in the future because a clock was set back', () => {
    expect(sumOf(amounts, { nowMs: startMs - dayMs, durationMs: minuteMs })).toBe(12n)
  })
})

test('an amount does not leave a window early because the clock was set back after it', () => {
  const amounts = signed([50_000, 5n], [20_000, 7n])
  expect(sumOf(amounts, { nowMs: startMs + hourMs + 30_000, durationMs: hourMs })).toBe(12n)
})

test('a sum is exact also where it is larger than every number that can be written', () => {
  const amounts = signed([0, 2n ** 256n - 1n], [hourMs, 2n ** 256n - 1n])
  expect(sumOf(amounts, { nowMs: startMs + hourMs, durationMs: dayMs })).toBe(2n ** 257n - 2n)
})

describe('amounts of about one time are merged', () => {
  const tenMinutes = 10 * minuteMs

  test.each([
    ['of a minute', [0, minuteMs - 1], [minuteMs - 1]],
    ['not of two', [0, minuteMs], [0, minuteMs]],
    ['of ten minutes after an hour', [0, minuteMs, hourMs + minuteMs], [minuteMs, hourMs + minuteMs]],
    ['not before', [0, minuteMs, hourMs + minuteMs - 1], [0, minuteMs, hourMs + minuteMs - 1]],
    ['of an hour after a day', [0, tenMinutes, dayMs + tenMinutes], [tenMinutes, dayMs + tenMinutes]],
    ['not before', [0, tenMinutes, dayMs + tenMinutes - 1], [0, tenMinutes, dayMs + tenMinutes - 1]],
  ])('%s', (_name, offsets, kept) => {
    const amounts = signed(...offsets.map((atMs) => [atMs, 1n] as const))
    expect(amounts.map(({ atMs }) => atMs - startMs)).toEqual(kept)
    expect(amounts.reduce((sum, { amount }) => sum + amount, 0n)).toBe(BigInt(offsets.length))
  })
})

test('an amount older than any window is dropped', () => {
  expect(signed([0, 5n], [7 * dayMs - 1, 7n])).toHaveLength(2)
  expect(signed([0, 5n], [7 * dayMs, 7n])).toHaveLength(1)
})

test('amounts that are kept longer merge by the day once they are older than a week', () => {
  const keptMs = 31 * dayMs
  const add = (all: readonly Amount[], atMs: number) => withAmount(all, { atMs: startMs + atMs, amount: 1n }, keptMs)
  const month = Array.from({ length: 31 * 24 }, (_, hour) => hour * hourMs).reduce<readonly Amount[]>(add, [])
  expect(month.length).toBeLessThan(7 * 24 + 24 + 2)
  expect(sumOf(month, { nowMs: startMs + 31 * dayMs - 1, durationMs: keptMs })).toBe(31n * 24n)
  expect(add(month, 31 * dayMs + dayMs - 1)[0]?.atMs).toBe(startMs + 2 * dayMs - hourMs)
})

test('amounts that are kept for ever are one total', () => {
  const total = [0, 40 * dayMs, 10_000 * dayMs].reduce<readonly Amount[]>(
    (all, atMs) => withAmount(all, { atMs, amount: 2n }, Infinity),
    [],
  )
  expect(total).toEqual([{ atMs: 10_000 * dayMs, amount: 6n }])
  expect(sumOf(total, { nowMs: 20_000 * dayMs, durationMs: Infinity })).toBe(6n)
})

test('an amount counts for its window, and for less than a minute, ten minutes or an hour more', () => {
  const gap = fc.oneof(fc.integer({ min: 0, max: 2 * minuteMs }), fc.integer({ min: 0, max: 12 * hourMs }))
  const given = fc.array(fc.tuple(gap, fc.bigInt({ min: 1n, max: 2n ** 200n })), { minLength: 1, maxLength: 80 })
  const window = fc.constantFrom(5 * minuteMs, hourMs, 90 * minuteMs, dayMs, dayMs + hourMs, 7 * dayMs)
  fc.assert(
    fc.property(given, window, gap, (gaps, durationMs, later) => {
      let atMs = startMs
      const exact = gaps.map(([gapMs, amount]) => {
        atMs += gapMs
        return { atMs, amount }
      })
      const kept = exact.reduce<readonly Amount[]>((all, one) => withAmount(all, one, durationMsMax), [])
      const nowMs = atMs + later
      const lateMs = durationMs <= hourMs ? minuteMs : durationMs <= dayMs ? 10 * minuteMs : hourMs
      const sum = sumOf(kept, { nowMs, durationMs })
      expect(sum).toBeGreaterThanOrEqual(sumOf(exact, { nowMs, durationMs }))
      expect(sum).toBeLessThanOrEqual(sumOf(exact, { nowMs, durationMs: durationMs + lateMs }))
    }),
  )
})

test('a key that signs for eight days without a pause has a short list', () => {
  let amounts: readonly Amount[] = []
  for (let atMs = 0; atMs <= 8 * dayMs; atMs += 30_000)
    amounts = withAmount(amounts, { atMs: startMs + atMs, amount: 1n }, durationMsMax)
  expect(amounts.length).toBeLessThan(400)
})
