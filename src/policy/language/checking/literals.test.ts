import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { generatedExpression, type Pick } from '../../../../test/support/policy_generator.ts'
import type { Struct } from '../expression_values.ts'
import type { ExpressionKind } from '../names/keywords.ts'
import { parse } from '../reading/parse.ts'
import { print } from '../reading/print.ts'
import { evaluate } from '../running/evaluate.ts'
import { check } from './check.ts'

/** Written texts, and the fields that they are compared with. */

const address = '0x1f9090aae28b8a3dceadf281b0f12828e676c326'
const digits = address.slice(2)
const mixed = '0x1f9090aaE28b8a3dCeaDf281B0F12828e676c326'
const id = '9a3c8c1e-6f0e-4a52-8f1b-2b7d1c0a9e44'
const txid = `${'ab'.repeat(31)}0f`
const script = '0014751e76e8199196d454941c45d1b3a323f1433bd6'
const bitcoin = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'
const bitcoinOnTestnet = 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx'
const tron = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'
const tronHex = '41a614f803b6fd780986a42c78ec9c7f77e6ded13c'
const solana = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const solanaHex = 'c6fa7af3bedbad3a3d65f36aabc97431b1bbe4c2d2f6e0e47ca60203452f5d61'
const point = '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'
const uncompressed =
  '0479be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8'
const data = '0xa9059cbb00ff'

const fieldsWithForms = [
  ...["eth.tx.contract_call_args['to']", 'eth.tx.to', 'eth.tx.from', 'eth.tx.data', 'eth.tx.function_name'],
  ...['eth.eip_712.primary_type', 'wallet.label', 'wallet.id', 'wallet_account.address', 'wallet_account.public_key'],
  ...['solana.tx.instructions[0].parsed_instruction_data.program_call_args.x', 'solana.tx.account_keys[0]'],
  ...['bitcoin.tx.outputs[0].address', 'tron.tx.data', 'activity.kind', 'activity.params.target_public_key'],
].map((field) => field.replace('.x', "['x']"))

const request: Struct = {
  activity: {
    type: 'ACTIVITY_TYPE_SIGN_TRANSACTION',
    kind: 'SIGN_TRANSACTION',
    params: { type: 'TRANSACTION_TYPE_ETHEREUM', user_ids: [id], target_public_key: point, encoding: 'a' },
  },
  wallet: { id, label: 'Cold' },
  wallet_account: { address: bitcoin, public_key: point },
  eth: {
    tx: { to: address, data, function_signature: '0xa9059cbb', contract_call_args: new Map([['to', address]]) },
    eip_712: { domain: { verifying_contract: address, name: 'X' }, message: new Map([['to', address]]) },
  },
  solana: {
    tx: {
      account_keys: [solana],
      transfers: [{ to: 'ADDRESS_TABLE_LOOKUP', from: solana }],
      instructions: [{ program_key: solana, instruction_data_hex: '0200' }],
    },
  },
  tron: { tx: { ref_block_hash: 'ab01', contract: [{ type: 'TransferContract', to_address: tron, data: 'ff' }] } },
  bitcoin: {
    tx: {
      inputs: [{ tx_id: txid }],
      outputs: [
        { script_pubkey: script, address: bitcoin, address_type: 'P2WPKH' },
        { script_pubkey: '6a', address: '', address_type: '' },
      ],
    },
  },
}
const approvals: Struct = {
  approvers: [{ id, tags: [id], alias: 'Ada', email: '' }],
  credentials: [{ id, user_id: id, type: 'CREDENTIAL_TYPE_API_KEY_P256', credential_id: '', public_key: point }],
}

function checked(text: string, kind: ExpressionKind = 'condition') {
  return check(parse(text), kind, text)
}

function resultOf(text: string, kind: ExpressionKind = 'condition') {
  const evaluation = evaluate(checked(text, kind).expression, { keywords: { ...request, ...approvals } })
  return evaluation.kind === 'value' ? evaluation.value : evaluation.message
}

function problemsOf(text: string, kind: ExpressionKind = 'condition'): readonly string[] {
  return checked(text, kind).neverEqual.map(({ offset, message }) => `${offset + 1}: ${message}`)
}

const output = (test: string) => `bitcoin.tx.outputs.any(o, ${test})`
const contract = (test: string) => `tron.tx.contract.any(c, ${test})`

describe('another spelling of the same thing matches', () => {
  test.each([
    ...[address, mixed, digits, digits.toUpperCase(), `0X${digits}`].map((text) => `eth.tx.to == '${text}'`),
    `eth.eip_712.domain.verifying_contract == '${digits}'`,
    `eth.tx.contract_call_args['to'] == '${mixed}'`,
    `['${mixed}'].all(to, to == eth.tx.to && to == eth.tx.contract_call_args['to'])`,
    `['${mixed}'].all(to, to == eth.tx.contract_call_args['to'] && to == eth.tx.to)`,
    `eth.tx.data == '0XA9059CBB00FF'`,
    `eth.tx.data == 'a9059cbb00ff'`,
    `eth.tx.function_signature == '0xA9059CBB'`,
    ...[bitcoin, bitcoin.toUpperCase(), bitcoinOnTestnet, bitcoinOnTestnet.toUpperCase()].flatMap((text) => [
      output(`o.address == '${text}'`),
      output(`'${text}' == o.address`),
      output(`o.address in ['${text}', '']`),
      output(`['${text}'].contains(o.address)`),
      output(`['${text}'].any(t, t == o.address)`),
      output(`['${text}'].filter(t, true).contains(o.address)`),
      output(`['${text}'][0..1][0] == o.address`),
      `!bitcoin.tx.outputs.all(o, o.address != '${text}')`,
      `wallet_account.address == '${text}'`,
    ]),
    output(`o.script_pubkey == '0x${script.toUpperCase()}'`),
    output(`o.address == ''`),
    output(`o.address_type == ''`),
    `bitcoin.tx.inputs[0].tx_id == '0x${txid.toUpperCase()}'`,
    ...[tron, tronHex, tronHex.toUpperCase(), `0x${tronHex}`].map((text) => contract(`c.to_address == '${text}'`)),
    contract(`c.data == '0xFF'`),
    ...[solana, solanaHex, solanaHex.toUpperCase()].map((text) => `solana.tx.account_keys.contains('${text}')`),
    `solana.tx.transfers[0].to == 'ADDRESS_TABLE_LOOKUP'`,
    `solana.tx.instructions[0].instruction_data_hex == '0x0200'`,
    `wallet.id == '${id.toUpperCase()}'`,
    `'${id.toUpperCase()}' in activity.params.user_ids`,
    `activity.params.target_public_key == '${uncompressed.toUpperCase()}'`,
    ...[point.toUpperCase(), `0x${point}`, uncompressed, `0x${uncompressed.toUpperCase()}`].map(
      (text) => `wallet_account.public_key == '${text}'`,
    ),
    ...[digits, mixed, `0X${digits}`].flatMap((text) => [
      `'${text}' in [eth.tx.to, eth.tx.data]`,
      `[eth.tx.function_signature, eth.tx.to].contains('${text}')`,
      `[eth.tx.data, eth.tx.to].any(a, a == '${text}')`,
      `['${mixed}', eth.tx.to].contains('${text}')`,
    ]),
    `'${digits}' in [eth.tx.contract_call_args['to'], eth.tx.to]`,
    `'${solanaHex}' in [solana.tx.transfers[0].to, solana.tx.account_keys[0]]`,
    `'${bitcoinOnTestnet}' in [bitcoin.tx.outputs[0].address, wallet_account.address]`,
    ...['', '_V2'].map((version) => `activity.type == 'ACTIVITY_TYPE_SIGN_TRANSACTION${version}'`),
    // Pieces of texts.
    `eth.tx.data[0..10] == '0XA9059CBB'`,
    `eth.tx.data[2..10] == 'A9059CBB'`,
    `eth.tx.data[1 + 1..10] in ['A9059CBB']`,
    `eth.tx.to[2..42][0..4] == '1F90'`,
    `eth.tx.to[3] == 'F'`,
    `'${digits.toUpperCase()}' == eth.tx.to[2..42]`,
    `[eth.tx.data, eth.tx.to][1][2..6] == '1F90'`,
    `bitcoin.tx.outputs[0].address[0..4] == 'BC1Q'`,
  ])('%s', (text) => {
    expect(problemsOf(text)).toEqual([])
    expect(resultOf(text)).toBe(true)
  })

  test.each([
    `approvers.any(u, u.id == '${id.toUpperCase()}')`,
    `approvers.any(u, '${id.toUpperCase()}' in u.tags)`,
    `credentials.any(c, c.public_key == '0x${point.toUpperCase()}' && c.credential_id == '')`,
    `credentials.all(c, c.credential_id == '' && c.credential_id != 'ab+/==')`,
    `['${id.toUpperCase()}'].all(known, approvers.any(u, u.id == known))`,
  ])('in a consensus: %s', (text) => {
    expect(problemsOf(text, 'consensus')).toEqual([])
    expect(resultOf(text, 'consensus')).toBe(true)
  })
})

describe('a text that its field never holds is named with its column and a hint', () => {
  const mean = (text: string) => `; did you mean '${text}'?`
  const anAddress = '; it holds an Ethereum address'
  const aBitcoinAddress =
    '; it holds a Bitcoin address of P2PKH, P2SH, P2WPKH, P2WSH or P2TR, in pieces that of the main network'

  test.each([
    [`eth.tx.to == '${address.slice(0, -1)}'`, `14: eth.tx.to is never '${address.slice(0, -1)}'${anAddress}`],
    [`eth.tx.to != '${address}0'`, `14: eth.tx.to is never '${address}0'${anAddress}`],
    [`eth.tx.to == ' ${address}'`, `14: eth.tx.to is never ' ${address}'${mean(address)}`],
    [`'${bitcoin}' == eth.tx.to`, `1: eth.tx.to is never '${bitcoin}'${anAddress}`],
    [`eth.tx.to in ['${address}', '0x0']`, `61: eth.tx.to is never '0x0'${anAddress}`],
    [`['0x1', ''].any(t, t == eth.tx.to)`, `2: eth.tx.to is never '0x1'${anAddress}`],
    [`eth.tx.from == ''`, `16: eth.tx.from is never ''${anAddress}`],
    [`eth.tx.data == '0xa9059cb'`, `16: eth.tx.data is never '0xa9059cb'; it holds bytes in hex with 0x`],
    [
      `eth.tx.function_signature == '0xa9059c'`,
      `30: eth.tx.function_signature is never '0xa9059c'; it holds 8 digits of hex with 0x`,
    ],
    [
      `eth.tx.contract_call_args['to'] == '${digits}'`,
      `36: eth.tx.contract_call_args['to'] is never '${digits}'${mean(address)}`,
    ],
    [
      `eth.tx.contract_call_args['path'].contains('0X${digits}')`,
      `44: eth.tx.contract_call_args['path'] is never '0X${digits}'${mean(address)}`,
    ],
    [
      `eth.eip_712.message['to'] == '${address} '`,
      `30: eth.eip_712.message['to'] is never '${address} '${mean(address)}`,
    ],
    [output(`o.address == '${bitcoin}x'`), `40: o.address is never '${bitcoin}x'${aBitcoinAddress}`],
    [output(`o.address == '${tron}'`), `40: o.address is never '${tron}'${aBitcoinAddress}`],
    [
      `solana.tx.instructions.any(i, i.parsed_instruction_data.discriminator == '')`,
      `74: i.parsed_instruction_data.discriminator is never ''; it holds bytes in hex without 0x`,
    ],
    [output(`o.address_type == 'p2wpkh'`), `45: o.address_type is never 'p2wpkh'; did you mean 'P2WPKH'?`],
    [
      output(`o.script_pubkey == '${bitcoin}'`),
      `46: o.script_pubkey is never '${bitcoin}'; it holds bytes in hex without 0x`,
    ],
    [
      `bitcoin.tx.inputs.any(i, i.tx_id == '${txid}0')`,
      `37: i.tx_id is never '${txid}0'; it holds 64 digits of hex without 0x`,
    ],
    [
      contract(`c.to_address == '${tron.toLowerCase()}'`),
      `41: c.to_address is never '${tron.toLowerCase()}'; it holds a Tron address`,
    ],
    [
      contract(`c.type == 'TransferContrat'`),
      `35: c.type is never 'TransferContrat'; did you mean 'TransferContract'?`,
    ],
    [contract(`c.resource == 'GAS'`), `39: c.resource is never 'GAS'; it is one of BANDWIDTH, ENERGY, TRON_POWER`],
    [
      `solana.tx.account_keys.contains('${solana.slice(0, -1)}0')`,
      `33: solana.tx.account_keys is never '${solana.slice(0, -1)}0'; it holds a Solana key: 32 bytes in base58`,
    ],
    [
      `solana.tx.program_keys.contains('ADDRESS_TABLE_LOOKUP')`,
      `33: solana.tx.program_keys is never 'ADDRESS_TABLE_LOOKUP'; it holds a Solana key: 32 bytes in base58`,
    ],
    [`wallet_account.address == 'cold'`, `27: wallet_account.address is never 'cold'; it holds an address`],
    [`wallet.id == 'cold'`, `14: wallet.id is never 'cold'; it holds an id`],
    [
      `activity.type == 'ACTIVITY_TYPE_SIGN_TRANSACTON_V2'`,
      `18: activity.type is never 'ACTIVITY_TYPE_SIGN_TRANSACTON_V2'; it holds the type of an activity`,
    ],
    [
      `activity.type == 'ACTIVITY_TYPE_APPROVE_ACTIVITY'`,
      `18: activity.type is never 'ACTIVITY_TYPE_APPROVE_ACTIVITY'; it holds the type of an activity`,
    ],
    [
      `!(activity.type in ['ACTIVITY_TYPE_SIGN_TRANSACTION', 'ACTIVITY_TYPE_REJECT_ACTIVITY_V2'])`,
      `55: activity.type is never 'ACTIVITY_TYPE_REJECT_ACTIVITY_V2'; it holds the type of an activity`,
    ],
    [
      `activity.kind == 'SIGN_TRANSACTON'`,
      `18: activity.kind is never 'SIGN_TRANSACTON'; did you mean 'SIGN_TRANSACTION'?`,
    ],
    [
      `activity.kind == 'ACTIVITY_TYPE_SIGN_TRANSACTION'`,
      `18: activity.kind is never 'ACTIVITY_TYPE_SIGN_TRANSACTION'; it holds the kind of an activity`,
    ],
    [
      `activity.params.encoding == 'PAYLOAD_ENCODING_HEX'`,
      `29: activity.params.encoding is never 'PAYLOAD_ENCODING_HEX'; it is one of PAYLOAD_ENCODING_HEXADECIMAL, PAYLOAD_ENCODING_TEXT_UTF8, PAYLOAD_ENCODING_EIP712, PAYLOAD_ENCODING_EIP7702_AUTHORIZATION`,
    ],
    // Pieces of texts.
    [
      `eth.tx.data[0..10] == '0xa9059cbb00'`,
      `23: the length of eth.tx.data[0..10] is 10, that of '0xa9059cbb00' is 12`,
    ],
    [`eth.tx.data[0..10] != 'a9059cbb'`, `23: the length of eth.tx.data[0..10] is 10, that of 'a9059cbb' is 8`],
    [
      `eth.tx.data[0..10] == 'a9059cbb00'`,
      `23: eth.tx.data[0..10] is never 'a9059cbb00'; it holds bytes in hex with 0x`,
    ],
    [`eth.tx.data[2..10] == '0xa9059c'`, `23: eth.tx.data[2..10] is never '0xa9059c'; it holds bytes in hex with 0x`],
    [
      `eth.tx.contract_call_args['data'][0..10] == '0XA9059CBB'`,
      `45: eth.tx.contract_call_args['data'][0..10] is never '0XA9059CBB'${mean('0xa9059cbb')}`,
    ],
    [`eth.tx.to[2] == 'ab'`, `17: the length of eth.tx.to[2] is 1, that of 'ab' is 2`],
    [`wallet.label[0..4] == 'Cold2'`, `23: the length of wallet.label[0..4] is 4, that of 'Cold2' is 5`],
    // The length is that of the spelling that the field has: NFC.
    [`wallet.label[0..2] == 'e\u0301t'`, undefined],
    [`wallet.label[0] == 'e\u0301'`, undefined],
    [`wallet.label[0..3] == 'e\u0301t'`, `23: the length of wallet.label[0..3] is 3, that of 'e\u0301t' is 2`],
    [`wallet.label == '${'e\u0301'.repeat(200)}'`, undefined],
    [
      `'tb1q' in [wallet_account.address[0..3]]`,
      `1: the length of [wallet_account.address[0..3]] is 3, that of 'tb1q' is 4`,
    ],
    [output(`o.address[0..4] == 'tb1q'`), `46: o.address[0..4] is never 'tb1q'${aBitcoinAddress}`],
    [contract(`c.to_address[0..2] == 'TR'`), undefined],
    [contract(`c.to_address[0..2] == 'aT'`), `47: c.to_address[0..2] is never 'aT'; it holds a Tron address`],
    [
      `['${bitcoin.toUpperCase()}'].any(t, t == wallet.label || ${output('t == o.address')})`,
      `2: '${bitcoin.toUpperCase()}' is compared with fields that spell it differently: write it twice`,
    ],
  ])('%s', (text, problem) => {
    expect(problemsOf(text)).toEqual(problem === undefined ? [] : [problem])
  })

  test.each([
    [`approvers.any(u, u.email == 'Ada')`, `29: u.email is never 'Ada'; it holds an e-mail address`],
    [`credentials.any(c, c.type == 'PASSKEY')`, undefined],
    [
      `credentials.any(c, c.credential_id == 'passk')`,
      `39: c.credential_id is never 'passk'; it holds the id of a passkey in base64url`,
    ],
    [
      `credentials.any(c, c.credential_id == 'ab c')`,
      `39: c.credential_id is never 'ab c'; it holds the id of a passkey in base64url`,
    ],
  ])('in a consensus: %s', (text, problem) => {
    if (problem === undefined)
      expect(problemsOf(text, 'consensus')[0]).toMatch(/^30: c.type is never 'PASSKEY'; it is one of/)
    else expect(problemsOf(text, 'consensus')).toEqual([problem])
  })

  test.each([
    [
      `'${address.slice(0, -1)}' in [eth.tx.to, eth.tx.from]`,
      `1: [eth.tx.to, eth.tx.from] is never '${address.slice(0, -1)}'${anAddress}`,
    ],
    [
      `'SIGNN' in [activity.kind, activity.action]`,
      `1: [activity.kind, activity.action] is never 'SIGNN'; it holds the kind of an activity`,
    ],
    [
      `[eth.tx.to, eth.tx.contract_call_args['to']].any(a, a == ' ${address}')`,
      `58: a is never ' ${address}'${mean(address)}`,
    ],
    [
      `'${id.toUpperCase()}' in [wallet.id, wallet.label]`,
      `1: '${id.toUpperCase()}' is compared with fields that spell it differently: write it twice`,
    ],
    [`['${address}', eth.tx.to].contains('0x12')`, `68: ['${address}', eth.tx.to] is never '0x12'${anAddress}`],
    [`[eth.tx.to, eth.tx.data][0][0..2] == 'ab'`, `38: [eth.tx.to, eth.tx.data][0][0..2] is never 'ab'${anAddress}`],
  ])('also of several fields together: %s', (text, problem) => {
    expect(problemsOf(text)).toEqual([problem])
  })

  test.each([point.slice(0, -1), `${point}00`, `04${point.slice(2)}`, `05${point.slice(2)}`])(
    'a text that is no public key: %s',
    (text) => {
      expect(problemsOf(`wallet_account.public_key == '${text}'`)).toHaveLength(1)
      expect(problemsOf(`credentials.any(c, c.public_key == '${text}')`, 'consensus')).toHaveLength(1)
    },
  )

  test.each([`wallet_account.address`, `eth.tx.contract_call_args['to']`, `eth.eip_712.message['to']`])(
    'the digits of an address in another case than %s has',
    (field) => {
      const [isAnyAddress, text] = [field === 'wallet_account.address', `${field}[2..42] == '${mixed.slice(2)}'`]
      expect(problemsOf(text)).toEqual(
        isAnyAddress ? [] : [`${field.length + 12}: ${field}[2..42] is never '${mixed.slice(2)}'${mean(digits)}`],
      )
      expect(problemsOf(`${field}[2..42] == '${digits}'`)).toEqual([])
    },
  )

  test('every such text is named, from left to right', () => {
    expect(problemsOf("eth.tx.to in ['0x2', '0x1'] || wallet.id == 'a'")).toEqual([
      `15: eth.tx.to is never '0x2'${anAddress}`,
      `22: eth.tx.to is never '0x1'${anAddress}`,
      "45: wallet.id is never 'a'; it holds an id",
    ])
  })
})

describe('what an expression compares is bounded', () => {
  const texts = (count: number) =>
    Array.from({ length: count }, (_, index) => `'SIGN_TRANSACTON_PAYLOADS_EXPORT_WALLET_${index}'`)
  const often = (count: number, make: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => make(index)).join(' || ')

  test('what is compared again is looked at once', () => {
    const fields = Array(60).fill('activity.kind').join()
    expect(problemsOf(`[${texts(20)}].any(x, [eth.tx.to, ${fields}].any(y, ${often(200, () => 'x == y')}))`)).toEqual(
      texts(20).map((text) => expect.stringContaining(`y is never ${text}; it holds an Ethereum address`)),
    )
  })

  test('an expression that compares more is refused', () => {
    const many = Array.from({ length: 99 }, (_, index) => `'${index}'`).join()
    const comparing = (count: number) =>
      `[${many}].any(x, [eth.tx.contract_call_args['m']].any(y, ${often(count, () => 'x == y[0..eth.tx.nonce]')}))`
    expect(problemsOf(comparing(100))).toEqual([])
    expect(problemsOf(comparing(250))[0]).toContain('the expression compares too many texts with too many fields')
  })
})

test('the creation of a contract has no recipient, which may be written as empty bytes', () => {
  const creating = { keywords: { eth: { tx: { to: '' } } } }
  for (const text of ['', '0x']) {
    const { expression, neverEqual } = checked(`eth.tx.to == '${text}'`)
    expect([evaluate(expression, creating), neverEqual]).toEqual([{ kind: 'value', value: true }, []])
  }
})

describe('a text that a field can hold is left as it is', () => {
  test.each([
    "wallet.label == 'COLD'",
    `wallet.label == '${id.toUpperCase()}'`,
    "eth.eip_712.domain.name == '0X1'",
    "eth.tx.contract_call_args['memo'] == 'Thanks'",
    "eth.tx.contract_call_args['memo'] == ''",
    "eth.tx.to == '' && eth.tx.data == '0x'",
    "secret.static_properties['a'] == '0X1'",
    "!('a' == 'A' || 'A' in ['a'])",
    "activity.type == ''",
    "activity.resource == '' || activity.resource in ['', 'WALLET']",
    "eth.tx.contract_call_args['memo'][0..4] == 'Ab12'",
    "eth.tx.data[eth.tx.nonce..10] == 'a9'",
    "eth.tx.contract_call_args['path'][0..2][0] == 'abc'",
  ])('%s', (text) => {
    const read = parse(text)
    expect(check(read, 'condition', text)).toEqual({ expression: read, ids: [], neverEqual: [] })
  })
})

test('another spelling keeps its place in the text, so that a trace still fits it', () => {
  const text = `wallet.label == 'a' || eth.tx.to == '${digits}'`
  const { expression } = checked(text)
  expect(print(expression)).toBe(`wallet.label == 'a' || eth.tx.to == '${address}'`)
  expect(expression).toMatchObject({ start: 0, end: text.length, operands: [{}, { right: { start: 36, end: 78 } }] })
})

test('an expression in the spelling of its fields is in the spelling of its fields', () => {
  fc.assert(
    fc.property(fc.gen(), fc.constantFrom<ExpressionKind>('condition', 'consensus'), (pick: Pick, kind) => {
      const text = print(generatedExpression(pick, kind))
      const spelled = print(checked(text, kind).expression)
      expect(print(checked(spelled, kind).expression)).toBe(spelled)
    }),
    { numRuns: 500 },
  )
})

describe('the action of a query is named, because only scopes of sessions are asked about queries', () => {
  const reason = "only the scope of a session is asked about queries, so no action is 'READ' here"
  test.each([
    ["activity.action == 'READ'", 20],
    ["wallet.label == 'READ' || activity.action != 'READ'", 46],
    ["activity.action in ['SIGN', 'READ']", 29],
    ["['READ'].contains(activity.action)", 2],
  ])('%s', (text, column) => {
    expect(problemsOf(text)).toEqual([`${column}: ${reason}`])
    expect(check(parse(text), 'condition', text, { isScope: true }).neverEqual).toEqual([])
  })
})

describe('fields that no request has together are named, because such a condition never has a value', () => {
  test.each([
    ["wallet.label == 'Cold' || private_key.label == 'Cold'", 'wallet.label and private_key.label', 27],
    ['wallets.count() > 0 && wallet_account.path_indexes[0] == 1', 'wallets and wallet_account.path_indexes', 24],
    ['eth.tx.value > 5 || bitcoin.tx.fee > 5', 'eth.tx.value and bitcoin.tx.fee', 21],
    [
      '!(eth.tx.chain_id == 1 && eth.eip_712.domain.chain_id == 1)',
      'eth.tx.chain_id and eth.eip_712.domain.chain_id',
      27,
    ],
    [
      "activity.params.type == 'TRANSACTION_TYPE_TRON' || activity.params.encoding == 'PAYLOAD_ENCODING_EIP712'",
      'activity.params.type and activity.params.encoding',
      52,
    ],
    [
      "eth.tx.value > 5 && activity.params.encoding == 'PAYLOAD_ENCODING_EIP712'",
      'eth.tx.value and activity.params.encoding',
      21,
    ],
    ['activity.params.otp_length < 6 || wallets.any(w, w.exported)', 'activity.params.otp_length and wallets', 35],
  ])('%s', (text, both, column) => {
    expect(problemsOf(text)).toEqual([`${column}: no request has both ${both}: write a rule for each`])
  })

  test.each([
    "activity.kind == 'SIGN_TRANSACTION' && eth.tx.value > 5 && wallet.id == wallet.id && wallet_account.path_hardened[0]",
    'activity.params.user_id == activity.params.api_key_ids[0]',
    "activity.params.type == 'TRANSACTION_TYPE_TRON' && tron.tx.fee_limit > 5 && controls.daily",
    "activity.params.encoding == 'PAYLOAD_ENCODING_EIP712' && eth.eip_712.primary_type == 'Permit'",
    '[1].any(x, wallet.imported) || [1].any(x, private_key.imported)',
    "activity.params.sign_with == '' || activity.params.claim.threshold == 1",
  ])('other fields are not: %s', (text) => {
    expect(problemsOf(text).filter((problem) => problem.includes('no request has both'))).toEqual([])
  })
})

describe('a text with characters that the field refuses or that nobody sees is refused', () => {
  const value = "eth.eip_712.message['to'] == "
  const key = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
  const argument = "solana.tx.instructions.any(i, i.parsed_instruction_data.program_call_args['to'] == "
  const mail = 'approvers.any(a, a.email == '
  const checked = (text: string, kind: 'condition' | 'consensus') => check(parse(text), kind, text).neverEqual

  test.each<['condition' | 'consensus', string]>([
    ...['hot\u200b', '\u200ehot', 'h\u202eot', 'hot\ufeff', ' hot', 'a'.repeat(257)].flatMap(
      (label): ['condition' | 'consensus', string][] => [
        ['condition', `wallet.label == '${label}'`],
        ['consensus', `approvers.any(a, a.alias == '${label}')`],
      ],
    ),
    ['condition', "wallet.label[0..4] == 'hot\u200b'"],
    ...[
      'mailto:ada@example.com',
      '<ada@example.com>',
      'ada@example.com\u200b',
      'ada@example.com,',
      'a b@example.com',
      'a\u00adda@example.com',
    ].map((address): ['consensus', string] => ['consensus', `${mail}'${address}')`]),
    ...['\u200b', '\u202a', '\u200e', '\u2060', '\ufeff', '\u00ad'].flatMap((character): ['condition', string][] => [
      ['condition', `${value}'${address}${character}'`],
      ['condition', `${value}'${character}${address}'`],
      ['condition', `${argument}'${character}${key}')`],
      ['condition', `${argument}'${key}${character}')`],
      ['condition', `eth.tx.to == '${character}${address}'`],
    ]),
  ])('%s %j', (kind, text) => {
    expect(checked(text, kind)).toHaveLength(1)
    expect(checked(text, kind)[0]?.offset).toBe(text.indexOf("'", text.lastIndexOf('==')))
  })

  test.each<['condition' | 'consensus', string]>([
    ['condition', "wallet.label == 'a\u200db'"],
    ['condition', "wallet.label[0..3] == 'ho '"],
    ['consensus', `${mail}'ada+x@example.com')`],
    ['condition', `${value}'a\u200b'`],
  ])('others are not: %s %j', (kind, text) => {
    expect(checked(text, kind)).toEqual([])
  })
})

test('of many words that a field never has, the first ten get the word that is meant', () => {
  const words = Array.from({ length: 400 }, (_, index) => `'SIGN_TRANSACTIO${index}'`)
  const text = `activity.kind in [${words.join(', ')}]`
  const { neverEqual } = check(parse(text), 'condition', text)
  expect(neverEqual.length).toBe(400)
  expect(neverEqual.filter(({ message }) => message.includes('did you mean')).length).toBe(10)
  expect(neverEqual[0]?.message).toContain('did you mean')
})

describe('an address of another chain in an argument, which bridges take as a text', () => {
  const address = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
  const checksummed = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'
  const tron = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'
  const bitcoin = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'
  const solana = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
  const places = [
    "eth.tx.contract_call_args['to']",
    "eth.eip_712.message['to']",
    "solana.tx.instructions[0].parsed_instruction_data.program_call_args['to']",
  ]
  const problemsAt = (place: string, text: string) => problemsOf(`${place} == '${text}'`)

  test.each(places)('is refused with a blank around it: %s', (place) => {
    for (const text of [address, tron, bitcoin, solana])
      expect(problemsAt(place, `${text} `)[0]).toContain(`; did you mean '${text}'?`)
  })

  test.each(places)('is refused with 0X, and with a wrong checksum: %s', (place) => {
    const digits = address.slice(2).toUpperCase()
    expect(problemsAt(place, `0X${digits}`)[0]).toContain(`; did you mean '${address}'?`)
    expect(problemsAt(place, `${checksummed.slice(0, -1)}9`)[0]).toContain('EIP-55')
  })

  test.each(places)('is taken as it is: %s', (place) => {
    for (const text of [address, checksummed, tron, bitcoin, solana]) expect(problemsAt(place, text)).toEqual([])
  })
})

test('a hint is a text that the field takes', () => {
  const digits39 = digits.slice(1)
  const hinted = fieldsWithForms.flatMap((field) =>
    [
      '',
      ' ',
      '0x',
      ' hot ',
      `0x${digits39}`,
      `0x${digits}f`,
      `0X${digits}`,
      digits,
      digits39,
      `${digits}f`,
      `${mixed} `,
    ]
      .flatMap((text) => problemsOf(`${field} == '${text}'`))
      .flatMap((problem) => /; did you mean '(.*)'\?$/.exec(problem)?.[1] ?? [])
      .map((hint) => [field, hint] as const),
  )
  expect(hinted.length).toBeGreaterThanOrEqual(fieldsWithForms.length)
  for (const [field, hint] of hinted) {
    expect(problemsOf(`${field} == '${hint}'`)).toEqual([])
    expect(hint).not.toMatch(/^0x0x/)
  }
})

test.each([
  ["eth.tx.contract_call_args['to']", `0x${digits.slice(1)}`],
  ["eth.tx.contract_call_args['to']", `0x${digits}f`],
  ['wallet.label', ''],
  ['eth.tx.function_name', ''],
  ['eth.eip_712.primary_type', ''],
])('a text that nobody knows how to mend has no hint: %s', (field, text) => {
  expect(problemsOf(`${field} == '${text}'`)).toEqual([expect.stringContaining('; it holds ')])
})
