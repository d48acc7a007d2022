import { decodeLogEntry, type LogEntry, type LoggedActivity } from '../../../protocol/log/log_entry.ts'
import { type FoundActivity, readKey } from '../../../protocol/reads.ts'
import { IntegrityError } from '../../state/evidence.ts'
import { openActivity } from '../../state/sealed_activity.ts'
import { loggedActivity } from '../logged_facts.ts'
import { compareAccounts, type LoggedAccount } from './compare_accounts.ts'
import type { MissingRows } from './missing_rows.ts'
import { readRows, type Scrubbing } from './read_rows.ts'
import type { ScrubParts, Tally } from './scrub_parts.ts'
import type { SeenVersions } from './seen_versions.ts'

/** An entry of the log at its place. Undefined: it cannot be read. */
type Placed = { readonly index: number; readonly entry: LogEntry | undefined }

type Compared = LoggedActivity & {
  readonly index: number
  readonly organizationId: string
  readonly isRecorded: boolean
}

/** The findings of a pass so far. */
export type Findings = { readonly seen: SeenVersions; readonly missing: MissingRows; readonly tally: Tally }

/** Nearly all activities are these, and they write no accounts. */
const signing = 'ACTIVITY_TYPE_SIGN_'

/** Compares entries with the rows that they name, and these with the accounts that they wrote. */
export async function* compareEntries(
  parts: ScrubParts,
  { from, entries }: { readonly from: number; readonly entries: readonly Uint8Array[] },
  { seen, missing, tally }: Findings,
): Scrubbing<void> {
  const { books, seals } = parts
  const portion = entries.map((bytes, at): Placed => ({ index: from + at, entry: decodeLogEntry(bytes) }))
  const compared = Map.groupBy(namedIn(parts, portion, seen), readKeyOf)
  const accounts: LoggedAccount[] = []
  const lacking = new Set<number>()
  const reads = [...compared.values()].flatMap(([first]) => (first === undefined ? [] : readOf(first)))
  yield* readRows('activity', reads, (key, { row }) => {
    for (const entry of compared.get(key) ?? []) {
      const fault = faultOf(parts, entry, row)
      const { index, organizationId, activityId, version, isRecorded } = entry
      if (fault !== undefined && isRecorded) {
        tally.tell(
          `organization ${organizationId}: entry ${index} of the transparency log ${books.logId()} has version ${version} of activity ${activityId}, which ${fault}`,
        )
      } else if (fault !== undefined) lacking.add(index)
      if (fault !== undefined || row === undefined || row.version !== version) continue
      // The database has shown it, so it must go on showing it.
      if (!isRecorded) books.transparency.record([index])
      if (entry.type.startsWith(signing)) continue
      const { accounts: written = [] } = openActivity(seals, organizationId, row)
      for (const account of written) accounts.push({ ...account, index })
    }
  })
  for (const { index, entry } of portion) {
    if (entry !== undefined) missing.pass(entry, { index, lacksRow: lacking.has(index) })
  }
  tally.unconfirmed += lacking.size
  tally.entries += portion.length
  yield* compareAccounts(parts, accounts, tally)
}

/**
 * The entries that name the row of an activity. Whether they are recorded counts as of now, before the rows are read: a
 * commit may come in between.
 */
function namedIn({ books }: ScrubParts, portion: readonly Placed[], seen: SeenVersions): readonly Compared[] {
  return portion.flatMap(({ index, entry }) => {
    if (entry?.activity === undefined) return []
    const { organizationId, activity, makes } = entry
    seen.add(activity.activityId, activity.version)
    // An activity of its parent made a new organization. It has an entry of its own.
    if (makes?.version === 1) return []
    return [{ ...activity, index, organizationId, isRecorded: books.transparency.isRecorded(index) }]
  })
}

/** Returns how the row contradicts the entry; undefined if it does not. */
function faultOf(
  { seals }: Pick<ScrubParts, 'seals'>,
  { organizationId, version, documentDigest }: Compared,
  row: FoundActivity | undefined,
): string | undefined {
  if (row === undefined) return 'the database lacks'
  if (row.version < version) return `the database shows in version ${row.version}`
  const otherBytes = 'the database shows with other bytes'
  try {
    const shown = loggedActivity(openActivity(seals, organizationId, row), { organizationId, version })
    return shown.documentDigest === documentDigest ? undefined : otherBytes
  } catch (error) {
    if (!(error instanceof IntegrityError)) throw error
    return row.version === version ? otherBytes : `the database shows as a version ${row.version} that was never sealed`
  }
}

function readOf({ organizationId, activityId }: Pick<Compared, 'organizationId' | 'activityId'>) {
  return { read: 'activity', organizationId, activityId } as const
}

function readKeyOf(entry: Compared): string {
  return readKey(readOf(entry))
}
