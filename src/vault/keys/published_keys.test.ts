import { randomBytes } from 'node:crypto'
import { p256 } from '@noble/curves/nist.js'
import { expect, test } from 'vitest'
import { SecretBytes } from '../../protocol/crypto/secret_bytes.ts'
import { p256Secret, publishedKeysOf } from './published_keys.ts'
import { createSeals, type Seals } from './seal.ts'

const seals = createSeals({
  masterSeeds: { current: 1, seeds: new Map([[1, new SecretBytes(new Uint8Array(32).fill(3))]]) },
  randomBytes: (size) => new Uint8Array(randomBytes(size)),
})
const published = publishedKeysOf(seals)

test.each([
  'bundleSigning',
  'tlsFetcherSigning',
  'tlsFetcherEncryption',
  'onRampEncryption',
  'sessionSigning',
  'appProofSigning',
] as const)('the secret of %s is that of the published key', (name) => {
  using secret = p256Secret(seals, name)
  expect(published[name]?.uncompressed).toBe(p256.Point.fromBytes(p256.getPublicKey(secret.reveal())).toHex(false))
  using again = p256Secret(seals, name)
  expect(again.reveal()).toEqual(secret.reveal())
})

test('appProofEncryption is a separate key and is not published', () => {
  using secret = p256Secret(seals, 'appProofEncryption')
  expect(p256.utils.isValidSecretKey(secret.reveal())).toBe(true)
  const compressed = Buffer.from(p256.getPublicKey(secret.reveal())).toString('hex')
  expect(published).not.toHaveProperty('appProofEncryption')
  expect(Object.values(published).map((key) => key.compressed)).not.toContain(compressed)
})

test('a candidate that is no valid scalar is skipped', () => {
  const asked: [string, number][] = []
  const stub: Seals = {
    ...seals,
    publishedSecret: (name, counter) => {
      asked.push([name, counter])
      return new SecretBytes(new Uint8Array(32).fill(counter < 2 ? 0xff : 9))
    },
  }
  using secret = p256Secret(stub, 'sessionSigning')
  expect(asked).toEqual([0, 1, 2].map((counter) => ['sessionSigning', counter]))
  expect(secret.reveal()).toEqual(new Uint8Array(32).fill(9))
})
