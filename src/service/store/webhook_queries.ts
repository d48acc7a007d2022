import { sql } from 'kysely'
import { portion, portionBytesMax, portionRowsMax } from './portions.ts'
import { type Bind, builder, columns, query, selected } from './query.ts'

type EndpointKey = { organizationId: string; endpointId: string }
type MessageKey = { organizationId: string; messageId: string }
/** `happenedIn`: the organization in which an event happened, its source. */
type SourceKey = EndpointKey & { happenedIn: string }
type EndpointRange = EndpointKey & { cursor: string; limit: number }
type MessageValues = MessageKey &
  SourceKey & { activityId: string; activityVersion: number; expiresAtMs: number; sealed: Uint8Array }

const message = (bind: Bind<MessageKey>) => columns(bind, 'organizationId', 'messageId')
const endpoint = (bind: Bind<EndpointKey>) => columns(bind, 'organizationId', 'endpointId')
const source = (bind: Bind<SourceKey>) => columns(bind, 'organizationId', 'endpointId', 'happenedIn')

const deliveries = builder
  .selectFrom('webhook_messages')
  .select(selected('messageId', 'endpointId', 'activityId', 'activityVersion', 'expiresAtMs', 'attempts', 'dueAtMs'))
  .select(selected('endedAtMs', 'reason'))

/** Events as the table holds them. A row waits as long as `ended_at_ms` is null. */
export const webhookReadQueries = {
  /**
   * The next endpoint for which events wait, with the event that is due first. It is found by the index, however many
   * events of the endpoint before wait.
   */
  nextWaitingEndpoint: query<EndpointKey>()((bind) =>
    builder
      .selectFrom('webhook_messages')
      .select(({ selectFrom }) => [
        'organization_id as organizationId',
        'endpoint_id as endpointId',
        'due_at_ms as dueAtMs',
        'message_id as messageId',
        selectFrom('organizations')
          .select('parent_id')
          .whereRef('organizations.organization_id', '=', 'webhook_messages.organization_id')
          .as('parentId'),
      ])
      .where('ended_at_ms', 'is', null)
      .where(sql<boolean>`(organization_id, endpoint_id) > (${bind('organizationId')}, ${bind('endpointId')})`)
      .orderBy('organization_id')
      .orderBy('endpoint_id')
      .orderBy('due_at_ms')
      .orderBy('message_id')
      .limit(sql.lit(1)),
  ),
  /** The next source of an endpoint, with when its first event is due. It is found as the next endpoint is. */
  nextWebhookSource: query<SourceKey>()((bind) =>
    builder
      .selectFrom('webhook_messages')
      .select(selected('happenedIn', 'dueAtMs'))
      .where('ended_at_ms', 'is', null)
      .where(({ and }) => and(endpoint(bind)))
      .where('happened_in', '>', bind('happenedIn'))
      .orderBy('happened_in')
      .orderBy('due_at_ms')
      .orderBy('message_id')
      .limit(sql.lit(1)),
  ),
  /** The source of which the most events wait, and how many wait in all, as far as the first `limit` show. */
  largestWebhookSource: query<EndpointKey & { limit: number }>()((bind) =>
    builder
      .selectFrom((from) =>
        from
          .selectFrom('webhook_messages')
          .select('happened_in')
          .where('ended_at_ms', 'is', null)
          .where(({ and }) => and(endpoint(bind)))
          .orderBy('happened_in')
          .limit(bind('limit'))
          .as('portion'),
      )
      .select(['happened_in as happenedIn', sql<number>`cast(sum(count(*)) over () as integer)`.as('waiting')])
      .groupBy('happened_in')
      .orderBy(sql`count(*)`, 'desc')
      .orderBy('happened_in')
      .limit(sql.lit(1)),
  ),
  /** Events of a source that are due. An event waits for those about earlier versions of the same activity. */
  dueWebhooks: query<SourceKey & { nowMs: number; limit: number }>()((bind) =>
    builder
      .selectFrom('webhook_messages as waiting')
      .select(selected('organizationId', 'messageId', 'endpointId', 'expiresAtMs', 'attempts', 'sealed'))
      .where('ended_at_ms', 'is', null)
      .where(({ and }) => and(source(bind)))
      .where('due_at_ms', '<=', bind('nowMs'))
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('webhook_messages as earlier')
              .select('earlier.message_id')
              .where('earlier.ended_at_ms', 'is', null)
              .whereRef('earlier.organization_id', '=', 'waiting.organization_id')
              .whereRef('earlier.endpoint_id', '=', 'waiting.endpoint_id')
              .whereRef('earlier.activity_id', '=', 'waiting.activity_id')
              .whereRef('earlier.activity_version', '<', 'waiting.activity_version'),
          ),
        ),
      )
      .orderBy('due_at_ms')
      .orderBy('message_id')
      .limit(bind('limit')),
  ),
  waitingWebhooks: query<EndpointRange>()((bind) => newestFirst(bind).where('ended_at_ms', 'is', null)),
  givenUpWebhooks: query<EndpointRange>()((bind) => newestFirst(bind).where('ended_at_ms', 'is not', null)),
  webhook: query<MessageKey>()((bind) => deliveries.select('sealed').where(({ and }) => and(message(bind)))),
} as const

function newestFirst(bind: Bind<EndpointRange>) {
  return deliveries
    .where(({ and }) => and(endpoint(bind)))
    .where('message_id', '<', bind('cursor'))
    .orderBy('message_id', 'desc')
    .limit(bind('limit'))
}

export const webhookWriteQueries = {
  insertWebhook: query<MessageValues>()((bind) =>
    builder.insertInto('webhook_messages').values({
      ...message(bind),
      ...columns(bind, 'endpointId', 'activityId', 'activityVersion', 'expiresAtMs', 'happenedIn'),
      attempts: sql.lit(0),
      due_at_ms: sql.lit(0),
      sealed: bind('sealed'),
    }),
  ),
  /** Counts an attempt, unless another service has counted one since. */
  claimWebhook: query<MessageKey & { attempts: number; dueAtMs: number }>()((bind) =>
    builder
      .updateTable('webhook_messages')
      .set({ attempts: sql`attempts + 1`, due_at_ms: bind('dueAtMs') })
      .where(({ and }) => and({ ...message(bind), attempts: bind('attempts') }))
      .where('ended_at_ms', 'is', null),
  ),
  postponeWebhook: query<MessageKey & { dueAtMs: number; reason: string }>()((bind) =>
    builder
      .updateTable('webhook_messages')
      .set(columns(bind, 'dueAtMs', 'reason'))
      .where(({ and }) => and(message(bind))),
  ),
  endWebhook: query<MessageKey & { endedAtMs: number; reason: string }>()((bind) =>
    builder
      .updateTable('webhook_messages')
      .set(columns(bind, 'endedAtMs', 'reason'))
      .where(({ and }) => and(message(bind))),
  ),
  deleteWebhook: query<MessageKey>()((bind) =>
    builder.deleteFrom('webhook_messages').where(({ and }) => and(message(bind))),
  ),
  /** Gives up the oldest events of a source, those first that were not tried yet. `count`: a portion at most. */
  endOldestWebhooks: query<SourceKey & { count: number; endedAtMs: number; reason: string }>()((bind) =>
    builder
      .updateTable('webhook_messages')
      .set({ ended_at_ms: bind('endedAtMs'), reason: bind('reason') })
      .where('organization_id', '=', bind('organizationId'))
      .where(
        'message_id',
        'in',
        portion(
          builder
            .selectFrom('webhook_messages')
            .select(['message_id', sql<number>`length(sealed)`.as('bytes')])
            .where(({ and }) => and(source(bind)))
            .where('ended_at_ms', 'is', null)
            .orderBy('due_at_ms')
            .orderBy('message_id')
            .limit(bind('count')),
        ),
      ),
  ),
  /** Keeps the newest of an endpoint's events that were given up. */
  trimWebhooks: query<EndpointKey & { kept: number }>()((bind) =>
    builder
      .deleteFrom('webhook_messages')
      .where('organization_id', '=', bind('organizationId'))
      .where('message_id', 'in', portion(beyondKept(bind))),
  ),
  deleteWaitingWebhooks: query<EndpointKey>()((bind) =>
    builder
      .deleteFrom('webhook_messages')
      .where('organization_id', '=', bind('organizationId'))
      .where('message_id', 'in', portion(oldestOf(bind, 'is'))),
  ),
  deleteGivenUpWebhooks: query<EndpointKey>()((bind) =>
    builder
      .deleteFrom('webhook_messages')
      .where('organization_id', '=', bind('organizationId'))
      .where('message_id', 'in', portion(oldestOf(bind, 'is not'))),
  ),
  deleteOldWebhooks: query<{ endedBeforeMs: number }>()((bind) =>
    builder.deleteFrom('webhook_messages').where(
      sql<boolean>`(organization_id, message_id) in (select organization_id, message_id from (
        select organization_id, message_id, sum(bytes) over (order by ended_at_ms, message_id) - bytes as bytes_before
        from (select organization_id, message_id, ended_at_ms, length(sealed) as bytes from webhook_messages
          where ended_at_ms is not null and ended_at_ms < ${bind('endedBeforeMs')}
          order by ended_at_ms limit ${sql.lit(portionRowsMax)}) as portion) as sized
        where bytes_before < ${sql.lit(portionBytesMax)})`,
    ),
  ),
} as const

/** The oldest events of an endpoint: `is` those that wait, `is not` those that were given up. */
function oldestOf(bind: Bind<EndpointKey>, ended: 'is' | 'is not') {
  return builder
    .selectFrom('webhook_messages')
    .select(['message_id', sql<number>`length(sealed)`.as('bytes')])
    .where(({ and }) => and(endpoint(bind)))
    .where('ended_at_ms', ended, null)
    .orderBy('message_id')
    .limit(sql.lit(portionRowsMax))
}

/** The oldest of those that were given up and are more than `kept`. */
function beyondKept(bind: Bind<EndpointKey & { kept: number }>) {
  return oldestOf(bind, 'is not').where(
    'message_id',
    '<=',
    builder
      .selectFrom('webhook_messages')
      .select('message_id')
      .where(({ and }) => and(endpoint(bind)))
      .where('ended_at_ms', 'is not', null)
      .orderBy('message_id', 'desc')
      .limit(sql.lit(1))
      .offset(bind('kept')),
  )
}
