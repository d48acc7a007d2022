import Type from 'typebox'
import { defineQuery } from '../../contract/define.ts'
import { fields, list, Uuid } from '../../contract/fields/fields.ts'
import { documentView, LogDocumentView } from './shared/log_views.ts'

/** The activities of a page. A request may be megabytes. */
const activitiesMax = 16

export default defineQuery({
  name: 'list_log_documents',
  isOwn: true,
  summary:
    'Lists what an auditor reads of each version of some activities. The entries of the transparency log have the digests of it.',
  takesLong: true,
  parameters: fields({ organizationId: Uuid, activityIds: list(Uuid, { itemsMin: 1, itemsMax: activitiesMax }) }),
  result: Type.Object({
    documents: Type.Array(LogDocumentView),
    left: Type.Array(Type.String(), {
      description: 'The activities to ask for again: the answer had no room for them.',
    }),
  }),
  needs: ({ activityIds }) => [{ need: 'logDocuments', activityIds }],

  run({ organization }) {
    const { documents, left } = organization.logged()
    return { documents: documents.map(documentView), left: [...left] }
  },
})
