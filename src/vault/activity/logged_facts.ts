import type { Activity } from '../../contract/records/activity.ts'
import { documentDigest, documentOf } from '../../contract/records/documents.ts'
import type { LoggedActivity, LoggedFact } from '../../protocol/log/log_entry.ts'
import type { Commit } from '../../protocol/reads.ts'
import { noId } from '../books/booked_head.ts'
import type { Leaving } from '../books/decision_books.ts'
import type { MadeHead } from '../state/draft/changes.ts'
import { type OperatorAct, told } from './operator_acts.ts'

/** A decision, by its commit, the heads that it makes and the change key of its activity. */
type LoggedDecision = {
  readonly commit: Pick<Commit, 'activities' | 'readSet'>
  readonly made: readonly MadeHead[]
  readonly changeKey?: string | undefined
  /** The activity of the commit, as it is sealed. */
  readonly activity?: Activity | undefined
  readonly act?: OperatorAct
}

/**
 * The entries of the transparency log for a decision. Each head that it makes gets an entry, which is entered when the head is
 * on the books. An activity that makes no head of its own organization gets one of its own: with the first head, or
 * before the decision leaves the vault. A refusal that only counts an attempt gets none.
 */
export function factsOf(
  { commit, made, changeKey = noId, activity, act }: LoggedDecision,
  atMs: number,
): Pick<Leaving, 'made' | 'facts'> {
  const [written] = commit.activities
  const loggedFor = (organizationId: string) =>
    written && activity && loggedActivity(activity, { ...written, organizationId })
  const factOf = (organizationId: string, makes: LoggedFact['makes']): LoggedFact => ({
    ...{ atMs, organizationId, activity: loggedFor(organizationId), changeKey, makes, ...(act && told(act)) },
    restsOn: basisOf(commit, organizationId),
  })
  const isLogged = made.some(({ head }) => head.organizationId === written?.organizationId)
  const headless = written === undefined || isLogged ? [] : [factOf(written.organizationId, undefined)]
  const makes = made.map(({ head: { organizationId, version }, tag }, index) => ({
    tag,
    facts: [factOf(organizationId, { version, tag }), ...(index === 0 ? headless : [])],
  }))
  return { made: makes, facts: made.length === 0 ? headless : [] }
}

type Told = { readonly organizationId: string; readonly version: number }

/** Returns the part of an entry that tells of an activity in this version. */
export function loggedActivity(activity: Activity, { organizationId, version }: Told): LoggedActivity {
  const { activityId, type, status } = activity
  const { document } = documentOf(activity, { organizationId, version })
  return { activityId, version, type, status, documentDigest: documentDigest(document) }
}

/** The head of the organization that the decision rests on. A new organization has none. */
function basisOf({ readSet }: LoggedDecision['commit'], organizationId: string): LoggedFact['restsOn'] {
  for (const entry of readSet) {
    if (entry.of !== 'head' || entry.organizationId !== organizationId) continue
    const { version, tag } = entry
    return version === undefined || tag === undefined ? undefined : { version, tag }
  }
  return undefined
}
