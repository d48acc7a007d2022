import { describe, expect, test } from 'vitest'
import { check } from '../checking/check.ts'
import { parse } from '../reading/parse.ts'
import { evaluate } from '../running/evaluate.ts'
import { hasNoWay } from './no_way.ts'

const noWay = (text: string, kind: 'time' | 'consensus' = 'time') => hasNoWay(check(parse(text), kind, text).expression)
const [day, night] = ["CronSpan('0 9 * * *', '2h', 'UTC')", "CronSpan('0 22 * * *', '2h', 'UTC')"]
const ada = "approvers.any(u, u.alias == 'Ada')"

describe('no time', () => {
  test.each([
    `${day} && ${night}`,
    `${day} && !${day}`,
    "!CronSpan('0 0 * * *', '1d', 'UTC')",
    "CronSpan('0 9 * * 1', '8h', 'Europe/Berlin') && CronSpan('0 9 * * 3', '8h', 'Europe/Berlin')",
    `(${day} || ${night}) && !(${day} || ${night})`,
    "CronSpan('0 9 1 * *', '2h', 'UTC') && CronSpan('0 22 * * *', '2h', 'UTC')",
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
  "time.now > Timestamp('2026-07-01T00:00:00Z') && !CronSpan('0 9 * * *', '2h', 'UTC')",
])('some time: %s', (text) => {
  expect(noWay(text)).toBe(false)
})

test('a test of approvers and its opposite are never true together', () => {
  expect(noWay(`${ada} && !${ada}`, 'consensus')).toBe(true)
  expect(noWay(`${ada} && !approvers.any(u, u.alias == 'Bob')`, 'consensus')).toBe(false)
})
