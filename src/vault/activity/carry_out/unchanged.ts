import type { BoundActivity, OrganizationReader } from '../../../contract/define.ts'
import type { Need } from '../../../contract/needs.ts'
import { signs } from '../../../contract/operation.ts'
import type { Vote } from '../../../contract/records/activity.ts'
import { changesSince, type RecentChange, type WithRecentChanges } from '../../../contract/records/recent_changes.ts'
import {
  apiKeyLookups,
  type LookupName,
  type Policy,
  type RecordKind,
  type RecordTypes,
  recordKinds,
  rowOf,
} from '../../../contract/records/records.ts'
import { readerOf } from '../../../deciding/organization/organization_reader.ts'
import type { ActivityResource } from '../../../policy/language/names/activity_types.ts'
import { oidcIdentityKey } from '../../../protocol/tokens/id_tokens.ts'
import { Failure } from '../../../protocol/wire/failures.ts'
import { goByValue, rulesByValues, testsGiven, testsOfPolicy } from '../../rules/explanation/rules_by_values.ts'
import type { Organization } from '../../state/organization.ts'
import type { Ballot } from '../ballot.ts'

/**
 * Refuses to run a request if one of these has changed since somebody approved it:
 * - a record that it changes or deletes,
 * - the address or number by which a link, login or recovery reaches its user,
 * - the user who has the identity by which it logs in,
 * - the tags, addresses or names by which a rule in it goes.
 *
 * Each of two requests may be harmless and both together not. `undone.ts` asks the rest once it has run. Throws
 * CHANGED_SINCE.
 */
export function requireUnchanged({ target, request }: Ballot, approvals: readonly Vote[]): void {
  const { bound } = request
  // A request for a signature holds what is signed, and the rules are asked again.
  if (signs(bound.operation)) return
  const reader = readerOf(request.toRun().resolved)
  const needs = bound.needs(target.head.organizationId).filter(({ of }) => of === undefined)
  const approved = { target, reader, bound, needs, sinceMs: firstApprovalMs(approvals) }
  const changed =
    changedContact(approved) ?? changedIdentity(approved) ?? changedRecord(approved) ?? changedMember(approved)
  if (changed !== undefined) throw new Failure('CHANGED_SINCE', `${changed} changed after the first approval`)
}

type Approved = {
  readonly target: Organization
  readonly reader: OrganizationReader
  readonly bound: BoundActivity
  readonly needs: readonly Need[]
  /** The time of the first approval that counts. */
  readonly sinceMs: number
}

export function firstApprovalMs(approvals: readonly Vote[]): number {
  return Math.min(...approvals.map(({ createdAtMs }) => createdAtMs))
}

const contactsOfLookups: { readonly [N in LookupName]?: string } = {
  user_email: 'address',
  verified_email: 'address',
  user_phone_number: 'phone number',
  verified_phone_number: 'phone number',
}

/** A link goes to the address of its user, and a login or a recovery by an address is that of the user who has it. */
function changedContact({ target, reader, bound, needs, sinceMs }: Approved): string | undefined {
  const { policy } = bound.operation
  const isWayIn = typeof policy === 'object' && policy.action === 'CREATE' && waysIn.has(policy.resource)
  for (const need of needs) {
    const contact = need.need === 'lookup' ? contactsOfLookups[need.lookup] : undefined
    const isNamed = isWayIn && need.need === 'record' && need.kind === 'user'
    const users = contact !== undefined && need.need === 'lookup' ? reader.found('user', need.lookup, need.key) : []
    const named = isNamed ? target.listed('user', need.recordId) : undefined
    const contacts = contact === undefined ? ['address', 'phone number'] : [contact]
    const changed = [...users, ...(named === undefined ? [] : [named])].find((user) =>
      valuesSince('user', user, sinceMs).some(({ what }) => contacts.includes(what)),
    )
    if (changed !== undefined) return `the address or the number of the user ${changed.userId}`
  }
  return undefined
}

const waysIn: ReadonlySet<ActivityResource> = new Set(['AUTH', 'CREDENTIAL', 'OTP', 'RECOVERY'])

/** A login by an identity is that of the user who had it. One that was removed and added again is another one. */
function changedIdentity({ reader, bound, needs, sinceMs }: Approved): string | undefined {
  // Other requests name an identity to add it, and say themselves that somebody has it.
  if (!bound.operation.logsIn) return undefined
  for (const need of needs) {
    if (need.need !== 'lookup' || need.lookup !== 'oidc_identity') continue
    const changed = reader
      .found('user', need.lookup, need.key)
      .find(({ oauthProviders }) =>
        oauthProviders.some((one) => oidcIdentityKey(one) === need.key && one.createdAtMs > sinceMs),
      )
    if (changed !== undefined) return `an identity of the user ${changed.userId}`
  }
  return undefined
}

/** The values that a request sets of users, wallets and keys are compared once it has run. One that it deletes goes whole. */
function changedRecord({ target, reader, bound, needs, sinceMs }: Approved): string | undefined {
  const { policy } = bound.operation
  if (typeof policy === 'object' && policy.action === 'CREATE') return undefined
  for (const need of needs) {
    if (need.need === 'lookup' && apiKeyLookups.some((one) => one === need.lookup)) {
      const keys = reader.found('user', need.lookup, need.key).flatMap(({ apiKeys }) => apiKeys)
      const key = keys.find(({ publicKey }) => publicKey === need.key)
      if (isYounger(key, sinceMs)) return `the key ${need.key}`
    }
    if (need.need !== 'record') continue
    const { kind, recordId } = need
    const isWhole = recordKinds[kind].listed && rowOf(kind).knownBy === undefined
    if (isWhole && isYounger(target.listed(kind, recordId), sinceMs)) return wordsOf(kind, recordId)
  }
  return undefined
}

export function wordsOf(kind: RecordKind, recordId: string): string {
  return `the ${kind.replaceAll('_', ' ')} ${recordId}`
}

export function isYounger(record: object | undefined, timeMs: number): boolean {
  return record !== undefined && 'updatedAtMs' in record && Number(record.updatedAtMs) > timeMs
}

/** The kinds of records by whose tags, addresses and names rules go. */
const named = ['user', 'invitation', 'private_key', 'wallet'] as const satisfies readonly RecordKind[]

/** Somebody may have got or lost a tag or an address meanwhile by which a rule of the request goes, or a rule that it keeps. */
function changedMember({ target, bound, needs, sinceMs }: Approved): string | undefined {
  const left = needs.flatMap((need) => policiesLeft(target, bound, need))
  const rules = rulesByValues([...testsGiven(bound.parameters), ...left.flatMap(testsOfPolicy)])
  if (rules.tests.length === 0) return undefined
  for (const kind of named) {
    const changed = target.allListed(kind).find((record) => {
      const isNew = record.createdAtMs > sinceMs
      const values = isInForce(record) ? valuesSince(kind, record, sinceMs) : []
      return values.some((value) => goByValue(rules, { kind, isNew, value }))
    })
    if (changed !== undefined) return `what a rule of it says of ${wordsOf(kind, rowOf(kind).idOf(changed))}`
  }
  return undefined
}

/**
 * A policy that the request names. An update keeps expressions of it, and the end of a denial frees those whom it names.
 * The end of an allowance gives nobody anything, and those whom it names may not keep it off.
 */
function policiesLeft(target: Organization, { operation }: BoundActivity, need: Need): readonly Policy[] {
  const policy = need.need === 'record' && need.kind === 'policy' ? target.listed('policy', need.recordId) : undefined
  const isEnd = typeof operation.policy === 'object' && operation.policy.action === 'DELETE'
  return policy === undefined || (isEnd && policy.effect === 'EFFECT_ALLOW') ? [] : [policy]
}

function isInForce(record: object): boolean {
  return !('status' in record) || record.status === 'INVITATION_STATUS_CREATED'
}

/** The values that a record got or lost after a time. One that is younger has got all that it has. */
function valuesSince<K extends RecordKind>(
  kind: K,
  record: RecordTypes[K] & { readonly createdAtMs: number } & WithRecentChanges,
  sinceMs: number,
): readonly Omit<RecentChange, 'atMs'>[] {
  const { knownBy } = rowOf(kind)
  const all = record.createdAtMs > sinceMs && knownBy !== undefined ? knownBy(record) : []
  return [...all, ...changesSince(record, sinceMs)]
}
