import type { BoundActivity, OrganizationReader } from '../../../contract/define.ts'
import type { Need } from '../../../contract/needs.ts'
import { signs } from '../../../contract/operation.ts'
import type { Vote } from '../../../contract/records/activity.ts'
import type { LookupName, RecordKind, User } from '../../../contract/records/records.ts'
import { Failure } from '../../../protocol/wire/failures.ts'
import { namedTextsIn } from '../../rules/explanation/parameters_in.ts'
import { writtenTexts } from '../../rules/explanation/rules_of.ts'
import { comparedIn, spelled } from '../../rules/explanation/rules_that_name.ts'
import type { Organization } from '../../state/organization.ts'
import { readerOf } from '../../state/organization_reader.ts'
import type { Ballot } from '../ballot.ts'

/**
 * Refuses to run a request if what it means has changed since somebody approved it: a record that it changes or deletes,
 * who has a contact that it names, the members of a tag that a rule of it names, or a rule that goes by a name or a tag
 * that it gives. Each of two requests may be harmless and both together not. Throws CHANGED_SINCE.
 */
export function requireUnchanged({ target, request }: Ballot, approvals: readonly Vote[]): void {
  const { bound } = request
  // A request for a signature holds what is signed, and the rules are asked again.
  if (signs(bound.operation)) return
  const reader = readerOf(request.toRun().resolved)
  const sinceMs = Math.min(...approvals.map(({ createdAtMs }) => createdAtMs))
  const needs = bound.needs(target.head.organizationId)
  const texts = [...namedTextsIn(bound.parameters)].map(([, text]) => text)
  const approved = { target, reader, bound, needs, texts, sinceMs }
  const changed =
    changedContact(approved) ?? changedRecord(approved) ?? changedMembers(approved) ?? changedRule(approved)
  if (changed !== undefined) throw new Failure('CHANGED_SINCE', `${changed} changed after the first approval`)
}

type Approved = {
  readonly target: Organization
  readonly reader: OrganizationReader
  readonly bound: BoundActivity
  readonly needs: readonly Need[]
  /** All texts of the parameters. */
  readonly texts: readonly string[]
  /** The time of the first approval that counts. */
  readonly sinceMs: number
}

const contactLookups: ReadonlySet<LookupName> = new Set([
  'user_email',
  'user_phone_number',
  'verified_email',
  'verified_phone_number',
])

/** A link goes to the address of a user, and a login by a code is that of the user who has the address. */
function changedContact({ target, reader, needs, sinceMs }: Approved): string | undefined {
  const users = needs.flatMap((need) => {
    if (need.of !== undefined) return []
    if (need.need === 'record' && need.kind === 'user') return target.listed('user', need.recordId) ?? []
    if (need.need === 'ofUser') return target.listed('user', need.userId) ?? []
    const isOfContact = need.need === 'lookup' && contactLookups.has(need.lookup)
    return isOfContact ? reader.found('user', need.lookup, need.key) : []
  })
  const changed = users.find(({ contactsChangedAtMs = 0 }) => contactsChangedAtMs > sinceMs)
  return changed && `the address or the number of the user ${changed.userId}`
}

/** Logins change a user, and what is deleted or exported is a wallet or key whatever it is called. */
const keyHolders: ReadonlySet<RecordKind> = new Set(['user', 'wallet', 'wallet_account', 'private_key'])

function changedRecord({ target, bound, needs, texts, sinceMs }: Approved): string | undefined {
  const { policy } = bound.operation
  if (typeof policy === 'string' || (policy.action !== 'UPDATE' && policy.action !== 'DELETE')) return undefined
  for (const need of needs) {
    if (need.need !== 'record') continue
    const { kind, recordId } = need
    const mfaPolicies = kind === 'user' ? (target.listed('user', recordId)?.mfaPolicies ?? []) : []
    const changed = mfaPolicies.find((one) => texts.includes(one.mfaPolicyId) && one.updatedAtMs > sinceMs)
    if (changed !== undefined) return `the MFA policy ${changed.mfaPolicyId}`
    if (!keyHolders.has(kind) && isYounger(target.listed(kind, recordId), sinceMs)) {
      return `the ${kind.replaceAll('_', ' ')} ${recordId}`
    }
  }
  return undefined
}

function isYounger(record: object | undefined, timeMs: number): boolean {
  return record !== undefined && 'updatedAtMs' in record && Number(record.updatedAtMs) > timeMs
}

/** A rule may name a tag to which somebody was added meanwhile. */
function changedMembers({ target, texts, sinceMs }: Approved): string | undefined {
  const written = new Set(texts.flatMap(writtenTexts))
  const tagOf = (kind: 'user_tag' | 'private_key_tag') => [...written].find((id) => target.isListed(kind, id))
  const isTaggedSince = ({ tagsChangedAtMs = 0, createdAtMs, userTags }: User) =>
    tagsChangedAtMs > sinceMs || (createdAtMs > sinceMs && userTags.length > 0)
  const userTagId = tagOf('user_tag')
  if (userTagId !== undefined && target.allListed('user').some(isTaggedSince)) return `who has the tag ${userTagId}`
  const keyTagId = tagOf('private_key_tag')
  if (keyTagId === undefined || !target.allListed('private_key').some((key) => isYounger(key, sinceMs)))
    return undefined
  return `what has the tag ${keyTagId}`
}

function changedRule({ target, bound, sinceMs }: Approved): string | undefined {
  const { names, tagIds } = comparedIn(bound.parameters)
  const given = new Set([...names, ...tagIds].map(spelled))
  if (given.size === 0) return undefined
  const changed = target
    .allListed('policy')
    .filter((policy) => isYounger(policy, sinceMs))
    .find(({ condition = '', consensus = '' }) =>
      [condition, consensus].flatMap(writtenTexts).some((text) => given.has(spelled(text))),
    )
  return changed && `the policy ${changed.policyId}`
}
