import type { OutgoingMessage } from '../protocol/messages.ts'

/** What the mail or the text with a passcode looks like. */
export type PasscodeLook = {
  readonly appName: string
  readonly logoUrl?: string
  /** A link with `%s` where the passcode belongs. */
  readonly magicLinkTemplate?: string
  /** A text with `{{.OtpCode}}` where the passcode belongs. */
  readonly smsTemplate?: string
  readonly from?: { readonly address?: string; readonly name?: string }
  readonly replyTo?: string
}

export const codeMark = '{{.OtpCode}}'

/** MESSAGE: the passcode is text from here on, until the message is sealed. */
export function passcodeMessage(
  passcode: string,
  {
    otpType,
    contact,
    expiresAtMs,
    minutes,
    look,
  }: {
    readonly otpType: 'OTP_TYPE_EMAIL' | 'OTP_TYPE_SMS'
    readonly contact: string
    readonly expiresAtMs: number
    readonly minutes: number
    readonly look: PasscodeLook
  },
): OutgoingMessage {
  const { appName, logoUrl, magicLinkTemplate, smsTemplate, from, replyTo } = look
  if (otpType === 'OTP_TYPE_SMS') {
    const text = smsTemplate?.replaceAll(codeMark, passcode) ?? `${passcode} is your passcode for ${appName}.`
    return { channel: 'sms', to: contact, text, expiresAtMs }
  }
  const link = magicLinkTemplate?.replaceAll('%s', encodeURIComponent(passcode))
  const validity = `It is valid for ${minutes} minutes. If you did not ask for it, ignore this message.`
  const sentence = `Your passcode for ${appName} is`
  const paragraphs = [
    ...(logoUrl === undefined ? [] : [`<img src="${escaped(logoUrl)}" alt="${escaped(appName)}" height="48">`]),
    escaped(sentence),
    `<strong style="font-size: 1.5em; letter-spacing: 0.15em">${escaped(passcode)}</strong>`,
    ...(link === undefined ? [] : [`<a href="${escaped(link)}">Log in</a>`]),
    validity,
  ]
  return {
    channel: 'mail',
    to: contact,
    subject: `Your passcode for ${appName}`,
    text: [`${sentence} ${passcode}`, ...(link === undefined ? [] : [link]), validity].join('\n\n'),
    html: paragraphs.map((paragraph) => `<p>${paragraph}</p>`).join('\n'),
    expiresAtMs,
    ...(from === undefined ? {} : { from }),
    ...(replyTo === undefined ? {} : { replyTo }),
  }
}

function escaped(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  }
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '')
}
