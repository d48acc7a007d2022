import fc from 'fast-check'
import addressparser from 'nodemailer/lib/addressparser'
import { describe, expect, test } from 'vitest'
import { assertMessage, isHeaderText, isMailAddress, type Mail, type Message, mailboxOf } from './outgoing_messages.ts'

const mail: Mail = { channel: 'mail', to: 'ada@example.org', subject: 'Your code', text: '123456' }

describe('an address', () => {
  test.each(['ada@example.org', "o'hara+code@mail.example.co", 'a.b-c_d@x', 'jürgen@müller.example', '用户@例え.jp'])(
    'may be %s',
    (address) => expect(isMailAddress(address)).toBe(true),
  )

  test.each([
    '',
    'ada',
    '@example.org',
    'ada@',
    'ada@home@example.org',
    'a@b.c, eve@example.org',
    'a@b.c;eve@example.org',
    'a@b.c eve@example.org',
    'Ada <ada@example.org>',
    '<ada@example.org>',
    'ada@example.org>',
    '"ada"@example.org',
    'ada@[127.0.0.1]',
    'ada(comment)@example.org',
    'friends:ada@example.org',
    'ada\\@example.org',
    'ada@example.org\r\nBcc: eve@example.org',
    'ada@example.org\n',
    'ada\u0000@example.org',
    'ada\u2028@example.org',
    'ada\u202e@example.org',
    'ada\ud800@example.org',
    `${'a'.repeat(65)}@example.org`,
    `ada@${'a'.repeat(191)}`,
  ])('is not %j', (address) => expect(isMailAddress(address)).toBe(false))

  test.each<[string, string, boolean]>([
    ['Ada@Example.ORG', 'ada@example.org', true],
    ['\u00c9va@example.org', '\u00e9va@example.org', false],
    ['\u212aim@example.org', 'kim@example.org', false],
    ['\u0130da@example.org', 'ida@example.org', false],
  ])('%s and %s are one mailbox: %s', (one, other, isSame) => {
    expect(mailboxOf(one) === mailboxOf(other)).toBe(isSame)
  })

  test('that passes is one address for a parser of headers too, and that one', () => {
    const hostile = fc.constantFrom(...'a.@<>()",;:\\[]\r\n\t \u0000é-+=?!')
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: hostile }), fc.emailAddress()), (text) => {
        if (!isMailAddress(text)) return
        expect(addressparser(text)).toEqual([{ address: text, name: '' }])
      }),
      { numRuns: 5_000 },
    )
  })
})

test('a text for a header is one line', () => {
  for (const text of ['Code for Ada & Eve', 'Dein Zugang für „Müller“', '認証コード', 'a'.repeat(500)]) {
    expect(isHeaderText(text)).toBe(true)
  }
  for (const text of [
    '',
    'a\rb',
    'a\nb',
    'a\r\nBcc: eve@example.org',
    'a\u0000',
    'a\u0085b',
    'a\u2028b',
    '\udc00',
    'a'.repeat(501),
  ]) {
    expect([text, isHeaderText(text)]).toEqual([text, false])
  }
})

describe('a message', () => {
  test.each<[string, Message]>([
    ['a plain mail', mail],
    [
      'one with everything',
      { ...mail, html: '<b>123456</b>', from: { name: 'Ä', address: 'a@b.c' }, replyTo: 'a@b.c' },
    ],
    ['an SMS of several lines', { channel: 'sms', to: '+14155550123', text: 'Code:\n123456' }],
  ])('can be sent: %s', (_, message) => expect(() => assertMessage(message)).not.toThrow())

  const injection = 'a\r\nBcc: eve@example.org'
  test.each<[string, Message]>([
    ['two recipients', { ...mail, to: 'a@b.c,d@e.f' }],
    ['a line end in the recipient', { ...mail, to: `ada@example.org${injection}` }],
    ['a line end in the subject', { ...mail, subject: injection }],
    ['a line end in the sender', { ...mail, from: { address: injection } }],
    ["a line end in the sender's name", { ...mail, from: { name: injection } }],
    ['a line end in the address for replies', { ...mail, replyTo: injection }],
    ['no text', { ...mail, text: '' }],
    ['too much text', { ...mail, text: 'a'.repeat(131_073) }],
    ['too much HTML', { ...mail, html: 'a'.repeat(131_073) }],
    ['an SMS to no number', { channel: 'sms', to: '14155550123', text: 'x' }],
    ['an SMS to a number and more', { channel: 'sms', to: '+14155550123\n', text: 'x' }],
  ])('is refused without repeating it: %s', (_, message) => {
    expect(() => assertMessage(message)).toThrow(/^a (mail|sms) that cannot be sent: address, header or length$/)
  })
})
