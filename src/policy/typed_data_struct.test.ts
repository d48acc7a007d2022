import { describe, expect, test } from 'vitest'
import { Failure } from '../protocol/wire/failures.ts'
import { authorizationStruct, typedDataStruct } from './typed_data_struct.ts'

const wallet = '0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826'
const document = {
  types: {
    EIP712Domain: [
      { name: 'name', type: 'string' },
      { name: 'chainId', type: 'uint256' },
      { name: 'verifyingContract', type: 'address' },
    ],
    Person: [
      { name: 'name', type: 'string' },
      { name: 'wallet', type: 'address' },
    ],
    Mail: [
      { name: 'from', type: 'Person' },
      { name: 'to', type: 'Person[]' },
      { name: '__proto__', type: 'int8[2]' },
      { name: 'hash', type: 'bytes4' },
      { name: 'data', type: 'bytes' },
      { name: 'urgent', type: 'bool' },
    ],
  },
  primaryType: 'Mail',
  domain: { name: 'Ether Mail', chainId: '0x1', verifyingContract: wallet },
  message: JSON.parse(
    JSON.stringify({
      from: { name: 'Cow', wallet },
      to: [{ name: 'Bob', wallet: wallet.toLowerCase() }],
      PROTO: [-5, '7'],
      hash: '0xABCDEF01',
      data: '0x',
      urgent: true,
    }).replace('PROTO', '__proto__'),
  ),
}
const read = (changes: object = {}) =>
  typedDataStruct(JSON.stringify({ ...document, ...changes }), 'parameters.payload')

describe('typedDataStruct', () => {
  test('has integers as bigint, hex in lower case and structs as maps', () => {
    expect(read()).toStrictEqual({
      primary_type: 'Mail',
      domain: { name: 'Ether Mail', version: undefined, chain_id: 1n, verifying_contract: wallet.toLowerCase() },
      message: new Map<string, unknown>([
        [
          'from',
          new Map([
            ['name', 'Cow'],
            ['wallet', wallet.toLowerCase()],
          ]),
        ],
        [
          'to',
          [
            new Map([
              ['name', 'Bob'],
              ['wallet', wallet.toLowerCase()],
            ]),
          ],
        ],
        ['__proto__', [-5n, 7n]],
        ['hash', '0xabcdef01'],
        ['data', '0x'],
        ['urgent', true],
      ]),
    })
  })

  test('members that the types lack are not seen', () => {
    const { message, domain } = document
    const more = {
      domain: { ...domain, version: '1', owner: wallet },
      message: { ...message, cc: 1, from: { ...message.from, amount: '1000' } },
    }
    expect(read(more)).toStrictEqual(read())
  })

  test('a chain id that is a text is undefined', () => {
    const types = { ...document.types, EIP712Domain: [{ name: 'chainId', type: 'string' }] }
    expect(read({ types, domain: { chainId: '1' } })).toMatchObject({ domain: { chain_id: undefined } })
  })

  test('the domain alone has an empty message', () => {
    expect(read({ primaryType: 'EIP712Domain', message: {} })).toMatchObject({ message: new Map() })
  })

  test('a payload that signing refuses is refused', () => {
    expect(() => read({ message: { ...document.message, urgent: 1 } })).toThrow(Failure)
    expect(() => read({ more: 1 })).toThrow(Failure)
    expect(() => typedDataStruct('[]', 'parameters.payload')).toThrow(Failure)
  })
})

describe('authorizationStruct', () => {
  test('has the three members', () => {
    const structOf = (chainId: number) =>
      authorizationStruct(JSON.stringify({ address: wallet, chainId, nonce: '0x7' }), 'parameters.payload')
    expect(structOf(5)).toStrictEqual({ address: wallet.toLowerCase(), chain_id: 5n, nonce: 7n })
    // It is valid on every chain.
    expect(structOf(0)).toStrictEqual({ address: wallet.toLowerCase(), chain_id: undefined, nonce: 7n })
  })

  test('anything else is refused', () => {
    expect(() => authorizationStruct('{"address":"0x00"}', 'parameters.payload')).toThrow(Failure)
  })
})
