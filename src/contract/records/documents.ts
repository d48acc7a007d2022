import { hash } from 'node:crypto'
import type { Activity, Vote } from './activity.ts'
import type { PublicChanges } from './public_changes.ts'

/** The version of an activity that one vote has made, as an auditor reads it. */
export type ActivityDocument = {
  readonly activityId: string
  readonly version: number
  /** Absent in the document for another organization, which the activity has changed too. */
  readonly vote?: DocumentedVote
  readonly failure?: Activity['failure']
  readonly changes: readonly PublicChanges[]
  /** SHA-256 of the content, in hex. Absent with `vote`. */
  readonly contentDigest?: string
}

export type DocumentedVote = Omit<Vote, 'message' | 'signature'>

/**
 * The parts that may hold tokens, apart from the document, which names them by their digest. So a document is the same for
 * everybody, whatever is withheld from whom.
 */
export type DocumentContent = Pick<Vote, 'message' | 'signature'> & Pick<Activity, 'result'>

/** Both as JSON, of which the digests are. */
export type WrittenDocument = { readonly document: string; readonly content: string | undefined }

/**
 * Returns the document of a version of an activity for an organization. Any later version of the activity gives the same
 * bytes: the log has their digest.
 */
export function documentOf(
  activity: Activity,
  { organizationId, version }: { readonly organizationId: string; readonly version: number },
): WrittenDocument {
  const { activityId, votes } = activity
  const all = activity.changes?.[version - 1] ?? []
  const changes = all.filter((each) => each.organizationId === organizationId)
  const last = votes[version - 1]
  if (organizationId !== activity.organizationId || last === undefined) {
    return { document: JSON.stringify({ activityId, version, changes } satisfies ActivityDocument), content: undefined }
  }
  const { message, signature, ...vote } = last
  const { failure, result } = version === votes.length ? activity : { failure: undefined, result: {} }
  const content = JSON.stringify({ message, signature, result } satisfies DocumentContent)
  const contentDigest = documentDigest(content)
  const shown = failure === undefined ? {} : { failure }
  const document = { activityId, version, vote, ...shown, changes, contentDigest } satisfies ActivityDocument
  return { document: JSON.stringify(document), content }
}

export function documentDigest(text: string): string {
  return hash('sha256', text, 'hex')
}

/** The changes by version, with those of the next one. Undefined if none has changed anything. */
export function withChangesOf(
  { changes: before = [] }: Activity,
  version: number,
  changes: readonly PublicChanges[],
): Activity['changes'] {
  const earlier = Array.from({ length: version - 1 }, (_, at) => before[at] ?? [])
  return changes.length === 0 && earlier.every((each) => each.length === 0) ? undefined : [...earlier, changes]
}
