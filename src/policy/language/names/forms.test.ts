import { sha256 } from '@noble/hashes/sha2.js'
import { createBase58check } from '@scure/base'
import { describe, expect, test } from 'vitest'
import { parseStructTypes } from '../../../protocol/chains/eip712_types.ts'
import { finished } from '../../../protocol/tools/steps.ts'
import { Failure, orFailure } from '../../../protocol/wire/failures.ts'
import { checkEthereumAbi } from '../../contracts/ethereum/ethereum_abi.ts'
import { checkSolanaIdl } from '../../contracts/solana/solana_idl.ts'
import { check } from '../checking/check.ts'
import { parse } from '../reading/parse.ts'
import { print } from '../reading/print.ts'
import { evaluate } from '../running/evaluate.ts'
import { anyAddress } from './any_address.ts'
import { credentialId } from './forms.ts'
import { credentialTypes } from './keywords.ts'

function problemsOf(text: string): readonly string[] {
  return check(parse(text), 'condition', text).neverEqual.map(({ message }) => message)
}

const mistyped = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB49'
const right = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'
const wrong = '; the checksum in its capitals (EIP-55) is wrong'

describe('an address in mixed case has the checksum of EIP-55', () => {
  const fields = [
    'eth.tx.to',
    'eth.tx.from',
    "eth.tx.contract_call_args['to']",
    "eth.tx.contract_call_args['path'][0]",
    "eth.eip_712.message['to']",
    'eth.eip_712.domain.verifying_contract',
    'eth.eip_7702_authorization.address',
    'wallet_account.address',
    'tempo.tx.fee_token',
    'eth.tx.to[0..42]',
    "eth.tx.contract_call_args['to'][0..42]",
  ]
  test.each(fields)('%s', (field) => {
    expect(problemsOf(`${field} == '${mistyped}'`)).toEqual([`${field} is never '${mistyped}'${wrong}`])
    expect(problemsOf(`${field} == '${mistyped.slice(0, 2)}${mistyped.slice(2).toLowerCase()}'`)).toEqual([])
    expect(problemsOf(`${field} == '${right}'`)).toEqual([])
  })

  test('also without 0x, with a blank, in a list, and within data', () => {
    for (const text of [mistyped.slice(2), ` ${mistyped}`]) {
      expect(problemsOf(`eth.tx.to == '${text}'`)).toEqual([`eth.tx.to is never '${text}'${wrong}`])
      expect(problemsOf(`eth.tx.contract_call_args['to'] == '${text}'`)).toHaveLength(1)
      expect(problemsOf(`'${text}' in [eth.tx.to, eth.tx.from]`)).toHaveLength(1)
    }
    expect(problemsOf(`eth.tx.data[34..74] == '${mistyped.slice(2)}'`)).toHaveLength(1)
    expect(problemsOf(`eth.tx.data[34..74] == '${right.slice(2)}'`)).toEqual([])
    expect(problemsOf(`eth.tx.to == '0X${mistyped.slice(2).toUpperCase()}'`)).toEqual([])
  })
})

const key = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const keyHex = 'c6fa7af3bedbad3a3d65f36aabc97431b1bbe4c2d2f6e0e47ca60203452f5d61'
const ofSolana = (test: string) => `solana.tx.instructions.any(i, i.parsed_instruction_data.program_call_args${test})`

describe('an argument of an instruction of Solana has one spelling', () => {
  test.each([
    [keyHex.toUpperCase(), `; did you mean '${keyHex}'?`],
    [`0x${keyHex}`, `; did you mean '${keyHex}'?`],
    [`0X${keyHex.toUpperCase()}`, `; did you mean '${keyHex}'?`],
    [` ${keyHex}`, `; did you mean '${keyHex}'?`],
    [` ${key}`, `; did you mean '${key}'?`],
    ['A9059CBB', "; did you mean 'a9059cbb'?"],
    ['A9059CBB ', "; did you mean 'a9059cbb'?"],
    ['0xabcd', "; did you mean 'abcd'?"],
    ['0XABCD', "; did you mean 'abcd'?"],
  ])('%s', (text, hint) => {
    expect(problemsOf(ofSolana(`['to'] == '${text}'`))).toEqual([
      `i.parsed_instruction_data.program_call_args['to'] is never '${text}'${hint}`,
    ])
    expect(problemsOf(ofSolana(`['list'].contains('${text}')`))).toHaveLength(1)
  })

  test('also a piece of it', () => {
    expect(problemsOf(ofSolana("['data'][0..8] == 'A9059CBB'"))).toEqual([
      "i.parsed_instruction_data.program_call_args['data'][0..8] is never 'A9059CBB'; did you mean 'a9059cbb'?",
    ])
  })

  test.each([
    `['to'] == '${key}'`,
    "['data'] == 'a9059cbb'",
    `['data'] == '${keyHex}'`,
    `['data'][0..64] == '${keyHex}'`,
    "['memo'] == 'Thanks '",
    "['symbol'] == 'CAFE'",
    "['note'] == ''",
    `['recipient'] == '${right}'`,
    "['side'] == 'Bid'",
    "['price'] == '1e18'",
    "['amount'] <= 5",
  ])('other texts are left as they are: %s', (test) => {
    const text = ofSolana(test)
    const { expression, neverEqual } = check(parse(text), 'condition', text)
    expect([print(expression), neverEqual]).toEqual([text, []])
  })
})

describe('an argument of a call of Ethereum that is meant as hex', () => {
  const field = "eth.tx.contract_call_args['data']"
  test.each([
    [`${field} == '${keyHex}'`, `${field} is never '${keyHex}'; did you mean '0x${keyHex}'?`],
    [`${field}[2..10] == 'A9059CBB'`, `${field}[2..10] is never 'A9059CBB'; did you mean 'a9059cbb'?`],
    [`${field}[2..66] == '${keyHex.toUpperCase()}'`, undefined],
  ])('%s', (text, problem) => {
    expect(problemsOf(text)).toHaveLength(1)
    if (problem !== undefined) expect(problemsOf(text)).toEqual([problem])
  })

  test.each([`${field} == '0x${keyHex}'`, `${field}[2..10] == 'a9059cbb'`, `${field}[0..6] == 'FACADE'`])(
    'and not %s',
    (text) => {
      expect(problemsOf(text)).toEqual([])
    },
  )
})

const cose =
  'a5010203262001215820c6fa7af3bedbad3a3d65f36aabc97431b1bbe4c2d2f6e0e47ca60203452f5d61225820c6fa7af3bedbad3a3d65f36aabc97431b1bbe4c2d2f6e0e47ca60203452f5d61'

describe('the credentials of approvers', () => {
  const neverIn = (test: string) => {
    const text = `credentials.any(c, ${test})`
    return check(parse(text), 'consensus', text).neverEqual.map(({ message }) => message)
  }

  test('have the type of a key that this server makes', () => {
    for (const type of ['LOGIN', 'API_KEY_P256', 'WEBAUTHN_AUTHENTICATOR', 'OTP_AUTH_KEY_P256', 'OAUTH_KEY_P256']) {
      expect(neverIn(`c.type == 'CREDENTIAL_TYPE_${type}'`)).toEqual([])
    }
    const others = ['READ_WRITE_SESSION_KEY_P256', 'EMAIL_AUTH_KEY_P256']
    for (const type of others) {
      expect(neverIn(`c.type in ['CREDENTIAL_TYPE_LOGIN', 'CREDENTIAL_TYPE_${type}']`)).toEqual([
        `c.type is never 'CREDENTIAL_TYPE_${type}'; it is one of ${credentialTypes.join(', ')}`,
      ])
    }
  })

  test('have an id in base64url without surplus bits', () => {
    expect(neverIn("c.credential_id == 'cQ' || c.credential_id == 'cRE'")).toEqual([])
    expect(neverIn("c.credential_id == 'cR'")).toHaveLength(1)
    expect(neverIn("c.credential_id == 'cRF'")).toHaveLength(1)
  })

  test("have the id '' where the key is that of an attested stamp", () => {
    expect(neverIn("c.id != '' && c.user_id == 'a'")).toEqual(["c.user_id is never 'a'; it holds an id"])
  })

  test('have the COSE_Key of a passkey', () => {
    for (const text of [cose, cose.toUpperCase(), `0x${cose}`]) {
      expect(neverIn(`c.public_key == '${text}'`)).toEqual([])
      expect(
        print(check(parse(`credentials.any(c, c.public_key == '${text}')`), 'consensus', '').expression),
      ).toContain(`'${cose}'`)
    }
    expect(neverIn("c.public_key[100..104] == '2f5d'")).toEqual([])
    expect(neverIn(`c.public_key == '${cose.slice(0, -1)}'`)).toHaveLength(1)
    expect(neverIn(`c.public_key == '${cose.slice(0, 60)}'`)).toHaveLength(1)
  })
})

test('the 32 bytes of a key in hex are the bytes and the key, and no others', () => {
  const isEqual = (argument: string, guards: boolean) => {
    const given = {
      solana: {
        tx: { instructions: [{ parsed_instruction_data: { program_call_args: new Map([['a', argument]]) } }] },
      },
    }
    const text = ofSolana(`['a'] == '${keyHex}'`)
    const result = evaluate(check(parse(text), 'condition', text).expression, { keywords: given, guards })
    return result.kind === 'value' && result.value
  }
  for (const guards of [false, true]) {
    expect([key, keyHex].map((argument) => isEqual(argument, guards))).toEqual([true, true])
    const others = [`${keyHex}00`, keyHex.slice(2), key.toLowerCase(), key.replace('E', 'F'), `${key}1`, '']
    expect(others.filter((argument) => isEqual(argument, guards))).toEqual([])
  }
})

describe('a piece of an address of an account has one spelling', () => {
  test.each([
    ['[2..8]', 'A0B869', 'a0b869'],
    ['[0..8]', '0XA0B869', '0xa0b869'],
    ['[0..4]', 'BC1Q', 'bc1q'],
    ['[0..4]', 'TR7N', 'TR7N'],
    ['[0..1]', 'D', 'D'],
    ['[2..42]', right.slice(2), right.slice(2).toLowerCase()],
    // Each may begin an address as the field has it.
    ['[0..1]', 'b', 'b'],
    ['[0..2]', 'bc', 'bc'],
    ['[0..5]', 'spark', 'spark'],
    ['[0..2]', 'TB', 'TB'],
    ['[0..3]', 'UQA', 'UQA'],
    ['[0..3]', 'EQz', 'EQz'],
    ['[0..2]', '2a', '2a'],
    ['[1..3]', 'b1', 'b1'],
  ])('%s %s', (slice, piece, spelling) => {
    const text = `wallet_account.address${slice} == '${piece}'`
    const { expression, neverEqual } = check(parse(text), 'condition', text)
    expect([print(expression), neverEqual]).toEqual([`wallet_account.address${slice} == '${spelling}'`, []])
  })

  test.each(['me', 'mA', 'm1', 'n5', 'nT', 'nt', '2Mr', '2MA', '2NH', '2Na'])(
    'and is accepted where only a Solana key begins so: %s',
    (piece) => {
      expect(problemsOf(`wallet_account.address[0..${piece.length}] == '${piece}'`)).toEqual([])
    },
  )

  test('and is refused where it may be of hex or not', () => {
    expect(problemsOf("wallet_account.address[4..10] == 'ABCDEF'")).toEqual([
      "wallet_account.address[4..10] is never 'ABCDEF'; did you mean 'abcdef'?",
    ])
  })

  test('and is refused where it is of Bech32 in capitals', () => {
    expect(problemsOf("wallet_account.address[4..11] == 'W508D6Q'")).toEqual([
      "wallet_account.address[4..11] is never 'W508D6Q'; did you mean 'w508d6q'?",
    ])
  })

  test.each(
    [
      ['t', 'tb', 'tb1', 'tb1q', 'TB1Q0', 'bcr', 'bcrt', 'bcrt1q', 'BCRT1Q', 'sparkr', 'sparkrt1', 'SPARKRT1'],
      ['EQ', 'EQA', 'EQDt', 'kQ', 'kQB', '0Q', '0QA'],
      ['m', 'mf', 'mz', 'mipcBb', 'n', 'n1', 'n4', 'nU', 'nZ', 'na', 'ns', 'n2ZNV8'],
      ['2M', '2Ms', '2Mz', '2N', '2N1', '2NG', '2N1abc'],
    ].flat(),
  )('and is refused where the same key has another address that begins so: %s', (piece) => {
    expect(problemsOf(`wallet_account.address[0..${piece.length}] == '${piece}'`)).toEqual([
      `wallet_account.address[0..${piece.length}] is never '${piece}'; it has the address on the main network, which begins with bc1, 1, 3, D or spark1, and that of TON which begins with UQ; for a Solana key that begins so, compare the whole address`,
    ])
  })

  test('and no beginning of an address on a test network passes', () => {
    for (const version of [0x6f, 0xc4, 0x71]) {
      for (const byte of [0, 1, 0x20, 0x5a, 0x80, 0xb7, 0xe0, 0xff]) {
        const address = createBase58check(sha256).encode(Uint8Array.of(version, ...Array(20).fill(byte)))
        // Many keys of Solana begin with 2, so this alone is not refused.
        const beginnings = Array.from(address, (_, index) => address.slice(0, index + 1)).filter((one) => one !== '2')
        const text = beginnings.map((piece) => `wallet_account.address[0..${piece.length}] == '${piece}'`).join(' || ')
        expect(problemsOf(text), address).toHaveLength(beginnings.length)
      }
    }
  })

  test.each(['ab:', 'a+b', 'a/b', ' bc1'])('and is refused where no address has its characters: %s', (piece) => {
    expect(problemsOf(`wallet_account.address[0..${piece.length}] == '${piece}'`)).toHaveLength(1)
  })
})

describe('a piece of an address of Bitcoin has one spelling', () => {
  const address = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'
  const textOf = (from: number, piece: string) =>
    `bitcoin.tx.outputs.any(o, o.address[${from}..${from + piece.length}] == '${piece}')`
  test.each([
    [0, address.toUpperCase(), address],
    [0, 'BC1QW508', 'bc1qw508'],
    [0, '1A1zP', '1A1zP'],
    [1, 'C1Q', 'C1Q'],
    [1, 'C1Q0', 'c1q0'],
    [3, 'QW508', 'qw508'],
    [3, 'qw508', 'qw508'],
    [4, address.slice(4).toUpperCase(), address.slice(4)],
    // It is too long for base58.
    [4, 'A'.repeat(31), 'a'.repeat(31)],
    [4, 'A'.repeat(30), 'A'.repeat(30)],
    [30, 'ARVARY0', 'arvary0'],
  ])('from %i on: %s', (from, piece, spelling) => {
    const text = textOf(from, piece)
    const { expression, neverEqual } = check(parse(text), 'condition', text)
    expect([print(expression), neverEqual]).toEqual([textOf(from, spelling), []])
  })

  test.each([
    [0, '1O0Il'],
    [0, '2NG'],
    [0, 'bc1b'],
    [1, 'O'],
    [3, 'Qw508'],
    [3, '1508'],
    [4, 'i0'],
  ])('and is refused where no address has it: from %i on: %s', (from, piece) => {
    expect(problemsOf(textOf(from, piece))).toHaveLength(1)
  })
})

test('an e-mail address is compared as its mailbox', () => {
  const text = "approvers.any(u, u.email == 'Ada@Example.com' || u.email[0..3] == 'BOB')"
  const { expression, neverEqual } = check(parse(text), 'consensus', text)
  expect([print(expression), neverEqual]).toEqual([
    text.replace('Ada@Example', 'ada@example').replace('BOB', 'bob'),
    [],
  ])
})

describe('the domain of an e-mail address', () => {
  const spelled = (text: string) => {
    const { expression, neverEqual } = check(parse(text), 'consensus', text)
    return [print(expression), neverEqual.map(({ message }) => message)]
  }

  test.each([
    ["u.email == 'Ada@BÜCHER。example.'", "u.email == 'ada@xn--bcher-kva.example'"],
    ["u.email in ['p@bu\u0308cher.example', '']", "u.email in ['p@xn--bcher-kva.example', '']"],
    ["u.email[3..9] == '@MAIL.'", "u.email[3..9] == '@mail.'"],
    ["u.email[0..7] == 'Jürgen@'", "u.email[0..7] == 'jürgen@'"],
  ])('has one spelling: %s', (text, spelling) => {
    expect(spelled(`approvers.any(u, ${text})`)).toEqual([`approvers.any(u, ${spelling})`, []])
  })

  test('is in ASCII, also in pieces', () => {
    const problem = "is never '@bücher.example'; domains are in ASCII, such as xn--bcher-kva.example"
    expect(spelled("approvers.any(u, u.email[3..18] == '@bücher.example')")[1]).toEqual([
      expect.stringContaining(problem),
    ])
  })
})

test('a long text in a field of ids and addresses is read once', () => {
  for (const text of [`${'='.repeat(500_000)}!`, `TB1${'0'.repeat(500_000)}\n`]) {
    expect([credentialId, anyAddress].map(({ canonical, fault }) => [canonical(text), fault?.(text)])).toHaveLength(2)
  }
})

describe('a piece of a text has the characters that stand at its place', () => {
  const id = '019b76da-a802-7005-8ba9-1f1d2aa17c73'
  test.each([
    ["wallet.id[0..13] == '019b76daa8027'", 'wallet.id[0..13]'],
    ["wallet.id[8] == 'a'", 'wallet.id[8]'],
    ["wallet.id[13] == '7'", 'wallet.id[13]'],
    ["approvers.any(u, u.id[0..9] == '9a3c8c1e6')", 'u.id[0..9]'],
    ["wallet.label[0..2] == ' a'", 'wallet.label[0..2]'],
    ["bitcoin.tx.outputs.any(o, o.address[0..4] == 'bc1x')", 'o.address[0..4]'],
    ["bitcoin.tx.outputs.any(o, o.address[0..2] == '3z')", 'o.address[0..2]'],
    ["tron.tx.contract[0].owner_address[0..3] == 'Tzz'", 'tron.tx.contract[0].owner_address[0..3]'],
    [
      "eth.tx.contract_call_args['to'][3..42] == '0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'",
      "eth.tx.contract_call_args['to'][3..42]",
    ],
    [ofSolana("['data'][1..10] == '9059CBB12'"), "i.parsed_instruction_data.program_call_args['data'][1..10]"],
  ])('never: %s', (text, field) => {
    const where = text.startsWith('approvers') ? 'consensus' : 'condition'
    expect(check(parse(text), where, text).neverEqual.map(({ message }) => message)).toEqual([
      expect.stringContaining(`${field} is never`),
    ])
  })

  test.each([
    `wallet.id[0..13] == '${id.slice(0, 13)}'`,
    `wallet.id[0..14] == '${id.slice(0, 14).toUpperCase()}'`,
    `wallet.id[8] == '-'`,
    "wallet.label[1..3] == ' a'",
    "bitcoin.tx.outputs.any(o, o.address[0..4] == 'bc1p')",
    "bitcoin.tx.outputs.any(o, o.address[0..2] == '3R')",
    "tron.tx.contract[0].owner_address[0..3] == 'TZJ'",
    "eth.tx.contract_call_args['note'][0..9] == 'FACADEBAD'",
  ])('perhaps: %s', (text) => expect(problemsOf(text)).toEqual([]))
})

test('the places of characters in addresses are those that their libraries write', () => {
  const { encode } = createBase58check(sha256)
  const base58Of = (version: number, fill: number) => encode(Uint8Array.of(version, ...new Uint8Array(20).fill(fill)))
  const fills = [0, 1, 100, 200, 255]
  const fieldsOf = (fill: number) => [
    ['bitcoin.tx.outputs.any(o, o.address', base58Of(5, fill), ')'],
    ['bitcoin.tx.outputs.any(o, o.address', base58Of(0, fill), ')'],
    ['tron.tx.contract[0].owner_address', base58Of(0x41, fill), ''],
  ]
  for (const [field, address = '', end] of fills.flatMap(fieldsOf)) {
    for (const length of [1, 2, 3, 10]) {
      expect(problemsOf(`${field}[0..${length}] == '${address.slice(0, length)}'${end}`)).toEqual([])
    }
  }
})

describe('a name that no interface and no document may have is refused', () => {
  const ofInstruction = (test: string) =>
    `solana.tx.instructions.any(i, i.parsed_instruction_data.instruction_name${test})`
  const aName = 'a name of letters, digits, $ and _'
  const anIdlName = 'a name of letters, digits and _'
  const selector = '; no name begins with a digit: compare function_signature'
  const discriminator = '; no name begins with a digit: compare discriminator'
  test.each([
    ["eth.tx.function_name == '0xa9059cbb'", selector],
    ["eth.tx.function_name != '0XA9059CBB'", selector],
    ["eth.tx.function_name in ['transfer', '0xa9059cbb']", selector],
    ["eth.tx.function_name[0..10] == '0xa9059cbb'", selector],
    ["eth.tx.function_name == '1inch'", selector],
    ["eth.tx.function_name[0..1] == '1'", selector],
    ["eth.tx.function_name == 'transfer(address,uint256)'", `; it holds ${aName}`],
    [ofInstruction(" == '0xe445a52e51cb9a1d'"), discriminator],
    [ofInstruction(" == '1445a52e51cb9a1d'"), discriminator],
    [ofInstruction(" == '1swap'"), discriminator],
    [ofInstruction(" == 'swap$'"), `; it holds ${anIdlName}`],
    [ofInstruction(` == '${'s'.repeat(257)}'`), `; it holds ${anIdlName}`],
    ["eth.eip_712.primary_type == 'uint256'", '; it holds the name of a struct'],
    ["eth.eip_712.primary_type == 'bytes'", '; it holds the name of a struct'],
    [`eth.eip_712.primary_type == '${'P'.repeat(129)}'`, '; it holds the name of a struct'],
    ["eth.eip_712.primary_type[0..4] == 'a b '", '; it holds the name of a struct'],
  ])('%s', (text, hint) => {
    const [problem, ...others] = problemsOf(text)
    expect(problem).toContain(' is never ')
    expect(problem?.endsWith(hint), problem).toBe(true)
    expect(others).toEqual([])
  })

  test.each([
    "eth.tx.function_name == '$swap_1inch'",
    "eth.tx.function_name[1..11] == '0xa9059cbb'",
    "eth.tx.function_name[0..4] == 'swap'",
    `eth.tx.function_name == '${'s'.repeat(257)}'`,
    ofInstruction(" == 'e445a52e51cb9a1d'"),
    ofInstruction(" == 'swap_2'"),
    ofInstruction("[4..6] == '_2'"),
    ofInstruction(` == '${'s'.repeat(256)}'`),
    "eth.eip_712.primary_type == 'uint256x'",
    "eth.eip_712.primary_type == 'Exchange:Order'",
    "eth.eip_712.primary_type[0..7] == 'uint256'",
    "eth.eip_712.primary_type[3..10] == 'uint256'",
  ])('%s may be true', (text) => {
    expect(problemsOf(text)).toEqual([])
  })

  test.each([
    ...['transfer', '0xa9059cbb', '1inch', '$swap', '_', 'a b', 'é', '', 'f()', 'x:y', 'uint', 'uint7', 'bytes32'],
    ...['n'.repeat(128), 'n'.repeat(129), 'n'.repeat(256), 'n'.repeat(257)],
  ])('a rule may compare the name %s where an upload or a document may have it', (name) => {
    const abi = JSON.stringify([{ type: 'function', name, inputs: [] }])
    const idl = JSON.stringify({ instructions: [{ name, accounts: [], args: [] }] })
    for (const [field, declare] of [
      ['eth.tx.function_name', () => finished(checkEthereumAbi(abi, 'abi'))],
      [
        'solana.tx.instructions[0].parsed_instruction_data.instruction_name',
        () => finished(checkSolanaIdl(idl, 'idl')),
      ],
      ['eth.eip_712.primary_type', () => parseStructTypes({ [name]: [] }, 'types')],
    ] as const) {
      const isRefused = orFailure<unknown>(declare) instanceof Failure
      expect(problemsOf(`${field} == '${name}'`).length > 0, field).toBe(isRefused)
    }
  })
})
