import Type from 'typebox'
import { Failure } from '../../protocol/wire/failures.ts'
import { featureNames } from '../../protocol/wire/feature_names.ts'
import { defineActivity } from '../define.ts'
import { fields, oneOf } from '../fields/fields.ts'
import { all } from '../needs.ts'
import { FeatureView, featureView } from '../records/features.ts'

export default defineActivity({
  name: 'remove_organization_feature',
  summary: 'Switches a feature of the organization off, and returns the features that are still on.',
  policy: 'rootQuorumOnly',
  parameters: fields({ name: oneOf(featureNames) }),
  result: Type.Object({ features: Type.Array(FeatureView) }),
  needs: () => [all('feature')],

  run({ organization: { features }, parameters: { name } }) {
    const kept = features.all()
    const left = kept.filter((feature) => feature.name !== name)
    if (left.length === kept.length) {
      throw new Failure('NOT_FOUND', `the feature ${name} is not set in this organization`)
    }
    features.remove(name)
    return { features: left.map(featureView) }
  },
})
