import { sha256 } from '@noble/hashes/sha2.js'
import { expect, test } from 'vitest'
import { digestOf } from './digest.ts'

test('a digest is the SHA-256 in base64url', () => {
  const sealed = new TextEncoder().encode('what is sealed')
  expect(digestOf(sealed)).toBe(Buffer.from(sha256(sealed)).toString('base64url'))
})
