import { sql } from 'kysely'
import { portionRowsMax } from './portions.ts'
import { type Bind, builder, columns, familyOf, query, selected } from './query.ts'

type UserKey = { organizationId: string; userId: string }
type MessageKey = { organizationId: string; messageId: string }
type NoticeValues = MessageKey & {
  userId: string
  activityId: string
  expiresAtMs: number
  dueAtMs: number
  sealed: Uint8Array
}

const userOf = (bind: Bind<UserKey>) => columns(bind, 'organizationId', 'userId')

export const noticeReadQueries = {
  /** Users with a notice that is due, whose turn is nobody's. A user can stand there several times. */
  dueNoticeUsers: query<{ nowMs: number; limit: number }>()((bind) =>
    builder
      .selectFrom('notices')
      .select([
        'notices.organization_id as organizationId',
        'notices.user_id as userId',
        familyOf('notices').as('familyId'),
      ])
      .where('due_at_ms', '<=', bind('nowMs'))
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('notice_turns')
              .select('notice_turns.user_id')
              .whereRef('notice_turns.organization_id', '=', 'notices.organization_id')
              .whereRef('notice_turns.user_id', '=', 'notices.user_id')
              .where('until_ms', '>', bind('nowMs')),
          ),
        ),
      )
      .orderBy('due_at_ms')
      .limit(bind('limit')),
  ),
  /** The notices of a user that are due, oldest first. */
  dueNotices: query<UserKey & { nowMs: number; limit: number }>()((bind) =>
    builder
      .selectFrom('notices')
      .select(selected('organizationId', 'messageId', 'activityId', 'expiresAtMs', 'sealed'))
      .where(({ and }) => and(userOf(bind)))
      .where('due_at_ms', '<=', bind('nowMs'))
      .orderBy('message_id')
      .limit(bind('limit')),
  ),
} as const

export const noticeWriteQueries = {
  insertNotice: query<NoticeValues>()((bind) =>
    builder.insertInto('notices').values({
      ...userOf(bind),
      ...columns(bind, 'messageId', 'activityId', 'expiresAtMs', 'dueAtMs', 'sealed'),
    }),
  ),
  /** Takes the turn of a user, unless it is somebody's. */
  insertNoticeTurn: query<UserKey & { nowMs: number; untilMs: number }>()((bind) =>
    builder
      .insertInto('notice_turns')
      .values({ ...userOf(bind), until_ms: bind('untilMs') })
      .onConflict((conflict) =>
        conflict
          .columns(['organization_id', 'user_id'])
          .doUpdateSet({ until_ms: bind('untilMs') })
          .where('notice_turns.until_ms', '<=', bind('nowMs')),
      ),
  ),
  /** Keeps the newest notices of a user. */
  trimNotices: query<UserKey & { kept: number }>()((bind) =>
    builder
      .deleteFrom('notices')
      .where('organization_id', '=', bind('organizationId'))
      .where(
        'message_id',
        'in',
        oldestOf(bind).where(
          'message_id',
          '<=',
          builder
            .selectFrom('notices')
            .select('message_id')
            .where(({ and }) => and(userOf(bind)))
            .orderBy('message_id', 'desc')
            .limit(sql.lit(1))
            .offset(bind('kept')),
        ),
      ),
  ),
  /** Postpones the oldest. The turn keeps the others. */
  postponeNotices: query<UserKey & { nowMs: number; untilMs: number }>()((bind) =>
    builder
      .updateTable('notices')
      .set({ due_at_ms: bind('untilMs') })
      .where('organization_id', '=', bind('organizationId'))
      .where('message_id', 'in', oldestOf(bind).where('due_at_ms', '<=', bind('nowMs'))),
  ),
  deleteNoticeTurn: query<UserKey & { untilMs: number }>()((bind) =>
    builder
      .deleteFrom('notice_turns')
      .where(({ and }) => and(userOf(bind)))
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

function oldestOf(bind: Bind<UserKey>) {
  return builder
    .selectFrom('notices')
    .select('message_id')
    .where(({ and }) => and(userOf(bind)))
    .orderBy('message_id')
    .limit(sql.lit(portionRowsMax))
}
