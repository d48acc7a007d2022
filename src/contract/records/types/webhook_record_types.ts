import type { WebhookEventType } from '../../../protocol/wire/webhooks.ts'
import type { Times } from './record_times.ts'

/** An address that gets the events of the organization and of its sub-organizations. */
export type WebhookEndpoint = Times & {
  readonly endpointId: string
  readonly url: string
  readonly name: string
  readonly isActive: boolean
  readonly subscriptions: readonly {
    readonly eventType: WebhookEventType
    readonly filtersJson?: string
    /** Absent: active. */
    readonly isActive?: boolean
  }[]
}
