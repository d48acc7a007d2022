import { expect, test } from 'vitest'
import { compileCondition, compileTime, neverTrueIn } from '../../decision/policy_expressions.ts'

const amount = (index: number) => `solana.tx.transfers[${index}].amount`
const last = 68

/** Each `||` doubles the ways, and each way has a circle of all orders. */
const circles = (run: number) =>
  [
    ...Array.from({ length: 6 }, (_, at) => `(${amount(0)}<${amount(last)}||${amount(0)}>=${at + run})`),
    ...Array.from({ length: last }, (_, at) => `${amount(last - at)}<${amount(last - at - 1)}`),
  ].join('&&')

const zones = ['Europe/Berlin', 'Europe/Paris', 'America/New_York', 'Asia/Tokyo', 'UTC', 'Asia/Kolkata']
const span = (at: number, run: number, zone: string) =>
  `CronSpan('${at} ${at + run} ${at + 1},${at + 9} * 1', '7d', '${zone}')`
const spans = (run: number, count: number) => zones.map((_, at) => span(at, run, zones[at % count] ?? 'UTC')).join('||')

test.each([
  ['orders in a circle in each way', (run: number) => compileCondition(circles(run))],
  ['windows in six zones', (run: number) => compileTime(spans(run, 6))],
  ['six windows in one zone', (run: number) => compileTime(spans(run, 1))],
])('%s are judged in a short step', (_what, compiled) => {
  const tookMs = Array.from({ length: 10 }, (_, run) => {
    const expression = compiled(run)
    const before = process.cpuUsage()
    neverTrueIn(expression, 'denial')
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  })
  expect(Math.min(...tookMs)).toBeLessThanOrEqual(25)
})
