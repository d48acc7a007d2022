import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type FeatureName, featureNames, featureValueFault, originsMax, webauthnOriginsOf } from './feature_names.ts'

const origins = 'FEATURE_NAME_WEBAUTHN_ORIGINS'
const mails = 'FEATURE_NAME_SUB_ORGANIZATION_MAILS'
const certificate = 'A-_'.repeat(14) + 'b'

describe('a value that a feature can have', () => {
  test.each<[FeatureName, string | undefined]>([
    [origins, '*'],
    [origins, 'https://app.example.com'],
    [origins, 'https://app.example.com,https://other.example:8443,http://localhost:3000'],
    [origins, `android:apk-key-hash:${certificate},chrome-extension://${'abcdefghijklmnop'.repeat(2)}`],
    [origins, Array.from({ length: originsMax }, (_, index) => `https://app${index}.example`).join()],
    ['FEATURE_NAME_OTP_EMAIL_AUTH', undefined],
    ['FEATURE_NAME_OTP_EMAIL_AUTH', ''],
    ['FEATURE_NAME_SMS_AUTH', 'true'],
    [mails, 'SENDER'],
    [mails, 'TEXTS,SENDER,https:,myapp:,https://app.example.com/,https://app.example.com:8443/in/,http://localhost/'],
  ])('%s: %s', (name, value) => {
    expect(featureValueFault(name, value)).toBeUndefined()
  })
})

describe('a value that a feature cannot have', () => {
  test.each<[FeatureName, string | undefined, string]>([
    [origins, undefined, 'origins such as https://app.example.com'],
    [origins, '', 'origins such as'],
    [origins, '*,https://app.example.com', 'origins such as'],
    [origins, 'https://app.example.com/', 'origins such as'],
    [origins, 'https://app.example.com, https://b.example', 'origins such as'],
    [origins, 'https://App.example.com', 'origins such as'],
    [origins, 'https://app.example.com:443', 'origins such as'],
    [origins, 'https://app.example.com,', 'origins such as'],
    [origins, 'https://*.example.com', 'origins such as'],
    [origins, 'http://app.example.com', 'origins such as'],
    [origins, 'app.example.com', 'origins such as'],
    [origins, 'null', 'origins such as'],
    [origins, 'android:apk-key-hash:short', 'origins such as'],
    [origins, Array.from({ length: originsMax + 1 }, () => 'https://a.example').join(), `1 to ${originsMax} origins`],
    ['FEATURE_NAME_SMS_AUTH', 'false', 'to switch it off, remove the feature'],
    [mails, undefined, '1 to 20 of SENDER'],
    [mails, '', '1 to 20 of SENDER'],
    [mails, 'SENDER,', '1 to 20 of SENDER'],
    [mails, 'SENDER, TEXTS', '1 to 20 of SENDER'],
    [mails, 'javascript:', '1 to 20 of SENDER'],
    [mails, 'http:', '1 to 20 of SENDER'],
    [mails, 'http://app.example.com/', '1 to 20 of SENDER'],
    [mails, 'https://app.example.com', '1 to 20 of SENDER'],
    [mails, 'https://APP.example.com/', '1 to 20 of SENDER'],
    [mails, Array.from({ length: 21 }, (_, index) => `app${index}:`).join(), '1 to 20 of SENDER'],
  ])('%s: %s', (name, value, expected) => {
    expect(featureValueFault(name, value)).toContain(expected)
  })
})

test('arbitrary text throws nothing for any feature', () => {
  fc.assert(
    fc.property(fc.constantFrom(...featureNames), fc.oneof(fc.webUrl(), fc.string()), (name, value) => {
      const fault = featureValueFault(name, value)
      expect(fault === undefined || fault.length > 0).toBe(true)
    }),
  )
})

test('an origin that is accepted is what a browser calls the origin of its pages', () => {
  fc.assert(
    fc.property(fc.webUrl({ validSchemes: ['https'] }), (address) => {
      const { origin } = new URL(address)
      expect(featureValueFault(origins, origin)).toBeUndefined()
      expect(webauthnOriginsOf(origin)?.has(origin)).toBe(true)
    }),
  )
})

test('the origins of a value are a set; * is any', () => {
  expect(webauthnOriginsOf('*')).toBeUndefined()
  expect(webauthnOriginsOf('https://a.example,https://b.example')).toEqual(
    new Set(['https://a.example', 'https://b.example']),
  )
})
