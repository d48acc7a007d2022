import type { WebhookChange } from '../store.ts'
import { webhookWriteQueries } from '../webhook_queries.ts'
import type { Connection } from './connection.ts'
import { statementsOf } from './statement.ts'

const statements = statementsOf(webhookWriteQueries)

/** Returns `conflict` when a claim finds the event taken or gone. */
export async function changeWebhook(connection: Connection, change: WebhookChange): Promise<'committed' | 'conflict'> {
  switch (change.change) {
    case 'claim':
      return (await connection.run(statements.claimWebhook, change)).changed === 1 ? 'committed' : 'conflict'
    case 'postpone':
      await connection.run(statements.postponeWebhook, change)
      return 'committed'
    case 'hold':
      await connection.run(statements.holdWebhooks, change)
      return 'committed'
    case 'release':
      await connection.run(statements.releaseWebhooks, change)
      return 'committed'
    case 'remove':
      await connection.run(statements.deleteWebhook, change)
      return 'committed'
    case 'end':
      await connection.run(statements.endWebhook, change)
      return 'committed'
    case 'trim':
      await connection.run(statements.trimWebhooks, change)
      return 'committed'
    case 'drop':
      await connection.run(statements.deleteWaitingWebhooks, change)
      await connection.run(statements.deleteGivenUpWebhooks, change)
      return 'committed'
    case 'expire':
      await connection.run(statements.deleteOldWebhooks, change)
      return 'committed'
  }
}
