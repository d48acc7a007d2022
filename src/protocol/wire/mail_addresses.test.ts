import { hash } from 'node:crypto'
import fc from 'fast-check'
import addressparser from 'nodemailer/lib/addressparser'
import { describe, expect, test } from 'vitest'
import { isMailAddress, mailAddressFault, mailboxOf, routedAddress } from './mail_addresses.ts'

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

describe('one mailbox', () => {
  test.each([
    ['ada@example.org', 'Ada@Example.ORG', 'ada@EXAMPLE.org.'],
    [
      'p@mail.example.org',
      'p@mail。example.org',
      'p@mail．example｡org',
      'p@ｍａｉｌ.example.org',
      'P@mail.example.org。',
    ],
    [
      'p@xn--bcher-kva.example',
      'p@bücher.example',
      'p@BÜCHER.example',
      'p@bu\u0308cher.example',
      'p@XN--BCHER-KVA.example.',
    ],
    ['p@xn--fa-hia.de', 'p@faß.de', 'p@FAẞ.de'],
    ['p@strasse.de', 'p@STRASSE.de'],
    ['p@k.example', 'p@\u212a.example', 'p@K.example'],
    ['p@ab.example', 'p@a\u00adb.example'],
    ['kim@example.org', '\u212aim@example.org', 'Kim@example.org'],
    ['\u00e9va@example.org', 'e\u0301va@example.org', '\u00e9VA@example.org'],
    ['\u1e96@example.org', 'H\u0331@example.org', 'h\u0331@example.org'],
    ['用户@xn--r8jz45g.jp', '用户@例え.jp'],
  ])('is %s', (mailbox, ...spellings) => {
    for (const spelling of [mailbox, ...spellings]) expect([spelling, mailboxOf(spelling)]).toEqual([spelling, mailbox])
  })

  test.each([
    ['ada@example.org', 'ada@example.com'],
    ['ada@example.org', 'ada@mail.example.org'],
    ['\u00c9va@example.org', '\u00e9va@example.org'],
    ['\u0130da@example.org', 'ida@example.org'],
    ['p@fass.de', 'p@faß.de'],
    ['p@127.0.0.1', 'p@127.1'],
    ['p@127.0.0.1', 'p@１２７.1'],
    ['p@b', 'p@b/c'],
    ['p@bü', 'p@bü/c'],
    ['p@bü', 'p@bü?c'],
    ['p@bü', 'p@bü#c'],
    ['p@bü.example', 'p@b%C3%BC.example'],
    ['p@x@b', 'x@b'],
    ['a.b@example.org', 'ab@example.org'],
  ])('is not both %s and %s', (one, other) => expect(mailboxOf(one)).not.toBe(mailboxOf(other)))

  // As the package idna 3.13 of Python makes them (`encode(domain, uts46=True)`), another implementation of UTS 46.
  test.each([
    ['ΣΊΣΥΦΟΣ.gr', 'xn--kxa6akbbkh.gr'],
    ['σίσυφος.gr', 'xn--kxa6ajbbmh.gr'],
    ['例え．jp', 'xn--r8jz45g.jp'],
    ['\ufb01x.example', 'fix.example'],
    ['נתונים.example', 'xn--9dbimjb2d.example'],
    ['Bücher。Example．Org', 'xn--bcher-kva.example.org'],
    ['ÅNGSTRÖM.se', 'xn--ngstrm-hua5l.se'],
    ['\u212b.se', 'xn--5ca.se'],
    ['\u0130.example', 'xn--i-9bb.example'],
    ['\u0131.example', 'xn--cfa.example'],
    ['ПРИМЕР.РФ', 'xn--e1afmkfd.xn--p1ai'],
    ['مثال.إختبار', 'xn--mgbh0fb.xn--kgbechtv'],
    ['ﾊﾛｰ.jp', 'xn--mdk0c0b.jp'],
    ['\u2460.example', '1.example'],
    ['l·l.cat', 'xn--ll-0ea.cat'],
    ['क्‍ष.example', 'xn--11b2ezcw70k.example'],
  ])('has the domain %s as %s', (domain, ascii) => expect(mailboxOf(`p@${domain}`)).toBe(`p@${ascii}`))

  const character = fc.oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    fc.constantFrom(...'aAzZ09-_.@/?#%:。．｡üÜßẞ\u212a\u0130\u0308\u0331\u00ad\u200dאH\t+'),
  )
  const anyText = fc.array(character, { maxLength: 24 }).map((characters) => characters.join(''))
  const address = fc.tuple(anyText, anyText).map(([local, domain]) => `${local}@${domain}`)
  const cases = { numRuns: Number(process.env.CLAVIGER_CASES ?? 5_000) }

  test('is that of its canonical form, for any text', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, address), (text) => {
        const mailbox = mailboxOf(text)
        expect(mailboxOf(mailbox)).toBe(mailbox)
        expect(mailboxOf(routedAddress(text))).toBe(mailbox)
        expect(routedAddress(routedAddress(text))).toBe(routedAddress(text))
      }),
      cases,
    )
  })

  test('is the same for all spellings of a domain, in any Unicode form', () => {
    const label = fc
      .array(fc.constantFrom(...'abcxyzäöüéñ例えδж09'), { minLength: 1, maxLength: 8 })
      .map((letters) => letters.join(''))
    const respelled = (text: string, seed: number) =>
      [...text]
        .map((letter, index) => {
          const way = (seed >> (index % 20)) & 3
          if (letter === '.') return '.。．｡'[way]
          const ascii = /[a-z0-9]/.test(letter)
          return [letter, letter.toUpperCase(), letter.normalize('NFD'), ascii ? wide(letter) : letter][way]
        })
        .join('')
    const wide = (letter: string) => String.fromCodePoint(letter.charCodeAt(0) + 0xfee0)
    fc.assert(
      fc.property(fc.array(label, { minLength: 1, maxLength: 4 }), fc.nat(), fc.boolean(), (labels, seed, hasDot) => {
        const domain = labels.join('.')
        expect(mailboxOf(`p@${respelled(domain, seed)}${hasDot ? '.' : ''}`)).toBe(mailboxOf(`p@${domain}`))
      }),
      cases,
    )
  })

  test('is found by stored keys, so a new table of Unicode needs a migration of them', () => {
    const assigned = Array.from({ length: 0x20000 }, (_, code) => String.fromCodePoint(code))
    const forms = assigned.map((one) => mailboxOf(`p${one}@a${one}b.example`)).join('\n')
    expect(hash('sha256', forms)).toBe('fc683315340a9238d745059aa8f0b42eb1ba57291e458e197afe9229a644fb1f')
  })
})

test('mail goes to one spelling of a mailbox, with the capitals before the @', () => {
  expect(routedAddress('Ada@Example.org.')).toBe('Ada@example.org')
  expect(routedAddress('E\u0301va@BÜCHER。example')).toBe('\u00c9va@xn--bcher-kva.example')
  expect(routedAddress('\u212aim@bücher.example')).toBe('Kim@xn--bcher-kva.example')
})

describe('no mail can be sent to', () => {
  const labelRule = 'an e-mail address whose domain has at most 63 characters between two dots, in ASCII'
  const emptyRule = 'an e-mail address whose domain has no empty label: no two dots in a row, and none at its beginning'
  test.each([
    ['ada', 'an e-mail address'],
    ['ada@a b', 'an e-mail address'],
    [`${'a'.repeat(65)}@b.example`, 'an e-mail address with at most 64 characters before the @ and 190 behind it'],
    [`a@${'b.'.repeat(126)}example`, 'an e-mail address with at most 64 characters before the @ and 190 behind it'],
    ...['\u00ad', '\u034f', '\u061c', '\u3164', '\ufe0f', '\u{e0061}'].map((character) => [
      ...[`a${character}@b.example`, 'an e-mail address without invisible characters before the @'],
    ]),
    ['a@b..example', emptyRule],
    ['a@.example', emptyRule],
    ['a@example..', emptyRule],
    ['a@.', emptyRule],
    ['a@b。．example', emptyRule],
    ['a@\u00ad.example', emptyRule],
    [`a@${'b'.repeat(64)}.example`, labelRule],
    [`a@${'ü'.repeat(58)}b.example`, labelRule],
    [`a@${'ｂ'.repeat(64)}.example`, labelRule],
    [`a@${'üäöñ.'.repeat(37)}org`, 'an e-mail address whose domain has at most 253 characters in ASCII'],
    ['a@aא.example', 'an e-mail address whose domain has an ASCII form by UTS 46'],
    ['a@bü%.example', 'an e-mail address whose domain has an ASCII form by UTS 46'],
    ['a@b\u2100.example', 'an e-mail address whose domain has an ASCII form by UTS 46'],
  ])('%s', (text, fault) => expect(mailAddressFault(text)).toBe(fault))

  test.each([
    'ada@example.org',
    'ada@example.org.',
    'ada@localhost',
    'p@mail。example.org',
    'p@bücher.example',
    `a@${'b'.repeat(63)}.example`,
    `a@${`${'b'.repeat(62)}.`.repeat(3)}d`,
    '用户@例え.jp',
  ])('but to %s it can', (text) => expect(mailAddressFault(text)).toBeUndefined())
})
