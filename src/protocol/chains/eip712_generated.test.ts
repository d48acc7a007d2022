import { bytesToHex } from '@noble/hashes/utils.js'
import { TypedDataEncoder } from 'ethers'
import fc from 'fast-check'
import { hashTypedData as viemHash } from 'viem'
import { describe, expect, test } from 'vitest'
import { Failure } from '../wire/failures.ts'
import { hashTypedData, parseTypedData } from './eip712.ts'

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

/** ethers derives the domain's type and the primary type itself. */
function ethersDigest({ types: { EIP712Domain: _, ...types }, domain, message }: Document): string {
  return TypedDataEncoder.hash(domain, types, message)
}

type Arbitrary = ReturnType<typeof fc.gen> extends fc.Arbitrary<infer Pick> ? Pick : never

const hexOf = (bytes: Uint8Array) => `0x${bytesToHex(bytes)}`
const sizes = Array.from({ length: 32 }, (_, index) => index + 1)
const elementaryTypes = [
  ...['address', 'bool', 'bytes', 'string'],
  ...sizes.flatMap((size) => [`bytes${size}`, `uint${8 * size}`, `int${8 * size}`]),
]

/** T0 is the primary type and every other type is a member of an earlier one, as ethers demands. */
function generatedTypes(pick: Arbitrary): Record<string, Members> {
  const count = pick(fc.integer, { min: 1, max: 4 })
  const suffix = () => pick(fc.constantFrom, '', '', '', '[]', '[2]', '[][1]', '[2][]')
  const types: Record<string, Members> = {}
  for (let index = 0; index < count; index++) {
    const name = pick(fc.constantFrom, 'a', 'B', '_', 'Zz')
    types[`T${index}`] = Array.from({ length: pick(fc.integer, { min: 0, max: 4 }) }, (_, member) => ({
      name: `${name}${member}`,
      type: pick(fc.constantFrom, ...elementaryTypes) + suffix(),
    }))
  }
  for (let index = 1; index < count; index++) {
    const parent = types[`T${pick(fc.integer, { min: 0, max: index - 1 })}`]
    parent?.push({ name: `child${index}`, type: `T${index}${suffix()}` })
  }
  return types
}

function generatedValue(pick: Arbitrary, type: string, types: Record<string, Members>): unknown {
  const array = /^(.*)\[(\d*)\]$/.exec(type)
  if (array !== null) {
    const [, element = '', length] = array
    const items = length === '' ? pick(fc.integer, { min: 0, max: 3 }) : Number(length)
    return Array.from({ length: items }, () => generatedValue(pick, element, types))
  }
  const members = types[type]
  if (members !== undefined) return generatedStruct(pick, members, types)
  const [, base, digits] = /^(\D+)(\d*)$/.exec(type) ?? []
  const size = Number(digits)
  switch (base) {
    case 'address':
      return hexOf(pick(fc.uint8Array, { minLength: 20, maxLength: 20 }))
    case 'bool':
      return pick(fc.boolean)
    case 'string':
      return pick(fc.string, { unit: 'binary' })
    case 'bytes':
      return hexOf(pick(fc.uint8Array, digits === '' ? { maxLength: 40 } : { minLength: size, maxLength: size }))
    case 'uint':
      return pick(fc.bigInt, { min: 0n, max: 2n ** BigInt(size) - 1n })
    default:
      return pick(fc.bigInt, { min: -(2n ** BigInt(size - 1)), max: 2n ** BigInt(size - 1) - 1n })
  }
}

function generatedStruct(pick: Arbitrary, members: Members, types: Record<string, Members>): Record<string, unknown> {
  return Object.fromEntries(members.map(({ name, type }) => [name, generatedValue(pick, type, types)]))
}

const domainMembers: Members = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
  { name: 'salt', type: 'bytes32' },
]

const documents = fc.gen().map((pick): Document => {
  const types = generatedTypes(pick)
  const EIP712Domain = domainMembers.filter(() => pick(fc.boolean))
  return {
    types: { ...types, EIP712Domain },
    primaryType: 'T0',
    domain: generatedStruct(pick, EIP712Domain, types),
    message: generatedStruct(pick, types.T0 ?? [], types),
  }
})

/** The value with another member in each of its structs. */
function withMore<T>(value: T): T
function withMore(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => withMore(item))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, member]) => [name, withMore(member)])
  return { ...Object.fromEntries(members), '?': { anything: [1.5, null] } }
}

/** The part of a value that its type names, with integers as bigint. */
function typedPart(value: unknown, type: string, types: Record<string, Members>): unknown {
  const element = /^(.*)\[\d*\]$/.exec(type)?.[1]
  if (element !== undefined) return (value as unknown[]).map((item) => typedPart(item, element, types))
  const members = types[type]
  if (members === undefined) return type.includes('int') ? BigInt(value as string) : value
  const struct = value as Record<string, unknown>
  return Object.fromEntries(members.map((member) => [member.name, typedPart(struct[member.name], member.type, types)]))
}

describe('1,000 generated documents', () => {
  test('have the digest of viem and of ethers', () => {
    fc.assert(
      fc.property(documents, (document) => {
        const digest = digestOf(document)
        expect(digest).toBe(viemDigest(document))
        expect(digest).toBe(ethersDigest(document))
      }),
      { numRuns: 1_000 },
    )
  })

  test('have the same digest when the domain type is left out', () => {
    fc.assert(
      fc.property(documents, (document) => {
        const { EIP712Domain: _, ...types } = document.types
        fc.pre(Object.keys(document.domain).length > 0)
        expect(digestOf({ ...document, types })).toBe(digestOf(document))
      }),
      { numRuns: 200 },
    )
  })

  test('sign the domain alone as viem does', () => {
    fc.assert(
      fc.property(documents, ({ types, domain }) => {
        const primaryType = 'EIP712Domain'
        expect(digestOf({ types, domain, primaryType })).toBe(viemDigest({ types, domain, primaryType, message: {} }))
      }),
      { numRuns: 100 },
    )
  })

  test('have the digest of viem and of ethers with members that their types lack, in each struct', () => {
    fc.assert(
      fc.property(documents, (document) => {
        const more = { ...document, domain: withMore(document.domain), message: withMore(document.message) }
        const digest = digestOf(document)
        expect(digestOf(more)).toBe(digest)
        expect(viemDigest({ ...document, message: more.message })).toBe(digest)
        expect(ethersDigest({ ...document, message: more.message })).toBe(digest)
      }),
      { numRuns: 200 },
    )
  })

  test('change their digest with any member that has a type, or are refused', () => {
    fc.assert(
      fc.property(documents, fc.jsonValue(), (document, value) => {
        for (const [name, old] of Object.entries(document.message)) {
          const changed = { ...document, message: { ...document.message, [name]: value } }
          if (toJson(old) === toJson(value)) continue
          try {
            if (digestOf(changed) !== digestOf(document)) continue
            const { types } = document
            const type = types.T0?.find((member) => member.name === name)?.type ?? ''
            expect(typedPart(value, type, types)).toEqual(typedPart(old, type, types))
          } catch (error) {
            expect(error).toBeInstanceOf(Failure)
          }
        }
      }),
      { numRuns: 200 },
    )
  })
})
