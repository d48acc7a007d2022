import Type from 'typebox'
import { defineQuery } from '../define.ts'
import { fields, Uuid } from '../fields.ts'
import { QuorumView } from '../views.ts'

export default defineQuery({
  name: 'get_organization_configs',
  summary: 'The features and the root quorum of the organization.',
  parameters: fields({ organizationId: Uuid }),
  result: Type.Object({
    configs: Type.Object({ features: Type.Array(Type.Unknown()), quorum: QuorumView }),
  }),

  run({ organization: { rootQuorum } }) {
    return { configs: { features: [], quorum: { threshold: rootQuorum.threshold, userIds: [...rootQuorum.userIds] } } }
  },
})
