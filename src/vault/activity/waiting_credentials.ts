import type { BoundActivity } from '../../contract/define.ts'
import type { Need } from '../../contract/needs.ts'
import { approvalLifetimeMs } from '../../contract/records/recent_changes.ts'
import type { LookupName, RecordKind } from '../../contract/records/records.ts'
import { type ResolvedNeeds, readerOf } from '../../deciding/organization/organization_reader.ts'
import { Failure } from '../../protocol/wire/failures.ts'

/** The public keys and the ids of passkeys that a request with these needs adds to users of its organization. */
export function credentialsAdded(needs: readonly Need[]): readonly string[] {
  return needs.flatMap((need) => (need.need === 'lookup' && need.lookup === 'waiting_credential' ? [need.key] : []))
}

/** A request, and the needs that it names. */
type Adding = { readonly needs: readonly Need[]; readonly bound: BoundActivity }

const receivers: ReadonlySet<RecordKind> = new Set(['user', 'invitation'])
const findsReceiver: ReadonlySet<LookupName> = new Set(['user_email', 'user_phone_number', 'oidc_identity'])

/**
 * The users and invitations to which a request adds its credentials, in order. A backend asks for many users, so who asks
 * says little. None if it makes the users.
 */
export function receiversOf(resolved: ResolvedNeeds, { needs, bound }: Adding, submitterId: string): readonly string[] {
  const reader = readerOf(resolved)
  const named = needs.flatMap((need) => {
    if (need.of !== undefined) return []
    if (need.need === 'record') return receivers.has(need.kind) ? [need.recordId] : []
    if (need.need !== 'lookup' || !findsReceiver.has(need.lookup)) return []
    return reader.found('user', need.lookup, need.key).map(({ userId }) => userId)
  })
  const ownerId = bound.ownerOf(submitterId)
  const all = ownerId === undefined ? named : [...named, ownerId]
  return [...new Set(all.map((id) => id.toLowerCase()))].toSorted()
}

/**
 * Refuses a credential for which another request waits, unless the same user asks for the same users again. Every reader
 * sees it there, and whoever added it first would make that request fail, and would have the device of its owner act for
 * somebody else. It is kept for a day, as long as the approval by which it was asked for counts. Throws NAME_TAKEN.
 */
export function requireNotWaitedFor(
  resolved: ResolvedNeeds,
  adding: Adding,
  { userId, nowMs }: { readonly userId: string; readonly nowMs: number },
): void {
  const reader = readerOf(resolved)
  const waiting = credentialsAdded(adding.needs)
    .flatMap((key) => reader.found('pending_activity', 'waiting_credential', key))
    .filter(({ createdAtMs }) => nowMs < createdAtMs + approvalLifetimeMs)
  if (waiting.length === 0) return
  const own = receiversOf(resolved, adding, userId)
  const isAgain = waiting.every(
    ({ submitterId, receiverIds = own }) =>
      submitterId === userId && own.length > 0 && receiverIds.join() === own.join(),
  )
  if (!isAgain) throw new Failure('NAME_TAKEN', 'a key or passkey is asked for by a request that waits')
}
