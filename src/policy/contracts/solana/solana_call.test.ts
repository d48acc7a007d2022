import { sha256 } from '@noble/hashes/sha2.js'
import { base58 } from '@scure/base'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { finished } from '../../../protocol/tools/steps.ts'
import type { JsonValue } from '../../../protocol/wire/json.ts'
import type { Value } from '../../language/expression_values.ts'
import { openDocument } from '../document.ts'
import { borshValuesMax } from './borsh_values.ts'
import { readSolanaCall, type SolanaCallInput } from './solana_call.ts'
import { checkSolanaIdl } from './solana_idl.ts'
import { solanaProgramOf } from './solana_program.ts'

const callOf = (input: SolanaCallInput) => finished(readSolanaCall(input))

const discriminator = [1, 2, 3, 4, 5, 6, 7, 8]

/** Reads the argument `a` of this type. */
function read(type: unknown, data: readonly number[], more: object = {}): Value | undefined | null {
  const instruction = { name: 'act', discriminator, accounts: [], args: [{ name: 'a', type }] }
  const idl = JSON.stringify({ instructions: [instruction], ...more })
  finished(checkSolanaIdl(idl, 'idl'))
  const call = callOf({
    data: Uint8Array.of(...discriminator, ...data),
    accounts: [],
    programs: [solanaProgramOf(finished(openDocument(idl, 'idl')))],
    count: { values: 0 },
  })
  expect(call).toMatchObject({ instructionName: 'act', discriminator: '0102030405060708' })
  return call?.args === undefined ? null : call.args.get('a')
}

const key = new Uint8Array(32).fill(7)
const types = [
  {
    name: 'Pair',
    type: {
      kind: 'struct',
      fields: [
        { name: 'x', type: 'u8' },
        { name: 'y', type: { option: 'bool' } },
      ],
    },
  },
  { name: 'Row', type: { kind: 'struct', fields: ['u8', 'bool'] } },
  {
    name: 'Choice',
    type: {
      kind: 'enum',
      variants: [
        { name: 'Nothing' },
        { name: 'Named', fields: [{ name: 'x', type: 'u16' }] },
        { name: 'Row', fields: ['u8'] },
      ],
    },
  },
  { name: 'Same', type: { kind: 'type', alias: 'i16' } },
  { name: 'Loop', type: { kind: 'struct', fields: [{ name: 'next', type: { defined: { name: 'Loop' } } }] } },
  { name: 'Nothing', type: { kind: 'struct', fields: [] } },
  { name: 'Borsh', serialization: 'borsh', type: { kind: 'struct', fields: [{ name: 'x', type: 'u8' }] } },
  {
    name: 'Twins',
    type: {
      kind: 'struct',
      fields: [
        { name: 'x', type: 'u8' },
        { name: 'x', type: 'u8' },
      ],
    },
  },
  { name: 'Raw', serialization: 'bytemuck', type: { kind: 'struct', fields: [] } },
  {
    name: 'Boxed',
    generics: [
      { kind: 'type', name: 'T' },
      { kind: 'const', name: 'N', type: 'usize' },
    ],
    type: { kind: 'struct', fields: [{ name: 'items', type: { array: [{ generic: 'T' }, { generic: 'N' }] } }] },
  },
]
const defined = (name: string, generics: readonly object[] = []) => ({ defined: { name, generics } })

describe('an argument', () => {
  for (const [type, data, expected] of [
    ['u8', [255], 255n],
    ['i8', [255], -1n],
    ['u64', [1, 0, 0, 0, 0, 0, 0, 128], 2n ** 63n + 1n],
    ['i128', Array(16).fill(255), -1n],
    ['u256', Array(32).fill(255), 2n ** 256n - 1n],
    ['bool', [1], true],
    ['bool', [2], null],
    ['string', [2, 0, 0, 0, 104, 105], 'hi'],
    ['string', [1, 0, 0, 0, 0xff], null],
    ['string', [9, 0, 0, 0, 104], null],
    ['bytes', [2, 0, 0, 0, 0xab, 1], 'ab01'],
    ['f32', [0, 0, 192, 63], '1.5'],
    ['f64', [0, 0, 0, 0, 0, 0, 248, 63], '1.5'],
    ['pubkey', [...key], base58.encode(key)],
    ['publicKey', [...key.subarray(1)], null],
    [{ vec: 'u8' }, [2, 0, 0, 0, 5, 6], [5n, 6n]],
    [{ vec: 'u8' }, [255, 255, 255, 255], null],
    [{ array: ['u16', 2] }, [1, 0, 2, 0], [1n, 2n]],
    [{ array: [defined('Row'), 2 ** 32] }, [], null],
    [{ option: 'u8' }, [1, 5], 5n],
    [{ option: 'u8' }, [0], undefined],
    [{ option: 'u8' }, [2], null],
    [{ vec: { option: 'u8' } }, [1, 0, 0, 0, 0], null],
    [{ coption: 'u8' }, [1, 0, 0, 0, 5], null],
    [
      defined('Pair'),
      [5, 1, 1],
      new Map<string, Value>([
        ['x', 5n],
        ['y', true],
      ]),
    ],
    [defined('Pair'), [5, 0], new Map([['x', 5n]])],
    [{ defined: 'Row' }, [5, 0], [5n, false]],
    [defined('Choice'), [0], 'Nothing'],
    [defined('Choice'), [1, 7, 0], new Map([['Named', new Map([['x', 7n]])]])],
    [defined('Choice'), [2, 7], new Map([['Row', [7n]]])],
    [defined('Choice'), [3], null],
    [defined('Same'), [255, 255], -1n],
    [defined('Loop'), [0], null],
    [defined('Raw'), [], null],
    [defined('Borsh'), [5], new Map([['x', 5n]])],
    [defined('Twins'), [5, 5], null],
    [defined('Boxed'), [1, 2], null],
    [
      defined('Boxed', [
        { kind: 'const', value: '2' },
        { kind: 'type', type: 'u8' },
      ]),
      [1, 2],
      null,
    ],
    [
      defined('Boxed', [
        { kind: 'type', type: 'u8' },
        { kind: 'const', value: 'two' },
      ]),
      [1, 2],
      null,
    ],
    // A list and its rows count together.
    [{ array: [{ array: [defined('Nothing'), 2] }, 2] }, [], Array(2).fill(Array(2).fill(new Map()))],
    [{ array: [{ array: [defined('Nothing'), borshValuesMax / 10] }, 11] }, [], null],
    ['string', [3, 0, 0, 0, 0xef, 0xbb, 0xbf], '\ufeff'],
    [
      defined('Boxed', [
        { kind: 'type', type: 'u8' },
        { kind: 'const', value: '2' },
      ]),
      [1, 2],
      new Map([['items', [1n, 2n]]]),
    ],
    ['u8', [5, 1, 2, 3], 5n],
    ['u8', [], null],
  ] as const) {
    test(`${JSON.stringify(type)} of ${data.length} bytes`, () => {
      expect(read(type, data, { types })).toEqual(expected)
    })
  }

  test('throws nothing, whatever the data', () => {
    fc.assert(
      fc.property(
        fc.constantFrom({ vec: defined('Choice') }, { vec: { vec: defined('Pair') } }, defined('Loop'), 'string'),
        fc.array(fc.nat(255), { maxLength: 60 }),
        (type, data) => {
          read(type, data, { types })
        },
      ),
    )
  })
})

describe('the text of a type is read once, however many values there are', () => {
  const many = Array.from({ length: 2_000 }, (_, index) => `T${index}`)
  const fields = many.map((name) => ({ name, type: 'u8' }))
  const nothing = { name: 'Nothing', type: { kind: 'struct', fields: [] } }
  test.each<[string, object, object, readonly number[]]>([
    ['parameters', defined('Type'), { generics: many.map((name) => ({ kind: 'type', name })), ...nothing }, []],
    [
      'arguments',
      defined(
        'Type',
        many.map(() => ({ kind: 'type', type: 'u8' })),
      ),
      { ...nothing, generics: ['T'] },
      [],
    ],
    ['variants', defined('Type'), { type: { kind: 'enum', variants: many.map((name) => ({ name })) } }, [7]],
    [
      'fields of another variant',
      defined('Type'),
      { type: { kind: 'enum', variants: [{ name: 'A' }, { name: 'B', fields }] } },
      [0],
    ],
    ['serialization', defined('Type'), { ...nothing, serialization: 'borsh' }, []],
  ])('%s', (_, type, definition, bytes) => {
    expect(readsOf(100)).toBe(readsOf(5))

    /** How often the document is looked into for so many values. */
    function readsOf(values: number): number {
      const args = [{ name: 'a', type: { array: [type, values] } }]
      const idl = {
        instructions: [{ name: 'act', discriminator, accounts: [], args }],
        types: [{ ...definition, name: 'Type' }],
      }
      let reads = 0
      const counted = (value: JsonValue): JsonValue => {
        if (typeof value !== 'object' || value === null) return value
        return new Proxy(value, {
          get(target, key) {
            reads += 1
            return counted(Reflect.get(target, key))
          },
        })
      }
      const data = Uint8Array.of(...discriminator, ...Array(values).fill(bytes).flat())
      const value = counted(JSON.parse(JSON.stringify(idl)))
      const programs = [solanaProgramOf({ value, path: '', fieldPath: 'idl' })]
      const call = callOf({ data, accounts: [], programs, count: { values: 0 } })
      expect(call?.args?.get('a')).toHaveLength(values)
      return reads
    }
  })
})

describe('readSolanaCall', () => {
  const document = JSON.stringify({
    instructions: [
      { name: 'close', accounts: [], args: [] },
      {
        name: 'swapExactIn2V',
        accounts: [
          { name: 'user', isMut: true, isSigner: true },
          { name: 'pool', accounts: [{ name: 'vault' }, { name: 'mint' }] },
          { name: 'last' },
        ],
        args: [{ name: 'amount', type: 'u8' }],
      },
    ],
  })
  const program = solanaProgramOf(finished(openDocument(document, 'idl')))
  const data = Uint8Array.of(...sha256(Buffer.from('global:swap_exact_in2_v')).subarray(0, 8), 9)

  test('names accounts in their order, groups with a dot, and leaves out missing ones', () => {
    const call = callOf({ data, accounts: ['a', 'b', 'c'], programs: [program], count: { values: 0 } })
    expect(call).toMatchObject({
      instructionName: 'swapExactIn2V',
      discriminator: Buffer.from(data.subarray(0, 8)).toString('hex'),
      namedAccounts: new Map([
        ['user', 'a'],
        ['pool.vault', 'b'],
        ['pool.mint', 'c'],
      ]),
      args: new Map([['amount', 9n]]),
      programs: [program],
    })
  })

  const byteTypes = [
    { name: 'Byte', type: { kind: 'type', alias: 'u8' } },
    { name: 'Octet', type: { kind: 'type', alias: { defined: 'Byte' } } },
    {
      name: 'Items',
      generics: [
        { kind: 'type', name: 'T' },
        { kind: 'const', name: 'N', type: 'usize' },
      ],
      type: { kind: 'type', alias: { array: [{ generic: 'T' }, { generic: 'N' }] } },
    },
    { name: 'Endless', type: { kind: 'type', alias: { defined: 'Endless' } } },
  ]
  const items = (type: unknown, count: number) => ({
    defined: {
      name: 'Items',
      generics: [
        { kind: 'type', type },
        { kind: 'const', value: String(count) },
      ],
    },
  })

  test.each<[string, unknown, readonly number[], object]>([
    ['a list of another name of u8', { vec: { defined: 'Octet' } }, [1, 0, 0, 0, 7], { opaqueBytes: 1 }],
    ['a list of numbers of a byte with a sign', { vec: 'i8' }, [1, 0, 0, 0, 7], { opaqueBytes: 1 }],
    ['a row of more bytes than a key has', { array: ['u8', 33] }, Array(33).fill(7), { opaqueBytes: 33 }],
    ['such a row by a parameter', items({ defined: 'Byte' }, 40), Array(40).fill(7), { opaqueBytes: 40 }],
    ['a key or a hash', { array: ['u8', 32] }, Array(32).fill(7), { opaqueBytes: 0 }],
    ['a row of greater numbers', { array: ['u16', 40] }, Array(80).fill(7), { opaqueBytes: 0 }],
    ['a name that leads to itself', { vec: { defined: 'Endless' } }, [1, 0, 0, 0, 7], { kind: 'tooMuch' }],
    ['a tail is unread', 'u8', [1, 2, 3], { kind: 'read', unreadBytes: 2, opaqueBytes: 0 }],
    ['bytes are opaque', 'bytes', [2, 0, 0, 0, 7, 8], { kind: 'read', unreadBytes: 0, opaqueBytes: 2 }],
    ['a list of bytes is opaque', { vec: 'u8' }, [1, 0, 0, 0, 7], { kind: 'read', unreadBytes: 0, opaqueBytes: 1 }],
    ['a byte too few is misencoded', 'u16', [1], { kind: 'misencoded' }],
    ['a list that says more items than there are bytes', { vec: 'u8' }, [255, 255, 0, 0], { kind: 'misencoded' }],
    [
      'a list of one value too many is too much',
      { vec: 'bool' },
      [borshValuesMax & 0xff, borshValuesMax >> 8, 0, 0, ...Array(borshValuesMax).fill(1)],
      { kind: 'tooMuch', valuesMax: borshValuesMax },
    ],
    ['a type that is not read here is unsupported', { coption: 'u8' }, [1, 0, 0, 0, 5], { kind: 'unsupported' }],
  ])('how a call was read: %s', (_, type, bytes, expected) => {
    const act = { name: 'act', discriminator, accounts: [], args: [{ name: 'a', type }] }
    const programs = [
      solanaProgramOf(finished(openDocument(JSON.stringify({ instructions: [act], types: byteTypes }), 'idl'))),
    ]
    const given = { data: Uint8Array.of(...discriminator, ...bytes), accounts: [], programs, count: { values: 0 } }
    expect(callOf(given)?.reading).toMatchObject(expected)
  })

  test('accounts beyond those of the IDL have no name', () => {
    expect(
      callOf({ data, accounts: ['a', 'b', 'c', 'd', 'e'], programs: [program], count: { values: 0 } })?.namedAccounts
        .size,
    ).toBe(4)
  })

  test('the discriminator that Anchor publishes for Jupiter’s route', () => {
    const document = JSON.stringify({ instructions: [{ name: 'route', accounts: [], args: [] }] })
    const route = solanaProgramOf(finished(openDocument(document, 'idl')))
    const published = Uint8Array.of(229, 23, 203, 151, 122, 227, 173, 42)
    expect(callOf({ data: published, accounts: [], programs: [route], count: { values: 0 } })?.instructionName).toBe(
      'route',
    )
  })

  test('data of no instruction is no call', () => {
    for (const other of [new Uint8Array(), data.subarray(0, 7), new Uint8Array(9)]) {
      expect(callOf({ data: other, accounts: [], programs: [program], count: { values: 0 } })).toBeUndefined()
    }
  })
})
