import { describe, expect, test } from 'vitest'
import { finished } from '../../../protocol/tools/steps.ts'
import { check } from '../checking/check.ts'
import { parse } from '../reading/parse.ts'
import { evaluate } from '../running/evaluate.ts'
import { hasNoWay } from './no_way.ts'

const noWay = (text: string, kind: 'time' | 'consensus' = 'time') =>
  finished(hasNoWay(check(parse(text), kind, text).expression))
const [day, night] = ["CronSpan('0 9 * * *', '2h', 'UTC')", "CronSpan('0 22 * * *', '2h', 'UTC')"]
const ada = "approvers.any(u, u.alias == 'Ada')"

describe('no time', () => {
  test.each([
    `${day} && ${night}`,
    `${day} && !${day}`,
    "CronSpan('0 9 * * 1-3', '1h', 'Europe/Berlin') && !CronSpan('0 9 * * 1,2,3', '60m', 'Europe/Berlin')",
    "time.now > Timestamp('2026-03-05T00:00:00Z') && !(time.now > Timestamp('2026-03-05t00:00:00.000z'))",
    "!CronSpan('0 0 * * *', '1d', 'UTC')",
    "CronSpan('0 9 * * 1', '8h', 'Europe/Berlin') && CronSpan('0 9 * * 3', '8h', 'Europe/Berlin')",
    `(${day} || ${night}) && !(${day} || ${night})`,
    "CronSpan('0 9 1 * *', '2h', 'UTC') && CronSpan('0 22 * * *', '2h', 'UTC')",
    "CronSpan('0 9 1 3 *', '8h', 'UTC') && CronSpan('0 9 2 4 *', '8h', 'UTC')",
    "CronSpan('0 9 1 * *', '8h', 'Europe/Berlin') && CronSpan('0 9 2 * *', '8h', 'Europe/Berlin')",
    "CronSpan('0 0 31 * *', '7d', 'UTC') && CronSpan('0 0 8 * *', '12h', 'UTC')",
    "CronSpan('0 9 * 3 1', '8h', 'UTC') && CronSpan('0 9 * 4-12 *', '8h', 'UTC')",
    "CronSpan('0 9 1 3 *', '8h', 'UTC') && !CronSpan('0 0 * 3 *', '1d', 'UTC')",
    "CronSpan('0 9 1 3 *', '1h', 'UTC') && CronSpan('0 9 1 3 *', '8h', 'UTC') && !CronSpan('0 8 1 * *', '3h', 'UTC')",
  ])('%s', (text) => {
    expect(noWay(text)).toBe(true)
    const expression = check(parse(text), 'time', text).expression
    for (let hour = 0; hour < 24 * 40; hour++) {
      const now = BigInt(Date.UTC(2026, 2, 1) + hour * 3_600_000)
      expect(evaluate(expression, { keywords: { time: { now } } })).toMatchObject({ value: false })
    }
  })
})

test.each([
  `${day} || ${night}`,
  `!${day} && !${night}`,
  "CronSpan('0 9 * * *', '14h', 'UTC') && CronSpan('0 22 * * *', '2h', 'UTC')",
  "CronSpan('0 23 * * 6', '2h', 'UTC') && CronSpan('0 0 * * 0', '2h', 'UTC')",
  "CronSpan('0 9 * * *', '2h', 'Asia/Tokyo') && CronSpan('0 22 * * *', '2h', 'UTC')",
  "CronSpan('0 2 * * *', '30m', 'Europe/Berlin') && CronSpan('30 2 * * *', '30m', 'Europe/Berlin')",
  "!CronSpan('0 0 * * *', '1d', 'Europe/Berlin')",
  "!CronSpan('0 0 * * 1-5', '1d', 'UTC')",
  "CronSpan('0 9 29 2 *', '1h', 'UTC') && CronSpan('0 9 * * 0', '1h', 'UTC')",
  "CronSpan('0 0 31 12 *', '7d', 'UTC') && CronSpan('0 0 6 1 *', '1h', 'UTC')",
  "CronSpan('0 23 31 12 *', '2h', 'UTC') && CronSpan('0 0 1 1 *', '1h', 'UTC')",
  "CronSpan('0 22 28 2 *', '2h', 'Europe/Berlin') && CronSpan('0 0 1 3 *', '1h', 'Europe/Berlin')",
  "CronSpan('0 0 1 * 1', '1d', 'UTC') && CronSpan('0 0 15 * *', '1d', 'UTC')",
  "time.now > Timestamp('2026-07-01T00:00:00Z') && !CronSpan('0 9 * * *', '2h', 'UTC')",
])('some time: %s', (text) => {
  expect(noWay(text)).toBe(false)
})

test('a test of approvers and its opposite are never true together', () => {
  expect(noWay(`${ada} && !${ada}`, 'consensus')).toBe(true)
  expect(noWay(`${ada} && !approvers.any(u, u.alias == 'Bob')`, 'consensus')).toBe(false)
})

test('windows that begin every minute of many days are judged soon', () => {
  const days = Array.from({ length: 28 }, (_, day) => day + 1)
  const spans = [2, 3, 5, 7, 11].map((step) => {
    const some = days.filter((day) => (day * step) % 13 < 6).join(',')
    return `CronSpan('* * ${some} ${step} *', '7d', 'Europe/Berlin')`
  })
  const startMs = performance.now()
  expect(noWay(spans.join(' && '))).toBe(true)
  expect(performance.now() - startMs).toBeLessThan(3_000)
})
