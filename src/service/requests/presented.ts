import type { Presented } from '../../link/verbs.ts'
import type { Read } from '../../protocol/reads.ts'

/** The rows that an address or a fingerprint leads to: the account that signs, or the activity to vote on. */
export function rowsBehind({ read, found }: Presented): readonly Read[] {
  if (read.read !== 'lookup' || found.read !== 'lookup') return []
  return found.rows.flatMap(({ organizationId, kind, recordId }): readonly Read[] => {
    if (read.lookup === 'address') return [{ read: 'record', organizationId, kind, recordId }]
    if (read.lookup !== 'fingerprint') return []
    return [
      { read: 'activity', organizationId, activityId: recordId },
      { read: 'record', organizationId, kind: 'pending_activity', recordId },
    ]
  })
}

export function presentedOf(read: Read, found: Presented['found'] | undefined): Presented {
  if (found === undefined) throw new Error('the store answers every read')
  return { read, found }
}
