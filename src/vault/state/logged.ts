import type { Need } from '../../contract/needs.ts'
import type { Logged } from '../../contract/readers.ts'
import type { Activity } from '../../contract/records/activity.ts'
import { nothingLogged } from '../../deciding/organization/organization_reader.ts'
import { bodyOf } from '../../deciding/organization/submitted.ts'
import { decodeLogEntry } from '../../protocol/log/log_entry.ts'
import { readEntriesUpTo, tileWidth } from '../../protocol/log/tree/tiles.ts'
import { requestKeyOf } from '../../protocol/wire/fingerprint.ts'
import { changeKeyOf } from '../books/entry_names.ts'
import { type Evidence, IntegrityError } from './evidence.ts'

/** Returns the entries that the versions of an activity left in the transparency logs. */
export function loggedOf(evidence: Pick<Evidence, 'find'>, activity: Activity): Logged {
  const { organizationId, activityId, fingerprint } = activity
  const requestKey = requestKeyOf(Number(bodyOf(activity).timestampMs), fingerprint)
  const { row } = evidence.find({ read: 'activity', organizationId, activityId })
  const versions = new Map(
    Array.from({ length: row?.version ?? 0 }, (_, at) => {
      return [changeKeyOf({ organizationId, requestKey, version: at + 1 }), at + 1]
    }),
  )
  const { rows } = evidence.find({ read: 'logProofs', organizationId, changeKeys: [...versions.keys()] })
  const proofs = rows.map((row) => {
    const version = versions.get(entryIn(row.entry, organizationId).changeKey)
    if (version === undefined) throw new IntegrityError(`${namedLog(organizationId)} is of another activity`)
    return { ...row, version }
  })
  return { ...nothingLogged, proofs, versionsCount: versions.size }
}

export function loggedBundles(
  evidence: Pick<Evidence, 'find'>,
  organizationId: string,
  { logId, size, from }: Extract<Need, { need: 'logBundles' }>,
): Logged {
  const { rows, next } = evidence.find({ read: 'logBundles', organizationId, logId, size, from })
  for (const { entries } of rows ?? []) {
    const read = readEntriesUpTo(entries, { widthMax: tileWidth })
    if (read.kind === 'malformed') throw new IntegrityError(`${namedLog(organizationId)} cannot be read`)
    for (const entry of read.value) entryIn(entry, organizationId)
  }
  return { ...nothingLogged, bundles: rows, next }
}

/** An answer never shows an entry of another organization, whatever is presented. */
function entryIn(bytes: Uint8Array, organizationId: string) {
  const entry = decodeLogEntry(bytes)
  if (entry?.organizationId !== organizationId) {
    throw new IntegrityError(`${namedLog(organizationId)} is of another one or cannot be read`)
  }
  return entry
}

const namedLog = (organizationId: string) => `a presented entry of the log of organization ${organizationId}`
