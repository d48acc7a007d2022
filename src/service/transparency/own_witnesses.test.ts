import { expect, test } from 'vitest'
import { logKey, vkey } from '../../../test/support/log_keys.ts'
import { textFile } from '../../../test/support/witness_command.ts'
import { SettingsError } from '../process/settings_error.ts'
import { readOwnWitnesses } from './own_witnesses.ts'

const log = `log ${vkey(logKey('keys.example/log', 'Ed25519', 1))}\n`
const [one, two, three] = [
  vkey(logKey('w.example', 'Ed25519 cosignature', 2)),
  vkey(logKey('w.example', 'ML-DSA-44 cosignature', 3)),
  vkey(logKey('v.example', 'Ed25519 cosignature', 4)),
]

test('witnesses of one address are one server, and the quorum is that of the policy', () => {
  const { witnesses, isQuorum } = readOwnWitnesses(
    textFile(
      `${log}witness a ${one} https://w.example/\nwitness b ${two} https://w.example\nwitness c ${three} http://127.0.0.1:1/p\ngroup g 2 a b c\nquorum g\n`,
    ),
  )
  expect(witnesses.map(({ url, names }) => [url, [...names.values()]])).toEqual([
    ['https://w.example', ['a', 'b']],
    ['http://127.0.0.1:1/p', ['c']],
  ])
  expect([['a'], ['a', 'c'], ['a', 'b']].map((names) => isQuorum(new Set(names)))).toEqual([false, true, true])
})

test.each([
  ['no address', `witness a ${one}\nquorum a\n`, 'the witness a needs the address'],
  ['plain HTTP elsewhere', `witness a ${one} http://w.example\nquorum a\n`, 'the witness a needs the address'],
  ['another scheme', `witness a ${one} ftp://w.example\nquorum a\n`, 'the witness a needs the address'],
  ['a password', `witness a ${one} https://u:p@w.example\nquorum a\n`, 'the witness a needs the address'],
  ['a quorum of nobody', `witness a ${one} https://w.example\nquorum none\n`, 'its quorum needs no witness'],
  ['no quorum', `witness a ${one} https://w.example\n`, 'there is no quorum'],
  ['a key that is none', 'witness a key https://w.example\nquorum a\n', 'line 1: a key is a name'],
])('a policy with %s is refused', (_name, text, reason) => {
  const read = () => readOwnWitnesses(textFile(text))
  expect(read).toThrow(SettingsError)
  expect(read).toThrow(reason)
})
