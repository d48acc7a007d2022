import type { Reading } from '../../caller/request_context.ts'
import type { KnownActivity } from '../../state/known_activity.ts'
import { requireOnBooks } from '../../state/on_books.ts'
import { openActivity } from '../../state/sealed_activity.ts'

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
