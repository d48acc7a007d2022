/** Messages to people. The vault writes and seals each message, and opens it for one delivery by the service. Pure. */

import { isMailAddress } from './mail_addresses.ts'

export type Mail = {
  readonly channel: 'mail'
  readonly to: string
  readonly subject: string
  readonly text: string
  /** The same content for readers that show HTML: the inner part of a page, which the service makes of it. */
  readonly html?: string
  /** The app in whose name the mail speaks, as the request says. Without one it is the server that speaks. */
  readonly app?: { readonly name: string; readonly logoUrl?: string }
  /** A missing part is that of the operator's sender (`CLAVIGER_MAIL_FROM`), to which bounces always go. */
  readonly from?: { readonly address?: string; readonly name?: string }
  readonly replyTo?: string
}

export type Sms = {
  readonly channel: 'sms'
  /** E.164: `+14155550123` */
  readonly to: string
  readonly text: string
}

export type Message = Mail | Sms

export const messageChannels = ['mail', 'sms'] as const
export type MessageChannel = (typeof messageChannels)[number]

/** The message is not delivered at or after `expiresAtMs`. */
export type OutgoingMessage = Message & { readonly expiresAtMs: number }

const subjectCharactersMax = 500
const bodyCharactersMax = 131_072

const controls = '\\u0000-\\u001f\\u007f-\\u009f'
const halves = '\\ud800-\\udfff'

/** E.164, with its plus sign. */
export const phoneNumberPattern = '^\\+[1-9][0-9]{6,14}$'

const phoneNumber = new RegExp(phoneNumberPattern)
const oneLine = new RegExp(`^[^${controls}${halves}\\u2028\\u2029]{1,${subjectCharactersMax}}$`, 'u')

/** Whether the text can stand in a header: one line of 1 to 500 characters. */
export function isHeaderText(text: string): boolean {
  return oneLine.test(text)
}

/**
 * Throws unless the message can be sent as it is. Operations check their input, so a throw is a bug in an operation.
 * The error does not quote the message, which may hold a passcode.
 */
export function assertMessage(message: Message): void {
  const isRight = message.channel === 'mail' ? isMail(message) : phoneNumber.test(message.to) && isBody(message.text)
  if (!isRight) throw new Error(`a ${message.channel} that cannot be sent: address, header or length`)
}

function isMail({ to, subject, text, html = text, app, from = {}, replyTo = to }: Mail): boolean {
  const { address = to, name = subject } = from
  return (
    [to, address, replyTo].every(isMailAddress) &&
    [subject, name, app?.name ?? subject].every(isHeaderText) &&
    isBody(text) &&
    isBody(html)
  )
}

function isBody(text: string): boolean {
  return text.length > 0 && text.length <= bodyCharactersMax
}
