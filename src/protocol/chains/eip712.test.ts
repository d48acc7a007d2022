import { bytesToHex } from '@noble/hashes/utils.js'
import { TypedDataEncoder } from 'ethers'
import fc from 'fast-check'
import { hashTypedData as viemHash } from 'viem'
import { describe, expect, test } from 'vitest'
import { Failure } from '../wire/failures.ts'
import {
  encodeType,
  hashTypedData,
  parseTypedData,
  typeCharactersMax,
  typedDataDepthMax,
  typedDataValuesMax,
} from './eip712.ts'
import { typedDataNameCharactersMax as nameCharactersMax } from './eip712_names.ts'
import { parseStructTypes, structMembersMax, structTypesMax } from './eip712_types.ts'

type Members = { name: string; type: string }[]
type Document = {
  types: Record<string, Members>
  primaryType: string
  domain: Record<string, unknown>
  message: Record<string, unknown>
}

const fieldPath = 'parameters.payload'

function digestOf(document: unknown): string {
  const read: Record<string, unknown> = JSON.parse(toJson(document))
  return `0x${bytesToHex(hashTypedData(parseTypedData(read, fieldPath), fieldPath))}`
}

/** As viem and ethers write it: integers beyond JSON's numbers become decimal text. */
function toJson(document: unknown): string {
  return JSON.stringify(document, (_, value) => (typeof value === 'bigint' ? String(value) : value))
}

function viemDigest({ types, primaryType, domain, message }: Document): string {
  return viemHash({ types, primaryType, domain, message })
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

/** The example of EIP-712, and the digest in its test (assets/eip-712/Example.js). */
const etherMail: Document = {
  types: {
    EIP712Domain: [
      { name: 'name', type: 'string' },
      { name: 'version', type: 'string' },
      { name: 'chainId', type: 'uint256' },
      { name: 'verifyingContract', type: 'address' },
    ],
    Person: [
      { name: 'name', type: 'string' },
      { name: 'wallet', type: 'address' },
    ],
    Mail: [
      { name: 'from', type: 'Person' },
      { name: 'to', type: 'Person' },
      { name: 'contents', type: 'string' },
    ],
  },
  primaryType: 'Mail',
  domain: {
    name: 'Ether Mail',
    version: '1',
    chainId: 1,
    verifyingContract: '0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC',
  },
  message: {
    from: { name: 'Cow', wallet: '0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826' },
    to: { name: 'Bob', wallet: '0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB' },
    contents: 'Hello, Bob!',
  },
}
const etherMailDigest = '0xbe609aee343fb3c4b28e1df9e632fca64fcfaede20f02e86244efddf30957bd2'

describe('the published example, Ether Mail', () => {
  test('has the published type text and digest', () => {
    expect(encodeType('Mail', parseStructTypes(etherMail.types, fieldPath))).toBe(
      'Mail(Person from,Person to,string contents)Person(string name,address wallet)',
    )
    expect(digestOf(etherMail)).toBe(etherMailDigest)
  })

  test('has the same digest when the domain type is left out', () => {
    const { EIP712Domain: _, ...types } = etherMail.types
    expect(digestOf({ ...etherMail, types })).toBe(etherMailDigest)
  })

  test('has the same digest in the form that ethers sends', () => {
    const { EIP712Domain: _, ...types } = etherMail.types
    expect(digestOf(TypedDataEncoder.getPayload(etherMail.domain, types, etherMail.message))).toBe(etherMailDigest)
  })
})

describe('what the digest does not depend on', () => {
  const { EIP712Domain: _, ...withoutDomain } = etherMail.types
  const { message, domain } = etherMail
  for (const [what, change] of [
    ['a member of the message that its struct lacks', { message: { ...message, cc: 1 } }],
    [
      'a member of a nested struct that its type lacks',
      { message: { ...message, to: { ...(message.to as object), age: 2.5 } } },
    ],
    ['a member of the domain that its type lacks', { domain: { ...domain, salt: '0x' } }],
    [
      'a domain member that is not standard, without a domain type',
      { types: withoutDomain, domain: { ...domain, owner: 1 } },
    ],
    ['the chain id as hexadecimal text', { domain: { ...domain, chainId: '0x1' } }],
    ['the chain id as hexadecimal text with a zero in front', { domain: { ...domain, chainId: '0x01' } }],
    ['the chain id as decimal text', { domain: { ...domain, chainId: '1' } }],
  ] as const) {
    test(what, () => {
      expect(digestOf({ ...etherMail, ...change })).toBe(etherMailDigest)
    })
  }

  test('the internal types that tools of Solidity write, as viem and ethers hash them too', () => {
    const internal = ({ name, type }: Members[number]) => ({ name, type, internalType: `struct ${type}` })
    const entries = Object.entries(etherMail.types).map(([name, members]) => [name, members.map(internal)] as const)
    const types = Object.fromEntries(entries)
    expect(digestOf({ ...etherMail, types })).toBe(etherMailDigest)
    expect(viemDigest({ ...etherMail, types })).toBe(etherMailDigest)
    const { EIP712Domain: _, ...others } = types
    expect(TypedDataEncoder.hash(domain, others, message)).toBe(etherMailDigest)
  })

  test('a member that its type lacks, as viem hashes it too', () => {
    const more = { ...etherMail, message: { ...message, cc: 1 }, domain: { ...domain, owner: 1 } }
    expect(viemHash(more as Parameters<typeof viemHash>[0])).toBe(digestOf(more))
  })
})

test('arbitrary JSON is refused with Failure and nothing else', () => {
  const shape = fc.record({
    types: fc.dictionary(
      fc.constantFrom('T0', 'EIP712Domain', '__proto__', 'constructor', 'uint8'),
      fc.oneof(
        fc.jsonValue(),
        fc.array(
          fc.record({
            name: fc.string(),
            type: fc.constantFrom('T0', 'T0[]', 'uint8', 'constructor', '__proto__', 'x['),
          }),
        ),
      ),
    ),
    primaryType: fc.constantFrom('T0', 'EIP712Domain', '__proto__', 'toString'),
    domain: fc.oneof(fc.constant({}), fc.jsonValue()),
    message: fc.oneof(fc.constant({}), fc.jsonValue()),
  })
  fc.assert(
    fc.property(fc.oneof(shape, fc.dictionary(fc.string(), fc.jsonValue())), (document) => {
      try {
        digestOf(document)
      } catch (error) {
        expect(error).toBeInstanceOf(Failure)
      }
    }),
    { numRuns: 2_000 },
  )
})

const simple = (type: string, value: unknown, types: Record<string, unknown> = {}) => ({
  types: { EIP712Domain: [], T: [{ name: 'x', type }], ...types },
  primaryType: 'T',
  domain: {},
  message: { x: value },
})
describe('a document', () => {
  const person = [{ name: 'children', type: 'Person[]' }]

  test('may have recursive types, with the digest of viem', () => {
    const document: Document = {
      types: { EIP712Domain: [], Person: person },
      primaryType: 'Person',
      domain: {},
      message: { children: [{ children: [] }, { children: [{ children: [] }] }] },
    }
    expect(digestOf(document)).toBe(viemDigest(document))
  })

  test('may have the names that exchanges use', () => {
    const primaryType = 'Exchange:Order'
    const document = {
      types: { EIP712Domain: [], [primaryType]: [{ name: 'x', type: 'uint8' }] },
      primaryType,
      domain: {},
      message: { x: 1 },
    }
    expect(digestOf(document)).toBe(viemDigest(document))
  })

  test('may have types that are not used', () => {
    expect(digestOf({ ...etherMail, types: { ...etherMail.types, Unused: [] } })).toBe(etherMailDigest)
  })

  test('may have members named like those of every object', () => {
    const names = ['constructor', 'toString', 'hasOwnProperty']
    const types = { EIP712Domain: [], T: names.map((name) => ({ name, type: 'uint8' })) }
    const document = {
      types,
      primaryType: 'T',
      domain: {},
      message: Object.fromEntries(names.map((name) => [name, 1])),
    }
    expect(digestOf(document)).toBe(viemDigest(document))
    expect(failureOf({ ...document, message: {} }).message).toContain('message.constructor must be present')
  })

  test(`may nest a value ${typedDataDepthMax} deep and no deeper`, () => {
    // Each level of Person is a struct and a list.
    const nested = (depth: number): unknown => ({ children: depth === 0 ? [] : [nested(depth - 1)] })
    const document = (depth: number) => ({
      types: { EIP712Domain: [], Person: person },
      primaryType: 'Person',
      domain: {},
      message: nested(depth),
    })
    expect(digestOf(document(15))).toMatch(/^0x/)
    expect(failureOf(document(16)).message).toContain('deep')
    expect(failureOf(document(1_000)).message).toContain('deep')
  })

  test('may have as many values as the maximum says', () => {
    // The list counts as one.
    const flags = (count: number) =>
      simple(
        'bool[]',
        Array.from({ length: count }, () => true),
      )
    expect(digestOf(flags(typedDataValuesMax - 1))).toMatch(/^0x/)
    expect(failureOf(flags(typedDataValuesMax)).message).toContain('more than 5000 values')
  })

  /** A list of each of these types, which use each other in a ring. */
  const ring = (count: number, membersOfEach: number): Document => {
    const long = (letter: string, index: number) => `${letter}${index}`.padEnd(nameCharactersMax, letter)
    const each = Array.from({ length: count }, (_, index) => ({
      name: long('m', index),
      type: `${long('T', index)}[]`,
    }))
    const membersAfter = (index: number) =>
      Array.from({ length: membersOfEach }, (_, at) => ({
        name: long('n', at),
        type: `${long('T', (index + 1 + at) % count)}${'[]'.repeat(60)}`,
      }))
    const empty = Object.fromEntries(membersAfter(0).map(({ name }) => [name, []]))
    const types = Object.fromEntries(each.map((_, index) => [long('T', index), membersAfter(index)]))
    return {
      types: { EIP712Domain: [], All: each, ...types },
      primaryType: 'All',
      domain: {},
      message: Object.fromEntries(each.map(({ name }) => [name, [empty]])),
    }
  }

  test('may have types of so many characters that they are hashed in one step, with the digest of viem', () => {
    const most = ring(12, 12)
    const characters = Object.keys(most.types).reduce(
      (sum, name) => sum + encodeType(name, parseStructTypes(most.types, fieldPath)).length,
      0,
    )
    expect([characters > typeCharactersMax / 2, characters <= typeCharactersMax]).toEqual([true, true])
    expect(digestOf(most)).toBe(viemDigest(most))
    expect(failureOf(ring(98, 4)).message).toContain(`have more than ${typeCharactersMax} characters`)
  })

  const many = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `m${index}`, type: 'uint8' }))
  const manyTypes = (count: number) => Object.fromEntries(many(count).map(({ name }) => [name, []]))
  test('may have as many types, members and characters in a name as the maxima say', () => {
    expect(parseStructTypes(manyTypes(structTypesMax), fieldPath).size).toBe(structTypesMax)
    expect(() => parseStructTypes(manyTypes(structTypesMax + 1), fieldPath)).toThrow('more than 100 struct types')
    expect(parseStructTypes({ T: many(structMembersMax) }, fieldPath).size).toBe(1)
    expect(() => parseStructTypes({ T: many(structMembersMax - 1), U: many(2) }, fieldPath)).toThrow('500 members')
    expect(parseStructTypes({ ['T'.repeat(nameCharactersMax)]: [] }, fieldPath).size).toBe(1)
    expect(() => parseStructTypes({ ['T'.repeat(nameCharactersMax + 1)]: [] }, fieldPath)).toThrow(
      'a name has 1 to 128',
    )
  })

  const { message: _message, ...noMessage } = etherMail
  const withTypes = (types: unknown) => ({ ...etherMail, types })
  const member = (type: string) => withTypes({ ...etherMail.types, Extra: [{ name: 'x', type }] })
  for (const [what, document, reason] of [
    ['a key beside the four', { ...etherMail, note: 1 }, '"note" is not a part'],
    [
      'a domain of members that are not standard, without a domain type',
      { ...simple('uint8', 1), types: { T: [{ name: 'x', type: 'uint8' }] }, domain: { owner: 1 } },
      'domain is empty',
    ],
    [
      'an empty domain that nothing says is meant',
      { ...simple('uint8', 1), types: { T: [{ name: 'x', type: 'uint8' }] } },
      'domain is empty',
    ],
    ['a missing message', noMessage, 'message must be an object'],
    [
      'a missing member',
      { ...etherMail, message: { ...etherMail.message, to: { name: 'Bob' } } },
      'message.to.wallet must be present',
    ],
    ['a null member', { ...etherMail, message: { ...etherMail.message, to: null } }, 'message.to must be an object'],
    ['a message for the domain alone', { ...etherMail, primaryType: 'EIP712Domain' }, 'message must be empty'],
    ['a primary type that is not there', { ...etherMail, primaryType: 'toString' }, 'primaryType is not in types'],
    ['an elementary primary type', { ...etherMail, primaryType: 'uint256' }, 'primaryType is not in types'],
    ['a domain that is a list', { ...etherMail, domain: [] }, 'domain must be an object'],
    ['types that are a list', withTypes([]), 'types must be an object'],
    ['a struct that is no list', withTypes({ ...etherMail.types, Extra: {} }), 'must be a list'],
    [
      'a member with a third key',
      withTypes({ ...etherMail.types, Extra: [{ name: 'x', type: 'bool', a: 1 }] }),
      '{ name, type }',
    ],
    [
      'two members of one name',
      withTypes({
        ...etherMail.types,
        Extra: [
          { name: 'x', type: 'bool' },
          { name: 'x', type: 'bool' },
        ],
      }),
      'another member',
    ],
    ['a struct named like a type', withTypes({ ...etherMail.types, uint7: [] }), 'elementary type'],
    [
      'a name that would end the type text',
      withTypes({ ...etherMail.types, 'A(bool x)B': [] }),
      'types has the name "A(bool x)B": a name has 1 to 128 printable characters of ASCII without ( ) , [ and ]',
    ],
    ['a struct name beyond ASCII', withTypes({ ...etherMail.types, Größe: [] }), 'types has the name "Größe": a name'],
    [
      'a member name with a comma',
      withTypes({ ...etherMail.types, Extra: [{ name: 'x,bool y', type: 'bool' }] }),
      'types.Extra[0] has the name "x,bool y": a name has',
    ],
    [
      'a member name beyond ASCII',
      withTypes({ ...etherMail.types, Extra: [{ name: 'größe', type: 'bool' }] }),
      'types.Extra[0] has the name "größe": a name has',
    ],
    [
      'a member with more than tools of Solidity write',
      withTypes({ ...etherMail.types, Extra: [{ name: 'x', type: 'bool', components: [] }] }),
      'types.Extra[0] must be { name, type } without "components"',
    ],
    ...[
      'uint',
      'int',
      'uint7',
      'uint08',
      'uint264',
      'uint0',
      'int512',
      'bytes0',
      'bytes33',
      'fixed128x18',
      'Nobody',
      '',
      '[]',
      'bool[0]',
      'bool[01]',
      'bool[-1]',
      'bool[',
      'bool ',
      'constructor',
    ].map((type) => [`the type '${type}'`, member(type), 'not a known type'] as const),
  ] as const) {
    test(`is refused for ${what}`, () => {
      const failure = failureOf(document)
      expect(failure).toMatchObject({ code: 'FIELD_INVALID', fieldPath })
      expect(failure.message).toContain(reason)
    })
  }
})
