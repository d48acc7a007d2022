import { findOperation } from '../operations/catalogue.ts'
import type { Operation } from '../operations/define.ts'
import { storeReads } from '../operations/needs.ts'
import { fingerprintOf } from '../protocol/fingerprint.ts'
import { isUuid } from '../protocol/identifiers.ts'
import type { Read } from '../protocol/reads.ts'
import type { VaultRequest } from '../vault/verbs.ts'

type Foreseen = {
  readonly reads: readonly Read[]
  /** Requests with the same queue are decided one after another; undefined: this one need not wait. */
  readonly queue: string | undefined
}

/** In a larger body a stranger could name so many things that looking them up costs more than the round it saves. */
export const foreseenBytesMax = 16_384

/**
 * What the vault is going to read for a request, as far as an unverified look at it tells. A wrong guess costs a round
 * and nothing else: the vault asks for what it lacks and checks what it gets.
 */
export function foresee({ path, body, stamps }: Pick<VaultRequest, 'path' | 'body' | 'stamps'>): Foreseen {
  const operation = findOperation(path)
  const request = peek(Buffer.from(body).toString('utf8'))
  const organizationId = textOf(request, 'organizationId')?.toLowerCase()
  if (operation === undefined || organizationId === undefined || !isUuid(organizationId)) {
    return { reads: [], queue: undefined }
  }
  const publicKey = textOf(peek(Buffer.from(stamps[0]?.value ?? '', 'base64').toString('utf8')), 'publicKey')
  const credential: readonly Read[] =
    publicKey === undefined
      ? []
      : [{ read: 'lookup', organizationId, lookup: 'credential', key: publicKey.toLowerCase() }]
  const known: readonly Read[] =
    operation.kind === 'query' ? [] : [{ read: 'fingerprint', organizationId, fingerprint: fingerprintOf(body) }]
  const reads: readonly Read[] = [
    { read: 'headTag', organizationId },
    ...credential,
    ...known,
    ...(body.length > foreseenBytesMax ? [] : operationReads(operation, request, organizationId)),
  ]
  const waits = operation.kind === 'activity' && !operation.concurrent
  return { reads, queue: waits ? organizationId : undefined }
}

/** The parameters have not been checked, so whatever comes of them may be nothing. */
function operationReads(operation: Operation, request: unknown, organizationId: string): readonly Read[] {
  try {
    const parameters = operation.kind === 'query' ? request : memberOf(request, 'parameters')
    return operation.reads(parameters as never).flatMap((need) => storeReads(need, organizationId))
  } catch {
    return []
  }
}

function peek(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function textOf(value: unknown, name: string): string | undefined {
  const member = memberOf(value, name)
  return typeof member === 'string' ? member : undefined
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return Reflect.get(value, name)
}
