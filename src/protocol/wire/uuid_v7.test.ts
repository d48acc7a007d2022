import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isUuid } from './identifiers.ts'
import { uuidV7Generator } from './uuid_v7.ts'

describe('uuidV7Generator', () => {
  const ones = (size: number) => new Uint8Array(size).fill(0xff)
  const zeros = (size: number) => new Uint8Array(size)

  test('lays the bits out as RFC 9562, 5.7 says', () => {
    // The time of RFC 9562, A.6.
    expect(uuidV7Generator({ nowMs: () => 0x017f22e279b0, randomBytes: zeros })()).toBe(
      '017f22e2-79b0-7000-8000-000000000000',
    )
    expect(uuidV7Generator({ nowMs: () => 0x017f22e279b0, randomBytes: ones })()).toBe(
      '017f22e2-79b0-7000-bfff-ffffffffffff',
    )
    expect(uuidV7Generator({ nowMs: () => 1, randomBytes: ones })()).toBe('00000000-0001-7000-bfff-ffffffffffff')
    expect(uuidV7Generator({ nowMs: () => 2 ** 48 - 1, randomBytes: zeros })()).toBe(
      'ffffffff-ffff-7000-8000-000000000000',
    )
  })

  test('the counter follows the milliseconds and starts anew with them', () => {
    const times = [5, 5, 5, 6]
    const next = uuidV7Generator({ nowMs: () => times.shift() ?? 0, randomBytes: zeros })
    expect([next(), next(), next(), next()].map((id) => id.slice(9, 18))).toStrictEqual([
      '0005-7000',
      '0005-7001',
      '0005-7002',
      '0006-7000',
    ])
  })

  test('when the counter runs over, the next millisecond is borrowed, and the clock catches up without a repeat', () => {
    let nowMs = 5
    const next = uuidV7Generator({ nowMs: () => nowMs, randomBytes: zeros })
    const ids = Array.from({ length: 4_097 }, () => next())
    expect(ids.slice(4_095).map((id) => id.slice(9, 18))).toStrictEqual(['0005-7fff', '0006-7000'])
    nowMs = 6
    expect(next().slice(9, 18)).toBe('0006-7001')
    nowMs = 7
    expect(next().slice(9, 18)).toBe('0007-7000')
  })

  test('ids grow strictly as text whether the clock runs, stands still or goes back', () => {
    const steps = fc.array(fc.tuple(fc.integer({ min: -100_000, max: 1_000 }), fc.integer({ min: 1, max: 50 })))
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 47 }), steps, (start, path) => {
        let nowMs = start
        const next = uuidV7Generator({ nowMs: () => nowMs, randomBytes })
        let last = ''
        for (const [stepMs, count] of path) {
          nowMs = Math.max(0, nowMs + stepMs)
          for (let made = 0; made < count; made += 1) {
            const id = next()
            expect(isUuid(id) && id[14] === '7' && '89ab'.includes(id.charAt(19))).toBe(true)
            expect(id > last).toBe(true)
            last = id
          }
        }
      }),
    )
  })

  test('a hundred thousand ids of a clock that jumps about are strictly growing, so no two are alike', () => {
    const jumps = [0, 0, 1, -86_400_000, 0, 86_400_001, -1, 0]
    let nowMs = Date.UTC(2026, 0, 1)
    let made = 0
    const next = uuidV7Generator({
      nowMs: () => {
        if (made % 97 === 0) nowMs += jumps[(made / 97) % jumps.length] ?? 0
        return nowMs
      },
      randomBytes,
    })
    const ids = Array.from({ length: 100_000 }, () => {
      made += 1
      return next()
    })
    expect(ids.every((id, at) => at === 0 || id > (ids[at - 1] ?? ''))).toBe(true)
    expect(ids.every((id) => /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id))).toBe(
      true,
    )
    expect(new Set(ids).size).toBe(100_000)
  })

  test('two generators at one time make different ids', () => {
    const [left, right] = [1, 2].map(() => uuidV7Generator({ nowMs: () => 5, randomBytes }))
    expect(left?.()).not.toBe(right?.())
  })

  test.each([
    [{ nowMs: () => 1.5, randomBytes: zeros }, 'whole milliseconds'],
    [{ nowMs: () => Number.NaN, randomBytes: zeros }, 'whole milliseconds'],
    [{ nowMs: () => 2 ** 48, randomBytes: zeros }, '48 bits'],
    [{ nowMs: () => 1, randomBytes: () => new Uint8Array(7) }, 'eight random bytes'],
  ])('a clock or randomness that is none is a bug: %#', (given, message) => {
    expect(uuidV7Generator(given)).toThrow(message)
  })
})
