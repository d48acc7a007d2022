import { expect, test } from 'vitest'
import { isIssuer, isKeyHost, issuerDestinations } from './issuers.ts'

test.each([
  'https://accounts.google.com',
  'https://appleid.apple.com',
  'https://tenant.eu.auth0.com/',
  'https://login.example:8443/realms/a',
  'http://localhost:9000',
  'http://127.0.0.1:9000',
  'http://[::1]:9000/a',
])('%s can be an issuer', (text) => {
  expect(isIssuer(text)).toBe(true)
})

test.each([
  '',
  'accounts.google.com',
  'http://accounts.google.com',
  'http://localhost.example',
  'https://ada@issuer.example',
  'https://issuer.example?a=b',
  'https://issuer.example#a',
  'ftp://localhost',
  'file:///issuer',
])('%s cannot', (text) => {
  expect(isIssuer(text)).toBe(false)
})

test('a key host is a host, with a port where it is not the usual one', () => {
  for (const text of ['keys.example', 'keys.example:8443', 'keys.example:443', '10.0.0.1', '[::1]:8443']) {
    expect(isKeyHost(text)).toBe(true)
  }
  for (const text of [
    '',
    'https://keys.example',
    'keys.example/jwks',
    'a b',
    'ada@keys.example',
    'a:0x1',
    '*.example',
  ]) {
    expect(isKeyHost(text)).toBe(false)
  }
})

test('the vault may connect to the issuers and to their key hosts; the key host of Google is known', () => {
  const oidcIssuers = [
    'https://accounts.google.com',
    'https://Login.example:8443/a',
    'http://localhost:9000/',
    'http://[::1]',
  ]
  const oidcKeyHosts = ['keys.example', 'keys.example:8443']
  expect([...issuerDestinations({ oidcIssuers, oidcKeyHosts })].sort()).toEqual(
    [
      'accounts.google.com:443',
      'www.googleapis.com:443',
      'login.example:8443',
      'localhost:9000',
      '[::1]:80',
      'keys.example:443',
      'keys.example:8443',
    ].sort(),
  )
  expect(issuerDestinations({ oidcIssuers: [], oidcKeyHosts: [] }).size).toBe(0)
})
