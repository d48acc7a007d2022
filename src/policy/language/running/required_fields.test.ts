import { expect, test } from 'vitest'
import type { Struct } from '../expression_values.ts'
import { parse } from '../reading/parse.ts'
import { fieldsToGuard, lacksField, requiredFields } from './required_fields.ts'

const pathsIn = (text: string) => requiredFields(parse(text)).map((path) => path.join('.'))

test.each([
  ["eth.tx.to == '0x' && wallet.id != 'a'", ['eth.tx.to', 'wallet.id']],
  ['!(eth.tx.value > 1) || eth.tx.gas in [1, eth.tx.nonce]', ['eth.tx.value', 'eth.tx.gas', 'eth.tx.nonce']],
  ["eth.tx.contract_call_args['amount'] < 5", ['eth.tx.contract_call_args']],
  ["eth.tx.data[0..eth.tx.gas] == '0x'", ['eth.tx.data', 'eth.tx.gas']],
  ['approvers.count() + credentials.count() >= 2', ['approvers', 'credentials']],
  ["approvers.filter(user, user.id == eth.tx.to).count() > 0 && wallet.id == 'a'", ['approvers', 'wallet.id']],
  ["solana.tx.transfers[0].to == 'a'", ['solana.tx.transfers']],
  ["spent('eth.tx.value', '1h') < 1", []],
  ["'a' == 'b'", []],
])('what %s reads whatever the rest comes to', (text, paths) => {
  expect(pathsIn(text)).toEqual(paths)
})

test.each([
  ["eth.tx.to == '0x' && wallet.id != 'a'", ['eth.tx.to', 'wallet.id']],
  ["eth.tx.to == '0x' || wallet.id != 'a'", []],
  ["!(eth.tx.to == '0x' && wallet.id != 'a')", []],
  ["!(eth.tx.to == '0x' || wallet.id != 'a')", ['eth.tx.to', 'wallet.id']],
  [
    "!(eth.tx.to == '0x' || !(wallet.imported && wallet.exported))",
    ['eth.tx.to', 'wallet.imported', 'wallet.exported'],
  ],
  ["(eth.tx.to == '0x' || wallet.imported) && wallet.exported", ['wallet.exported']],
  ['(wallet.imported && wallet.exported) == false', []],
  ['eth.tx.to in [wallet.id, wallet.label]', ['eth.tx.to']],
  ['!solana.tx.transfers.any(t, t.to == wallet.id)', ['solana.tx.transfers']],
])('without what %s is never true in a rule that guards', (text, paths) => {
  expect(fieldsToGuard(parse(text), 'true').map((path) => path.join('.'))).toEqual(paths)
})

test.each<[string, Struct, boolean]>([
  ['all of it is there', { eth: { tx: { to: '0x', data: '' } } }, false],
  ['a keyword is missing', { wallet: { id: 'a' } }, true],
  ['a field is missing', { eth: { tx: { to: '0x' } } }, true],
  ['a field is undefined', { eth: { tx: { to: '0x', data: undefined } } }, true],
  ['a struct is undefined', { eth: undefined }, true],
  ['a field of what is no struct', { eth: { tx: 'to' } }, true],
  ['a field of a list', { eth: { tx: [{ to: '0x', data: '' }] } }, true],
])('%s', (_, keywords, lacks) => {
  expect(lacksField(keywords, requiredFields(parse('eth.tx.to == eth.tx.data')))).toBe(lacks)
})

test('an inherited member is no field', () => {
  expect(lacksField({ eth: {} }, [['eth', 'constructor']])).toBe(true)
  expect(lacksField({}, [['toString']])).toBe(true)
  expect(lacksField({}, [])).toBe(false)
})
