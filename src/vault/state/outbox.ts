import type { OpenMessageAnswer, OpenMessageRequest } from '../../link/verbs.ts'
import type { Commit } from '../../protocol/reads.ts'
import { assertMessage, type Message, type OutgoingMessage } from '../../protocol/wire/outgoing_messages.ts'
import type { Seals, Slot } from '../keys/seal.ts'
import { IntegrityError, whenSealed } from './evidence.ts'
import type { VaultServices } from './vault_services.ts'

/** Seals the messages that an operation sends. They are delivered after the commit that holds `rows`. */
export function createOutbox(
  { seals, newId }: { readonly seals: Seals; readonly newId: () => string },
  organizationId: string,
) {
  const rows: Commit['outbox'][number][] = []
  return {
    send({ expiresAtMs, ...message }: OutgoingMessage): void {
      assertMessage(message)
      if (!Number.isSafeInteger(expiresAtMs)) throw new Error('a message expires at a whole millisecond')
      const messageId = newId()
      const sealed = sealMessage(seals, { organizationId, messageId }, { message, expiresAtMs })
      rows.push({ organizationId, messageId, channel: message.channel, expiresAtMs, sealed })
    },
    rows: (): Commit['outbox'] => rows,
  }
}

/** Opens a message for one delivery, unless it has expired by the vault's own time. */
export function openMessage({ seals, nowMs }: VaultServices, request: OpenMessageRequest): OpenMessageAnswer {
  try {
    const { message, expiresAtMs } = unsealMessage(seals, request)
    return nowMs() < expiresAtMs ? { kind: 'message', message } : { kind: 'expired' }
  } catch (error) {
    if (error instanceof IntegrityError) return { kind: 'integrity', incident: error.message }
    throw error
  }
}

type MessageName = { readonly organizationId: string; readonly messageId: string }
type SealedMessage = { readonly message: Message; readonly expiresAtMs: number }

function sealMessage(seals: Seals, place: MessageName, content: SealedMessage): Uint8Array {
  const plaintext = Buffer.from(JSON.stringify(content))
  try {
    return seals.seal(slotOf(place), plaintext)
  } finally {
    plaintext.fill(0)
  }
}

function unsealMessage(seals: Seals, { sealed, ...place }: OpenMessageRequest): SealedMessage {
  const name = `organization ${place.organizationId}: message ${place.messageId}`
  const plaintext = whenSealed(name, () => seals.unseal(slotOf(place), sealed))
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
