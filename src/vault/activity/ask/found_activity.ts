import { requestKeyOf } from '../../../protocol/wire/fingerprint.ts'
import type { Asking, Reading } from '../../caller/request_context.ts'
import { findKnownActivity, type KnownActivity } from '../../state/known_activity.ts'
import { requireOnBooks } from '../../state/on_books.ts'
import { openActivity } from '../../state/sealed_activity.ts'

type Sent = { readonly organizationId: string; readonly timestampMs: number }

/** Finds the activity that the same bytes have made before. */
export function findByBytes(context: Asking, { organizationId, timestampMs }: Sent): KnownActivity | undefined {
  const fingerprint = context.fingerprint()
  return findKnownActivity(context, { organizationId, fingerprint, requestKey: requestKeyOf(timestampMs, fingerprint) })
}

/** Finds an activity that waits for votes, or that waited for them, by its fingerprint. */
export function findByFingerprint(
  context: Reading,
  organizationId: string,
  fingerprint: string,
): KnownActivity | undefined {
  const { evidence, services } = context
  const lookup = { organizationId, lookup: 'fingerprint', key: fingerprint } as const
  const activities = evidence
    .find({ read: 'lookup', ...lookup })
    .rows.filter(({ kind }) => kind === 'activity')
    .map(({ recordId }) => {
      const { row } = evidence.find({ read: 'activity', organizationId, activityId: recordId })
      return row && { activity: openActivity(services.seals, organizationId, row), version: row.version }
    })
  const found = activities.find((found) => found?.activity.fingerprint === fingerprint)
  if (found !== undefined) requireOnBooks(context, found.activity)
  return found
}
