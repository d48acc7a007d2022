import { expect, test } from 'vitest'
import { parse } from '../reading/parse.ts'
import { check } from './check.ts'

function problemsOf(text: string, kind: 'condition' | 'consensus' = 'condition'): readonly string[] {
  return check(parse(text), kind, text).neverEqual.map(({ offset, message }) => `${offset + 1}: ${message}`)
}

test.each([
  // Another length.
  ['eth.tx.data[34..74] == eth.tx.from', 24],
  ['eth.tx.from != eth.tx.data[34..74]', 16],
  ['eth.tx.from in [eth.tx.data[34..74], eth.tx.data[98..138]]', 16],
  ['[eth.tx.data[34..74]].contains(eth.tx.from)', 1],
  ['eth.tx.to[0..8] == eth.tx.data[0..10]', 20],
  ['[eth.tx.from].any(x, x == eth.tx.function_signature)', 27],
  ['wallet.id == wallet_account.public_key', 14],
  ['solana.tx.account_keys[0] == eth.tx.function_signature', 30],
  // Another beginning.
  ['eth.tx.data == wallet_account.public_key', 16],
  ['tron.tx.data == eth.tx.data', 17],
  ['bitcoin.tx.outputs[0].address == tron.tx.contract[0].to_address', 34],
  // Other words.
  ['eth.tx.type == activity.action', 16],
  // Ids of other kinds of records.
  ['activity.params.user_ids.contains(wallet.id)', 1],
  ['activity.params.user_id == activity.params.api_key_ids[0]', 28],
])('two fields that never have the same text are refused: %s', (text, column) => {
  expect(problemsOf(text).filter((one) => one.includes('never have the same text'))).toEqual([
    expect.stringMatching(new RegExp(`^${column}: .* and .* never have the same text$`)),
  ])
})

test.each([
  'eth.tx.data[34..74] == eth.tx.from[2..42]',
  'eth.tx.to == eth.tx.from',
  'eth.tx.to == wallet_account.address',
  "eth.tx.contract_call_args['to'] == eth.tx.from",
  'eth.tx.data[0..10] == eth.tx.function_signature',
  'eth.tx.from in [eth.tx.to, eth.tx.data[34..74]]',
  'solana.tx.transfers.any(t, t.from == solana.tx.account_keys[0])',
  'solana.tx.transfers.any(t, t.from == t.to)',
  'solana.tx.account_keys.contains(wallet_account.address)',
  'tron.tx.contract.all(c, c.owner_address == wallet_account.address)',
  'bitcoin.tx.outputs.all(o, o.address == wallet_account.address)',
  'bitcoin.tx.outputs.any(o, o.address == bitcoin.tx.outputs[0].address_type)',
  'eth.tx.data[0..eth.tx.gas] == eth.tx.from',
  'wallet_account.public_key[0..4] == eth.tx.data[2..6]',
  'activity.params.wallet_id == wallet.id',
  'wallet.id[0..8] == activity.params.user_id[0..8]',
  'activity.params.user_ids.contains(activity.params.user_id)',
  'wallet.label == private_key.label',
  // A key of Solana equals its bytes in hex.
  'solana.tx.account_keys[0] == wallet_account.public_key',
  'wallet_account.public_key in solana.tx.program_keys',
  'solana.tx.instructions.any(i, i.instruction_data_hex[8..72] == solana.tx.account_keys[0])',
])('two fields that may have the same text are not: %s', (text) => {
  expect(problemsOf(text).filter((one) => one.includes('never have the same text'))).toEqual([])
})

test('those of a consensus', () => {
  expect(problemsOf('approvers.any(a, credentials.any(c, c.user_id == a.id))', 'consensus')).toEqual([])
  expect(problemsOf('approvers.any(a, credentials.any(c, c.type == a.id))', 'consensus')).toHaveLength(1)
  expect(problemsOf('approvers.any(a, a.tags.contains(a.id))', 'consensus')).toHaveLength(1)
  expect(problemsOf('approvers.any(a, credentials.any(c, c.id == a.id))', 'consensus')).toHaveLength(1)
})
