import type { Activity } from '../../contract/records/activity.ts'
import { requestKeyOf } from '../../protocol/wire/fingerprint.ts'
import { changeKeyOf } from '../books/entry_names.ts'
import { IntegrityError } from './evidence.ts'
import { type OnBooks, requireOnBooks } from './on_books.ts'
import { openActivity } from './sealed_activity.ts'
import type { VaultServices } from './vault_services.ts'

export type KnownActivity = { readonly activity: Activity; readonly version: number }

type ByBytes = OnBooks & {
  readonly services: Pick<VaultServices, 'written'>
  readonly fingerprint: () => string
}

/** Finds the activity that the same bytes have made before. */
export function findByBytes(
  context: ByBytes,
  { organizationId, timestampMs }: { readonly organizationId: string; readonly timestampMs: number },
): KnownActivity | undefined {
  const { services, evidence, nowMs } = context
  const fingerprint = context.fingerprint()
  const requestKey = requestKeyOf(timestampMs, fingerprint)
  const { row } = evidence.find({ read: 'request', organizationId, requestKey })
  evidence.rely({ of: 'request', organizationId, requestKey, version: row?.version })
  if (isWritten(services, { organizationId, requestKey, version: (row?.version ?? 0) + 1 }, nowMs)) {
    const what = row === undefined ? 'is missing' : 'is shown as it was before its last vote'
    throw new IntegrityError(`organization ${organizationId}: the activity ${fingerprint} was recorded and ${what}`)
  }
  if (row === undefined) return undefined
  const activity = openActivity(services.seals, organizationId, row)
  if (activity.fingerprint !== fingerprint) {
    throw new IntegrityError(`organization ${organizationId}: activity ${activity.activityId} is not ${fingerprint}`)
  }
  requireOnBooks(context, activity)
  return { activity, version: row.version }
}

/** Whether a version of an activity is known to exist: the books know it, or the service said that it is on disk. */
function isWritten(
  { books, written }: Pick<VaultServices, 'books' | 'written'>,
  change: Parameters<typeof changeKeyOf>[0],
  nowMs: number,
): boolean {
  const changeKey = changeKeyOf(change)
  return books.isKnown(changeKey) || written.has(Buffer.from(changeKey, 'hex'), nowMs)
}

/** Finds an activity that waits for votes, or that waited for them, by its fingerprint. */
export function findByFingerprint(
  context: OnBooks,
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
