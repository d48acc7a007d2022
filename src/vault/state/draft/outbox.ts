import type { FoundDelivery } from '../../../deciding/organization/organization_reader.ts'
import type { OpenMessageAnswer, OpenMessageRequest } from '../../../link/verbs.ts'
import type { NoticeRow, OutboxRow, WebhookPlace, WebhookRow } from '../../../protocol/reads.ts'
import { assertNotice, type Notice } from '../../../protocol/wire/notices.ts'
import { assertMessage, type Message, type OutgoingMessage } from '../../../protocol/wire/outgoing_messages.ts'
import type { WebhookEvent } from '../../../protocol/wire/webhooks.ts'
import type { Seals, Slot } from '../../keys/seal.ts'
import { IntegrityError, whenSealed } from '../evidence.ts'
import type { VaultServices } from '../vault_services.ts'
import { signEvent } from './sign_webhook.ts'

/** Seals the messages that an operation sends. They are delivered after the commit that holds `rows`. */
export function createOutbox(tools: OutboxTools, organizationId: string) {
  const rows: OutboxRow[] = []
  return {
    send({ expiresAtMs, ...message }: OutgoingMessage): void {
      assertMessage(message)
      if (!Number.isSafeInteger(expiresAtMs)) throw new Error('a message expires at a whole millisecond')
      const messageId = tools.newId()
      const sealed = sealMessage(tools.seals, { organizationId, messageId }, { message, expiresAtMs })
      rows.push({ organizationId, messageId, channel: message.channel, expiresAtMs, sealed })
    },
    /** Seals an event that was given up once more, for another day of attempts. Returns its new id. */
    sendAgain({ delivery, url, nowMs }: { delivery: FoundDelivery; url: string; nowMs: number }): string {
      const { messageId, endpointId, activityId, activityVersion, sealed = new Uint8Array() } = delivery
      const event = openEvent(tools.seals, { organizationId, messageId, sealed })
      if (event.endpointId !== endpointId) throw new IntegrityError(`message ${messageId} is of another endpoint`)
      const { organizationId: happenedIn, ...others } = event
      const place = { endpointId, activityId, activityVersion, happenedIn, nowMs }
      const row = webhookRow(tools, organizationId, { ...others, ...place, url })
      rows.push({ ...row, replaces: messageId })
      return row.messageId
    },
    rows: (): readonly OutboxRow[] => rows,
  }
}

type OutboxTools = { readonly seals: Seals; readonly newId: () => string }

/** An event for an endpoint of `organizationId`. The id of a new event is that of its first message. */
export type EventToSend = WebhookPlace &
  Pick<WebhookEvent, 'url' | 'eventType' | 'body'> & {
    readonly eventId?: string
    /** The organization in which the event happened. */
    readonly happenedIn: string
    readonly nowMs: number
  }

/** Seals an event for one endpoint. It is delivered after the commit that holds the row. */
export function webhookRow(tools: OutboxTools, organizationId: string, given: EventToSend): WebhookRow {
  const { happenedIn, nowMs, endpointId, activityId, activityVersion, url, eventType, body } = given
  const messageId = tools.newId()
  const { eventId = messageId } = given
  const message = { channel: 'webhook', endpointId, url, eventId, eventType, organizationId: happenedIn, body } as const
  const expiresAtMs = nowMs + webhookLifetimeMs
  const sealed = sealMessage(tools.seals, { organizationId, messageId }, { message, expiresAtMs })
  const place = { endpointId, activityId, activityVersion, happenedIn }
  return { organizationId, messageId, channel: 'webhook', ...place, expiresAtMs, sealed }
}

/** Seals a notice for one user. It is delivered after the commit that holds the row. */
export function noticeRow(
  tools: OutboxTools,
  { notice, ...place }: Omit<NoticeRow, 'channel' | 'messageId' | 'sealed'> & { readonly notice: Notice },
): NoticeRow {
  assertNotice(notice)
  const { organizationId, expiresAtMs } = place
  const messageId = tools.newId()
  const sealed = sealMessage(tools.seals, { organizationId, messageId }, { message: notice, expiresAtMs })
  return { channel: 'notice', messageId, ...place, sealed }
}

const webhookLifetimeMs = 24 * 60 * 60 * 1000

type SealedRow = Pick<OpenMessageRequest, 'organizationId' | 'messageId' | 'sealed'>

/** Throws `IntegrityError` for bytes that are no event of this place. */
function openEvent(seals: Seals, request: SealedRow): WebhookEvent {
  const { message } = unsealMessage(seals, request)
  if (message.channel !== 'webhook') throw new IntegrityError(`message ${request.messageId} is no event`)
  return message
}

export type Sealed = Message | WebhookEvent | Notice

/**
 * Opens a message for one delivery, unless it has expired by the vault's own time or nobody wants it any more. An event
 * is signed for it.
 */
export async function openMessage(
  services: Pick<VaultServices, 'seals' | 'nowMs'>,
  request: OpenMessageRequest,
  isWanted: (message: Sealed) => Promise<boolean>,
): Promise<OpenMessageAnswer> {
  const opened = openSealed(services.seals, request)
  if ('incident' in opened) return { kind: 'integrity', ...opened }
  const { message, expiresAtMs } = opened
  const nowMs = services.nowMs()
  if (nowMs >= expiresAtMs) return { kind: 'expired' }
  if (!(await isWanted(message))) return { kind: 'unwanted' }
  if (message.channel !== 'webhook') return { kind: 'message', message }
  return { kind: 'message', message: signEvent(services.seals, { ...request, event: message, nowMs }) }
}

function openSealed(seals: Seals, request: OpenMessageRequest): SealedMessage | { readonly incident: string } {
  try {
    return unsealMessage(seals, request)
  } catch (error) {
    if (error instanceof IntegrityError) return { incident: error.message }
    throw error
  }
}

type MessageName = { readonly organizationId: string; readonly messageId: string }
type SealedMessage = { readonly message: Sealed; readonly expiresAtMs: number }

function sealMessage(seals: Seals, place: MessageName, content: SealedMessage): Uint8Array {
  const plaintext = Buffer.from(JSON.stringify(content))
  try {
    return seals.seal(slotOf(place), plaintext)
  } finally {
    plaintext.fill(0)
  }
}

function unsealMessage(seals: Seals, { organizationId, messageId, sealed }: SealedRow): SealedMessage {
  const name = `organization ${organizationId}: message ${messageId}`
  const plaintext = whenSealed(name, () => seals.unseal(slotOf({ organizationId, messageId }), sealed))
  try {
    // The seal has proved that the vault wrote these bytes.
    return JSON.parse(new TextDecoder().decode(plaintext))
  } finally {
    plaintext.fill(0)
  }
}

/** A message is written once and never changed. */
function slotOf({ organizationId, messageId }: MessageName): Slot {
  return { organizationId, kind: 'message', id: messageId, version: 1 }
}
