import { describe, expect, test } from 'vitest'
import { realRequests } from '../../../../test/support/signing_facts.ts'
import { check } from '../checking/check.ts'
import { valueAt } from '../expression_values.ts'
import { type WordField, wordFields } from '../names/activity_forms.ts'
import { parse } from '../reading/parse.ts'
import { wordsNeverTogether } from './words_together.ts'

const id = '9a3c8c1e-6f0e-4a52-8f1b-2b7d1c0a9e44'

function problemsOf(text: string): readonly string[] {
  return check(parse(text), 'condition', text).neverEqual.map(({ offset, message }) => `${offset + 1}: ${message}`)
}

describe('words that no activity has together are named', () => {
  const signs = "; with activity.action == 'SIGN', activity.resource is PRIVATE_KEY"
  const spark =
    "only SPARK_PREPARE_LIGHTNING_RECEIVE has both activity.resource == 'WALLET' and activity.action == 'SIGN', and is named by its kind"
  const apart = (one: string, other: string, hint = '') => `no request has both ${one} and ${other}${hint}`
  const kinds = 'SIGN_RAW_PAYLOAD, SIGN_RAW_PAYLOADS, SIGN_TRANSACTION, EXPORT_WALLET, EXPORT_WALLET_ACCOUNT'
  test.each([
    ["activity.resource == 'WALLET' && activity.action == 'SIGN'", 53, `${spark}${signs}`],
    [
      "spent('eth.tx.value', '24h') > 100 && activity.kind == 'CREATE_USERS'",
      56,
      apart(
        "spent('eth.tx.value', '24h')",
        "activity.kind == 'CREATE_USERS'",
        "; with spent('eth.tx.value', '24h'), activity.kind is SIGN_TRANSACTION",
      ),
    ],
    [
      "eth.tx.value > 5 && ('SIGN' == activity.action && activity.resource == 'WALLET')",
      72,
      apart('eth.tx.value', "activity.resource == 'WALLET'", '; with eth.tx.value, activity.resource is PRIVATE_KEY'),
    ],
    [
      "activity.kind in ['CREATE_WALLET', 'UPDATE_USER'] && activity.resource == 'WALLET' && activity.action == 'UPDATE'",
      106,
      "no request has activity.action == 'UPDATE' with what is beside it",
    ],
    ["activity.resource == 'WALLET' && activity.action in ['EXPORT', 'SIGN']", 64, `${spark}${signs}`],
    [
      "activity.resource == 'WALLET' && (activity.action == 'EXPORT' || activity.action == 'SIGN')",
      85,
      `${spark}${signs}`,
    ],
    [
      "activity.resource == 'WALLET' && (activity.action == 'SIGN' || wallet.id == wallet.label)",
      54,
      `${spark}${signs}`,
    ],
    [
      "!(activity.kind == 'SIGN_TRANSACTION' && ['WALLET'].contains(activity.resource))",
      43,
      apart(
        "activity.kind == 'SIGN_TRANSACTION'",
        "activity.resource == 'WALLET'",
        "; with activity.kind == 'SIGN_TRANSACTION', activity.resource is PRIVATE_KEY",
      ),
    ],
    [
      "activity.kind == 'SIGN_TRANSACTION' && activity.action == 'CREATE'",
      59,
      apart(
        "activity.kind == 'SIGN_TRANSACTION'",
        "activity.action == 'CREATE'",
        "; with activity.kind == 'SIGN_TRANSACTION', activity.action is SIGN",
      ),
    ],
    [
      "activity.type == 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2' && activity.kind == 'SIGN_RAW_PAYLOAD'",
      74,
      apart(
        "activity.type == 'ACTIVITY_TYPE_SIGN_TRANSACTION'",
        "activity.kind == 'SIGN_RAW_PAYLOAD'",
        "; with activity.kind == 'SIGN_RAW_PAYLOAD', activity.type is ACTIVITY_TYPE_SIGN_RAW_PAYLOAD",
      ),
    ],
    [
      "activity.params.type == 'TRANSACTION_TYPE_SOLANA' && eth.tx.value > 5",
      25,
      apart(
        'eth.tx.value',
        "activity.params.type == 'TRANSACTION_TYPE_SOLANA'",
        '; with eth.tx.value, activity.params.type is TRANSACTION_TYPE_ETHEREUM',
      ),
    ],
    [
      "activity.params.encoding == 'PAYLOAD_ENCODING_HEXADECIMAL' && eth.eip_712.primary_type == 'X'",
      29,
      apart(
        'eth.eip_712.primary_type',
        "activity.params.encoding == 'PAYLOAD_ENCODING_HEXADECIMAL'",
        '; with eth.eip_712.primary_type, activity.params.encoding is PAYLOAD_ENCODING_EIP712',
      ),
    ],
    [
      `activity.kind == 'CREATE_POLICY' && wallet.id == '${id}'`,
      18,
      apart('wallet.id', "activity.kind == 'CREATE_POLICY'", `; with wallet.id, activity.kind is ${kinds}`),
    ],
    [
      `activity.kind == 'CREATE_POLICY' && (wallet.id == '${id}' || true)`,
      38,
      apart("activity.kind == 'CREATE_POLICY'", 'wallet.id', `; with wallet.id, activity.kind is ${kinds}`),
    ],
    [
      `activity.kind == 'DELETE_WALLETS' && wallet.id == '${id}'`,
      18,
      apart('wallet.id', "activity.kind == 'DELETE_WALLETS'", `; with wallet.id, activity.kind is ${kinds}`),
    ],
    [
      "activity.action == 'SIGN' && activity.action == 'EXPORT'",
      49,
      apart("activity.action == 'SIGN'", "activity.action == 'EXPORT'"),
    ],
    [
      "activity.kind in ['SIGN_TRANSACTION', 'ETH_SEND_TRANSACTION'] && activity.action == 'CREATE'",
      19,
      apart(
        "activity.action == 'CREATE'",
        "activity.kind == 'SIGN_TRANSACTION'",
        "; with activity.kind == 'SIGN_TRANSACTION', activity.action is SIGN",
      ),
    ],
    [
      "activity.resource in ['WALLET', 'USER'] && activity.action == 'UPDATE' && activity.kind == 'UPDATE_WALLET'",
      33,
      apart(
        "activity.kind == 'UPDATE_WALLET'",
        "activity.resource == 'USER'",
        "; with activity.kind == 'UPDATE_WALLET', activity.resource is WALLET",
      ),
    ],
  ])('%s', (text, column, reason) => {
    expect(problemsOf(text)).toEqual([`${column}: ${reason}`])
  })

  test.each([
    "activity.resource == 'PRIVATE_KEY' && activity.action == 'SIGN' && eth.tx.value > 5",
    "activity.resource in ['WALLET', 'PRIVATE_KEY'] && activity.action == 'SIGN'",
    "activity.resource in ['WALLET', 'PRIVATE_KEY'] && activity.action in ['SIGN', 'EXPORT', 'DELETE']",
    "activity.resource == 'WALLET' && activity.action == 'SIGN' && activity.kind == 'SPARK_PREPARE_LIGHTNING_RECEIVE'",
    "activity.resource == 'WALLET' && activity.action == 'SIGN' && activity.params.sign_with == ''",
    "activity.resource == 'WALLET' && activity.action == 'SIGN' && activity.kind == 'SPARK_SIGN_FROST'",
    "activity.resource == 'WALLET' && activity.action != 'SIGN'",
    "activity.resource == 'WALLET' || activity.action == 'SIGN'",
    "activity.resource == 'TVC_QUORUM_KEY' && activity.action == 'ENCRYPT'",
    "activity.resource == 'WALLET' && activity.action == 'ENCRYPT'",
    "activity.kind == 'ETH_SEND_TRANSACTION' && activity.action == 'UPDATE' && eth.tx.value > 5",
    "activity.type == 'ACTIVITY_TYPE_ETH_SEND_TRANSACTION' && wallet.label == 'a'",
    "activity.params.otp_length > 5 && activity.resource == 'OTP'",
    "activity.params.type == 'TRANSACTION_TYPE_TEMPO' && tempo.tx.nonce == 1",
    "activity.kind == '' && activity.resource == 'CREDENTIAL'",
    "activity.kind == '' && activity.resource == ''",
    "activity.kind == 'SIGN_TRANSACTION' && (eth.tx.value > 5 || 'a' in [eth.tx.to, wallet.label])",
  ])('other words are not: %s', (text) => {
    expect(problemsOf(text).filter((problem) => / has both | is beside it/.test(problem))).toEqual([])
  })

  test('a scope is asked about queries too', () => {
    const text = "activity.action == 'READ' && activity.resource == ''"
    expect(check(parse(text), 'condition', text, { isScope: true }).neverEqual).toEqual([])
  })
})

test('the words and fields of one real request may be written together', () => {
  for (const { facts } of realRequests) {
    const wordOf = (field: WordField) => valueAt(facts, field.split('.'))
    const words = wordFields.flatMap((field) => (wordOf(field) === undefined ? [] : [`${field} == '${wordOf(field)}'`]))
    expect(words.length).toBe(5)
    const keywords = Object.keys(facts).filter((name) => name !== 'activity' && name !== 'eth')
    const signed = ['tx', 'eip_712', 'eip_7702_authorization'].filter((name) => valueAt(facts, ['eth', name]))
    const reads = [...keywords, ...signed.map((name) => `eth.${name}`)].map((field) => `${field}.id == ${field}.id`)
    const text = [...words, ...reads].join(' && ')
    expect(wordsNeverTogether(parse(text)), text).toEqual([])
  }
})

test('a long condition is judged in a moment', () => {
  const all = (word: string) => Array.from({ length: 130 }, () => `activity.kind == '${word}'`)
  for (const text of [
    all('SIGN_TRANSACTION').join(' && '),
    `activity.action == 'SIGN' && (${all('SIGN_TRANSACTION').join(' || ')} || true)`,
    `activity.kind in [${Array.from({ length: 250 }, () => "'SIGN_TRANSACTION'").join(', ')}] && activity.action == 'SIGN'`,
  ]) {
    expect(wordsNeverTogether(parse(text))).toEqual([])
  }
})
