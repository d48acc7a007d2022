import { initial } from './0001_initial.ts'
import { erasures } from './0002_erasures.ts'
import { books } from './0003_books.ts'
import { verifiedContacts } from './0004_verified_contacts.ts'
import { webhookMessages } from './0005_expand_webhook_messages.ts'
import { notices } from './0006_expand_notices.ts'
import { outboxTurns } from './0007_expand_outbox_turns.ts'
import { mailboxes } from './0008_contract_mailboxes.ts'
import { transparencyLog } from './0009_expand_transparency_log.ts'
import { webhookTurns } from './0010_expand_webhook_turns.ts'
import { logIndex } from './0011_expand_log_index.ts'
import { webhookSources } from './0012_expand_webhook_sources.ts'
import { webhookSourceTurns } from './0013_expand_webhook_source_turns.ts'
import { webhookMessagesDue } from './0014_contract_webhook_messages_due.ts'
import type { Migration } from './migration.ts'

/** In order, numbered from 1 without gaps. */
export const migrations: readonly Migration[] = [
  initial,
  erasures,
  books,
  verifiedContacts,
  webhookMessages,
  notices,
  outboxTurns,
  mailboxes,
  transparencyLog,
  webhookTurns,
  logIndex,
  webhookSources,
  webhookSourceTurns,
  webhookMessagesDue,
]
