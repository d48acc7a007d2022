import Type, { type Static } from 'typebox'
import { quoted } from '../../../contract/explanation/texts/quoted.ts'
import { oneOf } from '../../../contract/fields/fields.ts'
import { texts, view } from '../../../contract/fields/named.ts'
import { shown } from '../../../contract/fields/shown.ts'
import { htmlOf, linkHtml, shownName, subjectOf } from '../../../contract/mails.ts'
import {
  type Invitation,
  type InvitationStatus,
  invitationStatuses,
  type WithoutTimes,
} from '../../../contract/records/records.ts'
import { AccessTypeName, times, timesView } from '../../../contract/records/views.ts'
import { escaped } from '../../../protocol/tools/escaped.ts'

/** An open invitation may be accepted for a week. */
export const invitationDays = 7
export const invitationMs = invitationDays * 24 * 60 * 60 * 1_000

export const InvitationView = view('Invitation', {
  ...texts('invitationId', 'receiverUserName', 'receiverEmail'),
  receiverUserTags: Type.Array(Type.String()),
  accessType: AccessTypeName,
  status: oneOf(invitationStatuses),
  ...times,
  senderUserId: Type.String(),
})

export function invitationView(invitation: Invitation): Static<typeof InvitationView> {
  return shown(InvitationView, { ...invitation, ...timesView(invitation) })
}

/** Whether the invitation can still be accepted. */
export function isOpen({ status, expiresAtMs }: WithoutTimes<Invitation>, nowMs: number): boolean {
  return status === 'INVITATION_STATUS_CREATED' && nowMs < expiresAtMs
}

/** The invitation in another status. Its key is nobody's from then on. */
export function ended(invitation: Invitation, status: Exclude<InvitationStatus, 'INVITATION_STATUS_CREATED'>) {
  return { ...invitation, status }
}

type Invited = {
  readonly organizationName: string
  readonly sender: string
  readonly receiver: string
  readonly receiverEmail: string
  readonly link: string
}

/** The mail with the link. The names in it are texts of users. */
export function invitationMail({ organizationName, sender, receiver, receiverEmail, link }: Invited) {
  const subject = subjectOf(`Join ${shownName(organizationName)}`)
  const introduction = `${quoted(sender)} invites you to join ${quoted(organizationName)} as ${quoted(receiver)}.`
  const action = 'Join with a passkey'
  const advice = `This link works once, within ${invitationDays} days. Whoever has it can join in your place, so give it to nobody. If you do not expect it, delete this mail.`
  return {
    channel: 'mail',
    to: receiverEmail,
    subject,
    text: `${[introduction, `${action}:\n${link}`, advice].join('\n\n')}\n`,
    html: htmlOf([escaped(introduction), linkHtml(link, action), escaped(advice)]),
  } as const
}
