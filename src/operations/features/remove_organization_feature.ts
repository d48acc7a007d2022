import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import { changesContent } from '../../contract/explanation/changes.ts'
import type { ExplainContext } from '../../contract/explanation/explain_context.ts'
import { code, row } from '../../contract/explanation/shown_values.ts'
import { fields } from '../../contract/fields/fields.ts'
import { all } from '../../contract/needs.ts'
import { FeatureNameField, FeatureView, featureViews } from '../../contract/records/features.ts'
import { Failure } from '../../protocol/wire/failures.ts'
import { type FeatureName, isSwitch } from '../../protocol/wire/feature_names.ts'
import { blockedSteps } from '../mfa_policies/shared/mfa_policy_rows.ts'
import { requireQuorumWayIn } from '../users/shared/lockout.ts'
import { featureNeeds, featureValues, featureWarnings, inheritedRows } from './shared/feature_value.ts'

export default defineActivity({
  name: 'remove_organization_feature',
  summary: 'Switches a feature of the organization off, and returns the features that are still on.',
  policy: 'rootQuorumOnly',
  parameters: fields({ name: FeatureNameField }),
  result: Type.Object({ features: Type.Array(FeatureView) }),
  needs: () => [...featureNeeds(), all('user')],
  explain({ parameters: { name }, ...explaining }) {
    const { own, unset } = featureValues(name, explaining)
    return changesContent(explaining.now, {
      code: 'remove_organization_feature',
      subject: [code(name)],
      warnings: [
        ...featureWarnings(name, { isSet: false, value: undefined }, explaining),
        ...stepsWithout(name, explaining),
      ],
      rows: [row('feature', code(name)), ...inheritedRows(name, explaining)],
      changes: { value: { from: own, to: unset } },
    })
  },

  run({ organization: { features, users, rootQuorum }, parameters: { name } }) {
    const before = features.all()
    const former = before.find((feature) => feature.name === name)
    const others = before.filter((feature) => feature !== former)
    if (former === undefined ? !isSwitch(name) : former.isOff) throw notSet(name)
    if (!isSwitch(name)) {
      features.remove(name)
      return { features: featureViews(others) }
    }
    const off = { name, isOff: true } as const
    const after = [...others, off]
    requireQuorumWayIn({ before, after }, { rootQuorum, users: users.all(), fieldPath: 'parameters.name' })
    if (former === undefined) features.add(off)
    else features.put({ ...off, createdAtMs: former.createdAtMs })
    return { features: featureViews(after) }
  },
})

/** The steps of authentication that users cannot take without a feature. */
function stepsWithout(name: FeatureName, { request, now }: Pick<ExplainContext<unknown>, 'request' | 'now'>) {
  const users = request instanceof Failure ? [] : request.organization.users.all()
  return users.flatMap((user) => blockedSteps({ user, after: user, switchedOff: name }, now))
}

function notSet(name: FeatureName): Failure {
  return new Failure('NOT_FOUND', `the feature ${name} is not set in this organization`)
}
