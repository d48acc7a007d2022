import type { BoundActivity, OrganizationReader } from '../../../contract/define.ts'
import type { Need } from '../../../contract/needs.ts'
import { signs } from '../../../contract/operation.ts'
import type { Vote } from '../../../contract/records/activity.ts'
import { type LookupName, type RecordKind, recordKinds, type User } from '../../../contract/records/records.ts'
import { readerOf } from '../../../deciding/organization/organization_reader.ts'
import type { ActivityResource } from '../../../policy/language/names/activity_types.ts'
import { Failure } from '../../../protocol/wire/failures.ts'
import { namedTextsIn } from '../../rules/explanation/parameters_in.ts'
import { comparedIn, everyTag, spelled, textsIn } from '../../rules/explanation/rules_that_name.ts'
import type { Organization } from '../../state/organization.ts'
import type { Ballot } from '../ballot.ts'

/**
 * Refuses to run a request if what it means has changed since somebody approved it: a record that it changes or deletes,
 * who has a contact by which it finds its user, whom a rule of it names by a tag, an address or a name, or a policy that
 * goes by a name or a tag that it gives. Each of two requests may be harmless and both together not. Throws CHANGED_SINCE.
 */
export function requireUnchanged({ target, request }: Ballot, approvals: readonly Vote[]): void {
  const { bound } = request
  // A request for a signature holds what is signed, and the rules are asked again.
  if (signs(bound.operation)) return
  const reader = readerOf(request.toRun().resolved)
  const sinceMs = Math.min(...approvals.map(({ createdAtMs }) => createdAtMs))
  const needs = bound.needs(target.head.organizationId).filter(({ of }) => of === undefined)
  const approved = { target, reader, bound, needs, sinceMs }
  const changed =
    changedContact(approved) ?? changedRecord(approved) ?? changedMember(approved) ?? changedPolicy(approved)
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

const contactLookups: ReadonlySet<LookupName> = new Set([
  'user_email',
  'user_phone_number',
  'verified_email',
  'verified_phone_number',
])

/** A link goes to the address of its user, and a login or a recovery by an address is that of the user who has it. */
function changedContact({ target, reader, bound, needs, sinceMs }: Approved): string | undefined {
  const { policy } = bound.operation
  const isWayIn = typeof policy === 'object' && policy.action === 'CREATE' && waysIn.has(policy.resource)
  const users = needs.flatMap((need) => {
    if (need.need === 'lookup' && contactLookups.has(need.lookup)) return reader.found('user', need.lookup, need.key)
    const isNamed = isWayIn && need.need === 'record' && need.kind === 'user'
    return isNamed ? (target.listed('user', need.recordId) ?? []) : []
  })
  const changed = users.find(({ contactsChangedAtMs, createdAtMs }) => (contactsChangedAtMs ?? createdAtMs) > sinceMs)
  return changed && `the address or the number of the user ${changed.userId}`
}

const waysIn: ReadonlySet<ActivityResource> = new Set(['AUTH', 'CREDENTIAL', 'OTP', 'RECOVERY'])

/** Logins change a user, and what is deleted or exported is a wallet or key whatever it is called. */
const keyHolders: ReadonlySet<RecordKind> = new Set(['user', 'wallet', 'wallet_account', 'private_key'])

function changedRecord({ target, bound, needs, sinceMs }: Approved): string | undefined {
  const { policy } = bound.operation
  const resource = typeof policy === 'object' ? policy.resource : policy
  if (typeof policy === 'object' && policy.action === 'CREATE' && resource !== 'MFA_POLICY') return undefined
  for (const need of needs) {
    if (need.need === 'all' && settings.has(need.kind)) {
      const changed = target.allListed(need.kind).find((record) => isYounger(record, sinceMs) && isMeant(record, bound))
      if (changed !== undefined) return `the ${need.kind.replaceAll('_', ' ')}`
    }
    if (need.need !== 'record') continue
    const { kind, recordId } = need
    const mfaPolicies = kind === 'user' && resource === 'MFA_POLICY' ? target.listed('user', recordId)?.mfaPolicies : []
    const changed = mfaPolicies?.find((one) => isYounger(one, sinceMs))
    if (changed !== undefined) return `the MFA policy ${changed.mfaPolicyId}`
    const isAsked = !keyHolders.has(kind) && recordKinds[kind].listed
    if (isAsked && isYounger(target.listed(kind, recordId), sinceMs))
      return `the ${kind.replaceAll('_', ' ')} ${recordId}`
  }
  return undefined
}

/** An organization has one of each. Features have names. */
const settings: ReadonlySet<RecordKind> = new Set(['auth_proxy', 'feature', 'ip_allowlist'])

function isMeant(record: object, { parameters }: BoundActivity): boolean {
  return !('name' in record) || [...namedTextsIn(parameters)].some(([, text]) => text === record.name)
}

function isYounger(record: object | undefined, timeMs: number): boolean {
  return record !== undefined && 'updatedAtMs' in record && Number(record.updatedAtMs) > timeMs
}

/** Somebody may have got a tag or an address meanwhile that a rule of the request names, or that the updated one keeps. */
function changedMember({ target, bound, needs, sinceMs }: Approved): string | undefined {
  const kept = needs.flatMap((need) => {
    const isPolicy = need.need === 'record' && need.kind === 'policy'
    const { condition = '', consensus = '' } = (isPolicy && target.listed('policy', need.recordId)) || {}
    return [condition, consensus]
  })
  const given = [...namedTextsIn(bound.parameters)].map(([, text]) => text)
  const written = new Set([...given, ...kept].flatMap(textsIn))
  if (written.size === 0) return undefined
  const names = (tagIds: readonly string[]) =>
    tagIds.some((id) => written.has(everyTag) || written.has(id.toLowerCase()))
  const isNamed = ({ userName, userEmail = '', userTags, createdAtMs, ...times }: User) => {
    const isNew = createdAtMs > sinceMs
    if ((isNew || (times.gotTagAtMs ?? 0) > sinceMs) && names(userTags)) return true
    const isReached = userEmail !== '' && written.has(spelled(userEmail))
    if (isReached && (isNew || (times.contactsChangedAtMs ?? 0) > sinceMs)) return true
    return isNew && written.has(spelled(userName))
  }
  const user = target.allListed('user').find(isNamed)
  if (user !== undefined) return `what a rule of it says of the user ${user.userId}`
  const namesKeys = written.has(everyTag) || [...written].some((id) => target.isListed('private_key_tag', id))
  const keys = namesKeys ? target.allListed('private_key') : []
  const key = keys.find((one) => isYounger(one, sinceMs) && names(one.privateKeyTags))
  return key && `what a rule of it says of the private key ${key.privateKeyId}`
}

function changedPolicy({ target, bound, sinceMs }: Approved): string | undefined {
  const { names, addresses, tagIds } = comparedIn(bound.parameters)
  const given = new Set([...names, ...addresses, ...tagIds].map(spelled))
  if (given.size === 0) return undefined
  const goesBy = (text: string) => given.has(text) || (text === everyTag && tagIds.size > 0)
  const changed = target
    .allListed('policy')
    .filter((policy) => isYounger(policy, sinceMs))
    .find(({ condition = '', consensus = '' }) => [condition, consensus].flatMap(textsIn).some(goesBy))
  return changed && `the policy ${changed.policyId}`
}
