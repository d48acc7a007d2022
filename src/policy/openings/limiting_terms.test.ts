import { expect, test } from 'vitest'
import { parse } from '../language/reading/parse.ts'
import { unnamedValues } from './limiting_terms.ts'
import type { Term } from './trials/terms.ts'

const values = ['\0', 'text']
const termOf = (name: string): Term => ({ name, part: parse('wallet.label'), type: { kind: 'string' }, values })

test.each([
  'wallet.label',
  'wallet.tags: t',
  "wallet.tags['a[0'][1]",
  "wallets.filter(w, w.label == 'a]b')[0].label",
  "eth.tx.contract_call_args['to']",
])('%s names something', (name) => {
  expect(unnamedValues(termOf(name))).toEqual(['\0'])
})

test.each(['eth.tx.type', 'tron.tx.data', 'tron.tx.contract[0].owner.keys[0].address', "wallet['label'].x", 'label[0'])(
  '%s names nothing',
  (name) => {
    expect(unnamedValues(termOf(name))).toEqual(values)
  },
)

/** Read anew at each character of the text, half a million took minutes. */
test.each(['[', '[]', 'a', 'outputs ', 'keys '])('a text of %s in a term is read once', (part) => {
  const term = termOf(`wallets.filter(w, w.id == '${part.repeat(500_000 / part.length)}').count()`)
  expect(unnamedValues(term)).toEqual(values)
})
