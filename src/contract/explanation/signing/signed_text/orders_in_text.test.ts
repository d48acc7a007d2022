import { sha256 } from '@noble/hashes/sha2.js'
import { base32, base58, base64urlnopad, bech32, createBase58check } from '@scure/base'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { mayBeOrder } from './orders_in_text.ts'

const short = 'thor1abc'
test.each([
  `=:ETH.ETH:${short}`,
  `=:e:alice`,
  ` SWAP:BTC.BTC:bob:100`,
  's:r:alice',
  '=<:BTC.BTC:bob',
  'm=<:1BTC.BTC:2ETH.ETH:3',
  '+:BTC.BTC',
  '-:BTC.BTC:10000',
  '$+:BTC.BTC:bob',
  'loan-:BTC.BTC:bob',
  'TRADE+:alice',
  'tcy:alice',
  'BOND:alice',
  '~:alice',
  'wd:ETH.ETH:5000',
  '{"action":"transfer","to":"alice.near"}',
  'please swap for alice.near',
])('%s may be an order', (text) => {
  expect(mayBeOrder(text)).toBe(true)
})

test.each([
  'invoice 17',
  'Invoice: 17/2026',
  'Re: rent for May, Alice & Bob',
  'Salary',
  '',
  '550e8400-e29b-41d4-a716-446655440000',
  '550e8400e29b41d4a716446655440000',
  '210000000003139471430009017',
  '1000000000000000000000000',
  'FR1420041010050500013M02606',
  'DE89 3704 0044 0532 0130 00',
  'x'.repeat(1_000),
  'order 4711, 12:30',
])('%s is no order', (text) => {
  expect(mayBeOrder(text)).toBe(false)
})

test('an address of any kind may be one, wherever it stands', () => {
  const encodings = [
    (bytes: Uint8Array) => `0x${Buffer.from(bytes.subarray(0, 20)).toString('hex')}`,
    (bytes: Uint8Array) => Buffer.from(bytes).toString('hex').toUpperCase(),
    (bytes: Uint8Array) => base58.encode(bytes),
    (bytes: Uint8Array) => createBase58check(sha256).encode(Uint8Array.of(0x41, ...bytes.subarray(0, 20))),
    (bytes: Uint8Array) => createBase58check(sha256).encode(Uint8Array.of(0, ...bytes.subarray(0, 20))),
    (bytes: Uint8Array) => bech32.encode('cosmos', bech32.toWords(bytes.subarray(0, 20))),
    (bytes: Uint8Array) => bech32.encode('bc', [0, ...bech32.toWords(bytes.subarray(0, 20))]).toUpperCase(),
    (bytes: Uint8Array) => bech32.encode('addr_test', bech32.toWords(bytes)),
    (bytes: Uint8Array) => base32.encode(Uint8Array.of(0x30, ...bytes, 1, 2)).replaceAll('=', ''),
    (bytes: Uint8Array) => base64urlnopad.encode(Uint8Array.of(0x11, 0, ...bytes, 1, 2)),
  ]
  const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 }).filter((given) => new Set(given).size > 8)
  const around = fc.constantFrom('', 'for ', 'to:', 'a|', '/')
  fc.assert(
    fc.property(bytes, fc.constantFrom(...encodings), around, around, (given, encode, before, after) => {
      expect(mayBeOrder(before + encode(given) + after)).toBe(true)
    }),
  )
})
