import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { generatedRuns } from '../../../../test/support/generated_runs.ts'
import { instant, type Pick, zones } from '../../../../test/support/policy_generator.ts'
import { isWithinSpan } from '../../../../test/support/policy_reference.ts'
import { type CronSpan, findTimeZone, parseCronSpan } from './cron_span.ts'
import { parseDuration } from './durations.ts'
import { isWithin } from './open_windows.ts'
import { parseTimestamp } from './timestamps.ts'

function spanOf(...texts: [string, string, string]): CronSpan {
  const span = parseCronSpan(texts)
  if ('wrong' in span) throw new Error(`argument ${span.wrong} is wrong: ${span.expected}`)
  return span
}

describe('a duration', () => {
  test.each([
    ['1m', 60_000],
    ['8h', 28_800_000],
    ['90m', 5_400_000],
    ['1d12h', 129_600_000],
    ['1d1h1m', 90_060_000],
    ['1d1m', 86_460_000],
    ['007m', 420_000],
    ['0d1m', 60_000],
    ['7d', 604_800_000],
    ['168h', 604_800_000],
    ['10080m', 604_800_000],
  ])('of %s is %i ms', (text, durationMs) => {
    expect(parseDuration(text)).toBe(durationMs)
  })

  test.each([
    '',
    '0m',
    '0d0h0m',
    '7d1m',
    '10081m',
    '8d',
    '1h1d',
    '1m1h',
    '1h1h',
    'h',
    'dhm',
    '1',
    '1s',
    '1.5h',
    '-1h',
    '+1h',
    ' 1h',
    '1 h',
    '1h ',
    '1H',
    '1w',
    '0x1h',
    '1e1m',
    '9999999m',
    '１h',
    '1hm',
  ])('is not %j', (text) => {
    expect(parseDuration(text)).toBeUndefined()
  })
})

describe('a timestamp', () => {
  test.each([
    ['1970-01-01T00:00:00Z', 0],
    ['1969-12-31T23:59:59.999Z', -1],
    ['2026-03-01T00:00:00Z', 1_772_323_200_000],
    ['2026-03-01t12:34:56z', 1_772_368_496_000],
    ['2026-03-01T12:34:56.7+00:00', 1_772_368_496_700],
    ['2026-03-01T12:34:56.07-00:00', 1_772_368_496_070],
    ['2024-02-29T23:59:59.123Z', 1_709_251_199_123],
    ['0000-01-01T00:00:00Z', -62_167_219_200_000],
    ['9999-12-31T23:59:59.999Z', 253_402_300_799_999],
  ])('of %s is %i ms since 1970', (text, timeMs) => {
    expect(parseTimestamp(text)).toBe(timeMs)
  })

  test.each([
    '',
    'Z',
    '2026-03-01',
    '2026-03-01T00:00:00',
    '2026-03-01T00:00Z',
    '2026-03-01 00:00:00Z',
    '2026-03-01_00:00:00Z',
    '2026-03-01T00:00:00+01:00',
    '2026-03-01T00:00:00-05:00',
    '2026-03-01T00:00:00+00',
    '2026-03-01T00:00:00+0000',
    '2026-02-29T00:00:00Z',
    '2026-04-31T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-00-01T00:00:00Z',
    '2026-01-00T00:00:00Z',
    '2026-01-32T00:00:00Z',
    '2026-03-01T24:00:00Z',
    '2026-03-01T23:60:00Z',
    '2026-03-01T23:59:60Z',
    '2026-03-01T00:00:00.Z',
    '2026-03-01T00:00:00.1234Z',
    '2026-03-01T00:00:00,5Z',
    '2026-03-01T00:00:00.5.5Z',
    '2026-03-01T00:00:00ZZ',
    '26-03-01T00:00:00Z',
    '2026-3-01T00:00:00Z',
    '2026/03/01T00:00:00Z',
    '2026-03-01T00-00-00Z',
    '+2026-03-01T00:00:00Z',
    '-026-03-01T00:00:00Z',
    ' 2026-03-01T00:00:00Z',
    '2026-03-01T00:00:00Z ',
    '2026-03-01T 0:00:00Z',
    '2026-03-01T00:00:00.-5Z',
    '2026-W09-7T00:00:00Z',
    '20x6-03-01T00:00:00Z',
    '2026-0x-01T00:00:00Z',
    '2026-03-0xT00:00:00Z',
    '2026-03-01T0x:00:00Z',
    '2026-03-01T00:0x:00Z',
    '2026-03-01T00:00:0xZ',
    '2026-03-01-T00:00:0Z',
    '2026-03-01T00:00:00:00Z',
  ])('is not %j', (text) => {
    expect(parseTimestamp(text)).toBeUndefined()
  })

  test('that Temporal writes is read as Temporal reads it', () => {
    fc.assert(
      fc.property(fc.integer({ min: -62_167_219_200_000, max: 253_402_300_799_999 }), (timeMs) => {
        expect(parseTimestamp(Temporal.Instant.fromEpochMilliseconds(timeMs).toString())).toBe(timeMs)
      }),
    )
  })
})

describe('a time zone', () => {
  test.each(['UTC', 'Etc/GMT+5', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'US/Eastern', 'europe/berlin'])(
    'may be %s',
    (name) => {
      expect(findTimeZone(name)).toBeDefined()
    },
  )

  test.each([
    '',
    'Mars',
    'Europe',
    'Europe/',
    '+02:00',
    '-05',
    '02:00',
    'CEST',
    ' UTC',
    'UTC ',
    'Europe/Berlin\n',
    '__proto__',
    'SystemV/EST5EDT',
    'systemv/est5edt',
  ])('is not %j', (name) => {
    expect(findTimeZone(name)).toBeUndefined()
  })

  const allZones = Intl.supportedValuesOf('timeZone')

  // An update of Node may bring names that only one of the two knows.
  test('that Intl knows is known to Temporal', () => {
    for (const name of [...allZones, 'IST', 'ACT', 'us/pacific-new']) {
      expect(isWithin(spanOf('* * * * *', '1m', name), Date.UTC(2026, 6)), name).toBe(true)
    }
  })

  test('has the clock that Intl says, in any year', () => {
    const timeMs = fc.integer({ min: Date.UTC(1900, 0), max: Date.UTC(2100, 0) })
    fc.assert(
      fc.property(fc.constantFrom(...allZones), timeMs, (zone, at) => {
        const clock = new Intl.DateTimeFormat('en-GB', { timeZone: zone, timeStyle: 'short' }).format(at)
        const [hour, minute] = clock.split(':').map(Number)
        const texts = [`${minute} ${hour} * * *`, '1m', zone] as const
        expect(isWithin(spanOf(...texts), at)).toBe(isWithinSpan(texts, at))
      }),
      { numRuns: 10 * generatedRuns },
    )
  })
})

describe('the arguments of CronSpan', () => {
  test.each([
    '* * * * *',
    '0 0 1 1 0',
    '59 23 31 12 6',
    '0,30 9-17 * * 1-5',
    '1,1,1 2 3 4 5',
    '0-0 * * * *',
    ' 0  9 * * * ',
    '05 09 01 02 00',
    '0 0 29 2 *',
    '0 0 30,1 2 *',
    '0 0 31 1-3 *',
    '0 0 31 2 1',
  ])('may be %j', (cron) => {
    expect(parseCronSpan([cron, '1h', 'UTC'])).toMatchObject({ durationMs: 3_600_000 })
  })

  test.each([
    '',
    '*',
    '* * * *',
    '* * * * * *',
    '60 * * * *',
    '* 24 * * *',
    '* * 0 * *',
    '* * 32 * *',
    '* * * 0 *',
    '* * * 13 *',
    '* * * * 7',
    '*/5 * * * *',
    '@daily',
    '* * * JAN *',
    '* * * * MON',
    '5-1 * * * *',
    '1- * * * *',
    '-1 * * * *',
    '1-2-3 * * * *',
    ', * * * *',
    '1, * * * *',
    '1,,2 * * * *',
    '1,* * * * *',
    '*-5 * * * *',
    '? * * * *',
    'L * * * *',
    '001 * * * *',
    '1.5 * * * *',
    '*\t* * * *',
    '0 0 30 2 *',
    '0 0 31 2,4,6,9,11 *',
    '0 0 30-31 2 *',
  ])('are not %j', (cron) => {
    expect(parseCronSpan([cron, '1h', 'UTC'])).toMatchObject({ wrong: 0 })
  })

  test('are refused at the first wrong one', () => {
    expect(parseCronSpan(['x', 'x', 'x'])).toMatchObject({ wrong: 0, expected: expect.stringContaining('five fields') })
    expect(parseCronSpan(['* * * * *', 'x', 'x'])).toMatchObject({
      wrong: 1,
      expected: expect.stringContaining('7 days'),
    })
    expect(parseCronSpan(['* * * * *', '1h', 'x'])).toMatchObject({
      wrong: 2,
      expected: expect.stringContaining('IANA'),
    })
  })
})

describe('a span is open', () => {
  test.each<[string, [string, string, string], string, boolean]>([
    ['before it fires', ['0 9 * * 1-5', '8h', 'America/New_York'], '2026-07-06T12:59:59.999Z', false],
    ['when it fires', ['0 9 * * 1-5', '8h', 'America/New_York'], '2026-07-06T13:00:00Z', true],
    ['until its duration is over', ['0 9 * * 1-5', '8h', 'America/New_York'], '2026-07-06T20:59:59.999Z', true],
    ['not when it is over', ['0 9 * * 1-5', '8h', 'America/New_York'], '2026-07-06T21:00:00Z', false],
    ['not at the weekend', ['0 9 * * 1-5', '8h', 'America/New_York'], '2026-07-05T15:00:00Z', false],
    ['an hour later by UTC in winter', ['0 9 * * 1-5', '8h', 'America/New_York'], '2026-01-05T13:30:00Z', false],
    ['in winter too', ['0 9 * * 1-5', '8h', 'America/New_York'], '2026-01-05T14:00:00Z', true],
    ['over midnight', ['0 22 * * *', '8h', 'UTC'], '2026-01-05T05:59:59Z', true],
    ['over a whole week', ['0 0 * * 1', '7d', 'UTC'], '2026-01-11T23:59:59.999Z', true],
    ['at the last of seven days', ['30 12 1 1 *', '7d', 'UTC'], '2026-01-08T12:29:59.999Z', true],
    ['not after seven days', ['30 12 1 1 *', '7d', 'UTC'], '2026-01-08T12:30:00Z', false],
    ['on a day of the month or of the week', ['0 9 1 * 1', '1h', 'UTC'], '2026-01-05T09:30:00Z', true],
    ['on the other of both', ['0 9 1 * 1', '1h', 'UTC'], '2026-01-01T09:30:00Z', true],
    ['on neither', ['0 9 1 * 1', '1h', 'UTC'], '2026-01-06T09:30:00Z', false],
    ['with 0-6, which is a restriction, on any day', ['0 9 1 * 0-6', '1h', 'UTC'], '2026-01-06T09:30:00Z', true],
    ['in the month', ['0 9 * 2 *', '1h', 'UTC'], '2026-02-06T09:30:00Z', true],
    ['not in another month', ['0 9 * 2 *', '1h', 'UTC'], '2026-01-06T09:30:00Z', false],
    ['on a leap day', ['0 0 29 2 *', '1d', 'UTC'], '2028-02-29T12:00:00Z', true],
    ['not on the day after February in other years', ['0 0 29 2 *', '1d', 'UTC'], '2026-03-01T12:00:00Z', false],
    // 02:30 does not exist in Berlin on 2026-03-29: the clock goes from 02:00 to 03:00 at 01:00Z.
    [
      'for a time that the clocks skip, not before its old offset says',
      ['30 2 * * *', '30m', 'Europe/Berlin'],
      '2026-03-29T01:29:59Z',
      false,
    ],
    [
      'for a time that the clocks skip, when its old offset says',
      ['30 2 * * *', '30m', 'Europe/Berlin'],
      '2026-03-29T01:30:00Z',
      true,
    ],
    ['for a time that the clocks skip, once', ['30 2 * * *', '30m', 'Europe/Berlin'], '2026-03-29T02:00:00Z', false],
    [
      'when the clock shows the first time after the jump',
      ['0 3 * * *', '30m', 'Europe/Berlin'],
      '2026-03-29T01:00:00Z',
      true,
    ],
    ['not an hour later', ['0 3 * * *', '30m', 'Europe/Berlin'], '2026-03-29T02:00:00Z', false],
    [
      'when the clock shows the first time after both',
      ['0 3 * * *', '30m', 'Europe/Berlin'],
      '2026-10-25T02:00:00Z',
      true,
    ],
    // 02:30 occurs twice in Berlin on 2026-10-25: at 00:30Z and at 01:30Z.
    [
      'for a time that is there twice, at the first',
      ['30 2 * * *', '30m', 'Europe/Berlin'],
      '2026-10-25T00:30:00Z',
      true,
    ],
    [
      'for a time that is there twice, not at the second',
      ['30 2 * * *', '30m', 'Europe/Berlin'],
      '2026-10-25T01:30:00Z',
      false,
    ],
    [
      'for elapsed time when the clocks go forward',
      ['0 22 * * *', '8h', 'America/New_York'],
      '2026-03-08T10:59:59Z',
      true,
    ],
    ['for no longer than that', ['0 22 * * *', '8h', 'America/New_York'], '2026-03-08T11:00:00Z', false],
    ['for elapsed time when they go back', ['0 22 * * *', '8h', 'America/New_York'], '2026-11-01T09:59:59Z', true],
    ['for no longer than that either', ['0 22 * * *', '8h', 'America/New_York'], '2026-11-01T10:00:00Z', false],
    // Samoa skipped 2011-12-30 altogether.
    ['on a day that a zone skipped', ['0 12 30 12 *', '1h', 'Pacific/Apia'], '2011-12-30T22:30:00Z', true],
  ])('%s', (_name, texts, now, isOpen) => {
    const nowMs = Date.parse(now)
    expect(isWithin(spanOf(...texts), nowMs)).toBe(isOpen)
    expect(isWithinSpan(texts, nowMs)).toBe(isOpen)
  })

  test('when Intl says so, around changes of the clocks', () => {
    const cases = fc.gen().map((pick: Pick) => {
      const number = (min: number, max: number) => String(pick(fc.integer, { min, max }))
      const range = (min: number, max: number) => {
        const from = pick(fc.integer, { min, max })
        return `${from}-${pick(fc.integer, { min: from, max })}`
      }
      const field = (min: number, max: number) =>
        pick(fc.boolean) ? number(min, max) : `${number(min, max)},${range(min, max)}`
      const hours = pick(fc.boolean) ? number(0, 3) : field(0, 23)
      const daysOfMonth = pick(fc.boolean) ? '*' : field(1, 28)
      const weekdays = pick(fc.boolean) ? '*' : field(0, 6)
      const cron = `${number(0, 59)} ${hours} ${daysOfMonth} * ${weekdays}`
      const duration = pick(fc.constantFrom, '1m', '30m', '59m', '1h', '61m', '3h', '1d', '25h', '7d')
      return { texts: [cron, duration, pick(fc.constantFrom, ...zones)] as const, nowMs: instant(pick) }
    })
    fc.assert(
      fc.property(cases, ({ texts, nowMs }) => {
        expect(isWithin(spanOf(...texts), nowMs)).toBe(isWithinSpan(texts, nowMs))
      }),
      { numRuns: Math.ceil(Number(process.env.CLAVIGER_CASES ?? 2000) / 4) },
    )
  })

  test('or not, independent of earlier questions', () => {
    const texts = ['0 0-6 * * *', '30m', 'Europe/Berlin'] as const
    const span = spanOf(...texts)
    // Weeks, hours and years apart, in any order.
    const nowsMs = fc.gen().map((pick: Pick) => Array.from({ length: 5 }, () => instant(pick)))
    fc.assert(
      fc.property(nowsMs, (asked) => {
        for (const nowMs of asked) expect(isWithin(span, nowMs)).toBe(isWithinSpan(texts, nowMs))
      }),
      { numRuns: 200 },
    )
  })
})
