import { bytesToHex } from '@noble/hashes/utils.js'
import { hashTypedData as viemHash } from 'viem'
import { describe, expect, test } from 'vitest'
import { Failure } from '../wire/failures.ts'
import { hashTypedData, parseTypedData } from './eip712.ts'

const fieldPath = 'parameters.payload'

function digestOf(document: unknown): string {
  const read: Record<string, unknown> = JSON.parse(toJson(document))
  return `0x${bytesToHex(hashTypedData(parseTypedData(read, fieldPath), fieldPath))}`
}

/** As viem and ethers write it: integers beyond JSON's numbers become decimal text. */
function toJson(document: unknown): string {
  return JSON.stringify(document, (_, value) => (typeof value === 'bigint' ? String(value) : value))
}

function failureOf(document: unknown): Failure {
  try {
    digestOf(document)
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
  throw new Error('nothing was refused')
}

const simple = (type: string, value: unknown, types: Record<string, unknown> = {}) => ({
  types: { EIP712Domain: [], T: [{ name: 'x', type }], ...types },
  primaryType: 'T',
  domain: {},
  message: { x: value },
})
const word = (value: bigint) =>
  viemHash({ types: { T: [{ name: 'x', type: 'uint256' }] }, primaryType: 'T', domain: {}, message: { x: value } })

describe('a value', () => {
  for (const [what, value, same] of [
    ['a number', 255, 255n],
    ['the largest exact number', Number.MAX_SAFE_INTEGER, 2n ** 53n - 1n],
    ['decimal text', '255', 255n],
    ['hex text', '0xFF', 255n],
    ['hex text with leading zeros', '0x00ff', 255n],
    ['the largest uint256', String(2n ** 256n - 1n), 2n ** 256n - 1n],
  ] as const) {
    test(`uint256 takes ${what}`, () => {
      const types = { EIP712Domain: [] }
      expect(digestOf(simple('uint256', value, types))).toBe(word(same))
    })
  }

  for (const [type, value] of [
    ['uint256', 2 ** 53],
    ['uint256', 1.5],
    ['uint256', ''],
    ['uint256', '0x'],
    ['uint256', '007'],
    ['uint256', ' 1'],
    ['uint256', '1e3'],
    ['uint256', '1n'],
    ['uint256', '0b1'],
    ['uint256', '-1'],
    ['uint256', true],
    ['uint256', null],
    ['uint256', ['1']],
    ['uint256', String(2n ** 256n)],
    ['uint256', '9'.repeat(100_000)],
    ['uint8', 256],
    ['uint8', -1],
    ['int8', 128],
    ['int8', -129],
    ['int256', String(2n ** 255n)],
    ['bool', 1],
    ['bool', 'true'],
    ['string', 1],
    ['string', null],
    ['string', '\ud800'],
    ['bytes', 'abcd'],
    ['bytes', '0xabc'],
    ['bytes', [1, 2]],
    ['bytes4', '0xabcdef'],
    ['bytes4', '0xabcdef0123'],
    ['address', `0x${'1'.repeat(39)}`],
    ['address', '1'.repeat(40)],
    ['address', '0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD827'],
    ['uint8[]', {}],
    ['uint8[]', '0x01'],
    ['uint8[2]', [1]],
    ['uint8[2]', [1, 2, 3]],
    ['T[]', [null]],
    ['T[]', [{}]],
  ] as const) {
    test(`${type} refuses ${String(JSON.stringify(value)).slice(0, 60)}`, () => {
      const failure = failureOf(simple(type, value))
      expect(failure).toMatchObject({ code: 'FIELD_INVALID', fieldPath })
      expect(failure.message).toContain('message.x')
    })
  }

  test('int8 takes both of its ends', () => {
    for (const value of [-128, 127, '-128']) expect(digestOf(simple('int8', value))).toMatch(/^0x[0-9a-f]{64}$/)
  })

  test('an address may be all upper case, all lower case, or carry its checksum', () => {
    const digits = 'CD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826'
    const [one, ...others] = [digits, digits.toUpperCase(), digits.toLowerCase()].map((text) =>
      digestOf(simple('address', `0x${text}`)),
    )
    expect(others).toEqual([one, one])
  })
})
