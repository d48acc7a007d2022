import { operationOfType } from '../../../operations/catalogue.ts'
import { cutLine, fittingLines } from '../../../operations/explanation/cut_lines.ts'
import type { Explanation } from '../../../operations/explanation/explanation.ts'
import { plainLines, titleLine } from '../../../operations/explanation/plain_lines.ts'
import { type Activity, type ActivityStatus, isFinal } from '../../../operations/records/activity.ts'
import type { User } from '../../../operations/records/records.ts'
import { mailChoiceNeeds, mayNameInMails } from '../../../operations/sessions/shared/mail_choices.ts'
import type { NoticeRow } from '../../../protocol/reads.ts'
import { mailboxOf } from '../../../protocol/wire/mail_addresses.ts'
import { type Notice, type NoticeKind, noticeCharactersMax } from '../../../protocol/wire/notices.ts'
import type { Making, Reading } from '../../caller/request_context.ts'
import { countNotices } from '../../rules/count_mails.ts'
import { explainActivity } from '../../rules/explanation/explain_activity.ts'
import { lapsesAtMs } from '../../rules/voters.ts'
import type { Addition } from '../../state/decision_counts.ts'
import type { Organization } from '../../state/organization.ts'
import { readerOf } from '../../state/organization_reader.ts'
import { noticeRow } from '../../state/outbox.ts'
import { resolveNeeds } from '../../state/resolve.ts'
import { submissionOf } from '../../state/sealed_activity.ts'

/** The users who are told of one activity. The others see it in their inbox. */
export const toldMax = 100
/** An activity of which nobody wants to know any more is not worth a mail. */
const lifetimeMs = 24 * 60 * 60 * 1000
/** So long before the approval of the submission lapses, users are told again. */
const lapseNoticeMs = 2 * 60 * 60 * 1000

const outcomes = {
  ACTIVITY_STATUS_COMPLETED: 'completed',
  ACTIVITY_STATUS_REJECTED: 'rejected',
  ACTIVITY_STATUS_FAILED: 'failed',
} as const satisfies { readonly [S in ActivityStatus]?: NoticeKind }

type Changed = {
  readonly target: Organization
  readonly activity: Activity
  /** The status of the version before. Undefined for a new activity. */
  readonly statusBefore: ActivityStatus | undefined
}

/** The notices that are sent, and what they count. */
export type Notices = { readonly notices: readonly NoticeRow[]; readonly additions: readonly Addition[] }

/**
 * Returns the notices of a new version of an activity: to the users who may approve, when it begins to wait for them,
 * and to the user who asked, when it has ended. An activity that never waited has none. `target` is the organization
 * before the change.
 */
export async function noticesOf(context: Making, changed: Changed): Promise<Notices> {
  return countNotices(context, { notices: await rowsOf(context, changed), target: changed.target })
}

async function rowsOf(context: Making, changed: Changed): Promise<readonly NoticeRow[]> {
  const { services, nowMs } = context
  const { target, activity, statusBefore } = changed
  if (services.noticesTo === undefined || activity.status === statusBefore) return []
  if (isFinal(activity.status)) return outcomeNotices(context, changed)
  if (activity.status !== 'ACTIVITY_STATUS_CONSENSUS_NEEDED') return []
  const users = approversToTell(target, activity)
  if (users.length === 0) return []
  const explained = await explainedFor(context, target, activity)
  const last = activity.votes.at(-1)
  const lapsesMs = last === undefined ? nowMs + lifetimeMs : lapsesAtMs(last)
  const asked = { activity, kind: 'approve', ...explained, dueAtMs: 0, expiresAtMs: nowMs + lifetimeMs } as const
  const dueAtMs = lapsesMs - lapseNoticeMs
  const again = { activity, kind: 'lapses', ...explained, dueAtMs, expiresAtMs: lapsesMs } as const
  // A budget leaves out the last ones.
  return [asked, again].flatMap((told) => users.map((user) => rowFor(context, { user, ...told })))
}

/**
 * Makes the reads that the notice of an outcome takes. Call it before the operation runs, so that a read that is missing
 * is asked for then and reveals nothing of the result.
 */
export async function prepareOutcomeNotice(context: Making, changed: Omit<Changed, 'statusBefore'>): Promise<void> {
  if (context.services.noticesTo === undefined) return
  await outcomeNotices(context, {
    ...changed,
    activity: { ...changed.activity, status: 'ACTIVITY_STATUS_COMPLETED' },
  })
}

async function outcomeNotices(
  context: Making,
  { target, activity }: Omit<Changed, 'statusBefore'>,
): Promise<readonly NoticeRow[]> {
  const { userId, organizationId } = submissionOf(activity)
  const isOwn = organizationId === target.head.organizationId && target.isListed('user', userId)
  // Users who end their own activity see the answer.
  if (!isOwn || activity.votes.at(-1)?.userId === userId || !hasOutcome(activity.status)) return []
  const [user] = usersWithMail(target, [userId])
  if (user === undefined) return []
  const explained = await explainedFor(context, target, activity)
  const kind = outcomes[activity.status]
  return [rowFor(context, { user, activity, kind, ...explained, dueAtMs: 0, expiresAtMs: context.nowMs + lifetimeMs })]
}

function hasOutcome(status: ActivityStatus): status is keyof typeof outcomes {
  return Object.hasOwn(outcomes, status)
}

/** Those for whom a policy waits come first, then the root quorum. Users who have approved are left out. */
function approversToTell(target: Organization, { voterIds = [], votes }: Activity): readonly User[] {
  const voted = new Set<string>(votes.map(({ userId }) => userId))
  const userIds = [...new Set([...voterIds, ...target.head.rootQuorum.userIds])].filter((userId) => !voted.has(userId))
  return usersWithMail(target, userIds.slice(0, toldMax))
}

/** Tells the first of several users with one mailbox. */
function usersWithMail(target: Organization, userIds: readonly string[]): readonly User[] {
  target.require('user', userIds)
  const users = userIds.flatMap((userId) => target.listed('user', userId) ?? [])
  const told = users.filter(({ userEmail, withoutNotices }) => userEmail !== undefined && withoutNotices !== true)
  return [...new Map(told.toReversed().map((user) => [mailboxOf(user.userEmail ?? ''), user])).values()].toReversed()
}

type Explained = Pick<Notice, 'title' | 'text'>

/** Where users of a sub-organization may choose no texts of mails, a notice has no word of theirs. */
async function explainedFor(context: Reading, target: Organization, activity: Activity): Promise<Explained> {
  if (!mayHaveTexts(context, target)) {
    const code = operationOfType(activity.type)?.operation.name ?? activity.type
    return { title: titleLine({ code, values: [] }), text: 'The console shows what this activity does.' }
  }
  return explainActivity(context, target, activity, (explanation) => ({
    title: cutLine(titleLine(explanation.title), titleCharactersMax),
    text: textOf(explanation),
  }))
}

function mayHaveTexts(context: Reading, target: Organization): boolean {
  const { organizationId, parentId } = target.head
  if (parentId === undefined) return true
  const organization = readerOf(resolveNeeds(context, target, mailChoiceNeeds))
  const { mailDecider } = context.services
  return mayNameInMails({ organization, caller: { organizationId }, mailDecider })
}

/** A title is one header of a mail. */
const titleCharactersMax = 200

/** The lines below the title, as far as they have room. */
function textOf(explanation: Explanation): string {
  // A blank line stands behind the title.
  return fittingLines(plainLines(explanation).slice(2), noticeCharactersMax).join('\n')
}

type Told = Explained & {
  readonly user: User
  readonly activity: Activity
  readonly kind: NoticeKind
  readonly dueAtMs: number
  readonly expiresAtMs: number
}

function rowFor({ services }: Making, told: Told): NoticeRow {
  const { user, activity, kind, title, text, dueAtMs, expiresAtMs } = told
  const { organizationId, activityId } = activity
  const link = `${services.noticesTo}/#/activities/${activityId}`
  const { userId } = user
  const notice: Notice = { channel: 'notice', kind, userId, activityId, to: user.userEmail ?? '', title, text, link }
  return noticeRow(services, { organizationId, userId, activityId, notice, dueAtMs, expiresAtMs })
}
