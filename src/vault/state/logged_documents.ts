import type { Need } from '../../contract/needs.ts'
import type { Logged, LoggedDocument } from '../../contract/readers.ts'
import { documentOf } from '../../contract/records/documents.ts'
import { nothingLogged } from '../../deciding/organization/organization_reader.ts'
import { holdsTokens } from '../../deciding/organization/submitted.ts'
import type { FoundActivity } from '../../protocol/reads.ts'
import type { Organization, Sources } from './organization.ts'
import { openActivity } from './sealed_activity.ts'

type FoundPlace = { readonly ofId: string; readonly row: FoundActivity }

/** An answer ends after the activity with which it has so many bytes. */
const answerBytesMax = 4 * 1024 * 1024

/**
 * Returns the documents of activities for an organization. An activity of the parent has one if it changed the
 * organization, as the one that made it.
 */
export function loggedDocuments(
  { evidence, services: { seals } }: Sources,
  { head: { organizationId, parentId } }: Organization,
  { activityIds }: Extract<Need, { need: 'logDocuments' }>,
): Logged {
  const find = (ofId: string, ids: readonly string[]): readonly FoundPlace[] => {
    const reads = ids.map((activityId) => ({ read: 'activity', organizationId: ofId, activityId }) as const)
    evidence.askFor(reads)
    return reads.flatMap((read) => {
      const { row } = evidence.find(read)
      return row === undefined ? [] : [{ ofId, row }]
    })
  }
  const own = find(organizationId, activityIds)
  const missing = activityIds.filter((activityId) => !own.some(({ row }) => row.activityId === activityId))
  const found = [...own, ...(parentId === undefined ? [] : find(parentId, missing))]

  const documentsIn = ({ ofId, row }: FoundPlace): readonly LoggedDocument[] => {
    const activity = openActivity(seals, ofId, row)
    const isWithheld = holdsTokens(activity)
    return Array.from({ length: row.version }, (_, at) => {
      const { activityId } = row
      const { document, content } = documentOf(activity, { organizationId, version: at + 1 })
      return { activityId, version: at + 1, document, content: isWithheld ? undefined : content }
    })
  }
  const documents: LoggedDocument[] = []
  let bytes = 0
  for (const [at, place] of found.entries()) {
    if (bytes >= answerBytesMax) {
      return { ...nothingLogged, documents, left: found.slice(at).map(({ row }) => row.activityId) }
    }
    bytes += place.row.sealed.length
    documents.push(...documentsIn(place))
  }
  return { ...nothingLogged, documents }
}
