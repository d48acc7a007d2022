import { createHash } from 'node:crypto'
import { bytesToHex } from '@noble/hashes/utils.js'
import { hashAuthorization as ethersAuthorization, keccak256 as ethersKeccak } from 'ethers'
import fc from 'fast-check'
import { hashTypedData, keccak256, serializeTypedData } from 'viem'
import { hashAuthorization as viemAuthorization } from 'viem/utils'
import { describe, expect, test } from 'vitest'
import { curves } from '../crypto/curves.ts'
import { Failure } from '../wire/failures.ts'
import { hashFunctions, payloadEncodings } from './payload_names.ts'
import { messageToSign, type Payload } from './payloads.ts'

const fieldPath = 'parameters.payloads[3]'
const digest = 'ab'.repeat(32)
const base = {
  payload: digest,
  encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
  hashFunction: 'HASH_FUNCTION_NO_OP',
  curve: 'CURVE_SECP256K1',
  fieldPath,
} as const satisfies Payload

function signed(changes: Partial<Payload>): string {
  return bytesToHex(messageToSign({ ...base, ...changes }))
}

function failureOf(changes: Partial<Payload>): Failure {
  try {
    signed(changes)
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
  throw new Error('nothing was refused')
}

const typedData = {
  types: { EIP712Domain: [{ name: 'name', type: 'string' }], T: [{ name: 'x', type: 'uint256' }] },
  primaryType: 'T',
  domain: { name: 'Claviger' },
  message: { x: 2n ** 200n },
} as const
const typedDataText = serializeTypedData(typedData)
const authorization = { address: '0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826', chainId: 1, nonce: 7 } as const
const jsonEncodings = [
  ['PAYLOAD_ENCODING_EIP712', typedDataText],
  ['PAYLOAD_ENCODING_EIP7702_AUTHORIZATION', JSON.stringify(authorization)],
] as const

describe('hexadecimal and text', () => {
  test('are hashed on secp256k1 and P-256 with the function that is named', () => {
    const property = fc.property(
      fc.constantFrom('CURVE_SECP256K1', 'CURVE_P256'),
      fc.constantFrom('PAYLOAD_ENCODING_HEXADECIMAL', 'PAYLOAD_ENCODING_TEXT_UTF8'),
      fc.boolean(),
      fc.string({ unit: 'binary' }),
      (curve, encoding, prefixed, text) => {
        const bytes = Buffer.from(text, 'utf8')
        const hex = (prefixed ? '0x' : '') + bytes.toString('hex')
        const payload = encoding === 'PAYLOAD_ENCODING_TEXT_UTF8' ? text : hex
        const sha256 = createHash('sha256').update(bytes).digest('hex')
        expect(signed({ curve, encoding, payload, hashFunction: 'HASH_FUNCTION_SHA256' })).toBe(sha256)
        const keccak = signed({ curve, encoding, payload, hashFunction: 'HASH_FUNCTION_KECCAK256' })
        expect(`0x${keccak}`).toBe(keccak256(bytes))
        expect(`0x${keccak}`).toBe(ethersKeccak(bytes))
      },
    )
    fc.assert(property, { numRuns: 200 })
  })

  test('are signed as they are on Ed25519', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const bytes = Buffer.from(text, 'utf8').toString('hex')
        const ed25519 = { curve: 'CURVE_ED25519', hashFunction: 'HASH_FUNCTION_NOT_APPLICABLE' } as const
        expect(signed({ ...ed25519, encoding: 'PAYLOAD_ENCODING_TEXT_UTF8', payload: text })).toBe(bytes)
        expect(signed({ ...ed25519, encoding: 'PAYLOAD_ENCODING_HEXADECIMAL', payload: bytes })).toBe(bytes)
      }),
    )
  })

  for (const [bytes, accepted] of [
    [31, false],
    [32, true],
    [33, false],
  ] as const) {
    test(`HASH_FUNCTION_NO_OP ${accepted ? 'takes' : 'refuses'} ${bytes} bytes`, () => {
      const payload = 'cd'.repeat(bytes)
      if (accepted) expect(signed({ payload })).toBe(payload)
      else expect(failureOf({ payload })).toMatchObject({ fieldPath, expected: expect.stringContaining('32 bytes') })
    })
  }

  test('HASH_FUNCTION_NO_OP takes text of 32 bytes, which is not always 32 characters', () => {
    const encoding = 'PAYLOAD_ENCODING_TEXT_UTF8'
    expect(signed({ encoding, payload: 'é'.repeat(16) })).toBe('c3a9'.repeat(16))
    expect(failureOf({ encoding, payload: 'é'.repeat(32) }).code).toBe('FIELD_INVALID')
  })

  for (const payload of ['abc', 'zz', '0x', ' ab', `0x0x${digest}`, `${digest}\n`]) {
    test(`hexadecimal refuses ${JSON.stringify(payload)} for a digest`, () => {
      expect(failureOf({ payload })).toMatchObject({ code: 'FIELD_INVALID', fieldPath })
    })
  }

  test('text refuses a lone surrogate', () => {
    const text = { encoding: 'PAYLOAD_ENCODING_TEXT_UTF8', hashFunction: 'HASH_FUNCTION_SHA256' } as const
    expect(failureOf({ ...text, payload: 'a\ud800b' })).toMatchObject({
      fieldPath,
      expected: 'well-formed Unicode text',
    })
  })
})

describe('the hash function', () => {
  for (const curve of ['CURVE_SECP256K1', 'CURVE_P256'] as const) {
    test(`of ${curve} is not HASH_FUNCTION_NOT_APPLICABLE`, () => {
      const failure = failureOf({ curve, hashFunction: 'HASH_FUNCTION_NOT_APPLICABLE' })
      expect(failure.fieldPath).toBe('parameters.hashFunction')
      expect(failure.message).toContain('HASH_FUNCTION_NOT_APPLICABLE is for Ed25519 only')
      expect(failure.message).toContain('invalid hash function')
    })
  }

  for (const hashFunction of ['HASH_FUNCTION_NO_OP', 'HASH_FUNCTION_SHA256', 'HASH_FUNCTION_KECCAK256'] as const) {
    test(`of Ed25519 is not ${hashFunction}`, () => {
      const failure = failureOf({ curve: 'CURVE_ED25519', hashFunction })
      expect(failure.message).toContain('Ed25519 takes HASH_FUNCTION_NOT_APPLICABLE')
    })
  }

  for (const [encoding, payload] of jsonEncodings) {
    test(`of ${encoding} is NO_OP or KECCAK256, with one digest`, () => {
      expect(signed({ encoding, payload, hashFunction: 'HASH_FUNCTION_KECCAK256' })).toBe(signed({ encoding, payload }))
      for (const hashFunction of ['HASH_FUNCTION_SHA256', 'HASH_FUNCTION_NOT_APPLICABLE'] as const) {
        expect(failureOf({ encoding, payload, hashFunction }).message).toContain('invalid hash function')
      }
    })
  }
})

describe('typed data and authorizations', () => {
  test('typed data as viem serializes it has the digest of viem', () => {
    expect(`0x${signed({ encoding: 'PAYLOAD_ENCODING_EIP712', payload: typedDataText })}`).toBe(
      hashTypedData(typedData),
    )
  })

  test('an authorization has the digest of viem and of ethers, its numbers as numbers or text', () => {
    const encoding = 'PAYLOAD_ENCODING_EIP7702_AUTHORIZATION'
    const address = fc.uint8Array({ minLength: 20, maxLength: 20 }).map((bytes) => `0x${bytesToHex(bytes)}` as const)
    fc.assert(
      fc.property(address, fc.maxSafeNat(), fc.maxSafeNat(), (address, chainId, nonce) => {
        const payload = JSON.stringify({ address, chainId, nonce })
        const texts = JSON.stringify({ nonce: `0x${nonce.toString(16)}`, chainId: String(chainId), address })
        const expected = viemAuthorization({ address, chainId, nonce })
        expect(`0x${signed({ encoding, payload })}`).toBe(expected)
        expect(`0x${signed({ encoding, payload: texts })}`).toBe(expected)
        expect(`0x${signed({ encoding, payload })}`).toBe(ethersAuthorization({ address, chainId, nonce }))
      }),
      { numRuns: 300 },
    )
  })

  test('any JSON in place of an authorization is refused at its field, or is an authorization for ethers too', () => {
    const integer = fc.oneof(fc.maxSafeNat(), fc.bigInt({ min: 0n, max: 2n ** 70n }).map(String))
    const address = fc.uint8Array({ minLength: 20, maxLength: 20 }).map((bytes) => `0x${bytesToHex(bytes)}`)
    const member = (likely: fc.Arbitrary<unknown>) => fc.oneof({ arbitrary: likely, weight: 9 }, fc.jsonValue())
    const document = fc.record(
      { address: member(address), chainId: member(integer), nonce: member(integer), more: fc.jsonValue() },
      { requiredKeys: ['address'] },
    )
    const encoding = 'PAYLOAD_ENCODING_EIP7702_AUTHORIZATION'
    let taken = 0
    fc.assert(
      fc.property(fc.oneof({ arbitrary: document, weight: 3 }, fc.jsonValue()), (value) => {
        let digest = ''
        try {
          digest = signed({ encoding, payload: JSON.stringify(value) })
        } catch (error) {
          expect(error).toMatchObject({ code: 'FIELD_INVALID', fieldPath })
          return
        }
        const { address, chainId, nonce } = value as Record<'address' | 'chainId' | 'nonce', string>
        expect(`0x${digest}`).toBe(ethersAuthorization({ address, chainId: BigInt(chainId), nonce: BigInt(nonce) }))
        taken += 1
      }),
      { numRuns: 1_000 },
    )
    expect(taken).toBeGreaterThan(0)
  })

  for (const [what, document, reason] of [
    ['no address', { chainId: 1, nonce: 0 }, 'address must be'],
    [
      'an address with a wrong checksum',
      { ...authorization, address: authorization.address.replace('CD', 'Cd') },
      'address must be',
    ],
    ['no chain id', { ...authorization, chainId: null }, 'chainId must fit'],
    ['a negative chain id', { ...authorization, chainId: -1 }, 'chainId must fit'],
    ['a chain id of 2^256', { ...authorization, chainId: String(2n ** 256n) }, 'chainId must fit'],
    ['a fraction', { ...authorization, nonce: 0.5 }, 'nonce must be'],
    ['a nonce of 2^64 - 1', { ...authorization, nonce: String(2n ** 64n - 1n) }, 'nonce must be'],
    ['a key beside the three', { ...authorization, yParity: 0 }, 'nothing else'],
  ] as const) {
    test(`an authorization is refused for ${what}`, () => {
      const encoding = 'PAYLOAD_ENCODING_EIP7702_AUTHORIZATION'
      const failure = failureOf({ encoding, payload: JSON.stringify(document) })
      expect(failure).toMatchObject({ code: 'FIELD_INVALID', fieldPath })
      expect(failure.message).toContain(reason)
    })
  }

  test('an authorization takes every chain and the last nonce', () => {
    const payload = JSON.stringify({ ...authorization, chainId: 0, nonce: String(2n ** 64n - 2n) })
    expect(signed({ encoding: 'PAYLOAD_ENCODING_EIP7702_AUTHORIZATION', payload })).toMatch(/^[0-9a-f]{64}$/)
  })

  for (const [encoding, text] of jsonEncodings) {
    for (const curve of ['CURVE_P256', 'CURVE_ED25519'] as const) {
      test(`${encoding} is refused for ${curve}`, () => {
        const failure = failureOf({ encoding, payload: text, curve, hashFunction: 'HASH_FUNCTION_NOT_APPLICABLE' })
        expect(failure.fieldPath).toBe('parameters.encoding')
        expect(failure.message).toContain('invalid payload encoding')
      })
    }

    for (const payload of [
      '',
      '[]',
      'null',
      '{',
      `${text}x`,
      `{"a":1,"a":2}`,
      text.replace('{', '{"types":{},"address":"",'),
      '{"a":"\ud800"}',
    ]) {
      test(`${encoding} is refused for ${JSON.stringify(payload).slice(0, 40)}`, () => {
        expect(failureOf({ encoding, payload })).toMatchObject({ code: 'FIELD_INVALID', fieldPath })
      })
    }
  }
})

test('arbitrary payloads are refused with FIELD_INVALID and nothing else', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
    fc.json(),
    fc.uint8Array().map(bytesToHex),
    fc.constantFrom(typedDataText, JSON.stringify(authorization)),
  )
  fc.assert(
    fc.property(
      text,
      fc.constantFrom(...payloadEncodings),
      fc.constantFrom(...hashFunctions),
      fc.constantFrom(...curves),
      (payload, encoding, hashFunction, curve) => {
        try {
          const message = messageToSign({ payload, encoding, hashFunction, curve, fieldPath })
          if (curve !== 'CURVE_ED25519') expect(message.length).toBe(32)
        } catch (error) {
          expect(error).toMatchObject({ name: 'Failure', code: 'FIELD_INVALID' })
        }
      },
    ),
    { numRuns: 3_000 },
  )
})
