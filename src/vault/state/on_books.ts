import type { Activity, MadeHeadName } from '../../contract/records/activity.ts'
import { belowNext } from '../books/booked_head.ts'
import { requestMsMax } from '../books/counts.ts'
import { type Evidence, IntegrityError } from './evidence.ts'
import { openHead } from './open_head.ts'
import type { VaultServices } from './vault_services.ts'

/** The part of a context that `requireOnBooks` uses. */
export type OnBooks = {
  readonly evidence: Evidence
  readonly nowMs: number
  readonly services: Pick<VaultServices, 'books' | 'seals' | 'cache'>
}

type Shown = Pick<Activity, 'activityId' | 'organizationId' | 'made' | 'updatedAtMs'>

/**
 * Throws unless the heads that the activity names as made are on the books. The database may show a row whose commit it
 * called a conflict. Call this function before showing an activity or building on it.
 */
export function requireOnBooks(context: OnBooks, activity: Shown): void {
  const { activityId, organizationId, made = [], updatedAtMs } = activity
  const isYoung = context.nowMs - updatedAtMs < requestMsMax
  for (const head of made) {
    const isDone =
      head.organizationId === organizationId ? isBelow(context, head, { isYoung }) : hasBegun(context, head)
    if (isDone) continue
    throw new IntegrityError(
      `organization ${organizationId}: activity ${activityId} made head version ${head.version}, which is not on the books`,
    )
  }
}

/**
 * Whether the head is the newest or lies below it. While the activity is young, the books know each head of this
 * journal. Later they name only the newest head of this journal, and for other journals they always name only the
 * newest head. The change key decides nothing: a request that was decided twice has made two heads, and one of them is
 * on the books.
 */
function isBelow(
  { services: { books } }: Pick<OnBooks, 'services'>,
  { organizationId, version, tag, maker }: MadeHeadName,
  { isYoung }: { readonly isYoung: boolean },
): boolean {
  const isOwn = maker === books.journalId()
  if (isOwn && books.isKnown(tag) && !books.isLost(tag)) return true
  const newest = books.newest(organizationId)
  const named = newest && belowNext(newest).get(maker)
  if (named === undefined) return false
  return (named.version === version && named.tag === tag) || (named.version > version && !(isOwn && isYoung))
}

/** Whether a new organization with this first head is on the books. Only this activity can have made the head. */
function hasBegun(context: OnBooks, { organizationId, version, tag }: MadeHeadName): boolean {
  const { books } = context.services
  if (books.newest(organizationId) === undefined) openHead(context, organizationId)
  context.evidence.showHeadOf(organizationId)
  const newest = books.newest(organizationId)
  return newest !== undefined && (newest.version > version || newest.tag === tag)
}
