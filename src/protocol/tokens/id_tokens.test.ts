import fc from 'fast-check'
import { UnsecuredJWT } from 'jose'
import { describe, expect, test } from 'vitest'
import { compactToken, idTokenCharactersMax, unverifiedSubject } from './id_tokens.ts'
import { jwtCharactersMax } from './jwt.ts'

const tokenOf = (claims: Record<string, unknown>) => new UnsecuredJWT(claims).encode()
const ada = { issuer: 'https://issuer.example', audience: 'client', subject: 'ada' }
const claims = { iss: ada.issuer, aud: ada.audience, sub: ada.subject }

describe('the unverified subject of a token', () => {
  test('is read without its signature', () => {
    expect(unverifiedSubject(tokenOf(claims))).toEqual(ada)
    expect(unverifiedSubject(tokenOf({ ...claims, aud: ['one', 'two'], azp: 'two' }))?.audience).toBe('two')
  })

  test('is read from base64 of the token as well, in either alphabet', () => {
    const token = tokenOf({ ...claims, sub: '???>>>' })
    for (const encoding of ['base64', 'base64url'] as const) {
      const text = Buffer.from(token).toString(encoding)
      expect(compactToken(text)).toBe(token)
      expect(unverifiedSubject(text)).toEqual({ ...ada, subject: '???>>>' })
    }
    expect(compactToken(token)).toBe(token)
    expect(Buffer.alloc(jwtCharactersMax).toString('base64')).toHaveLength(idTokenCharactersMax)
  })

  test.each([
    ['no iss', { ...claims, iss: undefined }],
    ['an empty sub', { ...claims, sub: '' }],
    ['a sub of 256 characters', { ...claims, sub: 'a'.repeat(256) }],
    ['no aud', { ...claims, aud: undefined }],
    ['several audiences without azp', { ...claims, aud: ['one', 'two'] }],
    ['a list in a list', { ...claims, aud: [['one']] }],
  ])('is not known from %s', (_, wrong) => {
    expect(unverifiedSubject(tokenOf(wrong))).toBeUndefined()
  })

  test('is undefined when a claim occurs twice', () => {
    const payload = Buffer.from('{"iss":"i","aud":"a","sub":"ada","sub":"eve"}').toString('base64url')
    expect(unverifiedSubject(`e30.${payload}.`)).toBeUndefined()
  })

  test('is a subject or undefined, whatever the text', () => {
    const value = fc.oneof(fc.string(), fc.jsonValue(), fc.array(fc.string()))
    const someClaims = fc.record({ iss: value, aud: value, sub: value, azp: value }, { requiredKeys: [] })
    const text = fc.oneof(
      fc.string(),
      someClaims.map(tokenOf),
      someClaims.map((one) => btoa(tokenOf(one))),
    )
    fc.assert(
      fc.property(text, (token) => {
        const found = unverifiedSubject(token)
        if (found === undefined) return
        for (const part of Object.values(found)) expect(part).toMatch(/^.{1,2048}$/su)
      }),
    )
  })
})
