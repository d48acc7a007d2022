import { expect, test } from 'vitest'
import { baseUrlOf } from './base_url.ts'

test.each([
  ['https://keys.example', 'https://keys.example'],
  ['https://keys.example/', 'https://keys.example'],
  ['https://keys.example///', 'https://keys.example'],
  ['https://KEYS.example:443/?', 'https://keys.example'],
  ['http://127.0.0.1:8787/hosted//', 'http://127.0.0.1:8787/hosted'],
  ['http://[::1]:8787/a/b', 'http://[::1]:8787/a/b'],
])('the base of %s is %s', (text, base) => {
  expect(baseUrlOf(text)).toBe(base)
})

test.each([
  '',
  '/keys',
  'keys.example',
  'keys.example:8787',
  'ftp://keys.example',
  'https://ada@keys.example',
  'https://:hush@keys.example',
  'https://keys.example//hosted',
  'https://keys.example/?a=1',
  'https://keys.example/#a',
])('%j is no base', (text) => {
  expect(baseUrlOf(text)).toBeUndefined()
})
