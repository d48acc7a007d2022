import { expect, test } from 'vitest'
import { durationText } from './durations.ts'

test('a duration is given in the largest unit that divides it', () => {
  const told = [1, 59, 60, 90, 600, 3_600, 5_400, 86_400, 90_000, 2_592_000].map(durationText)
  expect(told).toEqual([
    ...['1 second', '59 seconds', '1 minute', '90 seconds', '10 minutes', '1 hour', '90 minutes', '1 day', '25 hours'],
    '30 days',
  ])
})
