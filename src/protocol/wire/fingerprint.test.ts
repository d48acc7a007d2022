import { expect, test } from 'vitest'
import { fingerprintOf, requestKeyOf } from './fingerprint.ts'

test.each([
  ['', 'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
  ['abc', 'sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'], // FIPS 180-4 example
  [
    // In the form that a public client sends.
    '{"parameters":{"publicKey":"020217e617f0b6443928278f96999e69a23a4f2c152bdf6d6cdf66e5b80282d4ed","expirationSeconds":"900","invalidateExisting":false},"organizationId":"9f0b2c1e-0000-4000-8000-000000000001","timestampMs":"1787000000000","generateAppProofs":false,"type":"ACTIVITY_TYPE_STAMP_LOGIN"}',
    'sha256:5a2ede9f324c711f029fd9de5b1ead52903641cd0119c2ce552080a04250189a',
  ],
])('the fingerprint of %j', (body, fingerprint) => {
  expect(fingerprintOf(new TextEncoder().encode(body))).toBe(fingerprint)
})

test('bytes that are not text have one too, and a space more is another', () => {
  const body = Uint8Array.of(0x7b, 0xff, 0x7d)
  expect(fingerprintOf(body)).toMatch(/^sha256:[0-9a-f]{64}$/)
  expect(fingerprintOf(Uint8Array.of(...body, 0x20))).not.toBe(fingerprintOf(body))
})

test('requests are stored in the order of their times', () => {
  const [a, b] = [fingerprintOf(Buffer.from('a')), fingerprintOf(Buffer.from('b'))]
  const keys = [requestKeyOf(7, a), requestKeyOf(999_999_999_999, b), requestKeyOf(1_787_000_000_000, a)]
  expect(keys.toSorted()).toEqual(keys)
  expect(new Set([...keys, requestKeyOf(7, b)]).size).toBe(4)
})
