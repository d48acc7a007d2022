import { keccak_256 } from '@noble/hashes/sha3.js'
import { hexToBytes } from '@noble/hashes/utils.js'
import { Interface } from 'ethers'
import fc from 'fast-check'
import { toFunctionSelector } from 'viem'
import { describe, expect, test } from 'vitest'
import { generatedRuns } from '../../../../test/support/generated_runs.ts'
import { finished } from '../../../protocol/tools/steps.ts'
import type { Value } from '../../language/expression_values.ts'
import { abiValuesMax } from './abi_values.ts'
import { checkEthereumAbi } from './ethereum_abi.ts'
import { type EthereumCall, readEthereumCall as readCall } from './ethereum_call.ts'

/** Reads a call by one ABI. */
function readEthereumCall(data: Uint8Array, abi: string): Omit<EthereumCall, 'abis' | 'reading'> | undefined {
  const call = finished(readCall(data, [abi]))
  if (call === undefined) return undefined
  const { abis, reading, ...read } = call
  expect(abis).toEqual([abi])
  expect(read.args).toEqual(reading.kind === 'read' ? reading.args : undefined)
  return read
}

/** How the arguments of a call of `f` with these types are read. */
function readingOf(types: readonly string[], words: string) {
  const inputs = types.map((type, index) => ({ type, name: `a${index}` }))
  const selector = toFunctionSelector(`f(${types.join(',')})`).slice(2)
  const abi = JSON.stringify([{ type: 'function', name: 'f', inputs }])
  return finished(readCall(hexToBytes(selector + words), [abi]))?.reading
}

type Argument = {
  readonly parameter: { readonly type: string; readonly components?: readonly object[] }
  /** As viem and ethers take it. */
  readonly given: unknown
  readonly read: Value
}

const bytes = (min: number, max = min) => fc.uint8Array({ minLength: min, maxLength: max }).map(hex)
const sizes = fc.integer({ min: 1, max: 32 })

const elementary: fc.Arbitrary<Argument> = fc.oneof(
  bytes(20).map((address) => ({ parameter: { type: 'address' }, given: address, read: address })),
  fc.boolean().map((value) => ({ parameter: { type: 'bool' }, given: value, read: value })),
  fc.string({ unit: 'grapheme' }).map((text) => ({ parameter: { type: 'string' }, given: text, read: text })),
  bytes(0, 70).map((value) => ({ parameter: { type: 'bytes' }, given: value, read: value })),
  sizes.chain((size) =>
    bytes(size).map((value) => ({ parameter: { type: `bytes${size}` }, given: value, read: value })),
  ),
  sizes.chain((size) =>
    fc
      .bigInt(0n, 2n ** BigInt(8 * size) - 1n)
      .map((value) => ({ parameter: { type: `uint${8 * size}` }, given: value, read: value })),
  ),
  sizes.chain((size) =>
    fc
      .bigInt(-(2n ** BigInt(8 * size - 1)), 2n ** BigInt(8 * size - 1) - 1n)
      .map((value) => ({ parameter: { type: `int${8 * size}` }, given: value, read: value })),
  ),
)

/** Tuples, and lists whose items are one value repeated, and so of one type. */
const argument = fc.letrec<{ any: Argument }>((tie) => ({
  any: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    elementary,
    fc.array(tie('any'), { minLength: 1, maxLength: 3 }).map((parts) => ({
      parameter: {
        type: 'tuple',
        components: parts.map(({ parameter }, index) => ({ ...parameter, name: `m${index}` })),
      },
      given: parts.map(({ given }) => given),
      read: new Map(parts.map(({ read }, index) => [`m${index}`, read])),
    })),
    fc.tuple(tie('any'), fc.nat(3), fc.boolean()).map(([item, count, isFixed]) => ({
      parameter: { ...item.parameter, type: `${item.parameter.type}[${isFixed ? count + 1 : ''}]` },
      given: Array(isFixed ? count + 1 : count).fill(item.given),
      read: Array(isFixed ? count + 1 : count).fill(item.read),
    })),
  ),
})).any

const calls = fc.array(argument, { maxLength: 4 }).map((args) => {
  const inputs = args.map(({ parameter }, index) => ({ ...parameter, name: `argument${index}` }))
  const abi = [
    { type: 'event', name: 'call', inputs: [] },
    { type: 'function', name: 'other', inputs: [], outputs: [], stateMutability: 'view' },
    { type: 'function', name: 'call', inputs, outputs: [], stateMutability: 'payable' },
  ]
  return { args, abi, document: JSON.stringify(abi) }
})

describe('readEthereumCall', () => {
  test('reads what ethers encoded: every type, nested', () => {
    fc.assert(
      fc.property(calls, ({ args, abi, document }) => {
        finished(checkEthereumAbi(document, 'abi'))
        const data = new Interface(abi).encodeFunctionData(
          'call',
          args.map(({ given }) => given),
        )
        expect(readEthereumCall(hexToBytes(data.slice(2)), document)).toEqual({
          functionName: 'call',
          functionSignature: data.slice(0, 10),
          args: new Map(args.map(({ read }, index) => [`argument${index}`, read])),
        })
      }),
      { numRuns: 5 * generatedRuns },
    )
  })

  test('changed data is never read as the encoded call, and nothing is thrown', () => {
    fc.assert(
      fc.property(calls, fc.nat(), fc.integer({ min: 1, max: 255 }), ({ args, abi, document }, at, difference) => {
        const encoded = hexToBytes(
          new Interface(abi)
            .encodeFunctionData(
              'call',
              args.map(({ given }) => given),
            )
            .slice(2),
        )
        const place = at % encoded.length
        const changed = encoded.map((byte, index) => (index === place ? byte ^ difference : byte))
        const read = readEthereumCall(changed, document)
        if (place >= 4 && read?.args !== undefined) {
          expect(read.args).not.toEqual(new Map(args.map(({ read: value }, index) => [`argument${index}`, value])))
        }
      }),
      { numRuns: 5 * generatedRuns },
    )
  })

  const transfer = [
    {
      name: 'transfer',
      type: 'function',
      stateMutability: 'nonpayable',
      inputs: [{ name: 'to', type: 'address' }, { type: 'uint' }],
      outputs: [],
    },
  ]
  const document = JSON.stringify(transfer)
  const to = `0x${'ab'.repeat(20)}`
  const encoded = new Interface(transfer).encodeFunctionData('transfer', [to, 5n])
  const call = (data: string) => readEthereumCall(hexToBytes(data.slice(2)), document)
  const known = { functionName: 'transfer', functionSignature: '0xa9059cbb' }

  test('an argument without a name goes by its position, and uint is uint256', () => {
    expect(toFunctionSelector('transfer(address,uint256)')).toBe('0xa9059cbb')
    const args = new Map<string, Value>([
      ['to', to],
      ['1', 5n],
    ])
    expect(call(encoded)).toEqual({ ...known, args })
    expect(call(`${encoded}c0ffee`)).toEqual({ ...known, args })
  })

  for (const [claim, data] of [
    ['a word too few', encoded.slice(0, -64)],
    ['no arguments', encoded.slice(0, 10)],
    ['an address with more than 20 bytes', `0xa9059cbb01${encoded.slice(12)}`],
  ] as const) {
    test(`${claim}: the function is named, its arguments are not read`, () => {
      expect(call(data)).toEqual({ ...known, args: undefined })
    })
  }

  test('data that the ABI does not know is no call: another selector, three bytes, nothing', () => {
    for (const data of ['0xa9059cbc', '0xa9059c', '0x']) expect(call(data)).toBeUndefined()
  })

  test('an offset that does not lead to the next tail is not followed', () => {
    const abi = JSON.stringify([{ type: 'function', name: 'f', inputs: [{ name: 'a', type: 'bytes' }] }])
    const selector = toFunctionSelector('f(bytes)').slice(2)
    const word = (value: number) => value.toString(16).padStart(64, '0')
    const read = (words: string) => readEthereumCall(hexToBytes(selector + words), abi)?.args
    expect(read(word(32) + word(0))).toEqual(new Map([['a', '0x']]))
    expect(read(word(64) + word(0) + word(0))).toBeUndefined()
    expect(read(word(0))).toBeUndefined()
  })

  /** The argument of a call of `f` whose data is these words; undefined when it cannot be read. */
  function argumentOf(type: string, words: string, canonicalType = type): Value | undefined {
    const abi = JSON.stringify([{ type: 'function', name: 'f', inputs: [{ type, name: 'a', components: [] }] }])
    const selector = keccak_256(new TextEncoder().encode(`f(${canonicalType})`)).subarray(0, 4)
    const call = readEthereumCall(Uint8Array.of(...selector, ...hexToBytes(words)), abi)
    expect(call).toMatchObject({ functionName: 'f', functionSignature: hex(selector) })
    return call?.args?.get('a')
  }
  const word = (hex: string) => hex.padStart(64, '0')
  const tail = (hex: string) => hex.padEnd(64, '0')

  test.each<[string, string, string, Value | undefined, string?]>([
    ['int8', 'the largest', word('7f'), 127n],
    ['int8', 'one more than the largest', word('80'), undefined],
    ['int8', 'the smallest', `${'f'.repeat(62)}80`, -128n],
    ['int8', 'one less than the smallest', `${'f'.repeat(62)}7f`, undefined],
    ['int', 'is int256', 'f'.repeat(64), -1n, 'int256'],
    ['bool', 'neither 0 nor 1', word('2'), undefined],
    ['bytes4', 'with zeros behind it', tail('01020304'), '0x01020304'],
    ['bytes4', 'with something behind it', tail('0102030405'), undefined],
    ['function', 'is 24 bytes', tail('ab'.repeat(24)), `0x${'ab'.repeat(24)}`],
    ['fixed', 'which no compiler encodes', word('1'), undefined, 'fixed128x18'],
    ['ufixed', 'which no compiler encodes', word('1'), undefined, 'ufixed128x18'],
    ['ufixed8x2', 'which no compiler encodes', word('1'), undefined],
    ['bytes', 'whole', word('20') + word('1') + tail('ab'), '0xab'],
    ['bytes', 'with something behind them', word('20') + word('1') + tail('abcd'), undefined],
    ['bytes', 'longer than what is left', word('20') + word('21') + tail('ab'), undefined],
    ['bytes', 'longer than any data', word('20') + 'f'.repeat(64), undefined],
    ['string', 'that begins with a byte order mark', word('20') + word('3') + tail('efbbbf'), '\ufeff'],
    ['string', 'that is no UTF-8', word('20') + word('1') + tail('ff'), undefined],
    ['uint8[]', 'without items', word('20') + word('0'), []],
    ['uint8[]', 'with fewer items than it says', word('20') + word('2') + word('1'), undefined],
    ['uint8[]', 'with an item out of range', word('20') + word('1') + word('100'), undefined],
  ])('%s, %s', (type, _, words, value, canonicalType = type) => {
    expect(argumentOf(type, words, canonicalType)).toEqual(value)
  })

  test('the values of all lists count together', () => {
    // Each row is a value, and so is the list of rows.
    const listOf = (rows: number) => argumentOf(`tuple[9][${rows}]`, '', `()[9][${rows}]`)
    expect(listOf((abiValuesMax - 10) / 10)).toHaveLength((abiValuesMax - 10) / 10)
    expect(listOf(abiValuesMax / 10)).toBeUndefined()
  })

  test.each<[string, readonly string[], string, object]>([
    ['a tail is unread', ['bool'], `${word('1')}c0ffee`, { kind: 'read', unreadBytes: 3, opaqueBytes: 0 }],
    ['a tail of a call without arguments is unread', [], 'ab', { kind: 'read', unreadBytes: 1 }],
    [
      'bytes are opaque, and their padding is read',
      ['bytes', 'bytes4'],
      word('40') + tail('01020304') + word('5') + tail('0102030405'),
      { kind: 'read', unreadBytes: 0, opaqueBytes: 5 },
    ],
    ['a word too few is misencoded', ['bool', 'bool'], word('1'), { kind: 'misencoded' }],
    ['a list that says more items than there are bytes', ['bool[]'], word('20') + word('1389'), { kind: 'misencoded' }],
    [
      'a list of one value too many is too much, and its encoding is sound',
      ['bool[]'],
      word('20') + word(abiValuesMax.toString(16)) + word('1').repeat(abiValuesMax),
      { kind: 'tooMuch', valuesMax: abiValuesMax },
    ],
    ['a type that no compiler encodes is unsupported', ['fixed128x18'], word('1'), { kind: 'unsupported' }],
  ])('how a call was read: %s', (_, types, words, expected) => {
    expect(readingOf(types, words)).toMatchObject(expected)
  })

  test('an entry without a type is a function, and an entry of another type is not', () => {
    const data = hexToBytes(toFunctionSelector('f()').slice(2))
    expect(readEthereumCall(data, JSON.stringify([{ name: 'f', inputs: [] }]))?.functionName).toBe('f')
    expect(readEthereumCall(data, JSON.stringify([{ type: 'error', name: 'f', inputs: [] }]))).toBeUndefined()
  })

  test('an argument whose name is empty goes by its position', () => {
    const abi = JSON.stringify([{ type: 'function', name: 'f', inputs: [{ name: '', type: 'bool' }] }])
    const data = hexToBytes(toFunctionSelector('f(bool)').slice(2) + word('1'))
    expect(readEthereumCall(data, abi)?.args).toEqual(new Map([['0', true]]))
  })

  test('a list of empty tuples is read up to the limit only', () => {
    const abi = JSON.stringify([
      { type: 'function', name: 'f', inputs: [{ name: 'a', type: `tuple[${abiValuesMax}]`, components: [] }] },
    ])
    const selector = hexToBytes(toFunctionSelector(`f(()[${abiValuesMax}])`).slice(2))
    expect(readEthereumCall(selector, abi)).toMatchObject({ functionName: 'f', args: undefined })
  })

  test('nested lists are read as deep as an ABI may nest them', () => {
    const type = `bool${'[1]'.repeat(16)}`
    const abi = JSON.stringify([{ type: 'function', name: 'f', inputs: [{ name: 'a', type }] }])
    finished(checkEthereumAbi(abi, 'abi'))
    const data = hexToBytes(`${toFunctionSelector(`f(${type})`).slice(2)}${'00'.repeat(31)}01`)
    let nested: Value = true
    for (let depth = 0; depth < 16; depth += 1) nested = [nested]
    expect(readEthereumCall(data, abi)?.args).toEqual(new Map([['a', nested]]))
  })

  test('arguments are not read when two have one name', () => {
    const input = { name: 'a', type: 'bool' }
    const abi = JSON.stringify([{ type: 'function', name: 'f', inputs: [input, input] }])
    const data = hexToBytes(`${toFunctionSelector('f(bool,bool)').slice(2)}${'00'.repeat(64)}`)
    expect(readEthereumCall(data, abi)).toMatchObject({ functionName: 'f', args: undefined })
  })
})

function hex(value: Uint8Array): string {
  return `0x${Buffer.from(value).toString('hex')}`
}
