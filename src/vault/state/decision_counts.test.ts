import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { passcodeAttemptsMax, startsMax, startsWindowMs } from '../../contract/records/counted_kinds.ts'
import { type Counts, createCounts } from '../books/counts.ts'
import type { CountEntry } from '../books/entries.ts'
import { createDecisionCounts, type DecisionCounts } from './decision_counts.ts'
import { MovedError } from './evidence.ts'

const organizationId = '01234567-89ab-7cde-8f01-23456789abcd'
const startMs = 1_800_000_000_000
const minuteMs = 60 * 1000
const hourMs = 60 * minuteMs

function booksWith(counts: Counts) {
  function count(entries: readonly CountEntry[]): void {
    for (const entry of entries) counts.add(entry)
  }
  function isUnmoved(seen: ReadonlyMap<string, number>): boolean {
    return [...seen].every(([name, revision]) => counts.revision(name) === revision)
  }
  function countNow(entries: readonly CountEntry[], seen: ReadonlyMap<string, number>): boolean {
    if (isUnmoved(seen)) count(entries)
    else return false
    return true
  }
  return { ...counts, countNow, isUnmoved }
}

/** Books that hold only counts, and the tallies of requests at any time. */
function start() {
  const counts = createCounts()
  let requests = 0

  function tallyAt(nowMs: number, request?: number): DecisionCounts {
    requests += 1
    const decisionCounts = createDecisionCounts(booksWith(counts), { nowMs, newId: randomUUID })
    const key = (1 + (request ?? 1_000_000 + requests)).toString(16).padStart(32, '0')
    decisionCounts.setCountKey(() => key)
    return decisionCounts
  }

  function count(decisionCounts: DecisionCounts, what: readonly string[], amount = 1n): void {
    for (const entry of decisionCounts.entriesOf([{ organizationId, what, amount, keptMs: 25 * hourMs }]))
      counts.add(entry)
  }

  const { isUnmoved } = booksWith(counts)
  return { tallyAt, count, isUnmoved }
}

describe('passcode starts that the database does not show', () => {
  const bucketId = 'bucket'
  const what = ['passcode_starts', bucketId, 'starts']

  /** The number of starts in the window, as the limit counts them. */
  function startsSeen(decisionCounts: DecisionCounts, nowMs: number): number {
    const found = decisionCounts.atLeast('passcode_starts', { organizationId, recordId: bucketId, record: undefined })
    return (found?.startsMs ?? []).filter((atMs) => nowMs < atMs + startsWindowMs).length
  }

  test('are all seen, however many came before', () => {
    const { tallyAt, count } = start()
    let nowMs = startMs
    for (let round = 0; round < 100; round += 1) {
      nowMs += startsWindowMs
      for (let each = 0; each < startsMax; each += 1) {
        const decisionCounts = tallyAt(nowMs)
        expect(startsSeen(decisionCounts, nowMs)).toBe(each)
        count(decisionCounts, what)
      }
    }
  })

  test('are seen without those of the same request', () => {
    const { tallyAt, count } = start()
    for (let request = 0; request < 100; request += 1) count(tallyAt(startMs + request, request), what)
    const nowMs = startMs + 100
    expect(startsSeen(tallyAt(nowMs), nowMs)).toBe(100)
    for (const request of [0, 50, 99]) expect(startsSeen(tallyAt(nowMs, request), nowMs)).toBe(99)
  })
})

describe('counts hold whatever the database shows', () => {
  const recordId = 'id'

  test('each attempt at a passcode leaves one fewer, and never fewer than none', () => {
    const { tallyAt, count } = start()
    const flow = { attemptsLeft: passcodeAttemptsMax, isUsed: false } as never
    const seen = () => tallyAt(startMs).atLeast('passcode_flow', { organizationId, recordId, record: flow })
    for (const attemptsLeft of [3, 2, 1, 0, 0]) {
      expect(seen()).toMatchObject({ attemptsLeft, isUsed: false })
      count(tallyAt(startMs), ['passcode_flow', recordId, 'attempts'])
    }
    count(tallyAt(startMs), ['passcode_flow', recordId, 'use'])
    expect(seen()).toMatchObject({ attemptsLeft: 0, isUsed: true })
  })

  test('a used token stays used, even without a record of it', () => {
    const { tallyAt, count } = start()
    const seen = (request?: number) =>
      tallyAt(startMs + 5, request).atLeast('used_token', { organizationId, recordId, record: undefined })
    expect(seen()).toBeUndefined()
    count(tallyAt(startMs, 7), ['used_token', recordId, 'use'])
    expect(seen()).toEqual({ tokenId: recordId, usedAtMs: startMs })
    expect(seen(7)).toBeUndefined()
  })

  test('an import target that was used is closed', () => {
    const { tallyAt, count } = start()
    const target = { isOpen: true } as never
    const seen = () => tallyAt(startMs).atLeast('import_target', { organizationId, recordId, record: target })
    expect(seen()).toEqual({ isOpen: true })
    count(tallyAt(startMs), ['import_target', recordId, 'use'])
    expect(seen()).toEqual({ isOpen: false })
  })
})

test('a decision is made again if a count that it saw has moved, and only then', () => {
  const { tallyAt, count, isUnmoved } = start()
  const [seen, other] = [tallyAt(startMs), tallyAt(startMs)]
  seen.amounts(organizationId, ['a'])
  other.amounts(organizationId, ['b'])
  count(tallyAt(startMs), ['a'])
  expect(isUnmoved(seen.seen)).toBe(false)
  expect(isUnmoved(other.seen)).toBe(true)
})

test('opening the secret of a passcode counts at once, once for each request, and only if no count has moved', () => {
  const { tallyAt, count, isUnmoved } = start()
  const name = ['passcode_flow', 'flow', 'attempts']
  const opened = { organizationId, recordId: 'flow' }
  const seen = () => tallyAt(startMs).amounts(organizationId, name)
  const [first, late] = [tallyAt(startMs, 1), tallyAt(startMs, 2)]
  for (const decisionCounts of [first, late]) decisionCounts.amounts(organizationId, name)
  first.countAttempt('passcode_flow', opened)
  expect(first.hasCountedAttempt).toBe(true)
  expect(isUnmoved(first.seen)).toBe(true)
  expect(() => late.countAttempt('passcode_flow', opened)).toThrow(MovedError)
  tallyAt(startMs, 1).countAttempt('passcode_flow', opened)
  expect(seen()).toHaveLength(1)
  const other = tallyAt(startMs)
  other.countAttempt('user', opened)
  expect(other.hasCountedAttempt).toBe(false)
  count(tallyAt(startMs), name)
  expect(seen()).toHaveLength(2)
})

test('a count that ended, was swept and began again has moved', () => {
  const { tallyAt, count, isUnmoved } = start()
  count(tallyAt(startMs), ['a'])
  const decisionCounts = tallyAt(startMs)
  expect(decisionCounts.amounts(organizationId, ['a'])).toHaveLength(1)
  const laterMs = startMs + 26 * hourMs
  for (let other = 0; other < 1_100; other += 1) count(tallyAt(laterMs), [`other ${other}`])
  count(tallyAt(laterMs), ['a'])
  expect(isUnmoved(decisionCounts.seen)).toBe(false)
})

test('a query counts nothing', () => {
  const decisionCounts = createDecisionCounts(booksWith(createCounts()), { nowMs: startMs, newId: randomUUID })
  expect(decisionCounts.entriesOf([])).toEqual([])
  expect(() => decisionCounts.entriesOf([{ organizationId, what: [], amount: 1n, keptMs: 1 }])).toThrow('a query')
})
