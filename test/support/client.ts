import { findOperation } from '../../src/operations/catalogue.ts'
import type { ApiKeyPair, Server } from './in_process.ts'

type Parameters = Readonly<Record<string, unknown>>

/** Makes a client that asks one organization with one API key, by the names of operations. */
export function clientOf(
  server: Pick<Server, 'post'>,
  { organizationId, apiKey, nowMs = Date.now }: { organizationId: string; apiKey: ApiKeyPair; nowMs?: () => number },
) {
  return {
    organizationId,
    apiKey,
    query: (name: string, parameters: Parameters = {}) =>
      server.post(`/public/v1/query/${name}`, { organizationId, ...parameters }, apiKey),
    activity: (name: string, parameters: Parameters) => {
      const { path, body } = activityRequest(name, { organizationId, parameters, timestampMs: nowMs() })
      return server.post(path, body, apiKey)
    },
  }
}

export type Client = ReturnType<typeof clientOf>

/** The path and body of an activity, by default of the newest type. The body is text, so that it can be sent again. */
export function activityRequest(
  name: string,
  given: { organizationId: string; parameters: Parameters; timestampMs: number; type?: string },
): { readonly path: string; readonly body: string } {
  const path = `/public/v1/submit/${name}`
  const operation = findOperation(path)
  if (operation?.kind !== 'activity') throw new Error(`${name} is not an activity`)
  const { organizationId, parameters, timestampMs, type = operation.types[0]?.type } = given
  return { path, body: JSON.stringify({ type, timestampMs: String(timestampMs), organizationId, parameters }) }
}

export const ethereumAccount = (path: string) => ({
  curve: 'CURVE_SECP256K1',
  pathFormat: 'PATH_FORMAT_BIP32',
  path,
  addressFormat: 'ADDRESS_FORMAT_ETHEREUM',
})

/** The parameters of `sign_raw_payload` that sign the SHA-256 of a text. */
export const signingOf = (signWith: string, text: string) => ({
  signWith,
  payload: text,
  encoding: 'PAYLOAD_ENCODING_TEXT_UTF8',
  hashFunction: 'HASH_FUNCTION_SHA256',
})

/** An API key as `create_api_keys` and `create_users` take it. */
export const p256 = ({ publicKey }: Pick<ApiKeyPair, 'publicKey'>) => ({
  apiKeyName: 'k',
  publicKey,
  curveType: 'API_KEY_CURVE_P256',
})
