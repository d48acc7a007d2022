import { sql } from 'kysely'
import { mailboxDigestLength } from '../../protocol/wire/notices.ts'
import { portionRowsMax } from './portions.ts'
import { type Bind, builder, columns, familyOf, query, selected } from './query.ts'

/** A line in which notices wait. `userId` is its name (`noticeLine`). */
type LineKey = { organizationId: string; userId: string }
type TurnKey = { familyId: string; mailbox: string }
type MessageKey = { organizationId: string; messageId: string }
type NoticeValues = MessageKey & {
  userId: string
  activityId: string
  expiresAtMs: number
  dueAtMs: number
  sealed: Uint8Array
}

const lineOf = (bind: Bind<LineKey>) => columns(bind, 'organizationId', 'userId')
const turnOf = (bind: Bind<TurnKey>) => ({ organization_id: bind('familyId'), user_id: bind('mailbox') })

export const noticeReadQueries = {
  /**
   * The lines with notices that are due, behind this place: by when the first is due. With the end of the last turn of
   * their mailbox. A line can stand there several times.
   */
  dueNoticeLines: query<LineKey & { dueAtMs: number; nowMs: number; limit: number }>()((bind) =>
    builder
      .selectFrom('notices')
      .select(({ selectFrom }) => [
        'notices.organization_id as organizationId',
        'notices.user_id as userId',
        'notices.due_at_ms as dueAtMs',
        familyOf('notices').as('familyId'),
        selectFrom('notice_turns')
          .select('until_ms')
          .where('notice_turns.organization_id', '=', familyOf('notices'))
          .where('notice_turns.user_id', '=', sql<string>`substr(notices.user_id, 1, ${sql.lit(mailboxDigestLength)})`)
          .as('untilMs'),
      ])
      .where(
        sql<boolean>`(due_at_ms, organization_id, user_id) > (${bind('dueAtMs')}, ${bind('organizationId')}, ${bind('userId')})`,
      )
      .where('due_at_ms', '<=', bind('nowMs'))
      .orderBy('due_at_ms')
      .orderBy('organization_id')
      .orderBy('user_id')
      .limit(bind('limit')),
  ),
  /** The lines of a mailbox in an organization with notices that are due. Their names begin with that of the mailbox, and go on with hex digits. */
  dueLinesOfMailbox: query<{ organizationId: string; mailbox: string; nowMs: number; limit: number }>()((bind) =>
    builder
      .selectFrom('notices')
      .select(selected('organizationId', 'userId'))
      .distinct()
      .where('organization_id', '=', bind('organizationId'))
      .where('user_id', '>=', bind('mailbox'))
      .where('user_id', '<', sql<string>`${bind('mailbox')} || 'g'`)
      .where('due_at_ms', '<=', bind('nowMs'))
      .orderBy('organization_id')
      .orderBy('user_id')
      .limit(bind('limit')),
  ),
  /** The notices of a line that are due, oldest first. */
  dueNotices: query<LineKey & { nowMs: number; limit: number }>()((bind) =>
    builder
      .selectFrom('notices')
      .select(selected('organizationId', 'messageId', 'activityId', 'expiresAtMs', 'sealed'))
      .where(({ and }) => and(lineOf(bind)))
      .where('due_at_ms', '<=', bind('nowMs'))
      .orderBy('message_id')
      .limit(bind('limit')),
  ),
} as const

export const noticeWriteQueries = {
  insertNotice: query<NoticeValues>()((bind) =>
    builder.insertInto('notices').values({
      ...lineOf(bind),
      ...columns(bind, 'messageId', 'activityId', 'expiresAtMs', 'dueAtMs', 'sealed'),
    }),
  ),
  /** Takes the turn of a mailbox, unless it is somebody's. */
  insertNoticeTurn: query<TurnKey & { nowMs: number; untilMs: number }>()((bind) =>
    builder
      .insertInto('notice_turns')
      .values({ ...turnOf(bind), until_ms: bind('untilMs') })
      .onConflict((conflict) =>
        conflict
          .columns(['organization_id', 'user_id'])
          .doUpdateSet({ until_ms: bind('untilMs') })
          .where('notice_turns.until_ms', '<=', bind('nowMs')),
      ),
  ),
  deleteNoticeTurn: query<TurnKey & { untilMs: number }>()((bind) =>
    builder
      .deleteFrom('notice_turns')
      .where(({ and }) => and(turnOf(bind)))
      .where('until_ms', '=', bind('untilMs')),
  ),
  deleteNotice: query<MessageKey>()((bind) =>
    builder.deleteFrom('notices').where(({ and }) => and(columns(bind, 'organizationId', 'messageId'))),
  ),
  deleteOldTurns: query<{ nowMs: number }>()((bind) =>
    builder.deleteFrom('notice_turns').where(
      sql<boolean>`(organization_id, user_id) in (select organization_id, user_id from notice_turns
        where until_ms <= ${bind('nowMs')} order by until_ms limit ${sql.lit(portionRowsMax)})`,
    ),
  ),
} as const
