import { storeReads } from '../../contract/needs.ts'
import { type Operation, signs } from '../../contract/operation.ts'
import type { VaultRequest } from '../../link/verbs.ts'
import { findOperation } from '../../operations/catalogue.ts'
import type { Read } from '../../protocol/reads.ts'
import { lazily } from '../../protocol/tools/lazily.ts'
import { type ProxiedRequest, proxiedNameAt } from '../../protocol/wire/auth_proxy.ts'
import { requestKeyOf } from '../../protocol/wire/fingerprint.ts'
import { isUuid } from '../../protocol/wire/identifiers.ts'
import { isJsonObject, type JsonValue } from '../../protocol/wire/json.ts'
import { topLevelTexts } from './top_level_texts.ts'

type Prefetch = {
  /** Not called when the vault decides from memory. */
  readonly reads: () => readonly Read[]
  /** The queue in which the request waits; undefined when it names no organization. */
  readonly queue: string | undefined
  /** The credential that the stamp names, verified or not. */
  readonly credential: string | undefined
  /** Whether the request waits from the start. Any other request waits once it has lost to another commit. */
  readonly waits: boolean
  /** Whether the vault may decide from memory: earlier requests of this kind read the same records. */
  readonly mayRecall: boolean
  /** Whether the operation is known to take long, however small the request is. */
  readonly takesLong: boolean
}

const nothingForeseen: Prefetch = {
  reads: () => [],
  queue: undefined,
  credential: undefined,
  waits: false,
  mayRecall: false,
  takesLong: false,
}

/** Without these limits, a stranger's request could name so much that the reads cost more than the round they save. */
export const prefetchBytesMax = 16_384
export const prefetchReadsMax = 64

/**
 * Guesses what the vault will read for a request that nobody has verified yet. A wrong guess costs one round and
 * nothing else: the vault asks for what it lacks and checks what it gets. Keeps nothing of the body but its bytes: read
 * into values, it would take up to 23 times as much memory until the request is answered.
 */
export function prefetch(
  { path, body, stamps, proxied }: Pick<VaultRequest, 'path' | 'body' | 'stamps' | 'proxied'>,
  fingerprint: string,
): Prefetch {
  if (proxied !== undefined) return prefetchProxied(path, proxied)
  const operation = findOperation(path)
  if (operation === undefined) return nothingForeseen
  const isQuery = operation.kind === 'query'
  // A query has no time, and to look for one would be to read all of its bytes.
  const texts = topLevelTexts(body, isQuery ? ['organizationId'] : ['organizationId', 'timestampMs'])
  const organizationId = texts.organizationId?.toLowerCase()
  if (organizationId === undefined || !isUuid(organizationId)) return nothingForeseen
  const named = lazily(() =>
    body.length > prefetchBytesMax
      ? unseen(operation)
      : ofParameters(operation, peek(textOfBytes(body)), organizationId),
  )

  const credential = credentialOf(stamps[0])
  const reads = lazily((): readonly Read[] => {
    const requestKey = requestKeyOf(Number(texts.timestampMs), fingerprint)
    const known: readonly Read[] = isQuery ? [] : [{ read: 'request', organizationId, requestKey }]
    const user: readonly Read[] = credential === undefined ? [] : [{ read: 'lookup', organizationId, ...credential }]
    return [{ read: 'headTag', organizationId }, ...user, ...known, ...named().reads]
  })

  // The vault may wait for an issuer, and a queue would make others wait too. On a later attempt the keys are there.
  const isAttested = stamps[0]?.header === 'x-stamp-attested'
  const fetches = () => named().fetches || isAttested
  const waits = operation.kind === 'activity' && !operation.concurrent && !fetches()
  // An attested stamp uses up a token, and used tokens are always read from the database.
  const mayRecall = operation.kind === 'activity' && signs(operation) && !isAttested
  const takesLong = operation.kind === 'query' && operation.takesLong
  return { reads, queue: organizationId, credential: credential?.key, waits, mayRecall, takesLong }
}

/** All strangers together are one credential of the organization, so that they take no turns of its users. */
const strangers = 'auth proxy'

function prefetchProxied(path: string, { configId }: ProxiedRequest): Prefetch {
  const organizationId = configId.toLowerCase()
  if (!isUuid(organizationId)) return nothingForeseen
  // A login by an ID token may wait for an issuer, and the questions change nothing.
  const waits = proxiedNameAt(path)?.startsWith('otp_') === true
  const reads = (): readonly Read[] => [{ read: 'headTag', organizationId }]
  return { reads, queue: organizationId, credential: strangers, waits, mayRecall: false, takesLong: false }
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

type OfParameters = { readonly reads: readonly Read[]; readonly fetches: boolean }

const nothing: OfParameters = { reads: [], fetches: false }

/** For parameters that are not parsed: they may hold ID tokens. */
function unseen(operation: Operation): OfParameters {
  return { reads: [], fetches: operation.kind === 'activity' && operation.takesOidcTokens }
}

/**
 * Returns nothing for parameters that will be refused: their lists may have any length, and no stamp is verified yet.
 */
function ofParameters(operation: Operation, request: JsonValue, organizationId: string): OfParameters {
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
    const fetches = operation.kind === 'activity' && bound.oidcTokens().length > 0
    return { reads: reads.length > prefetchReadsMax ? [] : reads, fetches }
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
