import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { finished } from '../../../protocol/tools/steps.ts'
import { Failure } from '../../../protocol/wire/failures.ts'
import { checkSolanaIdl } from './solana_idl.ts'

const field = 'parameters.smartContractInterface'

/** The fault of an IDL; undefined if it has none. */
function faultOf(idl: unknown): string | undefined {
  try {
    finished(checkSolanaIdl(typeof idl === 'string' ? idl : JSON.stringify(idl), field))
    return undefined
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    expect(error.httpStatus).toBe(400)
    return error.message
  }
}

/** An IDL of Anchor 0.29, with a part of each form that it has. */
const legacyIdl = {
  version: '0.1.0',
  name: 'escrow',
  constants: [{ name: 'SEED', type: { defined: '&[u8]' }, value: 'b"x"' }],
  instructions: [
    {
      name: 'initialize',
      docs: ['Makes an escrow.'],
      accounts: [
        { name: 'maker', isMut: true, isSigner: true },
        { name: 'mint', isMut: false, isSigner: false, isOptional: true },
        { name: 'programs', accounts: [{ name: 'systemProgram', isMut: false, isSigner: false }] },
      ],
      args: [
        { name: 'amount', type: 'u64' },
        { name: 'receivers', type: { vec: 'publicKey' } },
        { name: 'memo', type: { option: 'string' } },
        { name: 'seed', type: { array: ['u8', 32] } },
        { name: 'terms', type: { defined: 'Terms' } },
      ],
      returns: 'bool',
    },
  ],
  accounts: [
    { name: 'Escrow', type: { kind: 'struct', fields: [{ name: 'terms', type: { vec: { defined: 'Terms' } } }] } },
  ],
  types: [
    {
      name: 'Terms',
      type: {
        kind: 'struct',
        fields: [
          { name: 'price', type: 'u128' },
          { name: 'side', type: { defined: 'Side' } },
        ],
      },
    },
    {
      name: 'Side',
      type: {
        kind: 'enum',
        variants: [
          { name: 'Buy' },
          { name: 'Sell', fields: ['u64', { option: 'i64' }] },
          { name: 'Other', fields: [{ name: 'x', type: 'f64' }] },
        ],
      },
    },
    { name: 'Price', type: { kind: 'alias', value: 'u64' } },
  ],
  events: [{ name: 'Made', fields: [{ name: 'amount', type: 'u64', index: false }] }],
  errors: [{ code: 6000, name: 'TooLittle', msg: 'too little' }],
}

/** An IDL of Anchor 0.30 and later. */
const idl = {
  address: 'JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4',
  metadata: { name: 'swap', version: '0.1.0', spec: '0.1.0' },
  instructions: [
    {
      name: 'route',
      discriminator: [229, 23, 203, 151, 122, 227, 173, 42],
      accounts: [
        { name: 'authority', signer: true },
        { name: 'vault', writable: true, optional: true, pda: { seeds: [{ kind: 'const', value: [118] }] } },
        { name: 'token_program', address: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' },
        { name: 'inner', accounts: [{ name: 'pool', writable: true }] },
      ],
      args: [
        { name: 'plan', type: { vec: { defined: { name: 'swap::Step' } } } },
        {
          name: 'table',
          type: {
            defined: {
              name: 'Table',
              generics: [
                { kind: 'type', type: 'pubkey' },
                { kind: 'const', value: '4' },
              ],
            },
          },
        },
      ],
      returns: 'u64',
    },
    { name: 'close', discriminator: [1], accounts: [], args: [] },
  ],
  accounts: [{ name: 'Vault', discriminator: [211, 8, 232, 43, 2, 152, 117, 119] }],
  events: [{ name: 'Routed', discriminator: [1, 2, 3, 4, 5, 6, 7, 8] }],
  types: [
    { name: 'swap::Step', type: { kind: 'struct', fields: [{ name: 'percent', type: 'u8' }] } },
    {
      name: 'Table',
      serialization: 'bytemuck',
      generics: [
        { kind: 'type', name: 'T' },
        { kind: 'const', name: 'N', type: 'usize' },
      ],
      type: { kind: 'struct', fields: [{ name: 'rows', type: { array: [{ generic: 'T' }, { generic: 'N' }] } }] },
    },
    { name: 'Vault', type: { kind: 'struct', fields: ['u8', { array: ['u64', 0] }] } },
    { name: 'Empty', type: { kind: 'struct' } },
    { name: 'Amount', type: { kind: 'type', alias: 'u256' } },
  ],
}

describe('a valid IDL', () => {
  test.each<[string, unknown]>([
    ['of Anchor before 0.30', legacyIdl],
    ['of Anchor since 0.30', idl],
    ['without anything but instructions', { instructions: [] }],
    ['with nulls', { instructions: [{ name: 'f', accounts: [], args: [], returns: null }], types: null }],
  ])('%s', (_name, document) => {
    expect(faultOf(document)).toBeUndefined()
  })
})

describe('an invalid IDL is refused at its first fault', () => {
  const instruction = (given: object) => ({ instructions: [{ name: 'f', accounts: [], args: [], ...given }] })
  const argument = (type: unknown) => instruction({ args: [{ name: 'a', type }] })
  const definition = (type: unknown, given: object = {}) => ({
    instructions: [],
    types: [{ name: 'T', type, ...given }],
  })
  const typeAt = 'instructions[0].args[0].type'

  test.each<[string, unknown, string]>([
    ['not JSON', '{', 'it is not valid JSON'],
    ['a key twice', '{"instructions":[],"instructions":[]}', 'the field instructions occurs twice'],
    ['a list', [], 'the document must be an object'],
    ['no instructions', { types: [] }, 'instructions must be the list of instructions'],
    ['an address that is none', { ...idl, address: '0x00' }, 'address must be the address of a program'],
    ['an instruction that is none', { instructions: ['f'] }, 'instructions[0] must be an object'],
    ['an instruction without a name', { instructions: [{}] }, 'instructions[0].name must be a name of letters'],
    ['a name with a blank', instruction({ name: 'a b' }), 'instructions[0].name must be a name of letters'],
    [
      'two instructions of one name',
      { instructions: [idl.instructions[1], idl.instructions[1]] },
      'instructions[1].name must be another name',
    ],
    ['no accounts', instruction({ accounts: undefined }), 'instructions[0].accounts must be a list'],
    ['an account that is none', instruction({ accounts: [1] }), 'instructions[0].accounts[0] must be an object'],
    [
      'an account without a name',
      instruction({ accounts: [{ isMut: true }] }),
      'instructions[0].accounts[0].name must be',
    ],
    [
      'a flag that is a text',
      instruction({ accounts: [{ name: 'a', isMut: 'yes' }] }),
      'instructions[0].accounts[0].isMut must be true or',
    ],
    [
      'a group that is none',
      instruction({ accounts: [{ name: 'a', accounts: 1 }] }),
      'instructions[0].accounts[0].accounts must be a list',
    ],
    ['no arguments', instruction({ args: undefined }), 'instructions[0].args must be a list'],
    ['no bytes', instruction({ discriminator: [] }), 'instructions[0].discriminator must be a list of one byte'],
    ['a byte that is none', instruction({ discriminator: [256] }), 'instructions[0].discriminator[0] must be a byte'],
    ['no type', argument(undefined), `${typeAt} must be a type`],
    ['a primitive that is none', argument('u512'), `${typeAt} must be a type`],
    ['a type of a prototype', argument({ constructor: 'u8' }), `${typeAt} must be a type`],
    ['two types in one', argument({ vec: 'u8', option: 'u8' }), `${typeAt} must be a type`],
    ['a list of nothing', argument({ vec: {} }), `${typeAt}.vec must be a type`],
    [
      'an array without a length',
      argument({ array: ['u8'] }),
      `${typeAt}.array must be a list of the type and the number`,
    ],
    ['an array of half an item', argument({ array: ['u8', 0.5] }), `${typeAt}.array[1] must be a number from 0`],
    [
      'a type that is not defined',
      argument({ defined: 'Terms' }),
      `${typeAt}.defined must be the name of a type that the document`,
    ],
    [
      'one in the newer form',
      argument({ defined: { name: 'Terms' } }),
      `${typeAt}.defined.name must be the name of a type that`,
    ],
    [
      'a parameter outside of a definition',
      argument({ generic: 'T' }),
      `${typeAt}.generic must be the name of a parameter`,
    ],
    ['a result of no type', instruction({ returns: 'void' }), 'instructions[0].returns must be a type'],
    ['a definition of no kind', definition({}), 'types[0].type.kind must be one of struct'],
    [
      'a field of no type',
      definition({ kind: 'struct', fields: [{ name: 'a', type: 'x' }] }),
      'types[0].type.fields[0].type must be a type',
    ],
    [
      'a field without a name among others',
      definition({ kind: 'struct', fields: [{ name: 'a', type: 'u8' }, 'u8'] }),
      'types[0].type.fields[1] must be an object',
    ],
    ['an enum without variants', definition({ kind: 'enum' }), 'types[0].type.variants must be a list'],
    [
      'a variant without a name',
      definition({ kind: 'enum', variants: [{}] }),
      'types[0].type.variants[0].name must be',
    ],
    ['an alias of nothing', definition({ kind: 'type' }), 'types[0].type.alias must be a type'],
    [
      'a type defined twice',
      { ...legacyIdl, types: [...legacyIdl.types, { ...legacyIdl.types[0] }] },
      'types[3].name must be another name',
    ],
    [
      'an account that a type is already',
      { ...legacyIdl, types: [{ ...legacyIdl.types[0], name: 'Escrow' }] },
      'accounts[0].name must be another name',
    ],
    [
      'a definition’s parameter without a name',
      definition({ kind: 'struct' }, { generics: [{ kind: 'type' }] }),
      'types[0].generics[0].name must be',
    ],
  ])('%s', (_name, document, text) => {
    expect(faultOf(document)).toContain(text)
    expect(faultOf(document)).toContain(field)
  })
})

const items = <T>(count: number, of: (index: number) => T) => Array.from({ length: count }, (_, index) => of(index))
const account = (index: number) => ({ name: `a${index}` })
const withAccounts = (accounts: readonly object[]) => ({ instructions: [{ name: 'f', accounts, args: [] }] })
const withType = (type: object, more: object = {}) => ({ instructions: [], types: [{ name: 'T', type, ...more }] })
const struct = { kind: 'struct', fields: [] }
const definedWith = (generics: readonly object[]) => ({ kind: 'type', alias: { defined: { name: 'T', generics } } })

test.each<[string, number, (count: number) => object, string]>([
  [
    'parameters of a definition',
    64,
    (count) => withType(struct, { generics: items(count, (index) => `T${index}`) }),
    'types[0].generics must be a list of at most 64, and it has 65',
  ],
  [
    'arguments for parameters',
    64,
    (count) => withType(definedWith(items(count, () => ({ kind: 'type', type: 'u8' })))),
    'types[0].type.alias.defined.generics must be a list of at most 64, and it has 65',
  ],
  [
    'variants',
    256,
    (count) => withType({ kind: 'enum', variants: items(count, account) }),
    'types[0].type.variants must be a list of at most 256, and it has 257',
  ],
  [
    'accounts of an instruction',
    256,
    (count) => withAccounts([account(0), { name: 'group', accounts: items(count - 1, account) }]),
    'instructions[0].accounts must be a list of at most 256 accounts, with those in groups',
  ],
  [
    'characters of a name',
    256,
    (count) => withAccounts([{ name: 'a'.repeat(count) }]),
    'instructions[0].accounts[0].name must be a name of letters, digits and _, at most 256 of them',
  ],
  [
    'characters of the path of a type',
    256,
    (count) => ({ instructions: [], types: [{ name: `a::${'b'.repeat(count - 3)}`, type: struct }] }),
    'types[0].name must be a name of letters, digits and _, at most 256 of them',
  ],
])('so many %s at most: %i', (_, max, idlWith, text) => {
  expect(faultOf(idlWith(max))).toBeUndefined()
  expect(faultOf(idlWith(max + 1))).toContain(text)
})

/** Valid types, nested, and the same with a fault in one place. */
const { type } = fc.letrec<{ type: unknown }>((tie) => ({
  type: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom('u8', 'i256', 'bool', 'bytes', 'string', 'pubkey', 'publicKey', 'f32'),
    fc.record({ vec: tie('type') }),
    fc.record({ option: tie('type') }),
    fc.record({ coption: tie('type') }),
    fc.record({ array: fc.tuple(tie('type'), fc.nat()) }),
    fc.constantFrom({ defined: 'Known' }, { defined: { name: 'Known' } }),
  ),
}))
const withArgument = (one: unknown) => ({
  instructions: [{ name: 'f', accounts: [], args: [{ name: 'a', type: one }] }],
  types: [{ name: 'Known', type: { kind: 'struct', fields: [{ name: 'b', type: one }] } }],
})

test('types nest in any way', () => {
  fc.assert(
    fc.property(type, (one) => {
      expect(faultOf(withArgument(one))).toBeUndefined()
    }),
  )
})

test('a type with a fault anywhere inside is refused there', () => {
  const wrap = fc.constantFrom<(inner: unknown) => unknown>(
    (inner) => ({ vec: inner }),
    (inner) => ({ option: inner }),
    (inner) => ({ array: [inner, 2] }),
  )
  const spoilt = fc.constantFrom<unknown>('u7', 1, [], {}, { defined: 'Unknown' }, { vec: null }, { array: ['u8', -1] })
  fc.assert(
    fc.property(spoilt, fc.array(wrap, { maxLength: 6 }), (inner, wraps) => {
      const fault = faultOf(withArgument(wraps.reduce((value, one) => one(value), inner)))
      expect(fault).toContain(`${field}: instructions[0].args[0].type`)
    }),
  )
})

test('any document is accepted or refused with a 400 that names its place', () => {
  const strange = fc.oneof(fc.jsonValue(), fc.constantFrom('u8', 'struct', [], {}, '__proto__', { defined: {} }))
  const keys = fc.constantFrom('address', 'instructions', 'accounts', 'types')
  const changed = fc.tuple(fc.constantFrom<object>(idl, legacyIdl), keys, strange, fc.boolean())
  fc.assert(
    fc.property(
      fc.oneof(
        fc.json(),
        changed.map(([document, key, value, inList]) => ({ ...document, [key]: inList ? [value] : value })),
      ),
      (document) => {
        const fault = faultOf(document)
        expect(fault === undefined || fault.includes(field)).toBe(true)
      },
    ),
  )
})

test('instructions whose discriminators the data cannot tell apart are refused', () => {
  const instruction = (name: string, discriminator?: readonly number[]) => ({
    name,
    accounts: [],
    args: [],
    ...(discriminator === undefined ? {} : { discriminator }),
  })
  const fault = (...discriminators: readonly (readonly number[] | undefined)[]) =>
    faultOf({ instructions: discriminators.map((each, index) => instruction(`act${index}`, each)) })
  expect(fault([7], [8], [7])).toContain('instructions[2] must be an instruction with another discriminator')
  expect(fault([7, 1], [8], [7])).toContain('instructions[0] must be an instruction with another discriminator')
  expect(fault([7, 1], [7, 2], [8, 7, 1], undefined)).toBeUndefined()
  // Both names are `swap_in` in Rust.
  const same = faultOf({ instructions: [instruction('swapIn'), instruction('swap_in')] })
  expect(same).toContain('the discriminator of instructions[0] is the same, or the beginning of it')
})

test('a long document is checked in steps', () => {
  const items = Array.from({ length: 5_000 }, (_, index) => ({ name: `a${index}`, type: 'u8' }))
  const instruction = { name: 'act', accounts: [], args: items }
  const struct = { name: 'S', type: { kind: 'struct', fields: items } }
  const idl = JSON.stringify({ instructions: [instruction], types: [struct] })
  expect([...checkSolanaIdl(idl, field)].length).toBeGreaterThan(10)
  const many = items.map(({ name }) => ({ name, accounts: [], args: [] }))
  expect([...checkSolanaIdl(JSON.stringify({ instructions: many }), field)].length).toBeGreaterThan(10)
})

test('a discriminator fits into a transaction', () => {
  const idl = (length: number) => ({
    instructions: [{ name: 'act', accounts: [], args: [], discriminator: Array.from({ length }, () => 1) }],
  })
  expect(faultOf(idl(1_232))).toBeUndefined()
  expect(faultOf(idl(1_233))).toContain('discriminator must be a list of at most 1232, and it has 1233')
})
