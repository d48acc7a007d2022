import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import { changesContent } from '../../contract/explanation/changes.ts'
import { code, row, wholeText } from '../../contract/explanation/shown_values.ts'
import { featureValueCharactersMax, fields, optional } from '../../contract/fields/fields.ts'
import { FeatureNameField, FeatureView, featureValue, featureViews } from '../../contract/records/features.ts'
import { fieldInvalid, fieldRefused } from '../../protocol/wire/failures.ts'
import { featureValueFault, isSupported, isSwitch } from '../../protocol/wire/feature_names.ts'
import { webhookFeatureName } from '../../protocol/wire/webhooks.ts'
import { requireHttps } from '../webhook_endpoints/shared/webhook_endpoints.ts'
import { featureNeeds, featureValues, featureWarnings, inheritedRows } from './shared/feature_value.ts'

export default defineActivity({
  name: 'set_organization_feature',
  summary: 'Switches a feature of the organization on or changes its value, and returns all features that are on.',
  policy: 'rootQuorumOnly',
  parameters: fields({
    name: FeatureNameField,
    value: optional(
      Type.String({
        maxLength: featureValueCharactersMax,
        expected: `a text of at most ${featureValueCharactersMax} characters`,
        ...featureValue,
      }),
    ),
  }),
  result: Type.Object({ features: Type.Array(FeatureView) }),
  check: ({ name, value }) => {
    if (!isSupported(name)) {
      const reason =
        name === 'FEATURE_NAME_AUTH_PROXY'
          ? `${name} cannot be set: send enable_auth_proxy, which says what the proxy may do`
          : `nothing in this server implements ${name} yet, so it cannot be set`
      throw fieldRefused('parameters.name', reason)
    }
    const expected = featureValueFault(name, value)
    if (expected !== undefined) throw fieldInvalid('parameters.value', expected)
  },
  needs: featureNeeds,
  explain: ({ parameters: given, ...explaining }) =>
    changesContent(explaining.now, {
      code: 'set_organization_feature',
      subject: [code(given.name)],
      warnings: featureWarnings(given.name, { isSet: true, value: given.value }, explaining),
      rows: [row('feature', code(given.name)), ...inheritedRows(given.name, explaining)],
      changes: {
        value: {
          from: featureValues(given.name, explaining).own,
          to: given.value === undefined || isSwitch(given.name) ? code('on') : wholeText(given.value),
        },
      },
    }),

  run({ organization: { features }, parameters: { name, value }, loopbackHttp, nowMs }) {
    if (name === webhookFeatureName && value !== undefined) {
      requireHttps(value, { loopbackHttp, fieldPath: 'parameters.value' })
    }
    const kept = features.all()
    const former = kept.find((feature) => feature.name === name)
    const onSinceMs = former?.isOff === true ? nowMs : former?.onSinceMs
    const given = { name, ...(value === undefined ? {} : { value }), ...(onSinceMs === undefined ? {} : { onSinceMs }) }
    const feature =
      former === undefined ? features.add(given) : features.put({ ...given, createdAtMs: former.createdAtMs })
    const next = former === undefined ? [...kept, feature] : kept.map((other) => (other === former ? feature : other))
    return { features: featureViews(next) }
  },
})
