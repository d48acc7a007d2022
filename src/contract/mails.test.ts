import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Failure } from '../protocol/wire/failures.ts'
import { assertMessage } from '../protocol/wire/outgoing_messages.ts'
import { compileCheck } from './fields/check_object.ts'
import { checkCustomization, credentialMail, EmailCustomization } from './mails.ts'

const checkFields = compileCheck(EmailCustomization)
const credentialBundle = '1'.repeat(120)

/** The mail for a customization. Undefined if it is refused. */
function mailOf(given: { readonly appName: string; readonly logoUrl?: string; readonly magicLinkTemplate?: string }) {
  try {
    const customization = checkFields(given, 'emailCustomization')
    checkCustomization(customization, 'emailCustomization')
    const words = {
      subject: `At ${customization.appName}`,
      introduction: `At ${customization.appName}.`,
      action: 'Open',
      advice: 'Once.',
    }
    return credentialMail(words, { to: 'ada@example.com', credentialBundle, customization, sender: {} })
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.string({ unit: fc.constantFrom('<', '>', '"', "'", '&', '%s', 'a', ' ', '😀', '\n', '\u202e'), maxLength: 40 }),
)
const address = fc.oneof(text, fc.webUrl({ withFragments: true, withQueryParameters: true }))

/** The number of parts between characters that have a meaning in HTML. */
const marksIn = (html = '') => html.split(/[<>"]/).length

test('any customization is refused or becomes text in a valid mail', () => {
  const harmless = { appName: 'a', logoUrl: 'https://a.example/', magicLinkTemplate: 'https://a.example/%s' }
  let sent = 0
  const property = fc.property(text, address, address, (appName, logoUrl, link) => {
    for (const given of [
      { appName },
      { ...harmless, appName },
      { ...harmless, logoUrl },
      { ...harmless, magicLinkTemplate: `${link}%s` },
    ]) {
      const mail = mailOf(given)
      if (mail === undefined) continue
      sent += 1
      assertMessage(mail)
      const expected = mailOf('logoUrl' in given ? harmless : { appName: 'a' })
      expect(marksIn(mail.html)).toBe(marksIn(expected?.html))
      expect(mail.text.split(credentialBundle)).toHaveLength(2)
    }
  })
  fc.assert(property, { numRuns: 2_000 })
  expect(sent).toBeGreaterThan(1_000)
})

test('ordinary customizations are accepted', () => {
  for (const magicLinkTemplate of [
    'https://app.example.com/%s',
    'http://localhost:3000/recover?bundle=%s',
    'https://app.example.com/#/recover?a=%20b&bundle=%s',
    'acme://recover/%s',
  ]) {
    expect(mailOf({ appName: "Zoë & Ada's <Shop>", magicLinkTemplate })?.text).toContain(
      magicLinkTemplate.replace('%s', credentialBundle),
    )
  }
})
