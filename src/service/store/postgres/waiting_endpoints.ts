import type { WaitingEndpoint } from '../store.ts'
import { statement } from './statement.ts'

/** The next endpoints for which events wait. Each step is that of `nextWaitingEndpoint`. */
export const waitingEndpoints = statement<
  { organizationId: string; endpointId: string; limit: number },
  WaitingEndpoint
>()`
  with recursive waiting as (
    (select organization_id, endpoint_id, due_at_ms, message_id, 1 as step from webhook_messages
      where ended_at_ms is null and (organization_id, endpoint_id) > (${'organizationId'}, ${'endpointId'})
      order by organization_id, endpoint_id, due_at_ms, message_id limit 1)
    union all
    select next.organization_id, next.endpoint_id, next.due_at_ms, next.message_id, step + 1
      from waiting cross join lateral (
        select organization_id, endpoint_id, due_at_ms, message_id from webhook_messages as behind
          where ended_at_ms is null
            and (behind.organization_id, behind.endpoint_id) > (waiting.organization_id, waiting.endpoint_id)
          order by organization_id, endpoint_id, due_at_ms, message_id limit 1) as next
      where step < ${'limit'})
  select organization_id as "organizationId", endpoint_id as "endpointId", due_at_ms as "dueAtMs",
    message_id as "messageId",
    (select parent_id from organizations where organizations.organization_id = waiting.organization_id) as "parentId"
  from waiting`
