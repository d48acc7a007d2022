import { expect, test } from 'vitest'
import { createClock } from './clock.ts'

const hourMs = 3_600_000

function startClock() {
  const machine = { wallMs: 1_000_000_000, monotonicMs: 5_000 }
  const warnings: object[] = []
  const clock = createClock({
    wallMs: () => machine.wallMs,
    monotonicMs: () => machine.monotonicMs,
    log: { warn: (fields) => warnings.push(fields) },
  })
  function pass(ms: number): void {
    machine.wallMs += ms
    machine.monotonicMs += ms
  }
  return { clock, machine, warnings, pass }
}

test('runs with the machine, whose small corrections count at once', () => {
  const { clock, machine, pass, warnings } = startClock()
  expect(clock.nowMs()).toBe(1_000_000_000)
  pass(1_500)
  expect(clock.nowMs()).toBe(1_000_001_500)
  machine.wallMs += 3_000
  expect(clock.nowMs()).toBe(1_000_004_500)
  machine.wallMs -= 2_000
  expect(clock.nowMs()).toBe(1_000_002_500)
  expect(warnings).toEqual([])
  expect(clock.problem()).toBeUndefined()
})

test('a jump of hours for a second moves it by a minute at most, and it is back soon', () => {
  const { clock, machine, pass, warnings } = startClock()
  machine.wallMs += 2 * hourMs
  expect(clock.nowMs()).toBe(1_000_000_000)
  pass(1_000)
  expect(clock.nowMs()).toBeLessThan(1_000_000_000 + 62_000)
  expect(clock.problem()).toMatch(/the clock of the machine jumped: it is \d+ s ahead of the vault/)
  machine.wallMs -= 2 * hourMs
  for (let second = 0; second < 600; second += 1) {
    pass(1_000)
    clock.nowMs()
  }
  expect(Math.abs(clock.nowMs() - machine.wallMs)).toBeLessThan(10_000)
  expect(clock.problem()).toBeUndefined()
  expect(warnings).toHaveLength(1)
})

test('a jump that lasts is taken up within minutes', () => {
  const { clock, machine, pass } = startClock()
  machine.wallMs += hourMs
  for (let second = 0; second < 900; second += 1) {
    pass(1_000)
    clock.nowMs()
  }
  expect(machine.wallMs - clock.nowMs()).toBeLessThan(10_000)
})
