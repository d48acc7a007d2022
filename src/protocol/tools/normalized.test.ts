import { describe, expect, test } from 'vitest'
import { normalized } from './normalized.ts'

const forms = ['NFC', 'NFD', 'NFKC', 'NFKD'] as const

test.each(forms)('%s is that of the runtime for what people write, however long it is', (form) => {
  const texts = [
    'Zu\u0308rich \u212b \ufb01 ',
    '\u1100\u1161\u11a8',
    '\u0915\u093c\u094d\u0937',
    'e\u0301\u0323'.repeat(9),
    '\uff76\uff9e',
  ]
  for (const text of texts) expect(normalized(text.repeat(500), form)).toBe(text.repeat(500).normalize(form))
})

test.each(forms)('%s is that of the runtime for any short text, with however many marks', (form) => {
  const text = `a${'\u0300'.repeat(120)}${'\u0316'.repeat(120)}`
  expect(normalized(text, form)).toBe(text.normalize(form))
})

describe.each(forms)('%s takes a time that grows with the length', (form) => {
  /** Each pair of marks has an order, and stands in the other. U+0F73 has two marks in it. */
  test.each([
    ['two marks, one run of each', '\u0300', '\u0316'],
    ['marks that are letters before NFKD', '\uff9e', '\u0334'],
    ['marks of several marks', '\u0f73', '\u0344'],
  ])('%s', (_what, one, other) => {
    const text = `a${one.repeat(100_000)}${other.repeat(100_000)}${`${one}${other}`.repeat(100_000)}`
    const before = process.threadCpuUsage()
    const length = normalized(text, form).length
    const { user, system } = process.threadCpuUsage(before)
    expect(length).toBeGreaterThanOrEqual(300_000)
    // The runtime alone takes minutes.
    expect((user + system) / 1000).toBeLessThan(3_000)
  })
})

/** Those that are assigned and may have a mark in them. */
const left = /[^\p{Cn}\p{Co}\p{Cs}\p{Ideographic}\p{Script=Hangul}]/u

test('every character whose normal form begins with a mark that is sorted is among those that are cut', () => {
  const all = Array.from({ length: 0x110000 }, (_, code) => String.fromCodePoint(code)).filter((one) => left.test(one))
  // U+0345 stands behind all other marks, and U+0334 before them.
  const isSorted = (mark: string) => ['\u0345', mark].join('').normalize('NFD') !== `\u0345${mark}` || mark === '\u0345'
  const beginning = all.filter((one) => isSorted([...one.normalize('NFKD')][0] ?? ''))
  expect(beginning.length).toBeGreaterThan(900)
  expect(beginning.filter((one) => !/^[\p{M}\uff9e\uff9f]$/u.test(one))).toEqual([])
})
