import fc from 'fast-check'
import { expect, test } from 'vitest'
import { allBut, both, either, isNone, numbersAmong, numbersFrom, textsAmong, type Values } from './possible_values.ts'

const numbers = [-1n, 0n, 1n, 2n, 3n, 4n, 5n, 6n]
const texts = ['a', 'b', '0xab', '0xAB']
const end = fc.option(fc.constantFrom(...numbers), { nil: undefined })
const ofNumbers = fc.oneof(
  fc.array(fc.constantFrom(...numbers)).map(numbersAmong),
  fc
    .tuple(end, end)
    .map(([min, max]) =>
      min !== undefined && max !== undefined && min > max ? numbersAmong([]) : numbersFrom(min, max),
    ),
)
const ofTexts = fc
  .array(fc.constantFrom(...texts))
  .chain((some) => fc.constantFrom(textsAmong(some), allBut(textsAmong(some))))

/** One value at a time, as the sets are defined. */
const has = (values: Values, value: Values): boolean => !isNone(both(values, value))

test.each([
  ['numbers', ofNumbers, numbers.map((one) => numbersAmong([one]))],
  ['texts', ofTexts, texts.map((one) => textsAmong([one]))],
] as const)('of %s both, either and all but are those of sets', (_what, sets: fc.Arbitrary<Values>, single) => {
  fc.assert(
    fc.property(fc.array(sets, { minLength: 1, maxLength: 4 }), (given) => {
      const [met, joined] = [given.reduce(both), given.reduce(either)]
      for (const value of single) {
        const inEach = given.map((one) => has(one, value))
        expect(has(met, value)).toBe(inEach.every(Boolean))
        expect(has(joined, value)).toBe(inEach.some(Boolean))
        expect(has(allBut(met), value)).toBe(!inEach.every(Boolean))
      }
    }),
  )
})

test.each([
  ['spans that touch', [numbersFrom(undefined, 2n), numbersFrom(2n, undefined)], 2n, true],
  ['spans side by side', [numbersFrom(undefined, 1n), numbersFrom(2n, undefined)], 2n, false],
])('%s', (_what, given, value, isAmong) => {
  expect(has(given.reduce(both), numbersAmong([value]))).toBe(isAmong)
})
