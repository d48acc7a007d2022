import fc from 'fast-check'
import { hashMessage, keccak256 } from 'viem'
import { expect, test } from 'vitest'
import { messageFormOf, payloadOf, signatureOf } from './message_form.ts'

test('viem hashes any message for EIP-191 as the payload is hashed', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (message) => {
      const { payload, hashFunction } = payloadOf(message, 'eip191')
      expect(hashFunction).toBe('HASH_FUNCTION_KECCAK256')
      expect(keccak256(`0x${payload}`)).toBe(hashMessage(message))
    }),
  )
})

for (const [curve, addressFormats, form] of [
  ['CURVE_SECP256K1', ['ADDRESS_FORMAT_ETHEREUM'], 'eip191'],
  ['CURVE_SECP256K1', ['ADDRESS_FORMAT_TRON'], 'sha256'],
  ['CURVE_P256', ['ADDRESS_FORMAT_ETHEREUM'], 'sha256'],
  ['CURVE_ED25519', ['ADDRESS_FORMAT_SOLANA'], 'plain'],
] as const) {
  test(`${curve} with ${addressFormats} signs messages in the form ${form}`, () => {
    expect(messageFormOf({ signWith: 'a key', curve, addressFormats })).toBe(form)
  })
}

test('v is 27 or 28 in a signature of EIP-191, and no part of any other', () => {
  const [r, s] = ['aa'.repeat(32), 'bb'.repeat(32)]
  expect(signatureOf('eip191', { r, s, v: '00' })).toBe(`0x${r}${s}1b`)
  expect(signatureOf('eip191', { r, s, v: '01' })).toBe(`0x${r}${s}1c`)
  expect(signatureOf('plain', { r, s, v: '00' })).toBe(`${r}${s}`)
})
