import { publicKeyOf } from '../../../protocol/crypto/curves.ts'
import { type SignedWebhook, signWebhook, type WebhookEvent, webhookKeyId } from '../../../protocol/wire/webhooks.ts'
import { ed25519Secret } from '../../keys/published_keys.ts'
import type { Seals } from '../../keys/seal.ts'
import { signEd25519 } from '../../keys/sign.ts'

type ToSign = { readonly organizationId: string; readonly event: WebhookEvent; readonly nowMs: number }

/** Signs an event for the endpoint of an organization, which the signed body names. */
export function signEvent(seals: Seals, { organizationId, event, nowMs: timestampMs }: ToSign): SignedWebhook {
  using privateKey = ed25519Secret(seals, 'webhookSigning')
  const keyId = webhookKeyId(publicKeyOf('CURVE_ED25519', privateKey.reveal()))
  const sign = (message: Uint8Array) => signEd25519(privateKey, message)
  return signWebhook(addressed(event, organizationId), { keyId, timestampMs, sign })
}

/**
 * The event with the name of its endpoint in the body. All organizations have the same key, and each may name the address
 * of another: without the name nobody could tell for whom an event was signed. The text is put in front of the members as
 * it is: a body may have megabytes.
 */
function addressed(event: WebhookEvent, organizationId: string): WebhookEvent {
  const { endpointId, body } = event
  if (!body.startsWith('{"')) throw new Error('the body of an event is an object with members')
  const endpoint = JSON.stringify({ organizationId, endpointId })
  return { ...event, body: `{"webhookEndpoint":${endpoint},${body.slice(1)}` }
}
