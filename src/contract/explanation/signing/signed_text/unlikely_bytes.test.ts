import { readFileSync } from 'node:fs'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { base58 } from '@scure/base'
import { expect, test } from 'vitest'
import { hasUnlikelyBytes } from './unlikely_bytes.ts'

/** 32 printable characters of ASCII by chance, as of a hash that somebody searched for. */
function readableHash(seed: number): string {
  return [...sha256(Uint8Array.of(seed >> 8, seed & 0xff))]
    .map((byte) => String.fromCharCode(32 + (byte % 95)))
    .join('')
}

test.each([
  ['alone', (hash: string) => hash],
  ['behind a prefix', (hash: string) => `NEO3${hash}`],
  ['in a sentence', (hash: string) => `Log in to the shop ${hash}, please`],
])('of hashes that read as a text, hardly any is a likely one: %s', (_, around) => {
  const missed = Array.from({ length: 2_000 }, (__, seed) => around(readableHash(seed))).filter(
    (text) => !hasUnlikelyBytes(text),
  )
  expect(missed.length).toBeLessThan(30)
})

const bytesOf = (seed: number) => sha256(Uint8Array.of(seed >> 8, seed & 0xff))

test('nonces, dates and ids in logins are likely', () => {
  for (let seed = 0; seed < 2_000; seed += 1) {
    const bytes = bytesOf(seed)
    const hex = bytesToHex(bytes)
    for (const text of [
      `Sign in to app.example\n\nNonce: ${Buffer.from(bytes).toString('base64')}\nIssued At: 2026-09-30T16:25:24.${hex.length}Z`,
      `URI: https://app.example/login?id=${Buffer.from(bytes).toString('base64url')}&next=%2Fhome%2F#top`,
      `Wallet address:\n${base58.encode(bytes)}\n\nNonce:\n${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}`,
      JSON.stringify({ domain: 'app.example', nonce: base58.encode(bytes.slice(0, 9)), exp: seed, id: `0x${hex}` }),
    ])
      expect(hasUnlikelyBytes(text), text).toBe(false)
  }
})

test.each([
  'Zażółć gęślą jaźń, proszę',
  'GÜLTIG AUF JEDER CHAIN',
  '株式会社\u3000次の行 👩‍🚀 ❤️ 1️⃣ ünïcode',
  'می‌خواهم وارد شوم, 1403',
])('words of any script are likely: %s', (text) => {
  expect(hasUnlikelyBytes(`${text} ${text}`)).toBe(false)
})

test('hardly any line of a text, of code or of JSON is unlikely', () => {
  for (const [file, share] of [
    ['docs/get_started.md', 0.01],
    ['console/src/texts/de/meaning.ts', 0.01],
    ['package-lock.json', 0.01],
    ['src/service/requests/submit.ts', 0.01],
  ] as const) {
    const lines = readFileSync(file, 'utf8').split('\n')
    const unlikely = lines.filter(hasUnlikelyBytes)
    expect(unlikely.length / lines.length, `${file}: ${unlikely[0]}`).toBeLessThan(share)
  }
})
