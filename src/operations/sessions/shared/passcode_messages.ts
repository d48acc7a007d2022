import { durationText } from '../../../contract/explanation/texts/durations.ts'
import {
  appOf,
  htmlOf,
  linkHtml,
  linkOf,
  type MailSender,
  senderOf,
  shownName,
  subjectOf,
} from '../../../contract/mails.ts'
import { escaped } from '../../../protocol/tools/escaped.ts'
import type { OutgoingMessage } from '../../../protocol/wire/outgoing_messages.ts'

/** The look of a mail or text message with a passcode. */
export type PasscodeLook = {
  readonly appName: string
  readonly logoUrl?: string
  /** A link with `%s` where the passcode belongs. */
  readonly magicLinkTemplate?: string
  /** A text with `{{.OtpCode}}` where the passcode belongs. */
  readonly smsTemplate?: string
  readonly sender: MailSender
}

export const codeMark = '{{.OtpCode}}'

type Sending = {
  readonly otpType: 'OTP_TYPE_EMAIL' | 'OTP_TYPE_SMS'
  readonly contact: string
  readonly expiresAtMs: number
  /** The lifetime of the passcode. */
  readonly seconds: number
  readonly look: PasscodeLook
}

/** The message with the passcode. It holds the passcode as a plain string until it is sealed. */
export function passcodeMessage(
  passcode: string,
  { otpType, contact, expiresAtMs, seconds, look }: Sending,
): OutgoingMessage {
  const { magicLinkTemplate, smsTemplate, sender } = look
  const appName = shownName(look.appName)
  if (otpType === 'OTP_TYPE_SMS') {
    const text = smsTemplate?.replaceAll(codeMark, passcode) ?? `${passcode} is your passcode for ${appName}.`
    return { channel: 'sms', to: contact, text, expiresAtMs }
  }
  const link = magicLinkTemplate === undefined ? undefined : linkOf(magicLinkTemplate, encodeURIComponent(passcode))
  const validity = `It is valid for ${durationText(seconds)}. If you did not ask for it, ignore this message.`
  const sentence = `Your passcode for ${appName} is`
  const paragraphs = [
    escaped(sentence),
    `<strong class="passcode">${escaped(passcode)}</strong>`,
    ...(link === undefined ? [] : [linkHtml(link, 'Log in')]),
    validity,
  ]
  return {
    channel: 'mail',
    to: contact,
    subject: subjectOf(`Your passcode for ${appName}`),
    text: [`${sentence} ${passcode}`, ...(link === undefined ? [] : [link]), validity].join('\n\n'),
    html: htmlOf(paragraphs),
    app: appOf(look),
    expiresAtMs,
    ...senderOf(sender),
  }
}
