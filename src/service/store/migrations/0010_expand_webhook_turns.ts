import type { Migration } from './migration.ts'

/** Endpoints have turns, not their events: what is next of an endpoint is found however much of others waits. */
export const webhookTurns: Migration = {
  number: 10,
  name: '0010_expand_webhook_turns',
  statements: [],
  builds: {
    table: 'webhook_messages',
    index: {
      name: 'webhook_messages_turns',
      on: '(organization_id, endpoint_id, due_at_ms, message_id) where ended_at_ms is null',
    },
  },
}
