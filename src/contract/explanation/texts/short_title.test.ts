import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Note, Title, Value } from '../explanation.ts'
import { address, code, list, note, noteOf, number, shortName, wholeText } from '../shown_values.ts'
import { amountOf, sol, tokenAmount } from '../signing/shared/coins.ts'
import { warned } from '../warnings.ts'
import { titleLine } from './plain_lines.ts'
import { shortTitle } from './short_title.ts'

const ether = { unit: 'ETH', smallestUnit: 'wei', decimals: 18 }
const wei = (eth: bigint) => amountOf(eth * 10n ** 18n, ether)
const [safe, eve, token] = ['a1', 'ee', 'c3'].map((pair) => address(`0x${pair.repeat(20)}`)) as [Value, Value, Value]
const call: Title = { code: 'call', values: [shortName('executeBatch'), safe] }
const shortOf = (title: Title, notes: readonly Note[], charactersMax: number) =>
  shortTitle(warned(title, notes), charactersMax)

const isClosed = (text: string) =>
  text.split('“').length === text.split('”').length && text.split('\u2068').length === text.split('\u2069').length

test('a title that has room is that of the explanation', () => {
  const title = warned(call, [noteOf('changesControl', safe, eve), noteOf('highFee', wei(10n))])
  const line = titleLine(title)
  expect(shortTitle(title, [...line].length)).toBe(line)
})

test('texts, numbers, what repeats an amount and addresses are shortened in turn, those of the worst warning first', () => {
  const name = `Begin${'x'.repeat(70)}end`
  const title: Title = { code: 'callWithAmount', values: [shortName(name), safe, wei(5n)] }
  const notes = [noteOf('changesControl', safe, eve), noteOf('highFee', wei(10n))]
  const of = (charactersMax: number) => shortOf(title, notes, charactersMax)
  const [a1, ee] = ['a1', 'ee'].map((pair) => `0x${pair.repeat(20)}`)
  const warning = `WARNING: control of ${a1} goes to ${ee}; the fee is up to 10 ETH (10\u00a0000\u00a0000\u00a0000\u00a0000\u00a0000\u00a0000 wei). `
  expect(of(340)).toBe(
    `${warning}Call “Beginx${'x'.repeat(22)}”…“${'x'.repeat(25)}end” of ${a1} with 5 ETH (5\u00a0000\u00a0000\u00a0000\u00a0000\u00a0000\u00a0000 wei)`,
  )
  const [shortA1, shortEe] = ['0xa1a1a1a1…a1a1a1', '0xeeeeeeee…eeeeee']
  const texts = 'Call “Beginxxxxx”…“xxxxxxxend” of'
  expect(of(230)).toBe(`WARNING: control of ${a1} goes to ${ee}; the fee is up to 10 ETH. ${texts} ${a1} with 5 ETH`)
  expect(of(190)).toBe(
    `WARNING: control of ${shortA1} goes to ${shortEe}; the fee is up to 10 ETH. ${texts} ${a1} with 5 ETH`,
  )
  expect(of(150)).toBe(
    `WARNING: control of ${shortA1} goes to ${shortEe}; the fee is up to 10 ETH. ${texts} ${shortA1} with…`,
  )
})

test('a high fee and what a Safe pays stand beside the worst warning as long as they have room, and count as more if not', () => {
  const notes = [
    noteOf('changesControl', noteOf('itself', safe), eve),
    noteOf('highFee', wei(123_456n)),
    noteOf('refundsFee', eve, amountOf(10n ** 12n, ether), wei(10_000n)),
    note('noContract'),
  ]
  const worst = 'WARNING: control of 0xa1a1a1a1…a1a1a1 itself goes to 0xeeeeeeee…eeeeee; the fee is up to 123456 ETH'
  const refund =
    'for the execution, the Safe pays 0xeeeeeeee…eeeeee 0.000001 ETH for each gas, without a bound and at least'
  expect(shortOf(call, notes, 280)).toBe(
    `${worst}; ${refund} 10000 ETH, and 1 more. Call “executeBatch” of 0xa1a1a1a1…a1a1a1`,
  )
  expect(shortOf(call, notes, 240)).toMatch(
    /ETH; for the execution, the Safe pays .* ETH for .*…, and 1 more\. Call “e/,
  )
  expect(shortOf(call, notes, 150)).toBe(`${worst}, and 2 more. Call “executeBatch” of…`)
  expect(shortOf(call, notes, 100)).toMatch(
    /^WARNING: control of 0xa1a1a1a1…a1a1a1 itself goes to…, and 3 more\. Call “e/,
  )
})

test('an amount, an address and a number are there or not', () => {
  const amounts = fc.bigInt(0n, 10n ** 60n)
  fc.assert(
    fc.property(amounts, amounts, fc.integer({ min: 60, max: 300 }), (one, other, charactersMax) => {
      const notes = [
        noteOf('goesTo', tokenAmount(one, `0x${'c3'.repeat(20)}`), eve),
        noteOf('highFee', amountOf(other, sol)),
        noteOf('goesTo', noteOf('singleTokens', number(one), number(other), token), eve),
      ]
      const line = shortOf(call, notes, charactersMax)
      const whole = shortOf(call, notes, 5_000)
      const numbers = (text: string) => text.replaceAll(shortened, '').match(/[0-9][0-9.,\u00a0]*/g) ?? []
      const known = [...numbers(whole), '1', '2']
      for (const found of numbers(line)) expect(known).toContain(found)
      expect([...line].length).toBeLessThanOrEqual(charactersMax)
    }),
  )
})

/** A number of 30 digits or more, and an address. */
const shortened = /[0-9\u00a0]{10}…[0-9\u00a0]{6} \([0-9]+ digits\)[0-9.]*|0x[0-9a-f…]+/g

test('numbers lose their middle before anything else is cut, and say how many digits they have', () => {
  const most = number(2n ** 256n - 1n)
  const gets = noteOf('goesTo', noteOf('singleTokens', most, most, token), eve)
  const [c3, ee] = ['c3', 'ee'].map((pair) => `0x${pair.repeat(20)}`)
  const short = '1157920892…639935 (78 digits)'
  expect(shortOf(call, [gets], 300)).toBe(
    `WARNING: ${ee} gets ${short} of the token number ${short} of ${c3}. Call “executeBatch” of 0x${'a1'.repeat(20)}`,
  )
  // A text that somebody set is no number of ours.
  const named = { code: 'call', values: [shortName('1'.repeat(20)), most] }
  expect(shortTitle(named, 70)).toBe(`Call “${'1'.repeat(20)}” of ${short}`)
})

test('a long text leaves room for what stands behind it, and ends its quotes', () => {
  const opens = noteOf(
    'opens',
    wholeText(`Begin${'x'.repeat(190)}end`),
    list([code('policies'), code('newCredentials')]),
  )
  const title = { code: 'create_policy', values: [wholeText(`Begin${'x'.repeat(190)}end`), code('EFFECT_ALLOW')] }
  expect(shortOf(title, [opens], 250)).toMatch(
    /^WARNING: “Beginx+”…“x+end” opens policies, new credentials to every user\. Create policy: “Beginx+”…“x+end”, allows$/,
  )
  expect(shortTitle({ code: 'create_policy', values: [wholeText('Long name'), wholeText('next')] }, 24)).toBe(
    'Create policy: “Long ”…',
  )
  const hebrew = { code: 'create_policy', values: [wholeText('שלום עולם')] }
  expect(shortTitle(hebrew, 22)).toBe('Create policy: “\u2068של\u2069”…')
  const marked = { code: 'create_policy', values: [wholeText(`${'a'.repeat(90)}e\u0301${'a'.repeat(27)}`)] }
  expect(shortTitle(marked, 100)).toMatch(/^Create policy: “a{28}”…“a{27}” \[beware: /)
})

test('a warning that is too long is cut itself: how many more there are and how the sentence begins stay', () => {
  const users = Array.from({ length: 20 }, (_, index) => wholeText(`user number ${index}`))
  const joins = [noteOf('joinsQuorum', list(users)), noteOf('leavesQuorum', list(users))]
  const title = { code: 'changeRootQuorum', values: [number(2), number(3)] }
  const line = shortOf(title, [noteOf('fewerApprovals', number(2), number(3)), ...joins], 250)
  expect(line).toMatch(/^WARNING: fewer approvals decide about everything: 2 in place of 3; new in the root quorum, /)
  expect(line).toMatch(/…; no longer in the root quorum: “user number 0”, .*…\. Update root quorum: 2 of 3…$/)
  const limit = noteOf('beyondLimit', number(5000))
  expect(shortOf(call, [limit, note('cutText')], 100)).toMatch(/^WARNING: not read: more than.*…, and 1 more\. Call/)
})

test('whatever is shortened has room and its quotes closed', () => {
  const text = fc.string({ unit: 'binary', maxLength: 400 }).map(wholeText)
  fc.assert(
    fc.property(fc.array(text, { maxLength: 6 }), fc.array(text), fc.integer({ min: 1, max: 400 }), (set, of, most) => {
      const warnings = set.map((one) => noteOf('joinsQuorum', list([one, ...of])))
      const line = shortOf({ code: 'create_policy', values: of }, warnings, most)
      expect([...line].length).toBeLessThanOrEqual(most)
      expect(isClosed(line)).toBe(true)
    }),
  )
})
