import { expect, test } from 'vitest'
import { vouchesForAddress } from './vouched_addresses.ts'

const token = {
  issuer: 'https://accounts.google.com',
  audience: 'app',
  subject: '1',
  emailVerified: true,
  nonce: undefined,
  tknonce: undefined,
  tooOldAtMs: 1,
}

test.each([
  ['ada@gmail.com', undefined, true],
  ['Ada@GoogleMail.COM', undefined, true],
  ['ada@gmail.com.example', undefined, false],
  ['ada@notgmail.com', undefined, false],
  ['ada@corp.example', undefined, false],
  ['ada@corp.example', 'corp.example', true],
  ['ada@Corp.Example', 'corp.example', true],
  ['ada@bücher.example', 'xn--bcher-kva.example', true],
  ['ada@corp.example', 'other.example', false],
  ['ada@mail.corp.example', 'corp.example', false],
  [undefined, 'corp.example', false],
  ['ada@gmail.com', 'corp.example', true],
])('of %s with hd %s: %s', (email, hostedDomain, expected) => {
  const identity = { ...token, email, ...(hostedDomain === undefined ? {} : { hostedDomain }) }
  expect(vouchesForAddress(identity, ['app'])).toBe(expected)
  expect(vouchesForAddress({ ...identity, emailVerified: false }, ['app'])).toBe(false)
  expect(vouchesForAddress({ ...identity, issuer: 'https://issuer.example' }, ['app'])).toBe(false)
  expect(vouchesForAddress(identity, ['another app'])).toBe(false)
})
