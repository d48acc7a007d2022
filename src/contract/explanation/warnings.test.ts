import { expect, test } from 'vitest'
import type { Note, Value } from './explanation.ts'
import { address, code, note, noteOf, number, wholeText } from './shown_values.ts'
import { amountOf, btc, sol, tokenAmount, trx, weiAmount } from './signing/shared/coins.ts'
import { shownWarnings, warned } from './warnings.ts'

const title = { code: 'signPayload', values: [] }
const goes = (amount: ReturnType<typeof amountOf>, to: string) => noteOf('goesTo', amount, address(to))

test('who gets control stands before a fee, and a fee before what is only unread', () => {
  const fee = noteOf('highFee', amountOf(5n, sol))
  const control = noteOf('changesControl', address('a'), address('b'))
  const spends = noteOf('letsSpend', tokenAmount(1n, 'c'), address('d'))
  const given = [note('cutText'), fee, spends, control]
  expect(warned(title, given).warnings).toEqual([control, spends, fee, note('cutText')])
})

test('of several in one unit the greatest comes first, whatever the order of the request', () => {
  const [little, much, most] = [1n, 100n, 2n ** 200n].map((amount) => goes(amountOf(amount, sol), String(amount)))
  const [few, many] = [3n, 4n].map((amount) => goes(tokenAmount(amount, 'c'), String(amount)))
  const other = goes(amountOf(7n, btc), 'e')
  const all = [little, few, other, much, many, most].filter((one) => one !== undefined)
  expect(warned(title, all).warnings).toEqual([many, few, most, much, little, other])
  expect(warned(warned(title, all.slice(0, 3)), all.slice(3)).warnings).toEqual([many, few, most, much, little, other])
})

test('what has no amount keeps its order', () => {
  const all = ['x', 'a', 'm'].map((name) => noteOf('allowsAll', wholeText(name)))
  expect(warned(title, all).warnings).toEqual(all)
  const inPayload = (amount: bigint) => noteOf('inPayload', number(1), number(2), goes(amountOf(amount, sol), 'a'))
  expect(warned(title, [inPayload(1n), inPayload(2n)]).warnings).toEqual([inPayload(2n), inPayload(1n)])
})

test('of what a Safe pays for its execution, the dearest comes first', () => {
  const refund = (price: bigint, least: bigint) =>
    noteOf('refundsFee', address('a'), amountOf(price, sol), amountOf(least, sol))
  const [little, much, dear] = [refund(1n, 10n), refund(1n, 10n ** 9n), refund(10n ** 6n, 0n)]
  expect(warned(title, [little, much, dear]).warnings).toEqual([dear, much, little])
})

test('an allowance without a bound comes before one as good as that, and both before amounts', () => {
  const lets = (allowed: Value) => noteOf('letsSpend', allowed, address('a'))
  const [some, single] = [lets(tokenAmount(1n, 'c')), lets(noteOf('singleTokens', number(1), number(5), address('d')))]
  const nearly = lets(noteOf('nearlyUnlimitedTokens', address('c')))
  const unlimited = ['c', 'd'].map((token) => lets(noteOf('unlimitedTokens', address(token))))
  const unbounded = [...unlimited, lets(code('everything')), lets(note('unreadable'))]
  expect(warned(title, [some, single, nearly, ...unbounded]).warnings).toEqual([...unbounded, nearly, some, single])
  const inPayload = (inner: Note) => noteOf('inPayload', number(1), number(2), inner)
  const [ofSome = note('hidden'), ofAll = note('hidden')] = [some, ...unlimited].map(inPayload)
  expect(warned(title, [ofSome, ofAll]).warnings).toEqual([ofAll, ofSome])
})

test('a gift of which only the chain says how much it is comes before amounts', () => {
  const [some, all] = [goes(amountOf(10n ** 12n, sol), 'a'), noteOf('goesTo', code('allLamports'), address('b'))]
  expect(warned(title, [some, all]).warnings).toEqual([all, some])
})

test.each(['makesDebt', 'paysDebt'] as const)('a debt without a bound comes before amounts (%s)', (debt) => {
  const some = noteOf(debt, tokenAmount(1n, 'c'), address('a'))
  const unbounded = [note('unreadable'), noteOf('allTokens', address('d'))].map((of) => noteOf(debt, of, address('b')))
  expect(warned(title, [some, ...unbounded]).warnings).toEqual([...unbounded, some])
})

test('of tokens with one number the most come first', () => {
  const gets = (count: number, id: number) =>
    noteOf('goesTo', noteOf('singleTokens', number(count), number(id), address('c')), address('a'))
  expect(warned(title, [gets(1, 5), gets(7, 6), gets(10 ** 9, 5)]).warnings).toEqual([
    gets(10 ** 9, 5),
    gets(1, 5),
    gets(7, 6),
  ])
})

test.each([
  ['SOL', (amount: bigint) => amountOf(amount, sol), 500_000n],
  ['BTC', (amount: bigint) => amountOf(amount, btc), 10_000n],
  ['TRX', (amount: bigint) => amountOf(amount, trx), 20_000_000n],
  ['ETH', (amount: bigint) => weiAmount(amount, 1n), 10n ** 15n],
  ['BNB', (amount: bigint) => weiAmount(amount, 56n), 5n * 10n ** 15n],
  ['the coin of an unknown chain', (amount: bigint) => weiAmount(amount, 12_345n), 10n ** 15n],
])('the greatest gift of %s is shown beside a worse warning, if it is more than a small fee', (_, amount, small) => {
  const worst = noteOf('goesTo', tokenAmount(1n, 'c'), address('a'))
  const shownBeside = (...notes: readonly Note[]) => shownWarnings(warned(title, [worst, ...notes])).slice(1)
  const [little, more, most] = [small, small + 1n, small + 2n].map((one, index) => goes(amount(one), String(index)))
  expect(shownBeside(...[little, more, most].filter((one) => one !== undefined))).toEqual([most])
  expect(shownBeside(goes(amount(small), 'a'))).toEqual([])
  const inPayload = noteOf('inPayload', number(1), number(2), goes(amount(small + 1n), 'a'))
  expect(shownBeside(inPayload)).toEqual([inPayload])
})

test('the greatest gifts of several coins, and of a coin to a script, are shown beside a worse warning', () => {
  const gifts = [
    ...[sol, btc, trx].map((coin) => goes(amountOf(10n ** 9n, coin), 'a')),
    noteOf('goesToScript', amountOf(10n ** 8n, btc), address('b')),
  ]
  const worst = noteOf('changesControl', address('a'), address('b'))
  expect(shownWarnings(warned(title, [...gifts, worst]))).toEqual([worst, ...gifts])
  const own = noteOf('toOwn', goes(amountOf(10n ** 12n, sol), 'a'))
  expect(shownWarnings(warned(title, [own, worst]))).toEqual([worst])
})

test('when and on which chains a signature holds stands behind a worse warning, and hides none', () => {
  const worst = noteOf('changesControl', address('a'), address('b'))
  for (const code of ['untilNonceAdvances', 'everyChain', 'noChain'] as const) {
    expect(shownWarnings(warned(title, [note(code), noteOf('unreadBytes', number(1)), worst]))).toEqual([
      worst,
      note(code),
    ])
    for (const weak of ['unreadBytes', 'otherNames', 'notSigned', 'unknownDocument', 'onlyInterface'] as const)
      expect(shownWarnings(warned(title, [note(code), note(weak)]))).toEqual([note(weak), note(code)])
  }
})
