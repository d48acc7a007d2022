import { describe, expect, test } from 'vitest'
import { assertMessage, isHeaderText, type Mail, type Message } from './outgoing_messages.ts'

const mail: Mail = { channel: 'mail', to: 'ada@example.org', subject: 'Your code', text: '123456' }

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
