import type { Need } from '../../contract/needs.ts'
import { approvalLifetimeMs } from '../../contract/records/recent_changes.ts'
import { type ResolvedNeeds, readerOf } from '../../deciding/organization/organization_reader.ts'
import { Failure } from '../../protocol/wire/failures.ts'

/** The public keys and the ids of passkeys that a request with these needs adds to users of its organization. */
export function credentialsAdded(needs: readonly Need[]): readonly string[] {
  return needs.flatMap((need) => (need.need === 'lookup' && need.lookup === 'waiting_credential' ? [need.key] : []))
}

/**
 * Refuses a credential for which a request of somebody else waits. Every reader sees it there, and whoever added it first
 * would make that request fail. It is kept for a day, as long as the approval by which it was asked for counts. Throws
 * NAME_TAKEN.
 */
export function requireNotWaitedFor(
  resolved: ResolvedNeeds,
  needs: readonly Need[],
  { userId, nowMs }: { readonly userId: string; readonly nowMs: number },
): void {
  const reader = readerOf(resolved)
  const isOfAnother = credentialsAdded(needs)
    .flatMap((key) => reader.found('pending_activity', 'waiting_credential', key))
    .some(({ submitterId, createdAtMs }) => submitterId !== userId && nowMs < createdAtMs + approvalLifetimeMs)
  if (isOfAnother) throw new Failure('NAME_TAKEN', 'a key or passkey is asked for by a request that waits')
}
