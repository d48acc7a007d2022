import { describe, expect, test } from 'vitest'
import { oauth2EndpointsKnown, readOauth2Endpoints } from './oauth2.ts'

const own = {
  subjectPrefix: 'own',
  tokenUrl: 'https://login.example/token',
  userUrl: 'https://login.example/user?fields=id',
  userIdPath: ['user', 'id'],
}

test('an unnamed provider keeps its endpoints, and either name names a provider', () => {
  expect(readOauth2Endpoints({})).toEqual(oauth2EndpointsKnown)
  const expected = { ...oauth2EndpointsKnown, OAUTH2_PROVIDER_PROVIDER_A: own }
  expect(readOauth2Endpoints({ OAUTH2_PROVIDER_X: own })).toEqual(expected)
  expect(readOauth2Endpoints({ OAUTH2_PROVIDER_PROVIDER_A: own })).toEqual(expected)
  expect(readOauth2Endpoints(JSON.parse(JSON.stringify(expected)))).toEqual(expected)
})

test('plain HTTP is allowed on this machine only', () => {
  const local = { ...own, tokenUrl: 'http://localhost:9000/token' }
  expect(readOauth2Endpoints({ OAUTH2_PROVIDER_DISCORD: local }).OAUTH2_PROVIDER_PROVIDER_B).toEqual(local)
})

describe('a malformed table is refused with the place of the error:', () => {
  const one = (change: object) => ({ OAUTH2_PROVIDER_X: { ...own, ...change } })
  for (const [claim, json, text] of [
    ['nothing', undefined, 'the providers: expected an object'],
    ['a list', [], 'the providers: expected an object'],
    [
      'an unknown provider',
      { OAUTH2_PROVIDER_Y: own },
      'OAUTH2_PROVIDER_Y: the providers are OAUTH2_PROVIDER_PROVIDER_A',
    ],
    ['a provider that is a text', { OAUTH2_PROVIDER_X: 'x' }, 'OAUTH2_PROVIDER_PROVIDER_A: expected an object'],
    ['an unknown member', one({ scope: 'x' }), 'OAUTH2_PROVIDER_PROVIDER_A.scope: there is no such member'],
    ['a prefix with a colon', one({ subjectPrefix: 'a:b' }), 'subjectPrefix: expected 1 to 32'],
    [
      'a prefix that another provider has',
      one({ subjectPrefix: 'discord' }),
      'subjectPrefix: two providers have the same',
    ],
    ['plain HTTP', one({ tokenUrl: 'http://login.example/' }), 'tokenUrl: expected an https address'],
    [
      'an address with a user',
      one({ userUrl: 'https://ada:hush@login.example/' }),
      'userUrl: expected an https address',
    ],
    ['an empty path', one({ userIdPath: [] }), 'userIdPath: expected a list of names'],
    ['a path of numbers', one({ userIdPath: [0] }), 'userIdPath: expected a list of names'],
  ] as const) {
    test(claim, () => {
      expect(() => readOauth2Endpoints(json)).toThrow(text)
    })
  }
})
