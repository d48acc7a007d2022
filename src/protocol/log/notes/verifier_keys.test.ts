import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import published from '../../../../test/vectors/log/published.json' with { type: 'json' }
import { isKeyName, keyIdOf, keyTypes, readVerifierKey, type VerifierKey, writeVerifierKey } from './verifier_keys.ts'

/** From the tests of golang.org/x/mod and of transparency-dev/formats. */
const peter = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW'
const withPlus = 'TEST+7997405c+AQcC+FTVKf0jlTdHDY3rbevmnKxxPjigCXlVtGe6RIr6'

const names = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }).filter(isKeyName)
const keys = fc
  .tuple(names, fc.constantFrom('Ed25519', 'Ed25519 cosignature', 'ML-DSA-44 cosignature'))
  .chain(([name, type]) => {
    const { publicKeyBytes } = keyTypes[type]
    const bytes = fc.uint8Array({ minLength: publicKeyBytes, maxLength: publicKeyBytes, size: 'max' })
    return bytes.map((publicKey): VerifierKey => ({ name, type, publicKey }))
  })

test.each([peter, withPlus, ...published.notes.flatMap((note) => note.keys)])(
  '%.60s… is read and written again',
  (text) => {
    const found = readVerifierKey(text)
    if (found.kind === 'malformed') throw new Error(found.reason)
    expect(writeVerifierKey(found.value)).toBe(text)
  },
)

test('what is written is read', () => {
  fc.assert(
    fc.property(keys, (key) => {
      expect(readVerifierKey(writeVerifierKey(key))).toEqual({ kind: 'read', value: key })
    }),
    { numRuns: 50 },
  )
})

test('no part of a key and no key with another character is a key', () => {
  for (let start = 0; start < peter.length; start += 1) {
    for (let end = start + 1; end <= peter.length; end += 1) {
      if (end - start < peter.length) expect(readVerifierKey(peter.slice(start, end)).kind).toBe('malformed')
    }
    const next = String.fromCharCode(peter.charCodeAt(start) + 1)
    expect(readVerifierKey(peter.slice(0, start) + next + peter.slice(start + 1)).kind).toBe('malformed')
  }
})

describe('these are no keys', () => {
  test.each([
    ['nothing', ''],
    [
      'a key that is too long, with the id of that',
      'PeterNeumann+cc469956+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TWBADKEY==',
    ],
    [
      'a type that nobody knows, with the id of that',
      'PeterNeumann+173116ae+ZRpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW',
    ],
    ['an id in capitals', peter.replace('c74f20a3', 'C74F20A3')],
    ['an id of another key', peter.replace('c74f20a3', '00000000')],
    ['another name', peter.replace('Peter', 'Petra')],
    ['a name with a blank', peter.replace('Peter', 'Peter ')],
    ['a line feed behind it', `${peter}\n`],
    ['no base64', peter.replace('ARpc', 'AR*c')],
    ['base64 of a URL', withPlus.replace('AQcC+', 'AQcC-')],
    ['two parts', 'bananas.sigstore.dev+12344556'],
  ])('%s', (_name, text) => {
    expect(readVerifierKey(text)).toMatchObject({ kind: 'malformed' })
  })
})

test('a key has 4,096 characters at most', () => {
  const key = writeVerifierKey({ name: 'a'.repeat(4_096 - 54), type: 'Ed25519', publicKey: new Uint8Array(32) })
  expect(key).toHaveLength(4_096)
  expect(readVerifierKey(`${key}=`)).toEqual({ kind: 'malformed', reason: 'a key has 4096 characters at most' })
  expect(() =>
    writeVerifierKey({ name: 'a'.repeat(4_096 - 53), type: 'Ed25519', publicKey: new Uint8Array(32) }),
  ).toThrow(RangeError)
})

test('arbitrary texts throw nothing, and are written again if they are read', () => {
  const hexDigits = fc.stringMatching(/^[0-9a-f]{8}$/)
  const parts = fc.tuple(fc.string(), hexDigits, fc.base64String())
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        parts.map((three) => three.join('+')),
      ),
      (text) => {
        const found = readVerifierKey(text)
        if (found.kind === 'read') expect(writeVerifierKey(found.value)).toBe(text)
      },
    ),
  )
})

test('a key that has no form is not written', () => {
  const key: VerifierKey = { name: 'a', type: 'Ed25519', publicKey: new Uint8Array(32) }
  for (const name of ['', 'a b', 'a+b', 'a\nb', 'a\u0001', 'a\u2003b', '\ud800']) {
    expect(() => writeVerifierKey({ ...key, name })).toThrow(RangeError)
  }
  expect(() => writeVerifierKey({ ...key, publicKey: new Uint8Array(31) })).toThrow(RangeError)
  expect(keyIdOf(key)).not.toBe(keyIdOf({ ...key, type: 'Ed25519 cosignature' }))
})
