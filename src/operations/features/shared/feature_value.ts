import type { ExplainContext } from '../../../contract/explanation/explain_context.ts'
import type { Note, Row, Value } from '../../../contract/explanation/explanation.ts'
import {
  code,
  list,
  namedInTitle,
  none,
  note,
  noteOf,
  row,
  text,
  wholeText,
} from '../../../contract/explanation/shown_values.ts'
import { all, type Need, ofParent } from '../../../contract/needs.ts'
import { Failure } from '../../../protocol/wire/failures.ts'
import { type FeatureName, isSwitch, webauthnOriginsOf } from '../../../protocol/wire/feature_names.ts'
import { subOrganizationMailsName } from '../../../protocol/wire/sub_organization_mails.ts'
import { webhookFeatureName } from '../../../protocol/wire/webhooks.ts'

type Explaining = Pick<ExplainContext<unknown>, 'request' | 'now'>

/** The needs of the explanation of a feature's change. */
export function featureNeeds(): readonly Need[] {
  return [all('feature'), ofParent(all('feature'))]
}

const originsName: FeatureName = 'FEATURE_NAME_WEBAUTHN_ORIGINS'

/** Shows a feature's value, and its value without one of its own. A switch that nobody has touched is on. */
export function featureValues(
  name: FeatureName,
  { request, now }: Explaining,
): { readonly [K in 'own' | 'unset']: Value } {
  const inherited = inheritedValue(name, request)
  const unset = inherited === undefined ? none : wholeText(inherited)
  const feature = now.find('feature', name)
  if (isSwitch(name)) return { own: code(feature?.isOff === true ? 'off' : 'on'), unset: code('off') }
  if (feature === undefined) return { own: unset, unset }
  return { own: feature.value === undefined ? code('on') : wholeText(feature.value), unset }
}

/** The row of the value that holds below a parent, where there is no other one. */
export function inheritedRows(name: FeatureName, { request }: Pick<Explaining, 'request'>): readonly Row[] {
  const inherited = inheritedValue(name, request)
  return inherited === undefined ? [] : [row('inheritedValue', wholeText(inherited))]
}

/** Sub-organizations have the origins of their parent until they have their own. They have no other feature of it. */
function inheritedValue(name: FeatureName, request: Explaining['request']): string | undefined {
  if (name !== originsName || request instanceof Failure) return undefined
  return request.organization.parent?.features.all().find((feature) => feature.name === name)?.value
}

/** Possibilities that a change of a feature opens, and protections that it ends. `value`: undefined if none is left. */
export function featureWarnings(
  name: FeatureName,
  { isSet, value }: { readonly isSet: boolean; readonly value: string | undefined },
  { request, now: { find, isBefore } }: Explaining,
): readonly Note[] {
  const before = find('feature', name)
  if (!isBefore) return []
  if (name === webhookFeatureName) {
    if (value === before?.value) return []
    return [
      ...(value === undefined ? [] : [noteOf('sentTo', wholeText(value))]),
      ...(before?.value === undefined ? [] : [noteOf('sentNoMore', wholeText(before.value))]),
    ]
  }
  if (name === subOrganizationMailsName) {
    const held = before?.value?.split(',') ?? []
    return (value?.split(',') ?? []).every((item) => held.includes(item)) ? [] : [note('mailsChosen')]
  }
  if (name === originsName) {
    const inherited = inheritedValue(name, request)
    return originWarnings(before?.value ?? inherited, value ?? inherited)
  }
  return isSet && isSwitch(name) && before?.isOff === true ? [note('wayInOpens')] : []
}

/** Without any list, every origin counts. */
function originWarnings(held: string | undefined, next: string | undefined): readonly Note[] {
  const [before, after] = [held, next].map((value) => (value === undefined ? undefined : webauthnOriginsOf(value)))
  const gets = before !== undefined && (after === undefined || !after.isSubsetOf(before))
  const loses = after !== undefined && (before === undefined || !before.isSubsetOf(after))
  return [
    ...(gets ? [note('originsChange')] : []),
    ...(loses ? [noteOf('originsOnly', list(namedInTitle([...after].map(text))))] : []),
  ]
}
