import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SecretBytes } from '../../../protocol/crypto/secret_bytes.ts'
import { partsOfPasscodeSecret, passcodeSecretOf } from './passcode_secret.ts'

const copyOf = (secret: SecretBytes) => Buffer.from(secret.reveal()).toString('hex')
const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

test('the key and the passcode come back as they were', () => {
  const keys = fc.uint8Array({ minLength: 32, maxLength: 32 })
  fc.assert(
    fc.property(keys, fc.uint8Array({ minLength: 1, maxLength: 64 }), (first, second) => {
      using targetSecret = new SecretBytes(first.slice())
      using passcode = new SecretBytes(second.slice())
      using secret = passcodeSecretOf({ targetSecret, passcode })
      using parts = partsOfPasscodeSecret(secret)
      expect([copyOf(parts.targetSecret), copyOf(parts.passcode)]).toEqual([hexOf(first), hexOf(second)])
    }),
  )
})

test('the sealed form stays readable by later versions', () => {
  using targetSecret = new SecretBytes(new Uint8Array(32).fill(7))
  using passcode = new SecretBytes(new Uint8Array(Buffer.from('4A5B6C')))
  using secret = passcodeSecretOf({ targetSecret, passcode })
  expect(copyOf(secret)).toBe('07'.repeat(32) + '344135423643')
})

test('the parts are copies that are zeroed together', () => {
  using secret = new SecretBytes(new Uint8Array(34).fill(1))
  const parts = partsOfPasscodeSecret(secret)
  parts[Symbol.dispose]()
  expect([copyOf(parts.targetSecret), copyOf(parts.passcode)]).toEqual(['00'.repeat(32), '0000'])
  expect(copyOf(secret)).toBe('01'.repeat(34))
})

test('secrets of another form throw: they would be a bug', () => {
  using short = new SecretBytes(new Uint8Array(31))
  using key = new SecretBytes(new Uint8Array(32))
  using empty = new SecretBytes(new Uint8Array())
  expect(() => passcodeSecretOf({ targetSecret: short, passcode: key })).toThrow('behind 32 bytes of a key')
  expect(() => passcodeSecretOf({ targetSecret: key, passcode: empty })).toThrow('behind 32 bytes of a key')
  for (const secret of [empty, short, key]) {
    expect(() => partsOfPasscodeSecret(secret)).toThrow('behind 32 bytes of a key')
  }
})
