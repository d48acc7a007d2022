import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { durationMsMax } from '../../policy/language/time/durations.ts'
import { type Amount, sumOf } from '../../policy/spending.ts'
import { type Counts, createCounts, requestMsMax } from './counts.ts'
import { type CountEntry, foreverMs } from './entries.ts'

const numRuns = Number(process.env.CLAVIGER_CASES ?? 200)
const startMs = 1_800_000_000_000
const minuteMs = 60 * 1000
const hourMs = 60 * minuteMs
const name = 'aa'.repeat(16)
const keyOf = (number: number) => (number + 1).toString(16).padStart(32, '0')

function entry(request: number, amount: number | bigint, atMs = startMs, more: Partial<CountEntry> = {}): CountEntry {
  return { name, countKey: keyOf(request), amount: BigInt(amount), atMs, untilMs: atMs + durationMsMax, ...more }
}

function total(counts: Pick<Counts, 'amounts'>, exceptRequest?: number): bigint {
  const exceptKey = exceptRequest === undefined ? undefined : keyOf(exceptRequest)
  return counts.amounts(name, exceptKey).reduce((sum, { amount }) => sum + amount, 0n)
}

describe('a request', () => {
  test('counts once, with the greatest of its amounts', () => {
    const counts = createCounts()
    expect(counts.has(entry(1, 5))).toBe(false)
    counts.add(entry(1, 5))
    for (const amount of [5, 3, 0]) {
      expect(counts.has(entry(1, amount))).toBe(true)
      counts.add(entry(1, amount))
    }
    expect(total(counts)).toBe(5n)
    expect(counts.has(entry(1, 9))).toBe(false)
    counts.add(entry(1, 9))
    expect(total(counts)).toBe(9n)
    counts.add(entry(2, 1))
    expect(total(counts)).toBe(10n)
  })

  test('keeps the time of its first count', () => {
    const counts = createCounts()
    counts.add(entry(1, 1))
    counts.add(entry(1, 4, startMs + hourMs))
    expect(counts.amounts(name, undefined)).toEqual([{ atMs: startMs, amount: 4n }])
  })

  test('does not see its own amounts', () => {
    const counts = createCounts()
    counts.add(entry(1, 5))
    counts.add(entry(2, 7))
    expect([total(counts, 1), total(counts, 2), total(counts, 3)]).toEqual([7n, 5n, 12n])
  })

  test('does not see its own amounts among many merged ones', () => {
    const counts = createCounts()
    for (let request = 0; request < 100; request += 1) counts.add(entry(request, request + 1, startMs + request))
    for (let request = 0; request < 100; request += 1) expect(total(counts, request)).toBe(5050n - BigInt(request + 1))
  })

  test('counts separately under each name', () => {
    const counts = createCounts()
    counts.add(entry(1, 5))
    counts.add(entry(1, 3, startMs, { name: 'bb'.repeat(16) }))
    expect(total(counts)).toBe(5n)
    expect(counts.amounts('bb'.repeat(16), undefined)).toEqual([{ atMs: startMs, amount: 3n }])
    expect(counts.amounts('cc'.repeat(16), undefined)).toEqual([])
    expect(counts.size).toBe(2)
  })

  test('changes the revision when it counts, and only then', () => {
    const counts = createCounts()
    expect(counts.revision(name)).toBe(0)
    counts.add(entry(1, 5))
    expect(counts.revision(name)).toBe(1)
    counts.add(entry(1, 5))
    expect(counts.revision(name)).toBe(1)
    counts.add(entry(1, 6))
    counts.add(entry(2, 1))
    expect(counts.revision(name)).toBe(3)
  })
})

/** A reference that keeps every counted amount separately. */
function createReference() {
  const byRequest = new Map<string, Amount>()
  return {
    add({ countKey, amount, atMs }: CountEntry): void {
      const before = byRequest.get(countKey)
      if (before === undefined) byRequest.set(countKey, { atMs, amount })
      else if (amount > before.amount) byRequest.set(countKey, { atMs: before.atMs, amount })
    },
    sum({ nowMs, durationMs, exceptKey }: { nowMs: number; durationMs: number; exceptKey?: string }): bigint {
      const amounts = [...byRequest].filter(([key]) => key !== exceptKey).map(([, amount]) => amount)
      return sumOf(amounts, { nowMs, durationMs })
    },
  }
}

const steps = fc.array(
  fc.record({ request: fc.nat(400), amount: fc.nat(1000), passedMs: fc.oneof(fc.nat(minuteMs), fc.nat(2 * hourMs)) }),
  { minLength: 1, maxLength: 300 },
)
const windowsMs = [minuteMs, 10 * minuteMs, hourMs, 5 * hourMs, 24 * hourMs, durationMsMax]

/** Plays the steps. A request is decided again only while it is young enough. */
function play(steps: readonly { request: number; amount: number; passedMs: number }[], counts: Counts) {
  const reference = createReference()
  const firstMs = new Map<number, number>()
  let requests = 0
  let nowMs = startMs
  let last = 0
  for (const { request, amount, passedMs } of steps) {
    nowMs += passedMs
    const isOld = nowMs - (firstMs.get(request) ?? nowMs) > requestMsMax
    const key = isOld ? 1000 + requests : request
    if (isOld) requests += 1
    else if (!firstMs.has(request)) firstMs.set(request, nowMs)
    last = key
    counts.add(entry(key, amount, nowMs))
    reference.add(entry(key, amount, nowMs))
  }
  return { reference, nowMs, last }
}

describe('over random requests and times', () => {
  test('no window holds less than was counted in it, nor more than was counted in all', () => {
    fc.assert(
      fc.property(steps, (steps) => {
        const counts = createCounts()
        const { reference, nowMs } = play(steps, counts)
        const amounts = counts.amounts(name, undefined)
        const everything = reference.sum({ nowMs, durationMs: Number.MAX_SAFE_INTEGER })
        for (const durationMs of windowsMs) {
          const sum = sumOf(amounts, { nowMs, durationMs })
          expect(sum).toBeGreaterThanOrEqual(reference.sum({ nowMs, durationMs }))
          expect(sum).toBeLessThanOrEqual(everything)
        }
        expect(sumOf(amounts, { nowMs, durationMs: durationMsMax })).toBeLessThanOrEqual(
          reference.sum({ nowMs, durationMs: durationMsMax + hourMs }),
        )
      }),
      { numRuns },
    )
  })

  test('a request sees in every window at least the amounts that others counted in it', () => {
    fc.assert(
      fc.property(steps, (steps) => {
        const counts = createCounts()
        const { reference, nowMs, last } = play(steps, counts)
        const exceptKey = keyOf(last)
        for (const durationMs of windowsMs) {
          const sum = sumOf(counts.amounts(name, exceptKey), { nowMs, durationMs })
          expect(sum).toBeGreaterThanOrEqual(reference.sum({ nowMs, durationMs, exceptKey }))
        }
      }),
      { numRuns },
    )
  })

  test('after a snapshot no window holds less, and a repeated request counts no more', () => {
    fc.assert(
      fc.property(steps, (steps) => {
        const counts = createCounts()
        const { reference, nowMs, last } = play(steps, counts)
        const copy = createCounts()
        for (const each of counts.all(nowMs)) copy.add(each)
        for (const durationMs of windowsMs) {
          const window = { nowMs, durationMs }
          expect(sumOf(copy.amounts(name, undefined), window)).toBeGreaterThanOrEqual(reference.sum(window))
        }
        const [before, after] = [counts, copy].map((each) => total(each))
        expect(after).toBe(before)
        expect(copy.has(entry(last, 0, nowMs))).toBe(true)
      }),
      { numRuns },
    )
  })
})

test('a snapshot has every amount, even if old ones are merged while it is made', () => {
  const counts = createCounts()
  for (let request = 0; request < 100; request += 1) counts.add(entry(request, 1))
  const laterMs = startMs + 150 * minuteMs
  let sum = 0n
  for (const { amount } of counts.all(laterMs)) {
    counts.add(entry(1_000, 1, laterMs))
    sum += amount
  }
  expect(sum).toBe(100n)
})

test('an amount that is older than the window is gone from it, if few requests count', () => {
  const counts = createCounts()
  for (let request = 0; request < 10; request += 1) counts.add(entry(request, 1, startMs + request * minuteMs))
  const sumAt = (nowMs: number) => sumOf(counts.amounts(name, undefined), { nowMs, durationMs: hourMs })
  expect(sumAt(startMs + 9 * minuteMs)).toBe(10n)
  expect(sumAt(startMs + hourMs)).toBe(9n)
  expect(sumAt(startMs + hourMs + 9 * minuteMs)).toBe(0n)
})

test('an amount of any size is counted', () => {
  const counts = createCounts()
  counts.add(entry(1, 2n ** 256n - 1n))
  counts.add(entry(2, 2n ** 256n - 1n))
  expect(total(counts)).toBe(2n ** 257n - 2n)
})

test('a day of many requests is kept in few amounts, and loses none', () => {
  const counts = createCounts()
  for (let request = 0; request < 8_000; request += 1) counts.add(entry(request, 1, startMs + request * 10_000))
  const amounts = counts.amounts(name, undefined)
  expect(amounts.length).toBeLessThan(1_000)
  expect(total(counts)).toBe(8_000n)
})

describe('a count that has ended', () => {
  test('is in no snapshot', () => {
    const counts = createCounts()
    counts.add(entry(1, 5, startMs, { untilMs: startMs + 10 }))
    expect([...counts.all(startMs + 9)]).toEqual([entry(1, 5, startMs, { untilMs: startMs + 10 })])
    expect([...counts.all(startMs + 10)]).toEqual([])
  })

  test('lasts as long as the amount that is kept longest', () => {
    const counts = createCounts()
    counts.add(entry(1, 5, startMs, { untilMs: startMs + 10 }))
    counts.add(entry(2, 5, startMs + 1, { untilMs: startMs + 5 }))
    expect([...counts.all(startMs + 9)].length).toBe(2)
  })

  test('does not take memory for ever', () => {
    const counts = createCounts()
    const newName = (number: number) => number.toString(16).padStart(32, '0')
    for (let number = 0; number < 20_000; number += 1) {
      const atMs = startMs + number
      counts.add(entry(1, 1, atMs, { name: newName(number), untilMs: atMs + 100 }))
      expect(counts.size).toBeLessThanOrEqual(1025)
    }
    expect(counts.amounts(newName(19_999), undefined).length).toBe(1)
  })
})

describe('amounts that are kept for ever', () => {
  const group = 'dd'.repeat(16)
  const yearMs = 365 * 24 * hourMs
  const forEver = { group, untilMs: foreverMs }

  test('stay in one total, which survives snapshots', () => {
    const counts = createCounts()
    for (let request = 0; request < 300; request += 1)
      counts.add(entry(request, 1, startMs + request * hourMs, forEver))
    const laterMs = startMs + 20 * yearMs
    counts.add(entry(1000, 7, laterMs, forEver))
    const copy = createCounts()
    for (const written of counts.all(laterMs)) copy.add(written)
    for (const each of [counts, copy]) {
      expect(total(each)).toBe(307n)
      expect(each.amounts(name, undefined).length).toBeLessThanOrEqual(2)
    }
    expect(total(copy, 1000)).toBe(300n)
  })

  test('are forgotten with their group, and only with it', () => {
    const counts = createCounts()
    const another = 'bb'.repeat(16)
    counts.add(entry(1, 5, startMs, forEver))
    counts.add(entry(1, 3, startMs, { ...forEver, group: 'ee'.repeat(16), name: another }))
    counts.add(entry(1, 2, startMs, { ...forEver, name: 'cc'.repeat(16) }))
    counts.forget(group)
    expect(total(counts)).toBe(0n)
    expect(counts.size).toBe(1)
    expect(counts.amounts(another, undefined)).toEqual([{ atMs: startMs, amount: 3n }])
    expect([...counts.all(startMs)].map(({ amount }) => amount)).toEqual([3n])
  })
})

test('a snapshot of a snapshot keeps an amount no longer than the first', () => {
  let counts = createCounts()
  counts.add(entry(1, 5))
  counts.add(entry(2, 5, startMs + durationMsMax - 1))
  for (let snapshot = 0; snapshot < 3; snapshot += 1) {
    const copy = createCounts()
    for (const written of counts.all(startMs + durationMsMax - 1)) copy.add(written)
    counts = copy
  }
  expect([...counts.all(startMs)].map(({ atMs, untilMs }) => untilMs - atMs)).toEqual([durationMsMax, durationMsMax])
})
