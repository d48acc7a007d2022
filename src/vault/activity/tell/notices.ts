import type { Explanation } from '../../../contract/explanation/explanation.ts'
import { fittingLines } from '../../../contract/explanation/texts/cut_lines.ts'
import { plainLines, titleLine } from '../../../contract/explanation/texts/plain_lines.ts'
import { shortTitle } from '../../../contract/explanation/texts/short_title.ts'
import type { Activity, ActivityStatus, Vote } from '../../../contract/records/activity.ts'
import type { User } from '../../../contract/records/records.ts'
import { readerOf } from '../../../deciding/organization/organization_reader.ts'
import { submissionOf } from '../../../deciding/organization/submitted.ts'
import { isStillAsked } from '../../../deciding/rules/asked_users.ts'
import { firstLapseMs } from '../../../deciding/rules/standing_approvals.ts'
import { operationOfType } from '../../../operations/catalogue.ts'
import { mailChoiceNeeds, mayNameInMails } from '../../../operations/sessions/shared/mail_choices.ts'
import type { NoticeRow } from '../../../protocol/reads.ts'
import { mailboxOf } from '../../../protocol/wire/mail_addresses.ts'
import { type Notice, type NoticeKind, noticeCharactersMax, noticeLine } from '../../../protocol/wire/notices.ts'
import type { Reading } from '../../caller/request_context.ts'
import { countNotices } from '../../rules/count_mails.ts'
import { explainActivity } from '../../rules/explanation/explain_activity.ts'
import { noticeRow } from '../../state/draft/outbox.ts'
import type { Organization } from '../../state/organization.ts'
import { resolveNeeds } from '../../state/resolve.ts'
import type { Listener } from './listener.ts'

/** The users who are told of one activity. The others see it in their inbox. */
export const toldMax = 100
/** An activity of which nobody wants to know any more is not worth a mail. */
const lifetimeMs = 24 * 60 * 60 * 1000
/** So long before the first of the approvals that count lapses, users are told again. */
const lapseNoticeMs = 2 * 60 * 60 * 1000

const outcomes = {
  ACTIVITY_STATUS_COMPLETED: 'completed',
  ACTIVITY_STATUS_REJECTED: 'rejected',
  ACTIVITY_STATUS_FAILED: 'failed',
} as const satisfies { readonly [S in ActivityStatus]?: NoticeKind }

/**
 * Tells of an activity by mail: the users who may approve, when it begins to wait for them, and the user who asked, when
 * it has ended. An activity that never waited has no notices. The expected end is explained before anything runs.
 */
export const notices: Listener = async (
  context,
  { target, activity: before },
  { voted, expectedStatus, approvals },
) => {
  const { services } = context
  if (services.noticesTo === undefined || expectedStatus === before.status) return () => ({})
  const foreseen = await contentsOf(context, target, { activity: { ...voted, status: expectedStatus }, approvals })
  return async ({ activity }) => {
    const contents =
      activity.status === expectedStatus ? foreseen : await contentsOf(context, target, { activity, approvals })
    const rows = contents.map((content) => rowFor(context, activity, content))
    const { notices, additions } = countNotices(context, { notices: rows, target })
    return { outbox: notices, additions }
  }
}

/** A mailbox, and those of its users who are told. */
type Recipient = { readonly to: string; readonly userIds: readonly string[] }

type Content = {
  readonly recipient: Recipient
  readonly kind: NoticeKind
  readonly explained: Explained
  readonly dueAtMs: number
  readonly expiresAtMs: number
}

/** An activity, and the approvals that count. */
type Approved = { readonly activity: Activity; readonly approvals: readonly Vote[] }

async function contentsOf(
  context: Reading,
  target: Organization,
  { activity, approvals }: Approved,
): Promise<readonly Content[]> {
  const { nowMs } = context
  const { status } = activity
  const recipients = byMailbox(usersToTell(target, activity))
  if (recipients.length === 0) return []
  const explained = await explainedFor(context, target, activity)
  const now = { explained, dueAtMs: nowMs, expiresAtMs: nowMs + lifetimeMs }
  if (hasOutcome(status)) return recipients.map((recipient) => ({ ...now, recipient, kind: outcomes[status] }))
  const lapsesMs = firstLapseMs(approvals) ?? now.expiresAtMs
  const later = { explained, dueAtMs: lapsesMs - lapseNoticeMs, expiresAtMs: lapsesMs }
  // A budget leaves out the last ones.
  return [
    ...recipients.map((recipient) => ({ ...now, recipient, kind: 'approve' as const })),
    ...recipients.map((recipient) => ({ ...later, recipient, kind: 'lapses' as const })),
  ]
}

/** Nobody is asked while a step is due, and users who end their own activity see the answer. */
function usersToTell(target: Organization, activity: Activity): readonly User[] {
  const { status, votes } = activity
  if (status === 'ACTIVITY_STATUS_CONSENSUS_NEEDED') return approversToTell(target, activity)
  const { userId, organizationId } = submissionOf(activity)
  const isOwn = organizationId === target.head.organizationId && target.isListed('user', userId)
  return isOwn && hasOutcome(status) && votes.at(-1)?.userId !== userId ? usersWithMail(target, [userId]) : []
}

function hasOutcome(status: ActivityStatus): status is keyof typeof outcomes {
  return Object.hasOwn(outcomes, status)
}

/** Those for whom a policy waits come first, then the root quorum. Users who have approved are left out. */
function approversToTell(target: Organization, activity: Activity): readonly User[] {
  const { voterIds = [], votes } = activity
  const voted = new Set<string>(votes.map(({ userId }) => userId))
  const { rootQuorum } = target.head
  const userIds = [...new Set([...voterIds, ...rootQuorum.userIds])].filter((userId) => !voted.has(userId))
  const meter = { steps: 0 }
  const isAsked = (user: User) =>
    rootQuorum.userIds.includes(user.userId) || isStillAsked(activity, user, target, meter)
  return usersWithMail(target, userIds).values().filter(isAsked).take(toldMax).toArray()
}

function usersWithMail(target: Organization, userIds: readonly string[]): readonly User[] {
  target.askFor('user', userIds)
  const users = userIds.flatMap((userId) => target.listed('user', userId) ?? [])
  return users.filter(({ userEmail, withoutNotices }) => userEmail !== undefined && withoutNotices !== true)
}

/** Several users with one mailbox are told by one notice. */
function byMailbox(users: readonly User[]): readonly Recipient[] {
  const groups = Map.groupBy(users, ({ userEmail = '' }) => mailboxOf(userEmail))
  return [...groups.values()].map((group) => ({
    to: group[0]?.userEmail ?? '',
    userIds: group.map(({ userId }) => userId),
  }))
}

type Explained = Pick<Notice, 'title' | 'text'>

/** Where users of a sub-organization may choose no texts of mails, a notice has no word of theirs. */
async function explainedFor(context: Reading, target: Organization, activity: Activity): Promise<Explained> {
  const { mailDecider } = context.services
  const { organizationId, parentId } = target.head
  const isSilent = () => {
    const organization = readerOf(resolveNeeds(context, target, mailChoiceNeeds))
    return !mayNameInMails({ organization, caller: { organizationId }, mailDecider })
  }
  if (parentId !== undefined && isSilent()) {
    const code = operationOfType(activity.type)?.operation.name ?? activity.type
    return { title: titleLine({ code, values: [] }), text: 'The console shows what this activity does.' }
  }
  return explainActivity(context, target, activity, (explanation) => ({
    title: shortTitle(explanation.title, titleCharactersMax),
    text: textOf(explanation),
  }))
}

/** A title is part of one header of a mail. The worst warning, two beside it and the sentence mostly have room in it. */
const titleCharactersMax = 280

/** The lines below the title, as far as they have room. */
function textOf(explanation: Explanation): string {
  // A blank line stands behind the title.
  return fittingLines(plainLines(explanation).slice(2), noticeCharactersMax).join('\n')
}

function rowFor({ services }: Reading, activity: Activity, content: Content): NoticeRow {
  const { organizationId, activityId } = activity
  const { recipient, kind, explained, dueAtMs, expiresAtMs } = content
  const link = `${services.noticesTo}/#/activities/${activityId}`
  const notice: Notice = { channel: 'notice', kind, activityId, ...recipient, ...explained, link }
  const userId = noticeLine({ to: recipient.to, askerId: submissionOf(activity).userId })
  return noticeRow(services, { organizationId, userId, activityId, notice, dueAtMs, expiresAtMs })
}
