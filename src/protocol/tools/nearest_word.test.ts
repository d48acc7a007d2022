import { expect, test } from 'vitest'
import { nearestWord } from './nearest_word.ts'

test.each([
  ['wallet', ['users', 'wallets', 'walnut'], 'wallets'],
  ['same', ['some', 'same'], 'same'],
  ['createWallet', ['create_wallets', 'create_wallet'], 'create_wallet'],
  ['walet_', ['wallet'], 'wallet'],
  ['wlet__', ['wallet'], undefined],
  ['nope', ['whoami', 'vote'], 'vote'],
  ['nope', ['whoami'], undefined],
  ['', ['ab', 'abc'], undefined],
  ['word', [], undefined],
  ['a'.repeat(64), ['a'.repeat(65)], 'a'.repeat(65)],
  ['a'.repeat(65), ['a'.repeat(65)], undefined],
])('the nearest word of %s among %j is %s', (word, candidates, nearest) => {
  expect(nearestWord(word, candidates)).toBe(nearest)
})
