import fc from 'fast-check'
import { expect, test } from 'vitest'
import { rulesIn, textOf } from './rules_text.ts'

const word = fc.stringMatching(/^[!-~]{1,12}$/)
const rule = fc.record(
  { cidr: word, label: fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(' ')) },
  { requiredKeys: ['cidr'] },
)

test('rules come back from their text', () => {
  fc.assert(
    fc.property(fc.array(rule), (rules) => {
      expect(rulesIn(textOf(rules))).toEqual(rules)
    }),
  )
})

test('any text is read to rules with a range', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(rulesIn(text).every(({ cidr }) => cidr !== '')).toBe(true)
    }),
  )
})
