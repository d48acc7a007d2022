import { readFileSync } from 'node:fs'
import {
  entryPoint06Address,
  entryPoint07Address,
  entryPoint08Address,
  entryPoint09Address,
} from 'viem/account-abstraction'
import { mainnet } from 'viem/chains'
import { expect, test } from 'vitest'
import { counted } from '../../../test/support/counted_looks.ts'
import { finished } from '../../protocol/tools/steps.ts'
import { batchContracts, callAnything } from '../contracts/ethereum/batch_contracts.ts'
import { compileCondition } from '../decision/policy_expressions.ts'
import { deeds, kinds } from './deeds.ts'
import { judgeDeeds, openedDeeds, reachedKinds } from './opened_deeds.ts'
import { canHold, independentParts } from './trials/independent_parts.ts'
import { withTerms } from './trials/terms.ts'

const bitcoinAddress = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'
const filtered = `bitcoin.tx.outputs.filter(o, o.address == '${bitcoinAddress}')`
const path = 'wallet_account.path_indexes'
const systemProgram = '11111111111111111111111111111111'
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
  ["activity.resource == 'USER' && activity.params.user_ids.count() == 2 + 2", ['users']],
  ["activity.resource == 'USER' && activity.params.user_ids.count() + 3 == 7", ['users']],
  ['eth.tx.nonce == 4 + 4', ['signatures']],
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
  // Each test may be fulfilled by another item.
  [`activity.action == 'EXPORT' && ${path}.any(i, i == 44) && ${path}.any(i, i == 60)`, ['keyExports']],
  [`activity.action == 'EXPORT' && ${path}.any(i, i == 44) && !${path}.all(i, i != 60)`, ['keyExports']],
  [`${path}.any(i, i == 44) && ${path}.any(i, i == 60) && ${path}.all(i, i < 100)`, ['keyExports', 'signatures']],
  ["activity.action == 'DELETE' && wallets.any(w, w.imported) && wallets.any(w, !w.imported)", ['keyDeletions']],
  ["activity.action == 'DELETE' && wallets.any(w, w.imported) && wallets.all(w, !w.imported)", []],
  ["activity.action == 'DELETE' && wallets.any(w, w.imported) && !wallets.any(w, w.imported)", []],
  [
    "activity.action == 'DELETE' && wallets.any(w, w.imported) && wallets.any(w, !w.imported) && wallets.all(w, w.exported)",
    ['keyDeletions'],
  ],
  [`activity.action == 'DELETE' && wallets.any(w, w.imported) && wallets.any(w, w.id == '${id}')`, []],
  ['bitcoin.tx.inputs.any(i, i.vout == 0) && bitcoin.tx.inputs.any(i, i.vout == 1)', ['signatures']],
  ["eth.eip_712.message['a'].any(d, d['n'] == 1) && eth.eip_712.message['a'].any(d, d['n'] == 2)", ['signatures']],
  // A filter leaves items that others stand beside.
  [`bitcoin.tx.outputs.count() == 2 && ${filtered}.any(o, o.value < 1000)`, ['signatures']],
  [`${filtered}.count() == 1 && ${filtered}.all(o, o.value < 1000)`, ['signatures']],
  [`${filtered}[0].value < 1000`, ['signatures']],
  [`${filtered}.filter(o, o.value < 1000).count() == 1`, ['signatures']],
  ['solana.tx.transfers.filter(t, t.amount > 9)[0].amount < 1000', ['signatures']],
  [`solana.tx.account_keys.filter(k, k != '${systemProgram}').contains('${systemProgram}')`, []],
  [`bitcoin.tx.outputs.filter(o, o.address != '${bitcoinAddress}').all(o, o.value == 0)`, []],
  // Values of a request may stand in any order, whatever their type.
  ["eth.eip_712.message['validAfter'] < eth.eip_712.message['validBefore']", ['signatures']],
  ["eth.eip_712.domain.chain_id < eth.eip_712.message['validBefore']", ['signatures']],
  ["eth.tx.value <= eth.tx.contract_call_args['amount']", ['signatures']],
  ["eth.eip_712.message['to'] == eth.eip_712.message['owner'] && eth.eip_712.message['n'] > 4", ['signatures']],
  ['bitcoin.tx.outputs.count() > bitcoin.tx.inputs.count()', ['signatures']],
  ['bitcoin.tx.fee > bitcoin.tx.inputs.count()', ['signatures']],
  ['solana.tx.instructions.count() != solana.tx.program_keys.count()', ['signatures']],
  ['eth.tx.nonce < eth.tx.gas && eth.tx.gas < eth.tx.gas_price', ['signatures']],
  ["activity.action == 'SIGN'", ['signatures']],
  [`activity.action == 'SIGN' && wallet.id == '${id}'`, []],
  ["activity.params.type == 'TRANSACTION_TYPE_ETHEREUM'", ['signatures']],
  ["activity.params.hash_function == 'HASH_FUNCTION_SHA256'", ['signatures']],
  [`eth.tx.to == '0x${'aa'.repeat(20)}'`, []],
  [`eth.tx.to != '0x${'aa'.repeat(20)}'`, ['signatures']],
  ['eth.tx.value < 1000', ['signatures']],
  ["eth.tx.to == '0xcA11bde05977b3631167028862bE2a173976CA11'", ['signatures']],
  ['eth.tx.to == eth.tx.to[0..42]', ['signatures']],
  ['eth.tx.to in [eth.tx.to[0..42]]', ['signatures']],
  ["eth.tx.to == eth.tx.contract_call_args['a']", ['signatures']],
  ['bitcoin.tx.outputs.all(o, o.address == o.address[0..42])', ['signatures']],
  ["tron.tx.contract.all(c, c.type == 'TransferContract' && c.to_address == c.to_address[0..34])", ['signatures']],
  ["eth.tx.to == wallet_account.address && eth.tx.data == '0x'", []],
  ["eth.tx.value < 1000 && eth.tx.data == '0x'", []],
  [`eth.tx.value < 1${'0'.repeat(40)}`, ['signatures']],
  [`eth.tx.value < 1${'0'.repeat(26)} && eth.tx.data == '0x'`, []],
  [`eth.tx.value <= 5 || eth.tx.value <= ${2n ** 128n}`, ['signatures']],
  [`spent('eth.tx.value', '24h') + eth.tx.value < 1${'0'.repeat(40)}`, ['signatures']],
  // A sum of the past does not have the amount of the request.
  ["spent('eth.tx.value', '24h') < 1000", ['signatures']],
  ["spent('eth.tx.value', '7d') <= 0", ['signatures']],
  ["activity.kind == 'SIGN_TRANSACTION' && spent('eth.tx.value', '24h') < 1000", ['signatures']],
  ["1000 > spent('eth.tx.value', '24h') + eth.tx.gas", ['signatures']],
  ["1000 > eth.tx.value + spent('eth.tx.value', '24h') && eth.tx.data == '0x'", []],
  ["spent('eth.tx.value', '24h') < 1000 && eth.tx.value < 10 && eth.tx.data == '0x'", []],
  ["activity.action == 'EXPORT' && spent('eth.tx.value', '24h') < 1000", []],
  ["eth.tx.contract_call_args['amount'] < 5", ['signatures']],
  [`eth.tx.to == '0x${'aa'.repeat(20)}' && eth.tx.contract_call_args['amount'] < 5`, []],
  [`bitcoin.tx.outputs.all(output, output.value < ${10n ** 16n})`, ['signatures']],
  [`bitcoin.tx.outputs.all(output, output.value < ${10n ** 15n})`, []],
  [`solana.tx.transfers.all(one, one.amount < ${10n ** 19n})`, ['signatures']],
  [`solana.tx.transfers.any(one, one.amount < ${10n ** 9n})`, ['signatures']],
  [`solana.tx.spl_transfers.all(one, one.amount < ${2n ** 64n})`, ['signatures']],
  [
    `solana.tx.spl_transfers.count() == 1 && solana.tx.spl_transfers.all(one, one.amount < ${10n ** 18n})`,
    ['signatures'],
  ],
  [
    `solana.tx.instructions.count() == 1 && solana.tx.spl_transfers.count() == 1 && solana.tx.spl_transfers.all(one, one.owner == wallet_account.address && one.amount < ${10n ** 18n})`,
    [],
  ],
  [`tron.tx.contract.all(one, one.amount < ${10n ** 18n})`, ['signatures']],
  [`tron.tx.contract.all(one, one.amount < ${10n ** 9n})`, []],
  ['eth.tx.chain_id == 1', ['signatures']],
  ['eth.tx.gas < 21001 && eth.tx.nonce < 9', ['signatures']],
  ['bitcoin.tx.fee < 1000', ['signatures']],
  [`eth.tx.chain_id == 1 && eth.tx.to == '0x${'aa'.repeat(20)}'`, []],
  ["activity.resource == 'WALLET' && activity.action == 'CREATE'", []],
  ["activity.resource == 'OTP'", ['credentials']],
  ["activity.kind == 'INIT_OTP'", ['credentials']],
  ["activity.kind == 'VERIFY_OTP'", ['credentials']],
  ["activity.kind == 'INIT_USER_EMAIL_RECOVERY'", ['credentials']],
  ["activity.kind == 'CREATE_USER_TAG'", ['users']],
  ["activity.kind == 'CREATE_PRIVATE_KEY_TAG'", ['keyNames']],
  ["activity.type == 'ACTIVITY_TYPE_SET_NOTICE_PREFERENCES'", ['users']],
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
  expect(finished(openedDeeds(compileCondition(text)))).toEqual(expected)
})

const system = '11111111111111111111111111111111'
const program = 'Zo1ggzTUKMY5bYnDvT5mtVeZxzf2FaLTbKkmvGUhUQk'
const recipient = 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq'
const ownOfBitcoin = 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu'
const token = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'

test.each([
  "eth.tx.data == '0x'",
  "eth.tx.to == ''",
  "eth.tx.to[0..4] == '0xab'",
  "eth.tx.data[0..10] == '0xa9059cbb'",
  "eth.tx.data[2] == 'a'",
  "eth.tx.function_name == 'transfer'",
  'eth.tx.from == wallet_account.address',
  "eth.eip_712.primary_type == 'Permit'",
  "eth.eip_712.domain.name == 'Permit2'",
  `solana.tx.transfers.all(t, t.to == '${program}')`,
  'solana.tx.spl_transfers.all(t, t.amount < 5)',
  `solana.tx.lamport_transfers.all(t, t.to == '${program}')`,
  `!solana.tx.transfers.any(t, t.to != '${program}')`,
  '!solana.tx.transfers.any(t, t.amount > 5)',
  `solana.tx.transfers.filter(t, t.to != '${program}').count() == 0`,
  'solana.tx.spl_transfers.count() == 0',
  `solana.tx.program_keys.contains('${system}')`,
  `'${token}' in solana.tx.program_keys`,
  `solana.tx.program_keys.all(p, p == '${system}')`,
  `solana.tx.instructions.any(i, i.program_key == '${system}')`,
  `solana.tx.instructions.all(i, i.program_key in ['${token}', '${program}'])`,
  "solana.tx.account_keys.contains('SysvarC1ock11111111111111111111111111111111')",
  'solana.tx.account_keys.contains(wallet_account.address)',
  `solana.tx.instructions.all(i, i.accounts.any(a, a.account_key == '${program}'))`,
  `solana.tx.instructions.count() == 1 && solana.tx.instructions[0].accounts[2].account_key == '${program}'`,
  `bitcoin.tx.inputs[0].tx_id == '${'ab'.repeat(32)}'`,
  `bitcoin.tx.inputs.any(i, i.tx_id == '${'ab'.repeat(32)}')`,
  "tron.tx.contract[0].owner.keys.any(k, k.address == 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8')",
  "tron.tx.contract[0].actives.any(a, a.keys.any(k, k.address == 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8'))",
  "bitcoin.tx.outputs.any(o, o.address == '')",
  "tron.tx.contract.all(c, c.type == 'TransferContract')",
  "tron.tx.data == 'aa'",
])('a condition that names no wallet, key, account, recipient, contract or amount limits no signatures: %s', (text) => {
  expect(finished(openedDeeds(compileCondition(text)))).toEqual(['signatures'])
})

const token2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb'
const oneOfTokens =
  'solana.tx.instructions.count() == 1 && solana.tx.spl_transfers.count() == 1 && solana.tx.lamport_transfers.count() == 0'
const fewTokens = `${oneOfTokens} && solana.tx.spl_transfers.all(t, t.amount <= 1000)`
const ofToken2022 = (data: string) =>
  `solana.tx.instructions.all(i, i.program_key == '${token2022}' && i.instruction_data_hex${data})`

test.each([
  fewTokens,
  `${fewTokens} && solana.tx.priority_fee == 0`,
  `${oneOfTokens} && solana.tx.spl_transfers.all(t, t.amount == 1)`,
  `${oneOfTokens} && solana.tx.spl_transfers[0].amount <= 1000`,
  `${fewTokens} && solana.tx.program_keys.all(k, k == '${token2022}')`,
  `${fewTokens} && ${ofToken2022("[0..2] == '0c'")}`,
  `${fewTokens} && ${ofToken2022("[0..4] == '1a01'")}`,
  `${oneOfTokens} && ${ofToken2022(" == '0c010000000000000006'")}`,
  `${fewTokens} && solana.tx.spl_transfers.all(t, t.signers.contains(wallet_account.address))`,
  `${fewTokens} && solana.tx.instructions[0].accounts[4].account_key == wallet_account.address`,
])('few tokens of any mint may have a hook, which gets the signature of the key: %s', (text) => {
  expect(finished(openedDeeds(compileCondition(text)))).toEqual(['signatures'])
})

test.each([
  `solana.tx.program_keys.all(k, k == '${token}')`,
  'solana.tx.spl_transfers.all(t, t.owner == wallet_account.address)',
  'solana.tx.spl_transfers[0].owner == wallet_account.address',
  `solana.tx.spl_transfers.all(t, t.token_mint == '${program}')`,
  `solana.tx.spl_transfers.all(t, t.to == '${program}')`,
  `solana.tx.spl_transfers.all(t, t.from == '${program}')`,
  'solana.tx.spl_transfers.all(t, t.signers.count() == 1)',
  'solana.tx.spl_transfers.all(t, t.signers.all(s, s == t.owner))',
  `solana.tx.instructions[0].accounts[1].account_key == '${program}'`,
  'solana.tx.instructions.all(i, i.accounts.count() == 4)',
])('and not if the key owns them, or the mint is named, or there is no hook: %s', (text) => {
  expect(finished(openedDeeds(compileCondition(`${fewTokens} && ${text}`)))).toEqual([])
})

test.each([
  'wallet_account.path_hardened[0] == true',
  'wallet_account.path_indexes[0] == 44',
  'wallet_account.path_indexes[3] == 0',
  'wallet_account.path_indexes.contains(44)',
  '44 in wallet_account.path_indexes',
  'wallet_account.path_indexes.count() == 5',
])('a part of a path limits neither signatures nor exports: %s', (text) => {
  expect(finished(openedDeeds(compileCondition(text)))).toEqual(['keyExports', 'signatures'])
})

const oneMove = 'solana.tx.instructions.count() == 1 && solana.tx.lamport_transfers.count() == 1'

test.each([
  't.amount <= 5',
  't.amount == 0',
  't.to == wallet_account.address && t.amount <= 5',
  "t.instruction_name == 'CreateAccountAllowPrefund' && t.amount <= 5",
])('no bound of what is moved limits an account that is given to a program with what it holds: %s', (test) => {
  const text = `${oneMove} && solana.tx.lamport_transfers.all(t, ${test})`
  expect(finished(openedDeeds(compileCondition(text)))).toEqual(['signatures'])
})

test('an amount limits a transfer, which gives nothing else', () => {
  const text = `${oneMove} && solana.tx.lamport_transfers.all(t, t.instruction_name == 'Transfer' && t.amount <= 5)`
  expect(finished(openedDeeds(compileCondition(text)))).toEqual([])
})

test.each([
  `solana.tx.instructions.all(i, i.program_key == '${system}' && i.instruction_data_hex[0..8] == '02000000') && solana.tx.transfers.count() > 0 && solana.tx.transfers.all(t, t.to == '${program}')`,
  `solana.tx.instructions.count() == 1 && solana.tx.transfers.count() == 1 && solana.tx.transfers[0].to == '${program}'`,
  `solana.tx.instructions.all(i, i.program_key == '${token}' && i.instruction_data_hex[0..2] == '0c') && solana.tx.spl_transfers.count() > 0 && solana.tx.spl_transfers.all(t, t.to == '${program}' && t.token_mint == '${program}')`,
  `solana.tx.program_keys.all(p, p == '${program}')`,
  `solana.tx.instructions.all(i, i.program_key == '${program}')`,
  "bitcoin.tx.outputs.all(o, o.address == 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq')",
  'bitcoin.tx.outputs.count() == 1 && bitcoin.tx.outputs.all(o, o.value < 1000)',
  'bitcoin.tx.outputs.all(o, o.value < 1000)',
  'tron.tx.contract.all(c, c.amount < 1000)',
  "tron.tx.contract[0].to_address == 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8'",
  "tron.tx.contract.all(c, c.contract_address == 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8')",
  `tempo.tx.calls.all(c, c.to == '0x${'aa'.repeat(20)}')`,
  `eth.tx.to == '0x${'aa'.repeat(20)}' && eth.tx.data[0..10] == '0xa9059cbb'`,
  `eth.tx.to == '0x${'aa'.repeat(20)}' && eth.tx.data[0..34] == '0xa9059cbb${'0'.repeat(24)}'`,
  `eth.tx.value == 0 && eth.tx.data[0..10] == '0xa9059cbb' && eth.tx.data[34..74] == '${'ab'.repeat(20)}'`,
  `eth.tx.value == 0 && eth.tx.data[0..10] == '0x23b872dd' && eth.tx.data[98..138] == '${'ab'.repeat(20)}'`,
  "eth.tx.value == 0 && eth.tx.data[0..10] == '0x23b872dd' && eth.tx.data[98..138] == eth.tx.from[2..42]",
  `eth.tx.value == 0 && eth.tx.data[0..10] == '0x095ea7b3' && eth.tx.data[34..74] == '${'ab'.repeat(20)}'`,
  `eth.tx.value == 0 && eth.tx.data[0..10] == '0xa9059cbb' && eth.tx.data[74..138] == '${'5'.padStart(64, '0')}'`,
  `tron.tx.contract.all(c, c.call_value == 0 && c.data[0..8] == 'a9059cbb' && c.data[32..72] == '${'ab'.repeat(20)}')`,
  `tempo.tx.calls.all(c, c.function_signature == '0xa9059cbb' && c.input[34..74] == '${'ab'.repeat(20)}')`,
  `eth.tx.value == 0 && eth.tx.data == '0xa9059cbb${'0'.repeat(24)}${'ab'.repeat(20)}${'5'.padStart(64, '0')}'`,
  `eth.tx.value == 0 && eth.tx.data[0..10] == '0x40c10f19' && eth.tx.data[34..74] == '${'ab'.repeat(20)}'`,
  `eth.tx.to == '0x${'aa'.repeat(20)}' && eth.tx.data[0..10] == '0xdeadbeef' && eth.tx.data[34..74] == '${'ab'.repeat(20)}'`,
  'eth.tx.to == wallet_account.address',
  'bitcoin.tx.outputs.all(o, o.address == wallet_account.address)',
  `bitcoin.tx.outputs.count() == 2 && bitcoin.tx.outputs[0].address == '${recipient}' && bitcoin.tx.outputs[1].address == '${ownOfBitcoin}'`,
  `bitcoin.tx.outputs.count() == 2 && bitcoin.tx.outputs[0].address == '${recipient}' && bitcoin.tx.outputs[1].address == wallet_account.address`,
  `bitcoin.tx.outputs.count() <= 2 && bitcoin.tx.outputs.all(o, o.address in ['${recipient}', '${ownOfBitcoin}'])`,
  `solana.tx.instructions.count() == 1 && solana.tx.transfers.count() == 1 && solana.tx.transfers.all(t, t.to == '${program}' && t.amount <= 1000000)`,
  `solana.tx.instructions.count() == 1 && solana.tx.transfers.count() == 1 && solana.tx.transfers.all(t, t.to == '${program}' && t.amount > 0 && t.amount < 1000000)`,
  `eth.tx.to == '0x${'aa'.repeat(20)}' && eth.tx.chain_id in [1, 10, 137, 8453] && eth.tx.nonce < 5 && eth.tx.gas < 100000 && eth.tx.max_fee_per_gas < 100 && eth.tx.max_priority_fee_per_gas < 50 && eth.tx.gas_price < 100`,
  `eth.eip_712.domain.verifying_contract == '0x${'aa'.repeat(20)}' && eth.eip_712.message['value'] < 1000`,
  `eth.tx.contract_call_args['to'] == '0x${'aa'.repeat(20)}'`,
  `eth.eip_712.message['spender'] == '0x${'aa'.repeat(20)}' && eth.eip_712.primary_type == 'Permit'`,
  `solana.tx.instructions.all(i, i.program_key == '${token}' && i.instruction_data_hex[0..2] == '06' && i.instruction_data_hex[6..70] == '${'ab'.repeat(32)}')`,
  `eth.eip_712.domain.verifying_contract == '0x${'aa'.repeat(20)}'`,
  'activity.action == "SIGN" && controls.daily'.replaceAll('"', "'"),
  `eth.tx.chain_id in [1, 10] && eth.tx.gas < 90000 && eth.tx.max_fee_per_gas < 9000000 && eth.tx.value == 0 && eth.tx.function_name in ['stake', 'unstake', 'claim'] && eth.tx.to == '0x${'aa'.repeat(20)}'`,
])('a condition that names one of them limits signatures: %s', (text) => {
  expect(finished(openedDeeds(compileCondition(text)))).toEqual([])
})

const address = 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8'

test.each([
  'eth.tx.value == 0',
  'eth.tx.value == 1',
  'eth.tx.value > 0 && eth.tx.value < 1000',
  "eth.tx.data == '0xd0e30db0'",
  "eth.tx.data == '0x853828b6' && eth.tx.value == 0",
  "eth.tx.data in ['0x853828b6', '0x3ccfd60b'] && eth.tx.value == 0",
  `eth.tx.data == '0x2e1a7d4d${'5'.padStart(64, '0')}' && eth.tx.value == 0`,
  `eth.tx.data == '0xa9059cbb${'0'.repeat(24)}${'ab'.repeat(20)}${'5'.padStart(64, '0')}'`,
  `eth.tx.data[34..74] == '${'ab'.repeat(20)}'`,
  'eth.tx.data[34..74] == eth.tx.from[2..42] && eth.tx.value == 0',
  `eth.tx.data[10..34] == '${'0'.repeat(24)}'`,
  `eth.tx.data[0..34] == '0xa9059cbb${'0'.repeat(24)}'`,
  `eth.tx.data[0..34] == '0xA22CB465${'0'.repeat(24)}'`,
  `eth.tx.data[74..98] == '${'0'.repeat(24)}'`,
  `eth.tx.data[34..36] == 'ab' && eth.tx.data[10..34] == '${'0'.repeat(24)}'`,
  `eth.tx.data[202..242] == '${'ab'.repeat(20)}'`,
  "spent('eth.tx.value', '24h') + eth.tx.value <= 1000",
  `eth.tx.value == 0 && eth.tx.to != '0x${'aa'.repeat(20)}'`,
  `solana.tx.transfers.count() > 0 && solana.tx.transfers.all(t, t.to == '${program}')`,
  'solana.tx.transfers.count() > 0 && solana.tx.transfers.all(t, t.amount < 10)',
  `solana.tx.transfers.any(t, t.to == '${program}')`,
  `solana.tx.transfers.any(t, t.to == '${program}') && solana.tx.transfers.any(t, t.to == '${system}')`,
  `solana.tx.transfers[0].to == '${program}'`,
  'solana.tx.transfers[0].amount < 10',
  'solana.tx.transfers[12].amount < 10',
  'solana.tx.transfers.count() == 4 && solana.tx.transfers[3].amount < 10',
  `solana.tx.transfers.filter(t, t.to == '${program}').count() >= 1`,
  `solana.tx.program_keys.contains('${program}')`,
  `solana.tx.program_keys[0] == '${program}'`,
  `'${program}' in solana.tx.account_keys`,
  `'${program}' in solana.tx.account_keys && '${token}' in solana.tx.account_keys`,
  `solana.tx.program_keys.all(p, p == '${system}') && solana.tx.transfers.count() > 0 && solana.tx.transfers.all(t, t.to == '${program}')`,
  `solana.tx.program_keys.all(p, p == '${token}') && solana.tx.spl_transfers.count() > 0 && solana.tx.spl_transfers.all(t, t.to == '${program}')`,
  `solana.tx.instructions.all(i, i.program_key == '${token}' && i.instruction_data_hex[0..2] == '0c') && solana.tx.spl_transfers.any(t, t.to == '${program}')`,
  'bitcoin.tx.outputs.any(o, o.value < 1000)',
  'bitcoin.tx.outputs[0].value < 1000',
  'bitcoin.tx.outputs[1].value < 1000',
  'bitcoin.tx.outputs.count() == 2 && bitcoin.tx.outputs[0].value < 1000',
  `bitcoin.tx.outputs.any(o, o.address == '${recipient}')`,
  `bitcoin.tx.outputs.count() == 2 && bitcoin.tx.outputs[0].address == '${recipient}'`,
  `bitcoin.tx.outputs.count() == 2 && bitcoin.tx.outputs[0].address == '${recipient}' && bitcoin.tx.outputs[1].value > 0`,
  `bitcoin.tx.outputs.count() == 3 && bitcoin.tx.outputs[0].address == '${recipient}' && bitcoin.tx.outputs[1].address == '${ownOfBitcoin}'`,
  `tron.tx.contract.all(c, c.type == 'AccountPermissionUpdateContract' && c.owner_address == '${address}')`,
  'tron.tx.contract[0].call_value == 0',
  'tron.tx.contract[0].call_value == 1',
  'tron.tx.contract.all(c, c.call_value > 0 && c.call_value < 100)',
  'tron.tx.contract.all(c, c.call_token_value > 0 && c.call_token_value < 100)',
  "tron.tx.contract.all(c, c.data == '853828b6' && c.call_value == 0)",
  `tron.tx.contract.all(c, c.data[32..72] == '${'ab'.repeat(20)}')`,
  "tempo.tx.calls.all(c, c.input == '0x853828b6')",
  "solana.tx.instructions.all(i, i.instruction_data_hex == '09')",
  'solana.tx.instructions.count() == 1 && solana.tx.spl_transfers.count() == 1 && solana.tx.spl_transfers.all(t, t.owner == wallet_account.address)',
  'solana.tx.instructions.all(i, i.accounts.any(a, a.account_key == wallet_account.address))',
  `solana.tx.instructions.count() == 2 && solana.tx.spl_transfers.count() == 1 && solana.tx.spl_transfers[0].amount > 0 && solana.tx.transfers.all(t, t.to == '${program}')`,
  `eth.tx.value == 0 && eth.tx.data[34..74] == '${'ab'.repeat(20)}'`,
  `eth.tx.value == 0 && eth.tx.data[0..10] == '0x23b872dd' && eth.tx.data[34..74] == '${'ab'.repeat(20)}'`,
  `eth.tx.value == 0 && eth.tx.data[0..10] == '0x42842e0e' && eth.tx.data[34..74] == '${'ab'.repeat(20)}'`,
  `eth.tx.value == 0 && eth.tx.data[0..74] == '0x23b872dd${'0'.repeat(24)}${'ab'.repeat(20)}'`,
  `eth.tx.value == 0 && eth.tx.data[34..54] == '${'ab'.repeat(10)}' && eth.tx.data[54..74] == '${'ab'.repeat(10)}'`,
  'eth.tx.value == 0 && eth.tx.data[98..138] == eth.tx.from[2..42]',
  "eth.tx.value == 0 && eth.tx.data[0..10] == '0x095ea7b3' && eth.tx.data[98..138] == eth.tx.from[2..42]",
  `eth.tx.value == 0 && eth.tx.data[98..138] == '${'ab'.repeat(20)}'`,
  `eth.tx.value == 0 && eth.tx.data[74..138] == '${'5'.padStart(64, '0')}'`,
  `eth.tx.value == 0 && eth.tx.data[0..10] == '0x095ea7b3' && eth.tx.data[74..138] == '${'f'.repeat(64)}'`,
  `eth.tx.value == 0 && eth.tx.data[0..10] == '0x39509351' && eth.tx.data[74..138] == '8${'0'.repeat(63)}'`,
  `eth.tx.value == 0 && eth.tx.data[0..10] == '0xa22cb465' && eth.tx.data[74..138] == '${'1'.padStart(64, '0')}'`,
  `eth.tx.value == 0 && eth.tx.data[0..10] == '0x2f2ff15d' && eth.tx.data[10..74] == '${'ab'.repeat(32)}'`,
  `tron.tx.contract.all(c, c.call_value == 0 && c.call_token_value == 0 && c.data[32..72] == '${'ab'.repeat(20)}')`,
  `tempo.tx.calls.all(c, c.input[34..74] == '${'ab'.repeat(20)}')`,
  "eth.tx.contract_call_args['from'] == wallet_account.address",
  `eth.tx.contract_call_args['from'] == '0x${'aa'.repeat(20)}'`,
  `eth.tx.contract_call_args['_owner'] == '0x${'aa'.repeat(20)}'`,
  `eth.tx.contract_call_args['order']['maker'] == '0x${'aa'.repeat(20)}'`,
  "eth.tx.contract_call_args['note'] == 'rent'",
  "eth.tx.contract_call_args['nonce'] < 5",
  "eth.tx.contract_call_args['amounts'][0] < 5",
  "solana.tx.instructions.all(i, i.parsed_instruction_data.program_call_args['amount'] < 5)",
  `solana.tx.instructions.all(i, i.parsed_instruction_data.named_accounts['authority'] == '${program}')`,
  `eth.eip_712.message['owner'] == '0x${'aa'.repeat(20)}' && eth.eip_712.primary_type == 'Permit'`,
  "eth.eip_712.message['hyperliquidChain'] == 'Mainnet'",
  "eth.tx.contract_call_args['owner'] == eth.tx.from",
  "eth.eip_712.message['owner'] == wallet_account.address && eth.eip_712.primary_type == 'Permit'",
  "eth.eip_712.message['value'] < 1000",
  "eth.eip_712.message['details']['amount'] < 5",
  'tron.tx.contract.all(c, c.call_value < 1000)',
  `tron.tx.contract[0].data[0..32] == 'a9059cbb${'0'.repeat(24)}'`,
  `tron.tx.contract.all(c, c.contract_address != '${address}' && c.call_value == 0)`,
  "tempo.tx.calls.any(c, c.function_signature == '0xa9059cbb')",
  `eth.tx.value == 0 && eth.tx.data[0..10] == '0xdeadbeef' && eth.tx.data[34..74] == '${'ab'.repeat(20)}'`,
  `eth.tx.value == 0 && eth.tx.data[0..10] == '0xdeadbeef' && eth.tx.data[98..138] == '${'ab'.repeat(20)}'`,
  `eth.tx.value == 0 && eth.tx.data[0..10] == '0xdeadbeef' && eth.tx.data[34..74] == '${'ab'.repeat(20)}' && eth.tx.data[98..138] == '${'ab'.repeat(20)}'`,
  `eth.tx.value == 0 && eth.tx.data[0..74] == '0xdeadbeef${'0'.repeat(24)}${'ab'.repeat(20)}'`,
  `eth.tx.value == 0 && eth.tx.data[0..10] in ['0xa9059cbb', '0xDEADBEEF'] && eth.tx.data[34..74] == '${'ab'.repeat(20)}'`,
  `eth.tx.value == 0 && ['0xdeadbeef'].contains(eth.tx.data[0..10]) && eth.tx.data[34..74] == '${'ab'.repeat(20)}'`,
  `eth.tx.value == 0 && eth.tx.data[0..10] in [${Array.from({ length: 9 }, (_, index) => `'0xdeadbee${index}'`).join()}] && eth.tx.data[34..74] == '${'ab'.repeat(20)}'`,
  `tron.tx.contract.all(c, c.call_value == 0 && c.data[0..8] == 'deadbeef' && c.data[32..72] == '${'ab'.repeat(20)}')`,
  `tempo.tx.calls.all(c, c.function_signature == '0xdeadbeef' && c.input[34..74] == '${'ab'.repeat(20)}')`,
])('a condition that lets a stranger have all that it does not speak of limits no signatures: %s', (text) => {
  const condition = compileCondition(text)
  expect(finished(openedDeeds(condition))).toEqual(['signatures'])
  expect(finished(openedDeeds(compileCondition(`wallet.id == '${id}' && ${text}`)))).toEqual([])
})

test('the page says what to add where a policy names an owner of Tron', () => {
  const page = readFileSync(new URL('../../../docs/approvals.md', import.meta.url), 'utf8')
  const judged = (text: string) => {
    expect(page).toContain(`\`${text}\``)
    return finished(openedDeeds(compileCondition(text.replace('…', address))))
  }
  expect(judged("tron.tx.contract.all(c, c.owner_address == '…')")).toEqual(['signatures'])
  expect(judged("tron.tx.contract.all(c, c.type == 'TransferContract' && c.owner_address == '…')")).toEqual([])
})

const stake = 'Stake11111111111111111111111111111111111111'
const vote = 'Vote111111111111111111111111111111111111111'
const loader = 'BPFLoaderUpgradeab1e11111111111111111111111'

test.each([
  ['SetAuthority', token, '06'],
  ['SetAuthority of the owner', token, '0602'],
  ['Approve', token, '04'],
  ['MintTo', token, '07'],
  ['CloseAccount', token, '09'],
  ['Authorize of a stake', stake, '01000000'],
  ['AuthorizeChecked of a stake', stake, '0a000000'],
  ['SetLockup', stake, '06000000'],
  ['Withdraw of a stake', stake, '04000000'],
  ['Authorize of a vote account', vote, '01000000'],
  ['UpdateValidatorIdentity', vote, '04000000'],
  ['SetAuthority of a program', loader, '04000000'],
  ['Assign', system, '01000000'],
  ['AuthorizeNonceAccount', system, '07000000'],
  ['CreateAccount', system, '00000000'],
])('an account that a condition names does not limit who gets it: %s', (_, owner, start) => {
  const given = `i.program_key == '${owner}' && i.instruction_data_hex[0..${start.length}] == '${start}'`
  for (const named of [
    `solana.tx.account_keys.contains('${program}')`,
    `'${program}' in solana.tx.account_keys`,
    `solana.tx.account_keys[1] == '${program}'`,
    `solana.tx.instructions.all(i, i.accounts[0].account_key == '${program}')`,
    `solana.tx.instructions.all(i, i.parsed_instruction_data.named_accounts['account'] == '${program}')`,
  ]) {
    for (const number of ['', ' && solana.tx.instructions.count() == 1']) {
      const text = `solana.tx.instructions.all(i, ${given}) && ${named}${number}`
      expect(finished(openedDeeds(compileCondition(text))), text).toEqual(['signatures'])
    }
  }
})

test.each([
  ['SetAuthority', token, '06', false],
  ['Authorize of a stake', stake, '01000000', false],
  ['Assign', system, '01000000', false],
  ['Approve', token, '04', true],
  ['AuthorizeChecked of a stake', stake, '0a000000', true],
])('all accounts limit who gets something by %s only if they name who', (_, owner, start, isLimited) => {
  const given = `i.program_key == '${owner}' && i.instruction_data_hex[0..${start.length}] == '${start}'`
  const text = `solana.tx.instructions.all(i, ${given}) && solana.tx.account_keys.all(k, k == '${program}')`
  expect(finished(openedDeeds(compileCondition(text)))).toEqual(isLimited ? [] : ['signatures'])
})

test('lamports for a new account are those of its program, whatever account that is', () => {
  const created = `solana.tx.instructions.all(i, i.program_key == '${system}' && i.instruction_data_hex[0..8] == '00000000')`
  const named = `solana.tx.lamport_transfers.count() == 1 && solana.tx.lamport_transfers.all(t, t.to == '${program}')`
  const ofProgram = `solana.tx.instructions[0].instruction_data_hex[40..104] == '${'ab'.repeat(32)}'`
  const alone = 'solana.tx.instructions.count() == 1'
  expect(finished(openedDeeds(compileCondition(`${created} && ${named}`)))).toEqual(['signatures'])
  expect(finished(openedDeeds(compileCondition(`${created} && ${named} && ${alone}`)))).toEqual(['signatures'])
  expect(finished(openedDeeds(compileCondition(`${created} && ${named} && ${alone} && ${ofProgram}`)))).toEqual([])
})

test.each([
  `solana.tx.instructions.all(i, i.program_key == '${system}' && i.instruction_data_hex[0..8] == '02000000') && solana.tx.lamport_transfers.count() > 0 && solana.tx.lamport_transfers.all(t, t.to == '${program}')`,
  `solana.tx.instructions.all(i, i.program_key == '${stake}' && i.instruction_data_hex[0..8] == '04000000') && solana.tx.lamport_transfers.count() > 0 && solana.tx.lamport_transfers.all(t, t.to == '${program}')`,
])('whoever gets the lamports is a limit: %s', (text) => {
  expect(finished(openedDeeds(compileCondition(text)))).toEqual([])
})

test('of a condition of predicates in predicates that is too long to write out, nobody can tell', () => {
  const nested = Array.from({ length: 9 }, (_, index) => `solana.tx.transfers.any(t${index}, `).join('')
  const named = Array.from({ length: 9 }, (_, index) => `t${index}.to == '${program}'`).join(' && ')
  const condition = compileCondition(`${nested}${named}${')'.repeat(9)}`)
  expect(finished(judgeDeeds(condition))).toEqual({ opened: [], untold: ['signatures'] })
  expect(finished(openedDeeds(condition))).toEqual(['signatures'])
})

const key = '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'

test.each([
  [`== '${key}'`, []],
  [`in ['${key}']`, []],
  ["[0..66] == 'KEY'".replace('KEY', key), []],
  [`!= '${key}'`, ['keyExports']],
  [`[0..2] == '${key.slice(0, 2)}'`, ['keyExports']],
  [`[2..22] == '${key.slice(2, 22)}'`, ['keyExports']],
  ['== wallet_account.public_key', ['keyExports']],
])('an export is limited by the whole key for which it is encrypted, and by no piece: %s', (test, expected) => {
  const text = `activity.action == 'EXPORT' && activity.params.target_public_key${test.startsWith('[') ? '' : ' '}${test}`
  expect(finished(openedDeeds(compileCondition(text)))).toEqual(expected)
})

test.each([
  ["wallet.id[8..9] == '-'", ['keyExports', 'signatures']],
  ["wallet.id[14] == '7'", ['keyExports', 'signatures']],
  ["wallet.id[0..20] == '019b76da-a803-7002-a'", ['keyExports', 'signatures']],
  ["private_key.id[8..9] == '-'", ['keyExports', 'signatures']],
  ["private_key.tags[0][8..9] == '-'", ['keyExports', 'signatures']],
  ["wallets.all(w, w.id[8..9] == '-')", ['keyDeletions']],
  ["wallets[0].id[8..9] == '-'", ['keyDeletions']],
  [`wallet.id[0..36] == '${id}'`, []],
  ["wallet.label[0..4] == 'Cold'", []],
])('a piece of an id names no wallet and no key, however many there are: %s', (text, expected) => {
  const condition = compileCondition(text)
  expect(finished(openedDeeds(condition))).toEqual(expected)
  const one = { wallets: own.wallets.slice(0, 1), privateKeys: own.privateKeys.slice(0, 1), controls: new Map() }
  expect(finished(openedDeeds(condition, one))).toEqual(expected)
})

test('of a condition of too many values to try, nobody can tell', () => {
  const [ones, twos] = [1, 2].map((rest) => Array.from({ length: 200 }, (_, index) => index * 3 + rest))
  const text = `activity.params.user_ids.count() in [${ones}] && activity.params.user_ids.count() in [${twos}]`
  expect(finished(judgeDeeds(compileCondition(text)))).toEqual({ opened: [], untold: ['users'] })
  expect(finished(openedDeeds(compileCondition(text)))).toEqual(['users'])
  expect(finished(openedDeeds(compileCondition(`${text} && activity.resource == 'POLICY'`)))).toEqual([])
})

test.each([
  ['true', kinds],
  ['false', []],
  ["activity.resource == 'WALLET' && activity.action == 'CREATE'", ['newKeys']],
  ["activity.kind == 'CREATE_USER_TAG'", ['users']],
  ["activity.kind in ['STAMP_LOGIN', 'OTP_LOGIN']", ['logins']],
  ["activity.kind in ['INIT_OTP', 'OTP_LOGIN']", ['credentials', 'logins']],
  [`eth.tx.to == '0x${'aa'.repeat(20)}' && eth.tx.value < 5`, ['signatures']],
  [`wallet.id == '${id}'`, ['keyExports', 'signatures']],
  ["activity.resource in ['POLICY', 'CREDENTIAL']", ['policies', 'credentials']],
  ['eth.tx.nonce + eth.tx.nonce + 3 == 17 && eth.tx.nonce + eth.tx.gas + eth.tx.gas == 23', ['signatures']],
  ["activity.params.user_ids.count() == 3 && activity.resource[0..3] == 'USE'", ['users']],
  ["['POLICY'].any(word, word == activity.resource) && activity.action != 'DELETE'", ['policies']],
  ["!(activity.resource != 'WEBHOOK_ENDPOINT')", ['webhooks', 'repeatedDeliveries']],
  [
    "(controls.daily && activity.resource == 'POLICY') || (activity.resource == 'USER' && controls.daily)",
    ['policies', 'users'],
  ],
  ["activity.kind == 'CREATE_WALLET' && activity.action == 'CREATE' && controls.daily", ['newKeys']],
  [
    "activity.action == 'EXPORT' || activity.type == 'ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION'",
    ['keyExports', 'newSubOrganizations'],
  ],
])('whatever it names, a condition is about these kinds: %s', (text, expected) => {
  expect(finished(reachedKinds(compileCondition(text)))).toEqual(expected)
})

const other = '00000000-0000-4000-8000-00000000000c'
const tag = '00000000-0000-4000-8000-00000000000d'
const own = {
  controls: new Map(),
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
  [`wallet.id in ['${id}', '${other}'] && eth.tx.value < 5`, ['signatures']],
  [`wallet.id in ['${id}', '${other}'] && eth.tx.value < 5 && eth.tx.data == '0x'`, []],
])('of every wallet and private key there is: %s', (text, expected) => {
  const condition = compileCondition(text)
  expect(finished(openedDeeds(condition, own))).toEqual(expected)
  expect(finished(openedDeeds(condition))).toEqual([])
  const one = { wallets: own.wallets.slice(0, 1), privateKeys: own.privateKeys.slice(0, 1), controls: new Map() }
  expect(finished(openedDeeds(condition, one))).toEqual([])
})

const repeated = (length: number, part: (index: number) => string, joint: string) =>
  Array.from({ length }, (_, index) => part(index)).join(joint)

/** In one step, each of them held up all other requests for 100 to 600 ms. */
test.each([
  repeated(1_600, () => '1==1', '&&'),
  repeated(250, (index) => `wallet_account.path_indexes[${index % 5}]==${index}`, '||'),
  repeated(250, (index) => `eth.tx.data[${index}..${index + 8}]=='a9059cbb'`, '||'),
  repeated(230, (index) => `solana.tx.account_keys[${index}]=='1'`, '||'),
  repeated(200, () => "solana.tx.instructions.any(i,i.program_key=='1')", '||'),
])('a long condition is judged in short steps: %s', (text) => {
  const keys = Array.from({ length: 100 }, (_, index) => ({ id: `${id}${index}`, label: `${index}` }))
  const compiled = compileCondition(text)
  for (const judge of [judgeDeeds, reachedKinds]) {
    const { expression, counter } = counted(compiled.root)
    const steps = judge({ ...compiled, root: expression }, { wallets: keys, privateKeys: keys, controls: new Map() })
    let most = 0
    for (let before = 0; !steps.next().done; before = counter.looks) most = Math.max(most, counter.looks - before)
    expect(most, judge.name).toBeLessThanOrEqual(200_000)
    expect(counter.looks, judge.name).toBeLessThanOrEqual(600_000)
  }
})

test('the values of a part are tried in steps', () => {
  const text = repeated(10, (index) => `wallets[${index}].imported == wallets[${index + 1}].imported`, ' && ')
  const { root, terms } = withTerms(compileCondition(`${text} && wallets[0].imported != wallets[10].imported`))
  const values = new Map(terms.map((term) => [term.name, term.values]))
  const steps = [...canHold(independentParts(root), values, { stepsMax: 100_000, meter: { steps: 0 } })]
  expect(steps.length).toBeGreaterThan(2)
})

/** Each compared with each, half a million took hours. */
test('the parts of a long `&&` are divided once', () => {
  const place = { start: 0, end: 0 }
  const name = (index: number) => ({ kind: 'name', name: `x${index}`, ...place }) as const
  const equal = (one: number, other: number) =>
    ({ kind: 'comparison', operator: '==', left: name(one), right: name(other), ...place }) as const
  const alone = Array.from({ length: 500_000 }, (_, index) => equal(index, index))
  expect(independentParts({ kind: 'and', operands: alone, ...place })).toHaveLength(500_000)
  const chained = Array.from({ length: 100_000 }, (_, index) => equal(index, index + 1))
  const [whole, ...others] = independentParts({ kind: 'and', operands: chained, ...place })
  expect([whole?.names.size, others]).toEqual([100_001, []])
})

test.each([...callAnything])('%s calls anything for anybody, and to name it limits nothing', (address) => {
  expect(finished(openedDeeds(compileCondition(`eth.tx.to == '${address}'`)))).toEqual(['signatures'])
})

const permit2 = '0x000000000022D473030F116dDEE9F6B43aC78BA3'
const toPermit2 = `eth.tx.to == '${permit2}' && eth.tx.value == 0`
const byPermit2 = `eth.eip_712.domain.verifying_contract == '${permit2}'`
const word = (at: number) => `eth.tx.data[${34 + 64 * at}..${74 + 64 * at}] == '${'ab'.repeat(20)}'`

test.each([
  `eth.tx.to == '${permit2}'`,
  toPermit2,
  `${toPermit2} && eth.tx.chain_id == 1 && eth.tx.gas < 100000`,
  `eth.tx.to in ['${permit2}', '0x${'aa'.repeat(20)}'] && eth.tx.value < 1000`,
  // `approve`, whatever the token, and `transferFrom` of one and of several.
  `${toPermit2} && eth.tx.data[0..10] == '0x87517c45'`,
  `${toPermit2} && eth.tx.data[0..10] == '0x87517c45' && ${word(0)}`,
  `${toPermit2} && eth.tx.function_signature in ['0x36c78516', '0x2b67b570'] && ${word(0)}`,
  `${toPermit2} && eth.tx.data[0..10] == '0x0d58b1db'`,
  `${toPermit2} && !(eth.tx.data[0..10] in ['0x87517c45', '0x36c78516'])`,
  `tempo.tx.calls.all(c, c.to == '${permit2}')`,
  byPermit2,
  `${byPermit2} && eth.eip_712.domain.chain_id == 1 && eth.eip_712.primary_type == 'PermitSingle'`,
  `${byPermit2} && eth.eip_712.message['details']['amount'] < 5`,
])('to name Permit2 limits nothing, because it moves what the key allowed to it: %s', (text) => {
  expect(finished(openedDeeds(compileCondition(text)))).toEqual(['signatures'])
})

test.each([
  `${toPermit2} && eth.tx.data[0..10] == '0x87517c45' && ${word(1)}`,
  `${toPermit2} && eth.tx.data[0..10] == '0x36c78516' && ${word(1)}`,
  // `lockdown` and `invalidateUnorderedNonces` give nobody anything.
  `${toPermit2} && eth.tx.data[0..10] in ['0xcc53287f', '0x3ff9dcb1']`,
  `${toPermit2} && eth.tx.contract_call_args['spender'] == '0x${'aa'.repeat(20)}'`,
  `${byPermit2} && eth.eip_712.message['spender'] == '0x${'aa'.repeat(20)}'`,
])('beside Permit2, who gets something limits: %s', (text) => {
  expect(finished(openedDeeds(compileCondition(text)))).toEqual([])
})

test('every contract that makes the calls of a batch calls anything', () => {
  expect(batchContracts.isSubsetOf(callAnything)).toBe(true)
  const ofViem = [entryPoint06Address, entryPoint07Address, entryPoint08Address, entryPoint09Address]
  const all = [...ofViem, mainnet.contracts.multicall3.address]
  expect(all.filter((address) => !callAnything.has(address.toLowerCase()))).toEqual([])
  expect(callAnything.has('0xf9cda624fbc7e059355ce98a31693d299facd963')).toBe(true)
  expect(batchContracts.has('0xa83c336b20401af773b6219ba5027174338d1836')).toBe(true)
})
