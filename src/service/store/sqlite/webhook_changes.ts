import type { WebhookChange } from '../store.ts'
import { Conflict } from './apply.ts'
import type { Statements } from './connection.ts'

/** @throws Conflict when a claim finds the event taken or gone. */
export function changeWebhook(statements: Statements, change: WebhookChange): void {
  switch (change.change) {
    case 'claim':
      if (statements.claimWebhook.run(change) !== 1) throw new Conflict('the event was taken already')
      return
    case 'postpone':
      statements.postponeWebhook.run(change)
      return
    case 'hold':
      statements.holdWebhooks.run(change)
      return
    case 'release':
      statements.releaseWebhooks.run(change)
      return
    case 'remove':
      statements.deleteWebhook.run(change)
      return
    case 'end':
      statements.endWebhook.run(change)
      return
    case 'trim':
      statements.trimWebhooks.run(change)
      return
    case 'drop':
      statements.deleteWaitingWebhooks.run(change)
      statements.deleteGivenUpWebhooks.run(change)
      return
    case 'expire':
      statements.deleteOldWebhooks.run(change)
      return
  }
}
