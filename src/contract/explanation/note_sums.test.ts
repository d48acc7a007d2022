import { expect, test } from 'vitest'
import type { Note } from './explanation.ts'
import { together } from './note_sums.ts'
import { address, note, noteOf, number } from './shown_values.ts'
import { amountOf, sol, tokenAmount } from './signing/shared/coins.ts'

const [ada, bob] = [address('ada'), address('bob')]

test('what one gets of one coin or token is an exact sum, and others stay apart', () => {
  const sums = together([
    noteOf('goesTo', amountOf(1_500_000_000n, sol), ada),
    noteOf('goesTo', tokenAmount(2n ** 256n - 1n, 'T'), ada),
    noteOf('goesTo', amountOf(2_500_000_001n, sol), ada),
    noteOf('goesTo', amountOf(1n, sol), bob),
    noteOf('goesTo', tokenAmount(2n ** 256n - 1n, 'T'), ada),
    noteOf('goesTo', tokenAmount(5n, 'U'), ada),
  ])
  expect(sums).toEqual([
    noteOf('goesTo', amountOf(4_000_000_001n, sol), ada),
    noteOf('goesTo', tokenAmount(2n ** 257n - 2n, 'T'), ada),
    noteOf('goesTo', amountOf(1n, sol), bob),
    noteOf('goesTo', tokenAmount(5n, 'U'), ada),
  ])
})

test.each(['makesDebt', 'paysDebt'] as const)('debts add up by who owes what (%s)', (debt) => {
  const some = (amount: bigint) => noteOf(debt, tokenAmount(amount, 'T'), ada)
  expect(together(Array.from({ length: 10 }, () => some(100n)))).toEqual([some(1000n)])
  expect(together([some(100n), some(200n), noteOf(debt, tokenAmount(5n, 'T'), bob), some(300n)])).toEqual([
    some(600n),
    noteOf(debt, tokenAmount(5n, 'T'), bob),
  ])
  const all = noteOf(debt, noteOf('allTokens', address('T')), ada)
  expect(together([all, some(1n), all])).toEqual([noteOf('severalTimes', number(2), all), some(1n)])
})

test('sums of sums are those of all, in any order', () => {
  const all: Note[] = [
    ...Array.from({ length: 3 }, () => noteOf('makesTokens', tokenAmount(7n, 'T'), ada)),
    ...Array.from({ length: 4 }, () => noteOf('letsSpend', tokenAmount(7n, 'T'), ada)),
  ]
  const expected = together(all)
  expect(expected.map(({ code }) => code)).toEqual(['makesTokens', 'severalTimes'])
  expect(together([...together(all.slice(0, 5)), ...all.slice(5)])).toEqual(expected)
  expect(together([...together(all.slice(0, 5)), ...together(all.slice(5))])).toEqual(expected)
})

test('what has no sum says how often it happens, and a fact holds once', () => {
  const unnamed = { kind: 'amount', smallest: '5' } as const
  const token = noteOf('singleTokens', number(1), number(7), bob)
  const gets = noteOf('goesTo', token, ada)
  const lets = noteOf('letsSpend', tokenAmount(5n, 'T'), ada)
  expect(
    together([gets, gets, lets, noteOf('goesTo', unnamed, ada), lets, gets, noteOf('goesTo', unnamed, ada)]),
  ).toEqual([
    noteOf('severalTimes', number(3), gets),
    noteOf('severalTimes', number(2), lets),
    noteOf('severalTimes', number(2), noteOf('goesTo', unnamed, ada)),
  ])
  const facts = [note('unlimited'), noteOf('changesControl', ada, bob)]
  expect(together([...facts, ...facts])).toEqual(facts)
})
