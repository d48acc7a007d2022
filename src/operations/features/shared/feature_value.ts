import { type FeatureName, isSwitch } from '../../../protocol/wire/feature_names.ts'
import type { Now } from '../../explanation/explain_context.ts'
import type { Value } from '../../explanation/explanation.ts'
import { code, none, wholeText } from '../../explanation/values.ts'

/** Shows what a feature is now. A switch that nobody has touched is on. */
export function featureValue(name: FeatureName, { find }: Pick<Now, 'find'>): Value {
  const feature = find('feature', name)
  if (feature === undefined) return isSwitch(name) ? code('on') : none
  if (feature.isOff === true) return code('off')
  return feature.value === undefined ? code('on') : wholeText(feature.value)
}
