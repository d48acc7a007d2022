import type {
  Found,
  FoundActivity,
  FoundHead,
  FoundLogBundle,
  FoundLogProof,
  FoundRecord,
  FoundWebhook,
  HeadTag,
  LookupRow,
  Read,
} from '../protocol/reads.ts'
import type { ProxiedRequest } from '../protocol/wire/auth_proxy.ts'
import type { ListedActivity, NumberedRoot, ScrubFound } from './scrubbing.ts'
import type {
  CommitOutcome,
  ConfirmRequest,
  CreateOrganizationRequest,
  OpenMessageRequest,
  Presented,
  PublishLogRequest,
  UnsealRequest,
  VaultRequest,
} from './verbs.ts'

/**
 * Reads what the service sends: whoever has taken the service over may send anything. Every member has its type, every
 * answer to a read is the answer to that read, and nothing else is there. How long lists and texts may be is the frame's
 * limit.
 */

/** The message is no request of the verb. */
export class MessageError extends Error {
  override readonly name = 'MessageError'
}

type Check<T> = (value: unknown) => value is T

/** One check for each member of the contract: a member that nobody checks does not compile. */
type Checks<T> = { readonly [K in keyof T]-?: Check<T[K]> }

type ReadKind = Read['read']
type ReadOf<K extends ReadKind> = Extract<Read, { read: K }>
type FoundFor<K extends ReadKind> = Extract<Found, { read: K }>
type Stamp = VaultRequest['stamps'][number]

const text: Check<string> = (value) => typeof value === 'string'
const bytes: Check<Uint8Array> = (value) => value instanceof Uint8Array
const count: Check<number> = (value): value is number => Number.isSafeInteger(value) && Number(value) >= 0
const isTrue: Check<true> = (value) => value === true
const isBoolean: Check<boolean> = (value) => typeof value === 'boolean'
/** 16 bytes. */
const changeKey: Check<string> = (value): value is string => text(value) && /^[0-9a-f]{32}$/.test(value)

const headTag = { version: count, tag: text }
const foundRecord = object<FoundRecord>({ recordId: text, version: count, sealed: bytes })
const foundActivity = object<FoundActivity>({ activityId: text, version: count, sealed: bytes })
const lookupRows = list(object<LookupRow>({ organizationId: text, kind: text, recordId: text }))
const foundWebhook = {
  messageId: text,
  endpointId: text,
  activityId: text,
  activityVersion: count,
  expiresAtMs: count,
  attempts: count,
  dueAtMs: count,
  endedAtMs: orNull(count),
  reason: orNull(text),
}
const logBundle = { from: count, indexes: list(count), entries: bytes, hashes: bytes, proof: bytes }
const page = { limit: count, after: optional(text), before: optional(text) }
const inOrganization = { organizationId: text }

type Reading<K extends ReadKind> = { readonly read: Check<ReadOf<K>>; readonly found: Check<FoundFor<K>> }

/** For each kind of read, the read and the answer to it. */
const reads: { readonly [K in ReadKind]: Reading<K> } = {
  headTag: reading('headTag', inOrganization, { row: optional(object<HeadTag>(headTag)) }),
  head: reading('head', inOrganization, { row: optional(object<FoundHead>({ ...headTag, sealed: bytes })) }),
  record: reading('record', { ...inOrganization, kind: text, recordId: text }, { row: optional(foundRecord) }),
  lookup: reading('lookup', { ...inOrganization, lookup: text, key: text }, { rows: lookupRows }),
  holders: reading('holders', { parentId: text, lookup: text, key: text, ...page }, { rows: optional(lookupRows) }),
  page: reading(
    'page',
    { ...inOrganization, kind: text, ownerId: optional(text), ...page },
    { rows: optional(list(foundRecord)) },
  ),
  activity: reading('activity', { ...inOrganization, activityId: text }, { row: optional(foundActivity) }),
  request: reading('request', { ...inOrganization, requestKey: text }, { row: optional(foundActivity) }),
  activities: reading(
    'activities',
    { ...inOrganization, statuses: optional(list(text)), types: optional(list(text)), ...page },
    { rows: optional(list(foundActivity)) },
  ),
  webhooks: reading(
    'webhooks',
    { ...inOrganization, endpointId: text, isGivenUp: isBoolean, limit: count, after: optional(text) },
    { rows: list(object<FoundWebhook>(foundWebhook)) },
  ),
  webhook: reading(
    'webhook',
    { ...inOrganization, messageId: text },
    { row: optional(object<FoundWebhook & { readonly sealed: Uint8Array }>({ ...foundWebhook, sealed: bytes })) },
  ),
  logProofs: reading(
    'logProofs',
    { ...inOrganization, changeKeys: list(changeKey) },
    { rows: list(object<FoundLogProof>({ origin: text, index: count, entry: bytes, proof: bytes })) },
  ),
  logBundles: reading(
    'logBundles',
    { ...inOrganization, logId: text, size: count, from: count },
    { rows: optional(list(object<FoundLogBundle>(logBundle))), next: optional(count) },
  ),
}

function reading<K extends ReadKind>(
  kind: K,
  read: Checks<Omit<ReadOf<K>, 'read'>>,
  found: Checks<Omit<FoundFor<K>, 'read'>>,
): Reading<K> {
  return {
    read: object({ read: oneOf(kind), ...read } as Checks<ReadOf<K>>),
    found: object({ read: oneOf(kind), ...found } as Checks<FoundFor<K>>),
  }
}

const pair = object<{ readonly read: unknown; readonly found: unknown }>({ read: isAnything, found: isAnything })

const presented: Check<Presented> = (value): value is Presented => {
  if (!pair(value) || !isObject(value.read) || !isReadKind(value.read.read)) return false
  const { read, found } = reads[value.read.read]
  return read(value.read) && found(value.found) && isAnswerTo({ read: value.read, found: value.found })
}

function isReadKind(kind: unknown): kind is ReadKind {
  return typeof kind === 'string' && Object.hasOwn(reads, kind)
}

/** A row for another id than the one asked for would be another thing in its place, validly sealed. */
function isAnswerTo({ read, found }: Presented): boolean {
  if (read.read === 'record' && found.read === 'record') return (found.row?.recordId ?? read.recordId) === read.recordId
  if (read.read === 'activity' && found.read === 'activity') {
    return (found.row?.activityId ?? read.activityId) === read.activityId
  }
  if (read.read === 'webhook' && found.read === 'webhook') {
    return (found.row?.messageId ?? read.messageId) === read.messageId
  }
  return read.read === found.read
}

const outcome: Check<CommitOutcome> = either(
  object<Extract<CommitOutcome, { of: 'written' }>>({
    ...{ of: oneOf('written'), changeKey, index: count, isChange: isBoolean },
  }),
  object<Extract<CommitOutcome, { of: 'lost' }>>({ of: oneOf('lost'), decisionId: text }),
)

/** Each of these returns the message typed, or throws `MessageError`. */
export const readVaultRequest = readerOf<VaultRequest>('answer', {
  path: text,
  body: bytes,
  stamps: list(object<Stamp>({ header: oneOf('x-stamp', 'x-stamp-webauthn', 'x-stamp-attested'), value: text })),
  dialect: oneOf('spec', 'hosted'),
  peer: optional(text),
  organizationId: optional(text),
  requestId: optional(text),
  credential: optional(text),
  waitMsMax: optional(count),
  sourceAddress: optional(text),
  isLocal: optional(isTrue),
  proxied: optional(
    object<ProxiedRequest>({ configId: text, origin: optional(text), requestId: text, timestampMs: count }),
  ),
  mayRecall: optional(isTrue),
  presented: list(presented),
  isTrial: optional(isTrue),
  outcomes: list(outcome),
})

const readUnseal = readerOf<UnsealRequest>('unseal', { vaultState: optional(bytes) })

export function readUnsealRequest(message: unknown): UnsealRequest {
  const { vaultState } = readUnseal(message)
  return { vaultState } // A frame leaves out members that are undefined.
}

export const readConfirmRequest = readerOf<ConfirmRequest>('confirm', { decisionId: text })

const readCreateOrganization = readerOf<CreateOrganizationRequest>('createOrganization', {
  organizationName: text,
  userName: text,
  userEmail: optional(text),
  apiKeyName: text,
  apiPublicKey: text,
})

export function readCreateOrganizationRequest(message: unknown): CreateOrganizationRequest {
  const request = readCreateOrganization(message)
  return { ...request, userEmail: request.userEmail }
}

export const readPublishLogRequest = readerOf<PublishLogRequest>('publishLog', {
  stored: list(bytes),
  seen: optional(bytes),
})

export const readOpenMessageRequest = readerOf<OpenMessageRequest>('openMessage', {
  organizationId: text,
  messageId: text,
  sealed: bytes,
  presented: list(presented),
})

type ScrubFoundOf<Of extends ScrubFound['of']> = Extract<ScrubFound, { of: Of }>

const scrubFound: { readonly [Of in ScrubFound['of']]: Check<ScrubFoundOf<Of>> } = {
  beginning: object({ of: oneOf('beginning') }),
  roots: object({ of: oneOf('roots'), roots: list(object<NumberedRoot>({ number: count, root: bytes })) }),
  bundle: object({ of: oneOf('bundle'), bytes: optional(bytes) }),
  restored: object({ of: oneOf('restored') }),
  rows: object({ of: oneOf('rows'), presented: list(presented) }),
  activities: object({
    of: oneOf('activities'),
    activities: list(
      object<ListedActivity>({ organizationId: text, sequence: count, activityId: text, version: count }),
    ),
  }),
}

export function readScrubFound(message: unknown): ScrubFound {
  if (Object.values<Check<ScrubFound>>(scrubFound).some((check) => check(message))) return message as ScrubFound
  throw new MessageError('what arrived is no request of the verb scrub')
}

function readerOf<T>(verb: string, members: Checks<T>): (message: unknown) => T {
  const check = object(members)
  return (message) => {
    if (!check(message)) throw new MessageError(`what arrived is no request of the verb ${verb}`)
    return message
  }
}

function object<T>(members: Checks<T>): Check<T> {
  const checks = Object.entries<Check<unknown>>(members)
  return (value): value is T => {
    if (!isObject(value)) return false
    for (const name of Object.keys(value)) if (!Object.hasOwn(members, name)) return false
    for (const [name, check] of checks) if (!check(value[name])) return false
    return true
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array)
}

function isAnything(_value: unknown): _value is unknown {
  return true
}

function list<T>(check: Check<T>): Check<readonly T[]> {
  return (value): value is readonly T[] => Array.isArray(value) && value.every(check)
}

function either<A, B>(one: Check<A>, other: Check<B>): Check<A | B> {
  return (value): value is A | B => one(value) || other(value)
}

function orNull<T>(check: Check<T>): Check<T | null> {
  return (value): value is T | null => value === null || check(value)
}

function optional<T>(check: Check<T>): Check<T | undefined> {
  return (value): value is T | undefined => value === undefined || check(value)
}

function oneOf<const T extends string>(...values: readonly T[]): Check<T> {
  return (value): value is T => typeof value === 'string' && values.some((known) => known === value)
}
