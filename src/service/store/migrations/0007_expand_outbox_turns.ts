import type { Migration } from './migration.ts'

/** Organizations take turns with their messages to people, and each sends first what expires first. */
export const outboxTurns: Migration = {
  number: 7,
  name: '0007_expand_outbox_turns',
  statements: [],
  builds: {
    table: 'outbox',
    index: {
      name: 'outbox_turns',
      // The due time is there so that messages which wait for another attempt are passed over within the index.
      on: '(channel, organization_id, expires_at_ms, message_id, due_at_ms)',
    },
  },
}
