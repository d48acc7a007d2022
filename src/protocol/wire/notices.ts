import { hash } from 'node:crypto'
import { isMailAddress, mailboxOf } from './mail_addresses.ts'
import { isHeaderText } from './outgoing_messages.ts'

/** Notices tell users by mail of activities that they may approve, or have asked for. Pure. */

/** Why a user is told: the approval is asked for, an approval lapses soon, or the activity has ended. */
export const noticeKinds = ['approve', 'lapses', 'completed', 'rejected', 'failed'] as const
export type NoticeKind = (typeof noticeKinds)[number]

/** A notice as it is sealed. The service joins notices that are due to one mail. */
export type Notice = {
  readonly channel: 'notice'
  readonly kind: NoticeKind
  /** The users who are told by this mailbox, and the activity. Absent in notices of earlier versions, which live for a day. */
  readonly userIds?: readonly string[]
  readonly activityId?: string
  /** The mail address of the users. */
  readonly to: string
  /** One line that says what the activity means. */
  readonly title: string
  /** The explanation of the activity, in lines. */
  readonly text: string
  /** The page on which the user can see the activity, and vote on it. */
  readonly link: string
}

/** Throws unless the notice can be sent as it is. The error does not quote it. */
export function assertNotice({ to, title, text, link }: Notice): void {
  if (isMailAddress(to) && isHeaderText(title) && text.length <= noticeCharactersMax && URL.canParse(link)) return
  throw new Error('a notice that cannot be sent: address, title or length')
}

/**
 * The line of an organization in which a notice waits: that of its mailbox and of the user who asked. The mails to a
 * mailbox have notices of each of its lines, so no user who asks keeps those of another one back.
 */
export function noticeLine({ to, askerId }: { readonly to: string; readonly askerId: string }): string {
  return `${digestOf(mailboxOf(to))}${digestOf(askerId)}`
}

/** The mailbox of a line, by its digest. */
export function mailboxOfLine(line: string): string {
  return line.slice(0, mailboxDigestLength)
}

export const mailboxDigestLength = 64

function digestOf(text: string): string {
  return hash('sha256', text, 'hex')
}

/** More than that stands on the page to which the link leads. */
export const noticeCharactersMax = 4_000
