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
