import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseMailSender, parseSmsUrl, parseSmtpUrl } from './addresses.ts'

describe('the address of an SMTP server', () => {
  const elsewhere = { host: 'mail.example', isLocal: false, login: undefined }
  test.each([
    ['smtps://mail.example', { ...elsewhere, port: 465, encryption: 'tls' }],
    ['smtps://MAIL.example:2465/', { ...elsewhere, port: 2465, encryption: 'tls' }],
    ['smtp://mail.example', { ...elsewhere, port: 587, encryption: 'starttls' }],
    ['smtp://mail.example:25?requireTLS=true', { ...elsewhere, port: 25, encryption: 'starttls' }],
    ['smtp://mail.example?requireTLS=false', { ...elsewhere, port: 587, encryption: 'opportunistic' }],
    [
      'smtp://localhost:1025',
      { host: 'localhost', isLocal: true, port: 1025, encryption: 'opportunistic', login: undefined },
    ],
    [
      'smtp://127.0.0.1',
      { host: '127.0.0.1', isLocal: true, port: 587, encryption: 'opportunistic', login: undefined },
    ],
    ['smtp://[::1]', { host: '::1', isLocal: true, port: 587, encryption: 'opportunistic', login: undefined }],
    [
      'smtp://127.0.0.1?requireTLS=true',
      { host: '127.0.0.1', isLocal: true, port: 587, encryption: 'starttls', login: undefined },
    ],
    [
      'smtps://ada%40example.org:p%3Aw%2F%C3%BC@mail.example',
      { ...elsewhere, port: 465, encryption: 'tls', login: { user: 'ada@example.org', password: 'p:w/ü' } },
    ],
    ['smtp://127.0.0.1.example', { ...elsewhere, host: '127.0.0.1.example', port: 587, encryption: 'starttls' }],
  ])('%s', (text, expected) => expect(parseSmtpUrl(text)).toEqual(expected))

  test.each([
    '',
    'mail.example:25',
    'http://mail.example',
    'smtp://',
    'smtp:///path',
    'smtp://mail.example/path',
    'smtp://mail.example#x',
    'smtp://mail.example?requireTLS=no',
    'smtp://mail.example?requireTLS=false&logger=true',
    'smtps://mail.example?requireTLS=false',
    'smtp://mail.example?debug=true',
    'smtp://%zz@mail.example',
    'smtp://mail.example:99999',
  ])('is not %j', (text) => expect(parseSmtpUrl(text)).toBeUndefined())
})

describe('the sender of mail', () => {
  test.each([
    ['keys@example.org', { address: 'keys@example.org', name: undefined }],
    ['<keys@example.org>', { address: 'keys@example.org', name: undefined }],
    ['Keys of Müller <keys@example.org>', { address: 'keys@example.org', name: 'Keys of Müller' }],
    ['"Keys, and more" <keys@example.org>', { address: 'keys@example.org', name: 'Keys, and more' }],
  ])('%s', (text, expected) => expect(parseMailSender(text)).toEqual(expected))

  test.each(['', 'keys', 'Keys <keys>', 'a@b.c, d@e.f', 'Keys\r\nBcc: eve@b.c <a@b.c>', 'a@b.c <', '<a@b.c> d@e.f'])(
    'is not %j',
    (text) => expect(parseMailSender(text)).toBeUndefined(),
  )
})

describe('the address of an SMS gateway', () => {
  test.each([
    ['https://sms.example/send?a=b', { url: 'https://sms.example/send?a=b', authorization: undefined }],
    ['http://127.0.0.1:8080', { url: 'http://127.0.0.1:8080/', authorization: undefined }],
    // RFC 7617: the user `ada` and the password `p:ü`, in UTF-8.
    ['https://ada:p%3A%C3%BC@sms.example/', { url: 'https://sms.example/', authorization: 'Basic YWRhOnA6w7w=' }],
  ])('%s', (text, expected) => expect(parseSmsUrl(text)).toEqual(expected))

  test.each(['', 'sms.example', 'ftp://sms.example', 'https://sms.example/#x', 'https://%zz@sms.example'])(
    'is not %j',
    (text) => expect(parseSmsUrl(text)).toBeUndefined(),
  )
})

test('nothing that an operator types throws', () => {
  const text = fc.oneof(
    fc.string(),
    fc.webUrl(),
    fc.string().map((part) => `smtp://${part}@mail.example`),
  )
  fc.assert(
    fc.property(text, (typed) => {
      for (const parse of [parseSmtpUrl, parseMailSender, parseSmsUrl]) parse(typed)
    }),
  )
})
