import { sql } from 'kysely'
import { type Bind, builder, columns, familyOf, query, selected } from './query.ts'

type EndpointKey = { organizationId: string; endpointId: string }
type DueWebhooks = { organizationId: string; exceptEndpointIds: readonly string[]; nowMs: number; limit: number }
type MessageKey = { organizationId: string; messageId: string }
type EndpointRange = EndpointKey & { cursor: string; limit: number }
type MessageValues = MessageKey &
  EndpointKey & { activityId: string; activityVersion: number; expiresAtMs: number; sealed: Uint8Array }

const message = (bind: Bind<MessageKey>) => columns(bind, 'organizationId', 'messageId')
const endpoint = (bind: Bind<EndpointKey>) => columns(bind, 'organizationId', 'endpointId')

const deliveries = builder
  .selectFrom('webhook_messages')
  .select(selected('messageId', 'endpointId', 'activityId', 'activityVersion', 'expiresAtMs', 'attempts', 'dueAtMs'))
  .select(selected('endedAtMs', 'reason'))

/** Events as the table holds them. A row waits as long as `ended_at_ms` is null. */
export const webhookReadQueries = {
  /** The next organization in which events are due, with its parent. */
  nextWebhookOrganization: query<{ after: string; exceptFamily: string; nowMs: number }>()((bind) =>
    builder
      .selectFrom('webhook_messages')
      .select(({ selectFrom }) => [
        'organization_id as organizationId',
        selectFrom('organizations')
          .select('parent_id')
          .whereRef('organizations.organization_id', '=', 'webhook_messages.organization_id')
          .as('parentId'),
      ])
      .where('ended_at_ms', 'is', null)
      .where('organization_id', '>', bind('after'))
      .where(familyOf('webhook_messages'), '<>', bind('exceptFamily'))
      .where('due_at_ms', '<=', bind('nowMs'))
      .orderBy('organization_id')
      .limit(sql.lit(1)),
  ),
  /** Events that are due. An event waits for those about earlier versions of the same activity. */
  dueWebhooks: query<ReturnType<typeof dueWebhookParameters>>()((bind) =>
    builder
      .selectFrom('webhook_messages as waiting')
      .select(selected('organizationId', 'messageId', 'endpointId', 'expiresAtMs', 'attempts', 'sealed'))
      .where('ended_at_ms', 'is', null)
      .where('organization_id', '=', bind('organizationId'))
      .where(bind('exceptEndpointIds'), 'not like', sql<string>`'%' || endpoint_id || '%'`)
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
      ...columns(bind, 'endpointId', 'activityId', 'activityVersion', 'expiresAtMs'),
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
  /** An event that had more attempts comes behind those that had fewer. */
  holdWebhooks: query<EndpointKey & { untilMs: number; reason: string }>()((bind) =>
    builder
      .updateTable('webhook_messages')
      .set({ due_at_ms: sql`attempts + ${bind('untilMs')}`, reason: bind('reason') })
      .where(({ and }) => and(endpoint(bind)))
      .where('ended_at_ms', 'is', null)
      .where('due_at_ms', '<', bind('untilMs')),
  ),
  releaseWebhooks: query<EndpointKey & { fromMs: number; toMs: number; dueAtMs: number }>()((bind) =>
    builder
      .updateTable('webhook_messages')
      .set({ due_at_ms: bind('dueAtMs') })
      .where(({ and }) => and(endpoint(bind)))
      .where('ended_at_ms', 'is', null)
      .where('due_at_ms', '>=', bind('fromMs'))
      .where('due_at_ms', '<=', bind('toMs')),
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
  /** Keeps the newest of an endpoint's events that were given up. */
  trimWebhooks: query<EndpointKey & { kept: number }>()((bind) =>
    builder
      .deleteFrom('webhook_messages')
      .where(({ and }) => and(endpoint(bind)))
      .where('ended_at_ms', 'is not', null)
      .where(
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
      ),
  ),
  deleteWaitingWebhooks: query<EndpointKey>()((bind) =>
    builder
      .deleteFrom('webhook_messages')
      .where(({ and }) => and(endpoint(bind)))
      .where('ended_at_ms', 'is', null),
  ),
  deleteGivenUpWebhooks: query<EndpointKey>()((bind) =>
    builder
      .deleteFrom('webhook_messages')
      .where(({ and }) => and(endpoint(bind)))
      .where('ended_at_ms', 'is not', null),
  ),
  deleteOldWebhooks: query<{ endedBeforeMs: number }>()((bind) =>
    builder
      .deleteFrom('webhook_messages')
      .where('ended_at_ms', 'is not', null)
      .where('ended_at_ms', '<', bind('endedBeforeMs')),
  ),
} as const

/** A statement has a fixed number of places, so the ids of a list stand in one text. Ids are of one length. */
export function dueWebhookParameters({ exceptEndpointIds, ...due }: DueWebhooks) {
  return { ...due, exceptEndpointIds: exceptEndpointIds.join(' ') }
}
