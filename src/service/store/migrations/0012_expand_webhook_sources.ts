import { sql } from 'kysely'
import type { Migration } from './migration.ts'

/** The organization in which an event happened. Servers before this leave it out, so their events are of one source. */
export const webhookSources: Migration = {
  number: 12,
  name: '0012_expand_webhook_sources',
  statements: [sql`alter table webhook_messages add column happened_in text not null default 'unknown'`],
}
