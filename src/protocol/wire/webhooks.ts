import { hash } from 'node:crypto'
import { isLoopbackHttp } from './loopback.ts'

/** Webhooks: a POST of an event to an address of the organization, signed by this server. Pure. */

/** The events of the interface. This server makes only the first: the others need a connection to a chain. */
export const webhookEventTypes = [
  'ACTIVITY_UPDATES',
  'BALANCE_CONFIRMED_UPDATES',
  'BALANCE_FINALIZED_UPDATES',
  'SEND_TRANSACTION_STATUS_UPDATES',
] as const
export type WebhookEventType = (typeof webhookEventTypes)[number]

/** The older way to name an address: a feature of the organization, whose name is the id of that endpoint. */
export const webhookFeatureName = 'FEATURE_NAME_WEBHOOK'

export const webhookUrlCharactersMax = 2_048
export const webhookUrlExpected = `an https:// address of at most ${webhookUrlCharactersMax} characters without user, password and fragment`

/**
 * Whether events may be sent there, as far as the text tells. The service checks the address when it connects. Plain
 * HTTP to this machine passes, and is for development only: see `isPlainHttp`.
 */
export function isWebhookUrl(text: string): boolean {
  if (text.length > webhookUrlCharactersMax || /[^\x21-\x7e]/.test(text)) return false
  const url = URL.parse(text)
  if (url === null || (url.protocol !== 'https:' && !isLoopbackHttp(url)) || !/^https?:\/\/[^/]/i.test(text))
    return false
  return `${url.username}${url.password}${url.hash}` === '' && !text.includes('#') && !/^\w+:\/\/[^/?]*@/.test(text)
}

/** Whether events would go there without TLS. */
export function isPlainHttp(url: string): boolean {
  return URL.parse(url)?.protocol === 'http:'
}

/** An event as it is sealed: the address may hold a secret, and the body holds an activity. */
export type WebhookEvent = {
  readonly channel: 'webhook'
  /** The endpoint whose address it was. */
  readonly endpointId: string
  readonly url: string
  /** The same at every attempt and after a replay. */
  readonly eventId: string
  readonly eventType: WebhookEventType
  /** The organization in which the event happened. */
  readonly organizationId: string
  /** JSON text. */
  readonly body: string
}

/** One attempt to deliver an event: the request, with the signature of its own time. */
export type SignedWebhook = Pick<WebhookEvent, 'channel' | 'url' | 'body'> & {
  readonly headers: Readonly<Record<string, string>>
}

const webhookVersion = '1'
const algorithm = 'ed25519'
const signatureVersion = 'v1'

type Signing = {
  readonly keyId: string
  readonly timestampMs: number
  /** Returns the Ed25519 signature of a message, 64 bytes. */
  readonly sign: (message: Uint8Array) => Uint8Array
}

/** Signs an event for one attempt. */
export function signWebhook(event: WebhookEvent, { keyId, timestampMs, sign }: Signing): SignedWebhook {
  const { channel, url, body, eventId, eventType, organizationId } = event
  const prefix = `${signatureVersion}.${algorithm}.${keyId}.${timestampMs}.${eventId}.`
  const signature = sign(Buffer.from(prefix + body))
  const headers = {
    'Content-Type': 'application/json',
    'X-Turnkey-Organization-Id': organizationId,
    'X-Turnkey-Event-Type': eventType,
    'X-Turnkey-Timestamp': String(timestampMs),
    'X-Turnkey-Webhook-Version': webhookVersion,
    'X-Turnkey-Event-Id': eventId,
    'X-Turnkey-Signature-Key-Id': keyId,
    'X-Turnkey-Signature-Algorithm': algorithm,
    'X-Turnkey-Signature-Version': signatureVersion,
    'X-Turnkey-Signature': Buffer.from(signature).toString('hex'),
  }
  return { channel, url, headers, body }
}

/** Returns the public key with which receivers verify, as a JSON Web Key (RFC 8037). `publicKey` is 32 bytes. */
export function webhookJwk(publicKey: Uint8Array) {
  const x = Buffer.from(publicKey).toString('base64url')
  return {
    kid: webhookKeyId(publicKey),
    kty: 'OKP',
    crv: 'Ed25519',
    alg: 'EdDSA',
    use: 'sig',
    x,
    turnkey_signature_algorithm: algorithm,
    turnkey_signature_version: signatureVersion,
  } as const
}

/** The thumbprint of the key (RFC 7638), so that a new key has a new id and receivers look it up. */
export function webhookKeyId(publicKey: Uint8Array): string {
  const x = Buffer.from(publicKey).toString('base64url')
  return hash('sha256', JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }), 'base64url')
}
