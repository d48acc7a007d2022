import type { ActivityForm } from '../language/names/activity_forms.ts'
import { type Expression, everyPart } from '../language/syntax.ts'
import { parseAsset } from '../velocity/assets.ts'
import { controlNamedBy } from '../velocity/named_controls.ts'
import { greatestTotals, holds, isAbout, type VelocityRule, windowMsOf } from '../velocity/velocity_control.ts'
import { greatestOf } from './greatest_amounts.ts'
import type { Taken } from './samples/sample_deeds.ts'

/** In a shorter window the same amount is taken again before anybody has seen the first. */
const windowMsMin = 60 * 60_000

/** By their identifiers. */
export type Controls = ReadonlyMap<string, VelocityRule>

/**
 * The values that a control may have where somebody takes as much as there is. One that stops nothing then is no limit.
 * `taken`: what a sample takes. A control that does not count that has any value, and so has one that soon begins anew.
 * One that is missing in activities of this form allows nothing. Undefined of a part that is no control.
 */
export function valuesOfControl(
  part: Expression,
  {
    controls,
    taken,
    root,
    form,
  }: {
    readonly controls: Controls
    readonly taken: Taken | undefined
    readonly root: Expression
    readonly form: ActivityForm
  },
): readonly boolean[] | undefined {
  const identifier = controlNamedBy(part)
  if (identifier === undefined) return undefined
  const control = controls.get(identifier)
  if (control === undefined || !isAbout(control, activityOf(form))) return [false]
  if (windowMsOf(control) < windowMsMin) return [false, true]
  if (taken !== undefined && !isCounted(control, taken, root)) return [false, true]
  return [...new Set([...greatestTotals(control, greatestOf), undefined].map((total) => holds(control, total)))]
}

function activityOf({ texts }: ActivityForm) {
  return { type: texts.get('activity.type') ?? '', signs: texts.get('activity.action') === 'SIGN' }
}

function isCounted({ dataSource: { chainAssetTransfer } }: VelocityRule, taken: Taken, root: Expression): boolean {
  const { kind, namespace, reference } = taken
  // Nobody can read an amount in what is no transfer: it may be any.
  if (chainAssetTransfer === undefined || namespace === undefined) return true
  const assets = chainAssetTransfer.definition.flatMap(({ caip19 }) => parseAsset(caip19) ?? [])
  const here = assets.filter((asset) => asset.namespace === namespace)
  if (kind === 'unread') return here.length > 0
  if (kind === 'coin')
    return here.some((asset) => asset.token === undefined && asset.reference === (reference ?? asset.reference))
  // A sample calls a contract that no control names. A transfer of tokens on Solana may be of a mint that the condition names.
  return namespace === 'solana' && readsMint(root) && here.some(({ token }) => token !== undefined)
}

function readsMint(root: Expression): boolean {
  return [...everyPart(root)].some((part) => part.kind === 'field' && part.name === 'token_mint')
}
