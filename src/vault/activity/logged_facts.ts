import { hash } from 'node:crypto'
import type { LoggedActivity, LoggedFact } from '../../protocol/log/log_entry.ts'
import type { Commit } from '../../protocol/reads.ts'
import { noId } from '../books/booked_head.ts'
import type { Leaving } from '../books/decision_books.ts'
import type { MadeHead } from '../state/changes.ts'

/** A decision, by its commit, the heads that it makes and the change key of its activity. */
type LoggedDecision = {
  readonly commit: Pick<Commit, 'activities' | 'readSet'>
  readonly made: readonly MadeHead[]
  readonly changeKey?: string | undefined
  readonly isOfOperator?: true
}

/**
 * The entries of the transparency log for a decision. Each head that it makes gets an entry, which is entered when the head is
 * on the books. An activity that makes no head of its own organization gets one of its own: with the first head, or
 * before the decision leaves the vault. A refusal that only counts an attempt gets none.
 */
export function factsOf(
  { commit, made, changeKey = noId, ...whose }: LoggedDecision,
  atMs: number,
): Pick<Leaving, 'made' | 'facts'> {
  const [written] = commit.activities
  const activity = written && loggedActivityOf(written)
  const factOf = (organizationId: string, makes: LoggedFact['makes']): LoggedFact => ({
    ...{ atMs, organizationId, activity, changeKey, makes, ...whose },
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

function loggedActivityOf({ activityId, version, type, status, sealed }: Commit['activities'][number]): LoggedActivity {
  return { activityId, version, type, status, sealedDigest: hash('sha256', sealed, 'hex') }
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
