import Type, { type Static } from 'typebox'
import { escaped } from '../protocol/tools/escaped.ts'
import { visibleText } from '../protocol/tools/visible_text.ts'
import { Failure } from '../protocol/wire/failures.ts'
import { labelCharactersMax, labelPattern, spelledLabel } from '../protocol/wire/labels.ts'
import type { Mail } from '../protocol/wire/outgoing_messages.ts'
import { isLink } from '../protocol/wire/sub_organization_mails.ts'
import { quoted } from './explanation/texts/quoted.ts'
import { spelledBy } from './fields/check_object.ts'
import { Email, Label, namedFields, optional } from './fields/fields.ts'
import { named } from './fields/named.ts'

const linkCharactersMax = 1_024
/** Printable ASCII without blanks, quotes and angle brackets. */
const linkCharacter = '[!#-&(-;=?-~]'

const NoTemplate = Type.Unsafe<undefined>({ not: {}, expected: 'left out: there are no stored templates here' })

/** The look of a mail with a credential: `emailCustomization` of the interface. */
export const EmailCustomization = namedFields('EmailAuthCustomizationParams', {
  appName: Label,
  logoUrl: optional(
    Type.String({
      pattern: `^https?://${linkCharacter}{1,${linkCharactersMax}}$`,
      expected: 'an http or https address of a picture',
      ...named('LogoUrl'),
    }),
  ),
  magicLinkTemplate: optional(
    Type.String({
      pattern: `^${linkCharacter}{1,${linkCharactersMax}}$`,
      expected: 'a link with %s where the credential goes, such as https://app.example.com/recover?bundle=%s',
      ...named('MagicLinkTemplate'),
    }),
  ),
  templateVariables: optional(NoTemplate),
  templateId: optional(NoTemplate),
})

/** The name of a sender. Programs for mail decode an encoded word (RFC 2047) in it to characters that no name may have. */
const SenderName = Type.String({
  ...spelledBy(spelledLabel),
  pattern: labelPattern.replace('^', '^(?!.*=[?])'),
  expected: `a text of 1 to ${labelCharactersMax} characters on one line, without blanks at its ends and without =?`,
  ...named('SenderName'),
})

/** The sender of a mail. If absent, the operator's own sender is used. */
export const mailSenderFields = {
  sendFromEmailAddress: optional(Email),
  sendFromEmailSenderName: optional(SenderName),
  replyToEmailAddress: optional(Email),
}

type Customization = Static<typeof EmailCustomization>
export type MailSender = { readonly [F in keyof typeof mailSenderFields]?: string }

/** The sender's name if a request gives an address without a name. */
const senderNameDefault = 'Notifications'

/** Requires a link that a mail may have, with exactly one place for the content of the mail. */
export function checkCustomization(
  { magicLinkTemplate }: { readonly magicLinkTemplate?: string },
  fieldPath: string,
): void {
  if (magicLinkTemplate === undefined) return
  const places = magicLinkTemplate.split('%s').length - 1
  if (places === 1 && isLink(linkOf(magicLinkTemplate, 'x'))) return
  throw new Failure('FIELD_INVALID', {
    fieldPath: `${fieldPath}.magicLinkTemplate`,
    expected:
      'a link by https or of an app with one %s where the credential goes, such as https://app.example.com/recover?bundle=%s, in ASCII without blanks; http only to localhost',
    reason: 'invalid magic link template',
  })
}

/** `action`: the words of the link, which say what it does. */
type Words = Readonly<Record<'subject' | 'introduction' | 'action' | 'advice', string>>

type Sending = {
  readonly to: string
  readonly credentialBundle: string
  readonly customization: Customization
  readonly sender: MailSender
}

/** A mail with a credential bundle (`sealCompactBundle`): as a link, or as a text to copy. */
export function credentialMail({ subject, introduction, action, advice }: Words, sending: Sending): Mail {
  const { to, credentialBundle, customization, sender } = sending
  const { magicLinkTemplate, ...app } = customization
  const link = magicLinkTemplate === undefined ? undefined : linkOf(magicLinkTemplate, credentialBundle)
  const way = link === undefined ? 'Copy this code to where you asked for it:' : `${action}:`
  const credential =
    link === undefined ? `${escaped(way)}<br><code>${escaped(credentialBundle)}</code>` : linkHtml(link, action)
  return {
    channel: 'mail',
    to,
    subject: subjectOf(subject),
    text: `${[introduction, `${way}\n${link ?? credentialBundle}`, advice].join('\n\n')}\n`,
    html: htmlOf([escaped(introduction), credential, escaped(advice)]),
    app: appOf(app),
    ...senderOf(sender),
  }
}

export function senderOf(given: MailSender): Pick<Mail, 'from' | 'replyTo'> {
  const { sendFromEmailAddress: address, replyToEmailAddress: replyTo } = given
  const name = given.sendFromEmailSenderName ?? (address === undefined ? undefined : senderNameDefault)
  return {
    ...(name === undefined ? {} : { from: { name, ...(address === undefined ? {} : { address }) } }),
    ...(replyTo === undefined ? {} : { replyTo }),
  }
}

export function linkOf(template: string, credential: string): string {
  return template.split('%s').join(credential)
}

/** The content of a mail in HTML. Each paragraph is HTML. */
export function htmlOf(paragraphs: readonly string[]): string {
  return paragraphs.map((paragraph) => `<p>${paragraph}</p>\n`).join('')
}

export function linkHtml(link: string, action: string): string {
  return `<a class="action" href="${escaped(link)}">${escaped(action)}</a>`
}

type AppNames = { readonly appName: string; readonly logoUrl?: string }

/** The app in whose name a mail speaks. */
export function appOf({ appName, logoUrl }: AppNames): Required<Mail>['app'] {
  return { name: subjectOf(shownName(appName)), ...(logoUrl === undefined ? {} : { logoUrl }) }
}

/** A name that somebody set, as it may stand in a sentence: in quotes with a warning if it may mislead. */
export function shownName(name: string): string {
  const { flags, isRightToLeft } = visibleText(name)
  return flags.length === 0 && !isRightToLeft ? name : quoted(name)
}

const subjectCharactersMax = 200

/** The beginning of a text, as long as a subject may be. */
export function subjectOf(text: string): string {
  const characters = [...text]
  return characters.length <= subjectCharactersMax ? text : `${characters.slice(0, subjectCharactersMax - 1).join('')}…`
}
