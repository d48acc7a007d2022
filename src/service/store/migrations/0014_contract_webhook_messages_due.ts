import { sql } from 'kysely'
import type { Migration } from './migration.ts'

/** Only servers before the turns of endpoints look for due events of an organization. */
export const webhookMessagesDue: Migration = {
  number: 14,
  name: '0014_contract_webhook_messages_due',
  statements: [sql`drop index webhook_messages_due`],
}
