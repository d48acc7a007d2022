import { type FeatureName, isSwitch } from '../../../protocol/wire/feature_names.ts'
import { webhookFeatureName } from '../../../protocol/wire/webhooks.ts'
import type { Now } from '../../explanation/explain_context.ts'
import type { Note, Value } from '../../explanation/explanation.ts'
import { code, none, note, noteOf, wholeText } from '../../explanation/values.ts'

/** Shows what a feature is now. A switch that nobody has touched is on. */
export function featureValue(name: FeatureName, { find }: Pick<Now, 'find'>): Value {
  const feature = find('feature', name)
  if (feature === undefined) return isSwitch(name) ? code('on') : none
  if (feature.isOff === true) return code('off')
  return feature.value === undefined || isSwitch(name) ? code('on') : wholeText(feature.value)
}

/** What becomes possible by a change of a feature. `value` is undefined if it has none from then on. */
export function featureWarnings(
  name: FeatureName,
  { isSet, value }: { readonly isSet: boolean; readonly value: string | undefined },
  { find, isBefore }: Pick<Now, 'find' | 'isBefore'>,
): readonly Note[] {
  const before = find('feature', name)
  if (!isBefore) return []
  if (name === webhookFeatureName)
    return value === undefined || value === before?.value ? [] : [noteOf('sentTo', wholeText(value))]
  if (before === undefined) return []
  if (name === 'FEATURE_NAME_WEBAUTHN_ORIGINS') return before.value === value ? [] : [note('originsChange')]
  return isSet && isSwitch(name) && before.isOff === true ? [note('wayInOpens')] : []
}
