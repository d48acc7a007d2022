import { bodyOf } from '../../../deciding/organization/submitted.ts'
import type { ActivityPlace, ListedActivity, ScrubFound } from '../../../link/scrubbing.ts'
import type { LoggedFact } from '../../../protocol/log/log_entry.ts'
import type { FoundActivity } from '../../../protocol/reads.ts'
import { requestKeyOf } from '../../../protocol/wire/fingerprint.ts'
import { changeKeyOf } from '../../books/entry_names.ts'
import { IntegrityError } from '../../state/evidence.ts'
import { openActivity } from '../../state/sealed_activity.ts'
import { loggedActivity } from '../logged_facts.ts'
import { readRows, type Scrubbing } from './read_rows.ts'
import type { ScrubParts, Tally } from './scrub_parts.ts'
import type { SeenVersions } from './seen_versions.ts'

const activitiesAtOnce = 1_000
/** For activities that are erased while they are listed. */
const unprovenMax = 5_000

/**
 * Enters the rows of this log that have no entry in it: the entry was lost with the power, or the change was committed and
 * the vault ended before it was confirmed. `seen` has the versions of all entries that a row from before `beforeMs` can
 * have. Where the list ends is the database's word, so the vault gives one up that could go on for ever.
 */
export async function* enterLate(
  parts: ScrubParts,
  { seen, beforeMs, tally }: { readonly seen: SeenVersions; readonly beforeMs: number; readonly tally: Tally },
): Scrubbing<void> {
  let after: ActivityPlace | undefined = { organizationId: '', sequence: 0 }
  let listedCount = 0
  let openedCount = 0
  while (after !== undefined) {
    const answer: ScrubFound = yield { of: 'activities', after, limit: activitiesAtOnce }
    const listed: readonly ListedActivity[] = answer.of === 'activities' ? answer.activities : []
    listedCount += listed.length
    if (!isInOrder([after, ...listed])) return tally.tell(`${list} is in no order`)
    // One that is not opened has an entry here, or is taken for one: no more than about a half of those of other logs are.
    if (listedCount > tally.entries + 2 * openedCount + unprovenMax) {
      return tally.tell(`${list} has more activities than there are entries and rows`)
    }
    const unseen = new Map(
      listed.flatMap(({ organizationId, activityId, version }) =>
        seen.has(activityId, version) ? [] : [[activityId, { read: 'activity', organizationId, activityId } as const]],
      ),
    )
    const facts: LoggedFact[] = []
    yield* readRows('activity', [...unseen.values()], (_, { row }) => {
      const organizationId = row && unseen.get(row.activityId)?.organizationId
      if (row === undefined || organizationId === undefined || seen.has(row.activityId, row.version)) return
      try {
        facts.push(...lateFacts(parts, { organizationId, row, beforeMs }))
        openedCount += 1
      } catch (error) {
        if (!(error instanceof IntegrityError)) throw error
        tally.tell(error.message)
      }
    })
    for (const fact of facts) await parts.books.enter([fact])
    tally.late += facts.length
    const last = listed.at(-1)
    after = last && { organizationId: last.organizationId, sequence: last.sequence }
  }
}

const list = 'the list of all activities that the database gives'

function isInOrder(places: readonly ActivityPlace[]): boolean {
  return places.every((place, at) => {
    const before = places[at - 1]
    if (before === undefined || place.organizationId > before.organizationId) return true
    return place.organizationId === before.organizationId && place.sequence > before.sequence
  })
}

type LateRow = { readonly organizationId: string; readonly row: FoundActivity; readonly beforeMs: number }

function lateFacts({ books, seals }: ScrubParts, { organizationId, row, beforeMs }: LateRow): readonly LoggedFact[] {
  const activity = openActivity(seals, organizationId, row)
  const { fingerprint, updatedAtMs, made = [] } = activity
  if (activity.log !== books.logId() || updatedAtMs >= beforeMs) return []
  // Its head is entered when it is taken up.
  if (made.some((head) => (books.newest(head.organizationId)?.version ?? 0) < head.version)) return []
  const { version } = row
  const requestKey = requestKeyOf(Number(bodyOf(activity).timestampMs), fingerprint)
  return [
    {
      ...{ atMs: updatedAtMs, isLate: true, organizationId },
      activity: loggedActivity(activity, { ...row, organizationId }),
      changeKey: changeKeyOf({ organizationId, requestKey, version }),
      ...{ restsOn: undefined, makes: undefined },
    },
  ]
}
