import type { Migration } from './migration.ts'

/** The organizations whose events wait for one endpoint have turns: the next of each is found however many wait. */
export const webhookSourceTurns: Migration = {
  number: 13,
  name: '0013_expand_webhook_source_turns',
  statements: [],
  builds: {
    table: 'webhook_messages',
    index: {
      name: 'webhook_messages_sources',
      on: '(organization_id, endpoint_id, happened_in, due_at_ms, message_id) where ended_at_ms is null',
    },
  },
}
