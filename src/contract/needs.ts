import { lookupAddress } from '../protocol/chains/address_formats.ts'
import type { Page, Read } from '../protocol/reads.ts'
import type { FeatureName } from '../protocol/wire/feature_names.ts'
import { isUuid } from '../protocol/wire/identifiers.ts'
import { spellingsOfLabel } from '../protocol/wire/labels.ts'
import { pageItemsMax } from './fields/fields.ts'
import type { Id } from './fields/ids.ts'
import type { Lookup, LookupName, RecordKind, User } from './records/records.ts'

/**
 * A read of an operation, named before the rules are asked. The vault resolves each need against sealed records and
 * refuses what is missing. The service uses the same needs to send along the records that the vault will ask for.
 */
export type Need = {
  /** Reads from the parent of the organization in the request. Without a parent, nothing is read. */
  readonly of?: 'parent'
} & Named

type Named =
  /** One record; 404 when it does not exist. */
  | {
      readonly need: 'record'
      readonly kind: RecordKind
      readonly recordId: string
      /** The field of the request that names the record, if it names several. */
      readonly fieldPath?: string
    }
  /** One record that need not exist. */
  | { readonly need: 'maybe'; readonly kind: RecordKind; readonly recordId: string }
  /** The needs that follow from a user who exists, once the user is known. */
  | { readonly need: 'ofUser'; readonly userId: string; readonly then: (user: User) => readonly Need[] }
  /** Every record of a listed kind. */
  | { readonly need: 'all'; readonly kind: RecordKind }
  /** The records that a lookup finds by its key; there may be none. */
  | { readonly need: 'lookup'; readonly lookup: LookupName; readonly key: string }
  /** Requires that no record goes by this key; 400 if one does. */
  | { readonly need: 'unused'; readonly lookup: LookupName; readonly key: string; readonly fieldPath: string }
  /** Requires that no sub-organization has a record that goes by this key; 400 if one does. A race may lead past it. */
  | { readonly need: 'unheld'; readonly lookup: LookupName; readonly key: string; readonly fieldPath: string }
  /** The wallet account or private key that signs; 404 when there is none. */
  | { readonly need: 'signer'; readonly signWith: string }
  | { readonly need: 'page'; readonly kind: RecordKind; readonly ownerId?: string; readonly page: Page }
  | { readonly need: 'activity'; readonly activityId: string }
  | {
      readonly need: 'activities'
      readonly statuses?: readonly string[]
      readonly types?: readonly string[]
      readonly page: Page
    }
  /** Events for a webhook endpoint, newest first: those that were given up, or those that wait. */
  | {
      readonly need: 'deliveries'
      readonly endpointId: string
      readonly isGivenUp: boolean
      readonly page: Pick<Page, 'limit' | 'after'>
    }
  /** One of these events, if it is there. */
  | { readonly need: 'delivery'; readonly deliveryId: string }
  /** An activity, and the entries of the transparency logs that its versions left; 404 when it does not exist. */
  | { readonly need: 'logged'; readonly activityId: string }
  /** The entries of the organization in a log of a size, from a bundle on. */
  | { readonly need: 'logBundles'; readonly logId: string; readonly size: number; readonly from: number }
  /** The documents of activities that entries of the organization name. */
  | { readonly need: 'logDocuments'; readonly activityIds: readonly string[] }
  /** The sub-organizations in which a record goes by this key. */
  | { readonly need: 'holders'; readonly lookup: LookupName; readonly key: string; readonly page: Page }

const record =
  (kind: RecordKind) =>
  (recordId: Id): Need => ({ need: 'record', kind, recordId })

export const user = record('user')
export const wallet = record('wallet')
export const walletAccount = record('wallet_account')
export const privateKey = record('private_key')
export const policy = record('policy')
export const invitation = record('invitation')
export const smartContractInterface = record('smart_contract_interface')
export const velocityControl = record('velocity_control')
export const fiatOnRampCredential = record('fiat_on_ramp_credential')
export const oauth2Credential = record('oauth2_credential')
export const userTag = record('user_tag')
export const privateKeyTag = record('private_key_tag')
export const tvcOperator = record('tvc_operator')
export const tvcOperatorSet = record('tvc_operator_set')
export const tvcApp = record('tvc_app')
export const tvcDeployment = record('tvc_deployment')
export const webhookEndpoint = record('webhook_endpoint')

/** One need for each record. A missing record is refused with its place in the list. */
export function each(kind: RecordKind, recordIds: readonly Id[], fieldPath: string): readonly Need[] {
  return recordIds.map((recordId, index) => ({ need: 'record', kind, recordId, fieldPath: `${fieldPath}[${index}]` }))
}

export function maybe(kind: RecordKind, recordId: Id): Need {
  return { need: 'maybe', kind, recordId }
}

export function ofUser(userId: Id, then: (user: User) => readonly Need[]): Need {
  return { need: 'ofUser', userId, then }
}

/** The feature, if it is set. The id of a feature is its name. */
export function feature(name: FeatureName): Need {
  return { need: 'maybe', kind: 'feature', recordId: name }
}

export function activity(activityId: Id): Need {
  return { need: 'activity', activityId }
}

/** The same need, read from the parent organization. */
export function ofParent(need: Need): Need {
  return { ...need, of: 'parent' }
}

export function all(kind: RecordKind): Need {
  return { need: 'all', kind }
}

export function lookup(name: LookupName, key: string): Need {
  return { need: 'lookup', lookup: name, key }
}

export function unused(lookup: LookupName, key: string, fieldPath: string): Need {
  return { need: 'unused', lookup, key, fieldPath }
}

export function unheld(lookup: LookupName, key: string, fieldPath: string): Need {
  return { need: 'unheld', lookup, key, fieldPath }
}

export function signer(signWith: string): Need {
  return { need: 'signer', signWith }
}

/** The lookups by names that only one record may have. */
const namesOfOne: ReadonlySet<LookupName> = new Set([
  'wallet_name',
  'account_name',
  'private_key_name',
  'tag_name',
  'policy_name',
])

/** The keys by which the records may be stored that a lookup is to find. */
export function keysOf({ lookup, key }: Lookup): readonly string[] {
  return namesOfOne.has(lookup) ? spellingsOfLabel(key) : [key]
}

/**
 * The reads of the store that answer a need, as far as they are known before any read. The service prefetches for
 * parameters that nobody has checked, so this throws for a read that the store cannot be asked for.
 */
export function storeReads(need: Need, organizationId: string): readonly Read[] {
  const reads = readsOf(need, organizationId)
  for (const read of reads) assertAskable(read)
  return reads
}

function assertAskable(read: Read): void {
  if ('after' in read && 'before' in read) throw new TypeError(`a ${read.read} read has one cursor`)
  for (const [name, value] of Object.entries(read)) {
    if (!isAskable(name, value)) throw new TypeError(`a ${read.read} read cannot be asked for`)
  }
}

function isAskable(name: string, value: unknown): boolean {
  if (name === 'limit') return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= pageItemsMax
  if (name === 'isGivenUp') return typeof value === 'boolean'
  if (name === 'statuses' || name === 'types') return Array.isArray(value) && value.every(isText)
  return isText(value)
}

function isText(value: unknown): boolean {
  return typeof value === 'string'
}

function readsOf(need: Need, organizationId: string): readonly Read[] {
  switch (need.need) {
    case 'record':
    case 'maybe':
      return [{ read: 'record', organizationId, kind: need.kind, recordId: need.recordId }]
    case 'all':
    case 'ofUser':
      return []
    case 'lookup':
    case 'unused':
      return keysOf(need).map((key) => ({ read: 'lookup', organizationId, lookup: need.lookup, key }))
    case 'signer':
      return isUuid(need.signWith)
        ? [{ read: 'record', organizationId, kind: 'private_key', recordId: need.signWith.toLowerCase() }]
        : [{ read: 'lookup', organizationId, lookup: 'address', key: lookupAddress(need.signWith) }]
    case 'page': {
      const { need: read, of: _, page, ...range } = need
      return [{ read, organizationId, ...range, ...page }]
    }
    case 'activity':
      return [{ read: 'activity', organizationId, activityId: need.activityId }]
    case 'activities': {
      const { need: read, of: _, page, ...filter } = need
      return [{ read, organizationId, ...filter, ...page }]
    }
    case 'deliveries': {
      const { endpointId, isGivenUp, page } = need
      return [{ read: 'webhooks', organizationId, endpointId, isGivenUp, ...page }]
    }
    case 'delivery':
      return [{ read: 'webhook', organizationId, messageId: need.deliveryId }]
    case 'unheld':
      return [{ read: 'holders', parentId: organizationId, lookup: need.lookup, key: need.key, limit: 2 }]
    // Only somebody whose stamp is verified has the server look into its logs.
    case 'logged':
    case 'logBundles':
    case 'logDocuments':
      return []
    case 'holders':
      return [{ read: 'holders', parentId: organizationId, lookup: need.lookup, key: need.key, ...need.page }]
  }
}
