import { expect, test } from 'vitest'
import { deeds, openedDeeds } from './opened_deeds.ts'
import { compileCondition } from './policy_expressions.ts'

const id = '00000000-0000-4000-8000-00000000000b'
const all = deeds
const others = (deed: string) => all.filter((one) => one !== deed)

test.each([
  ['true', all],
  ["activity.resource != 'OTP'", all],
  ["activity.type != 'ACTIVITY_TYPE_INIT_OTP'", all],
  ["activity.type != 'ACTIVITY_TYPE_CREATE_API_KEYS_V2'", all],
  ["activity.kind != 'CREATE_WALLET'", all],
  ["activity.resource != 'POLICY'", others('policies')],
  ["activity.action in ['CREATE', 'UPDATE', 'DELETE', 'SIGN', 'EXPORT', 'IMPORT']", all],
  ["!(activity.resource == 'OTP' || activity.resource == 'AUTH')", all],
  ["activity.resource[0..3] != 'OTP'", all],
  ["activity.resource[0..3] == 'CRE'", ['credentials']],
  ["['CREDENTIAL'].any(word, word == activity.resource)", ['credentials']],
  ["activity.resource == 'CREDENTIAL'", ['credentials']],
  ["activity.type == 'ACTIVITY_TYPE_CREATE_API_KEYS_V2'", ['credentials']],
  [`activity.params.user_id == '${id}'`, ['credentials']],
  [`activity.params.user_id != '${id}'`, ['credentials']],
  ["activity.resource == 'ORGANIZATION' && activity.action != 'CREATE'", ['organizationSettings']],
  ["activity.action == 'EXPORT'", ['keyExports']],
  [`wallet.id != '${id}'`, ['keyExports', 'signatures']],
  [`activity.action == 'EXPORT' && wallet.id != '${id}'`, ['keyExports']],
  ["activity.action == 'EXPORT' && wallet.imported", ['keyExports']],
  [`activity.action == 'EXPORT' && wallet.id == '${id}'`, []],
  [`private_key.tags.contains('${id}') && activity.action == 'EXPORT'`, []],
  [`activity.action == 'DELETE' && wallets.any(w, w.id != '${id}')`, ['keyDeletions']],
  [`activity.action == 'DELETE' && wallets.all(w, w.id == '${id}') && wallets.count() == 1`, []],
  ["activity.action == 'SIGN'", ['signatures']],
  [`activity.action == 'SIGN' && wallet.id == '${id}'`, []],
  ["activity.params.type == 'TRANSACTION_TYPE_ETHEREUM'", ['signatures']],
  ["activity.params.hash_function == 'HASH_FUNCTION_SHA256'", ['signatures']],
  [`eth.tx.to == '0x${'aa'.repeat(20)}'`, []],
  [`eth.tx.to != '0x${'aa'.repeat(20)}'`, ['signatures']],
  ['eth.tx.value < 1000', []],
  [`eth.tx.value < 1${'0'.repeat(40)}`, ['signatures']],
  [`eth.tx.value < 1${'0'.repeat(26)}`, []],
  [`eth.tx.value <= 5 || eth.tx.value <= ${2n ** 128n}`, ['signatures']],
  [`spent('eth.tx.value', '24h') + eth.tx.value < 1${'0'.repeat(40)}`, ['signatures']],
  [`eth.tx.contract_call_args['amount'] < ${2n ** 128n}`, []],
  [`eth.tx.contract_call_args['amount'] <= ${2n ** 128n}`, ['signatures']],
  [`bitcoin.tx.outputs.all(output, output.value < ${10n ** 16n})`, ['signatures']],
  [`bitcoin.tx.outputs.all(output, output.value < ${10n ** 15n})`, []],
  [`solana.tx.transfers.all(one, one.amount < ${10n ** 19n})`, ['signatures']],
  [`solana.tx.transfers.all(one, one.amount < ${10n ** 9n})`, []],
  [`solana.tx.spl_transfers.all(one, one.amount < ${2n ** 64n})`, ['signatures']],
  [`solana.tx.spl_transfers.all(one, one.amount < ${10n ** 18n})`, []],
  [`tron.tx.contract.all(one, one.amount < ${10n ** 18n})`, ['signatures']],
  [`tron.tx.contract.all(one, one.amount < ${10n ** 9n})`, []],
  ['eth.tx.chain_id == 1', ['signatures']],
  ['eth.tx.gas < 21001 && eth.tx.nonce < 9', ['signatures']],
  ['bitcoin.tx.fee < 1000', ['signatures']],
  [`eth.tx.chain_id == 1 && eth.tx.to == '0x${'aa'.repeat(20)}'`, []],
  ['wallet_account.path_indexes[2] == 7', []],
  ["activity.resource == 'WALLET' && activity.action == 'CREATE'", []],
  ["activity.resource == 'OTP'", []],
  ["activity.kind == 'CREATE_USER_TAG'", []],
  ["activity.type == 'ACTIVITY_TYPE_SET_NOTICE_PREFERENCES'", []],
  ["activity.resource == 'WEBHOOK_ENDPOINT'", ['webhooks']],
  ["activity.type == 'ACTIVITY_TYPE_REPLAY_WEBHOOK_DELIVERY'", []],
  ["activity.action == 'IMPORT'", ['keyImports']],
  ["activity.resource == 'SESSION_PROFILE'", ['sessionProfiles']],
  ["activity.resource == 'SMART_CONTRACT_INTERFACE'", ['contractInterfaces']],
  ["activity.resource == 'WALLET' && activity.action == 'UPDATE'", ['keyNames']],
  [
    "activity.resource == 'PRIVATE_KEY' && activity.action != 'SIGN' && activity.action != 'EXPORT'",
    ['keyDeletions', 'keyImports', 'keyNames'],
  ],
  ["activity.resource == 'AUTH'", ['organizationSettings']],
  ["activity.kind == 'OTP_LOGIN'", []],
  ["activity.resource in ['TVC_APP', 'TVC_DEPLOYMENT']", ['appDeployments']],
  [
    "activity.action == 'UPDATE'",
    ['policies', 'users', 'mfaPolicies', 'organizationSettings', 'webhooks', 'keyNames', 'appDeployments'],
  ],
  ['false', []],
])('%s', (text, expected) => {
  expect(openedDeeds(compileCondition(text))).toEqual(expected)
})

test('a condition of too many values to try counts as one that opens', () => {
  const numbers = Array.from({ length: 200 }, (_, index) => index * 3 + 1)
  const text = `activity.params.user_ids.count() in [${numbers.join(', ')}] && activity.resource == 'POLICY'`
  expect(openedDeeds(compileCondition(text))).toEqual(['users'])
})

const other = '00000000-0000-4000-8000-00000000000c'
const tag = '00000000-0000-4000-8000-00000000000d'
const own = {
  wallets: [id, other].map((one) => ({ id: one, label: 'Cold', imported: false, exported: false })),
  privateKeys: [id, other].map((one) => ({ id: one, label: one, tags: [tag], imported: false, exported: false })),
}

test.each([
  [`activity.action == 'SIGN' && wallet.id in ['${id}', '${other}']`, ['signatures']],
  [`activity.action == 'EXPORT' && (wallet.id == '${id}' || wallet.id == '${other}')`, ['keyExports']],
  [`private_key.tags.contains('${tag}')`, ['keyExports', 'signatures']],
  ["activity.action == 'SIGN' && wallet.label == 'Cold'", ['signatures']],
  [`wallets.all(one, one.id in ['${id}', '${other}'])`, ['keyDeletions']],
  [`activity.action == 'SIGN' && wallet.id in ['${id}', '${tag}']`, []],
  [`wallet.id in ['${id}', '${other}'] && eth.tx.value < 5`, []],
])('of every wallet and private key there is: %s', (text, expected) => {
  const condition = compileCondition(text)
  expect(openedDeeds(condition, own)).toEqual(expected)
  expect(openedDeeds(condition)).toEqual([])
  const one = { wallets: own.wallets.slice(0, 1), privateKeys: own.privateKeys.slice(0, 1) }
  expect(openedDeeds(condition, one)).toEqual([])
})
