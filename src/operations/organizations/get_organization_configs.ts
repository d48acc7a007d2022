import Type from 'typebox'
import { defineQuery } from '../../contract/define.ts'
import { fields, Uuid } from '../../contract/fields/fields.ts'
import { view } from '../../contract/fields/named.ts'
import { all } from '../../contract/needs.ts'
import { FeatureView, featureViews } from '../../contract/records/features.ts'
import { QuorumView } from '../../contract/records/views.ts'

export default defineQuery({
  name: 'get_organization_configs',
  summary: 'Returns the features and the root quorum of the organization.',
  parameters: fields({ organizationId: Uuid }),
  result: Type.Object({
    configs: view('Config', { features: Type.Array(FeatureView), quorum: QuorumView }),
  }),
  needs: () => [all('feature')],

  run({ organization: { rootQuorum, features } }) {
    return {
      configs: {
        features: featureViews(features.all()),
        quorum: { threshold: rootQuorum.threshold, userIds: [...rootQuorum.userIds] },
      },
    }
  },
})
