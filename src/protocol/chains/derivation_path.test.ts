import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type DerivationPath, isHardenedOnly, parsePath, pathIndexMax, pathStepsMax } from './derivation_path.ts'

const hardened = (index: number) => ({ index, hardened: true })
const normal = (index: number) => ({ index, hardened: false })

test.each([
  ['m', []],
  ["m/44'", [hardened(44)]],
  ["m/44'/60'/0'/0/0", [hardened(44), hardened(60), hardened(0), normal(0), normal(0)]],
  ['m/2147483647', [normal(pathIndexMax)]],
  ["m/2147483647'", [hardened(pathIndexMax)]],
  [`m${'/1'.repeat(pathStepsMax)}`, new Array(pathStepsMax).fill(normal(1))],
])('%s is a path', (text, path) => {
  expect(parsePath(text)).toEqual(path)
})

test.each([
  [''],
  ['M'],
  ['M/0'],
  ['/'],
  ['m/'],
  ['m//0'],
  ['m/0/'],
  ['/0'],
  ['0'],
  ["44'/60'"],
  ['m/00'],
  ["m/044'"],
  ['m/+1'],
  ['m/-1'],
  ['m/1.0'],
  ['m/1e3'],
  ['m/0x1'],
  ['m/44h'],
  ['m/44H'],
  ["m/44''"],
  ["m/'"],
  ['m/44’'],
  ['m/ 0'],
  ['m/0 '],
  ['m/0\n'],
  ['m/2147483648'],
  ["m/2147483648'"],
  ['m/4294967296'],
  ['m/99999999999'],
  ['m/٣'],
  [`m${'/1'.repeat(pathStepsMax + 1)}`],
  [`m${'/1'.repeat(100_000)}`],
])('%j is not a path', (text) => {
  expect(parsePath(text)).toBeUndefined()
})

const format = (path: DerivationPath) =>
  ['m', ...path.map((step) => `${step.index}${step.hardened ? "'" : ''}`)].join('/')
const step = fc.record({ index: fc.integer({ min: 0, max: pathIndexMax }), hardened: fc.boolean() })

test('every path is read back as it was written', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: pathStepsMax }), (path) => {
      expect(parsePath(format(path))).toEqual(path)
    }),
  )
})

test('each path has one spelling, and no text throws', () => {
  const pathLike = fc.string({ unit: fc.constantFrom('m', '/', "'", '0', '1', '9', 'h'), maxLength: 24 })
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        pathLike,
        pathLike.map((tail) => `m/${tail}`),
      ),
      (text) => {
        const path = parsePath(text)
        if (path !== undefined) expect(format(path)).toBe(text)
      },
    ),
    { numRuns: 1000 },
  )
})

test.each([
  ['m', true],
  ["m/44'/501'/0'/0'", true],
  ["m/44'/501'/0'/0", false],
  ["m/44/501'/0'/0'", false],
])('%s has hardened steps only: %s', (text, expected) => {
  expect(isHardenedOnly(parsePath(text) ?? [])).toBe(expected)
})
