import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SecretBytes } from '../../../protocol/crypto/secret_bytes.ts'
import { onRampSecretOf, partsOfOnRampSecret } from './on_ramp_secret.ts'

const copyOf = (secret: SecretBytes | undefined) => secret && Buffer.from(secret.reveal()).toString('hex')
const hexOf = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString('hex')
const secretApiKeys = fc.uint8Array({ minLength: 1, maxLength: 300 })
const privateApiKeys = fc.option(fc.uint8Array({ minLength: 1, maxLength: 300 }), { nil: undefined })

test('both secrets, or the only one, come back as they were', () => {
  fc.assert(
    fc.property(secretApiKeys, privateApiKeys, (first, second) => {
      using secretApiKey = new SecretBytes(first.slice())
      using privateApiKey = second && new SecretBytes(second.slice())
      using secret = onRampSecretOf({ secretApiKey, privateApiKey })
      using parts = partsOfOnRampSecret(secret)
      expect(copyOf(parts.secretApiKey)).toBe(hexOf(first))
      expect(copyOf(parts.privateApiKey)).toBe(hexOf(second))
    }),
  )
})

test('the sealed form stays readable by later versions', () => {
  using secretApiKey = new SecretBytes(Uint8Array.of(1, 2, 3))
  using privateApiKey = new SecretBytes(Uint8Array.of(4, 5))
  using both = onRampSecretOf({ secretApiKey, privateApiKey })
  using one = onRampSecretOf({ secretApiKey })
  expect([copyOf(both), copyOf(one)]).toEqual(['0003' + '010203' + '0405', '0003' + '010203'])
})

test('the longest secret API key has 65,535 bytes', () => {
  using longest = new SecretBytes(new Uint8Array(65_535).fill(7))
  using privateApiKey = new SecretBytes(Uint8Array.of(1))
  using secret = onRampSecretOf({ secretApiKey: longest, privateApiKey })
  using parts = partsOfOnRampSecret(secret)
  expect(parts.secretApiKey.reveal()).toHaveLength(65_535)
  using tooLong = new SecretBytes(new Uint8Array(65_536))
  expect(() => onRampSecretOf({ secretApiKey: tooLong })).toThrow('from 1 to 65,535 bytes')
  using empty = new SecretBytes(new Uint8Array())
  expect(() => onRampSecretOf({ secretApiKey: empty })).toThrow('from 1 to 65,535 bytes')
})

test('the parts are copies that are zeroed together', () => {
  using secretApiKey = new SecretBytes(Uint8Array.of(1, 2, 3))
  using secret = onRampSecretOf({ secretApiKey, privateApiKey: secretApiKey })
  const parts = partsOfOnRampSecret(secret)
  parts[Symbol.dispose]()
  expect([copyOf(parts.secretApiKey), copyOf(parts.privateApiKey)]).toEqual(['000000', '000000'])
  expect(copyOf(secret)).toBe('0003010203010203')
})

test('bytes of another form throw: they would be a bug', () => {
  for (const hex of ['', '00', '0001', '0000', '000001', '000201', 'ffff0102']) {
    using secret = new SecretBytes(new Uint8Array(Buffer.from(hex, 'hex')))
    expect(() => partsOfOnRampSecret(secret), hex).toThrow('is sealed with its secret API key')
  }
})
