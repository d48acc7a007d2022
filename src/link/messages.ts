import type {
  ConfirmRequest,
  CreateOrganizationRequest,
  OpenMessageRequest,
  Presented,
  UnsealRequest,
  VaultRequest,
} from './verbs.ts'

/**
 * Checks the messages of the service, which may have been taken over. Every member has its type, every found row
 * answers its read, and there is no other member. The size of a frame limits lists and texts.
 */

/** The message is no request of its verb. */
export class MessageError extends Error {
  override readonly name = 'MessageError'
}

/** The functions `read…` return the message with its type, or throw `MessageError`. */
export function readVaultRequest(message: unknown): VaultRequest {
  return checked<VaultRequest>('answer', vaultRequest, message)
}

export function readUnsealRequest(message: unknown): UnsealRequest {
  const request = checked<Partial<UnsealRequest>>('unseal', unsealRequest, message)
  return { vaultState: request.vaultState } // a frame leaves out what is undefined
}

export function readConfirmRequest(message: unknown): ConfirmRequest {
  return checked<ConfirmRequest>('confirm', confirmRequest, message)
}

export function readCreateOrganizationRequest(message: unknown): CreateOrganizationRequest {
  const request = checked<CreateOrganizationRequest>('createOrganization', createOrganizationRequest, message)
  return { ...request, userEmail: request.userEmail }
}

export function readOpenMessageRequest(message: unknown): OpenMessageRequest {
  return checked<OpenMessageRequest>('openMessage', openMessageRequest, message)
}

type Check = (value: unknown) => boolean

const text: Check = (value) => typeof value === 'string'
const bytes: Check = (value) => value instanceof Uint8Array
const count: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0
const texts = list(text)

const headTag = { version: count, tag: text }
const foundRecord = { recordId: text, version: count, sealed: bytes }
const foundActivity = object({ activityId: text, version: count, sealed: bytes })
const lookupRow = object({ organizationId: text, kind: text, recordId: text })
const page = { limit: count, after: optional(text), before: optional(text) }

/** By the tag of a read: the check of its other members, and the check of the answer to it. */
const reads: ReadonlyMap<unknown, { readonly read: Check; readonly found: Check }> = new Map(
  [
    read('headTag', { organizationId: text }, { row: optional(object(headTag)) }),
    read('head', { organizationId: text }, { row: optional(object({ ...headTag, sealed: bytes })) }),
    read('record', { organizationId: text, kind: text, recordId: text }, { row: optional(object(foundRecord)) }),
    read('lookup', { organizationId: text, lookup: text, key: text }, { rows: list(lookupRow) }),
    read('holders', { parentId: text, lookup: text, key: text, ...page }, { rows: optional(list(lookupRow)) }),
    read(
      'page',
      { organizationId: text, kind: text, ownerId: optional(text), ...page },
      { rows: optional(list(object(foundRecord))) },
    ),
    read('activity', { organizationId: text, activityId: text }, { row: optional(foundActivity) }),
    read('request', { organizationId: text, requestKey: text }, { row: optional(foundActivity) }),
    read(
      'activities',
      { organizationId: text, statuses: optional(texts), types: optional(texts), ...page },
      { rows: optional(list(foundActivity)) },
    ),
  ].map((entry) => [entry.tag, entry]),
)

function presented(value: unknown): boolean {
  if (!isPair(value)) return false
  const checks = reads.get(value.read.read)
  return checks?.read(value.read) === true && checks.found(value.found) && isAnswerTo(value)
}

const isPairOfObjects = object({ read: isObject, found: isObject })

function isPair(value: unknown): value is { readonly read: { readonly read?: unknown }; readonly found: object } {
  return isPairOfObjects(value)
}

/** Refuses a row with another id than the read's, which would be another record in its place, validly sealed. */
function isAnswerTo(value: object): boolean {
  const { read, found } = value as Presented // both were checked before
  if (read.read === 'record' && found.read === 'record') return (found.row?.recordId ?? read.recordId) === read.recordId
  if (read.read === 'activity' && found.read === 'activity') {
    return (found.row?.activityId ?? read.activityId) === read.activityId
  }
  return read.read === found.read
}

/** 16 bytes. */
const changeKeyPattern = /^[0-9a-f]{32}$/

const vaultRequest = object({
  path: text,
  body: bytes,
  stamps: list(object({ header: oneOf('x-stamp', 'x-stamp-webauthn', 'x-stamp-attested'), value: text })),
  dialect: oneOf('spec', 'hosted'),
  sourceAddress: optional(text),
  mayRecall: optional((value) => value === true),
  presented: list(presented),
  isTrial: optional((value) => value === true),
  outcomes: list(
    either(
      object({ of: oneOf('written'), changeKey: (value) => typeof value === 'string' && changeKeyPattern.test(value) }),
      object({ of: oneOf('lost'), decisionId: text }),
    ),
  ),
})

const unsealRequest = object({ vaultState: optional(bytes) })

const confirmRequest = object({ decisionId: text })

const createOrganizationRequest = object({
  organizationName: text,
  userName: text,
  userEmail: optional(text),
  apiKeyName: text,
  apiPublicKey: text,
})

const openMessageRequest = object({ organizationId: text, messageId: text, sealed: bytes })

function checked<T>(verb: string, check: Check, message: unknown): T {
  if (!check(message)) throw new MessageError(`what arrived is no request of the verb ${verb}`)
  return message as T
}

function read(tag: string, ofRead: Readonly<Record<string, Check>>, ofFound: Readonly<Record<string, Check>>) {
  return { tag, read: object({ read: oneOf(tag), ...ofRead }), found: object({ read: oneOf(tag), ...ofFound }) }
}

function object(members: Readonly<Record<string, Check>>): Check {
  const checks = Object.entries(members)
  const names = new Set(Object.keys(members))
  return (value) => {
    if (!isObject(value)) return false
    for (const name of Object.keys(value)) if (!names.has(name)) return false
    for (const [name, check] of checks) if (!check(value[name])) return false
    return true
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array)
}

function list(check: Check): Check {
  return (value) => Array.isArray(value) && value.every(check)
}

function either(...checks: readonly Check[]): Check {
  return (value) => checks.some((check) => check(value))
}

function optional(check: Check): Check {
  return (value) => value === undefined || check(value)
}

function oneOf(...values: readonly string[]): Check {
  return (value) => typeof value === 'string' && values.includes(value)
}
