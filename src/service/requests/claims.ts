import { storeReads } from '../../contract/needs.ts'
import type { Operation } from '../../contract/operation.ts'
import type { VaultRequest } from '../../link/verbs.ts'
import { findOperation } from '../../operations/catalogue.ts'
import type { Read } from '../../protocol/reads.ts'
import { lazily } from '../../protocol/tools/lazily.ts'
import { type ProxiedRequest, proxiedNameAt } from '../../protocol/wire/auth_proxy.ts'
import { isUuid } from '../../protocol/wire/identifiers.ts'
import { isJsonObject, type JsonValue } from '../../protocol/wire/json.ts'
import { topLevelTexts } from './top_level_texts.ts'

/** A request by its own words. Nobody has verified its stamp yet, so all of them may be wrong. */
export type Claims = {
  readonly organizationId: string
  readonly operation: Operation | { readonly kind: 'proxied'; readonly name: string | undefined }
  readonly timestampMs: number
  /** The lookup that finds the user whom the stamp names. */
  readonly credential: ReturnType<typeof credentialOf>
  readonly isAttested: boolean
  readonly parameters: () => ParameterClaims
}

type ParameterClaims = { readonly reads: readonly Read[]; readonly hasOidcTokens: boolean }

const nothing: ParameterClaims = { reads: [], hasOidcTokens: false }

/** Without these limits, a stranger's request could name so much that the reads cost more than the round they save. */
export const prefetchBytesMax = 16_384
export const prefetchReadsMax = 64

/**
 * Undefined for a request that names no operation or no organization. Keeps nothing of the body but its bytes: read into
 * values, it would take up to 23 times as much memory until the request is answered.
 */
export function claimsOf({
  path,
  body,
  stamps: [stamp],
  proxied,
}: Pick<VaultRequest, 'path' | 'body' | 'stamps' | 'proxied'>): Claims | undefined {
  if (proxied !== undefined) return proxiedClaims(path, proxied)
  const operation = findOperation(path)
  if (operation === undefined) return undefined
  // A query has no time, and to look for one would be to read all of its bytes.
  const isQuery = operation.kind === 'query'
  const texts = topLevelTexts(body, isQuery ? ['organizationId'] : ['organizationId', 'timestampMs'])
  const organizationId = texts.organizationId?.toLowerCase()
  if (organizationId === undefined || !isUuid(organizationId)) return undefined
  return {
    ...{ organizationId, operation, timestampMs: Number(texts.timestampMs) },
    credential: credentialOf(stamp),
    isAttested: stamp?.header === 'x-stamp-attested',
    parameters: lazily(() =>
      body.length > prefetchBytesMax ? unread(operation) : read(operation, peek(textOfBytes(body)), organizationId),
    ),
  }
}

function proxiedClaims(path: string, { configId }: ProxiedRequest): Claims | undefined {
  const organizationId = configId.toLowerCase()
  if (!isUuid(organizationId)) return undefined
  const operation = { kind: 'proxied', name: proxiedNameAt(path) } as const
  return {
    ...{ organizationId, operation, timestampMs: Number.NaN },
    ...{ credential: undefined, isAttested: false, parameters: () => nothing },
  }
}

/** The lookup that finds the user whom an unverified stamp names. */
export function credentialOf(stamp: VaultRequest['stamps'][number] | undefined) {
  if (stamp === undefined) return undefined
  const { header, value } = stamp
  const members = peek(value.startsWith('{') ? value : Buffer.from(value, 'base64').toString('utf8'))
  if (header === 'x-stamp-webauthn') {
    const credentialId = textOf(members, 'credentialId')
    if (credentialId === undefined) return undefined
    const key = Buffer.from(credentialId, 'base64url').toString('base64url')
    return { lookup: 'authenticator', key } as const
  }
  const publicKey = textOf(members, 'publicKey')
  if (header !== 'x-stamp' || publicKey === undefined) return undefined
  return { lookup: 'credential', key: publicKey.toLowerCase() } as const
}

/** For parameters that are not parsed: they may hold ID tokens. */
function unread(operation: Operation): ParameterClaims {
  return { reads: [], hasOidcTokens: operation.kind === 'activity' && operation.takesOidcTokens }
}

/**
 * Returns nothing for parameters that will be refused: their lists may have any length, and no stamp is verified yet.
 */
function read(operation: Operation, request: JsonValue, organizationId: string): ParameterClaims {
  try {
    const bound = bind(operation, request)
    if (bound === undefined) return nothing
    const reads = bound
      .needs(organizationId)
      // Only the head names the parent organization.
      .filter((need) => need.of === undefined)
      // An event may be as large as a request, and nobody has verified the stamp yet.
      .filter(({ need }) => need !== 'delivery')
      .flatMap((need) => storeReads(need, organizationId))
    return { reads: reads.length > prefetchReadsMax ? [] : reads, hasOidcTokens: bound.oidcTokens().length > 0 }
  } catch {
    return nothing
  }
}

function bind(operation: Operation, request: JsonValue) {
  if (!isJsonObject(request)) return undefined
  if (operation.kind === 'query') return operation.read(request)
  return operation.types.find(({ type }) => type === request.type)?.read(request.parameters ?? null)
}

function textOfBytes(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8')
}

function peek(text: string): JsonValue {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function textOf(value: JsonValue, name: string): string | undefined {
  const member = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
  return typeof member === 'string' ? member : undefined
}
