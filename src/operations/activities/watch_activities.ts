import Type from 'typebox'
import { defineQuery } from '../../contract/define.ts'
import { fields, Uuid } from '../../contract/fields/fields.ts'

export default defineQuery({
  name: 'watch_activities',
  isOwn: true,
  summary:
    'Says which activities wait, in which versions. With `Accept: application/x-ndjson` it says so again at each change.',
  isWatched: true,
  parameters: fields({ organizationId: Uuid }),
  result: Type.Object({
    organizationVersion: Type.Integer(),
    rulesDigest: Type.String(),
    waiting: Type.Array(Type.Object({ activityId: Type.String(), version: Type.Integer() })),
  }),

  run({ watched }) {
    const { organizationVersion, rulesDigest, waiting } = watched()
    return { organizationVersion, rulesDigest, waiting: [...waiting] }
  },
})
