import { expect, test } from 'vitest'
import { byHour } from './by_hour.ts'

const nowMs = Date.parse('2026-11-24T12:30:00Z')
const at = (createdAt: string, status = 'COMPLETED') => ({ createdAt, status: `ACTIVITY_STATUS_${status}` }) as never

test('the last hour is the one of now, and the first is 23 hours before it', () => {
  const hours = byHour([], nowMs)
  expect(hours).toHaveLength(24)
  expect(hours[0]?.startMs).toBe(Date.parse('2026-11-23T13:00:00Z'))
  expect(hours[23]?.startMs).toBe(Date.parse('2026-11-24T12:00:00Z'))
})

test('an activity counts in the hour in which it began, by its outcome, and older ones do not', () => {
  const hours = byHour(
    [
      at('2026-11-24T12:00:00Z'),
      at('2026-11-24T11:59:59.999Z', 'FAILED'),
      at('2026-11-24T11:00:00Z', 'REJECTED'),
      at('2026-11-24T12:29:00Z', 'CONSENSUS_NEEDED'),
      at('2026-11-23T12:59:59.999Z'),
    ],
    nowMs,
  )
  expect(hours[23]?.counts).toEqual({ completed: 1, waiting: 1, refused: 0 })
  expect(hours[22]?.counts).toEqual({ completed: 0, waiting: 0, refused: 2 })
  expect(hours.slice(0, 22).every(({ counts }) => Object.values(counts).every((count) => count === 0))).toBe(true)
})
