import type { VaultRequest } from '../link/verbs.ts'
import { findOperation } from '../operations/catalogue.ts'
import { type Operation, signs } from '../operations/define.ts'
import { readParameters, readQueryParameters } from '../operations/fields/parameters.ts'
import { storeReads } from '../operations/needs.ts'
import type { Read } from '../protocol/reads.ts'
import { lazily } from '../protocol/tools/lazily.ts'
import { fingerprintOf, requestKeyOf } from '../protocol/wire/fingerprint.ts'
import { isUuid } from '../protocol/wire/identifiers.ts'
import { isJsonObject, type JsonValue } from '../protocol/wire/json.ts'

type Prefetch = {
  /** Not asked for when the vault can decide without. */
  readonly reads: () => readonly Read[]
  /** Requests that wait are decided one after another in the same queue; undefined: the request names no organization. */
  readonly queue: string | undefined
  /** Whether this one waits from the start; one that does not waits when it has lost to another commit. */
  readonly waits: boolean
  /** Whether the vault may decide from what it remembers: what such a request reads, an earlier one has read. */
  readonly mayRecall: boolean
}

const nothingForeseen: Prefetch = { reads: () => [], queue: undefined, waits: false, mayRecall: false }

/** A stranger could name so many things that looking them up costs more than the round it saves. */
export const prefetchBytesMax = 16_384
export const prefetchReadsMax = 64

/**
 * What the vault is going to read for a request, as far as an unverified look at it tells. A wrong guess costs a round
 * and nothing else: the vault asks for what it lacks and checks what it gets.
 */
export function prefetch({ path, body, stamps }: Pick<VaultRequest, 'path' | 'body' | 'stamps'>): Prefetch {
  const operation = findOperation(path)
  const request = peek(Buffer.from(body).toString('utf8'))
  const organizationId = textOf(request, 'organizationId')?.toLowerCase()
  if (operation === undefined || organizationId === undefined || !isUuid(organizationId)) return nothingForeseen
  const named = lazily(() =>
    body.length > prefetchBytesMax ? unseen(operation) : ofParameters(operation, request, organizationId),
  )

  const reads = lazily((): readonly Read[] => {
    const requestKey = requestKeyOf(Number(textOf(request, 'timestampMs')), fingerprintOf(body))
    const known: readonly Read[] = operation.kind === 'query' ? [] : [{ read: 'request', organizationId, requestKey }]
    const credential = credentialReads(stamps[0], organizationId)
    return [{ read: 'headTag', organizationId }, ...credential, ...known, ...named().reads]
  })

  // The vault may wait for an issuer, and nobody else is to wait for that. The keys are there when this one's turn comes.
  const isAttested = stamps[0]?.header === 'x-stamp-attested'
  const fetches = () => named().fetches || isAttested
  const waits = operation.kind === 'activity' && !operation.concurrent && !fetches()
  // Whether a token was used before is never from memory.
  const mayRecall = operation.kind === 'activity' && signs(operation) && !isAttested
  return { reads, queue: organizationId, waits, mayRecall }
}

/** By what the user is found whose stamp this seems to be. */
function credentialReads(stamp: VaultRequest['stamps'][number] | undefined, organizationId: string): readonly Read[] {
  if (stamp === undefined) return []
  const { header, value } = stamp
  const read = { read: 'lookup', organizationId } as const
  const members = peek(value.startsWith('{') ? value : Buffer.from(value, 'base64').toString('utf8'))
  if (header === 'x-stamp-webauthn') {
    const credentialId = textOf(members, 'credentialId')
    if (credentialId === undefined) return []
    return [{ ...read, lookup: 'authenticator', key: Buffer.from(credentialId, 'base64url').toString('base64url') }]
  }
  const publicKey = textOf(members, 'publicKey')
  if (header !== 'x-stamp' || publicKey === undefined) return []
  return [{ ...read, lookup: 'credential', key: publicKey.toLowerCase() }]
}

type OfParameters = { readonly reads: readonly Read[]; readonly fetches: boolean }

const nothing: OfParameters = { reads: [], fetches: false }

/** Of parameters that are not looked at: there may be tokens among them. */
function unseen(operation: Operation): OfParameters {
  return { reads: [], fetches: operation.kind === 'activity' && operation.takesOidcTokens }
}

/** Nothing for a request that is going to be refused: its lists may have any length, and nobody has signed it. */
function ofParameters(operation: Operation, request: JsonValue, organizationId: string): OfParameters {
  try {
    const parameters = parametersOf(operation, request) as never
    const reads = operation
      .needs(parameters, organizationId)
      // Which organization is the parent stands in the head.
      .filter((need) => need.of === undefined)
      .flatMap((need) => storeReads(need, organizationId))
    const fetches = operation.kind === 'activity' && operation.oidcTokens(parameters).length > 0
    return { reads: reads.length > prefetchReadsMax ? [] : reads, fetches }
  } catch {
    return nothing
  }
}

function parametersOf(operation: Operation, request: JsonValue): unknown {
  if (!isJsonObject(request)) return undefined
  if (operation.kind === 'query') return readQueryParameters(operation, request)
  const accepted = operation.types.find(({ type }) => type === request.type)
  return accepted === undefined ? undefined : readParameters(accepted, request.parameters ?? null)
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
