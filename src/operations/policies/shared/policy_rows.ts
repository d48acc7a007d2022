import type { Effect } from '../../../policy/effects.ts'
import type { Now } from '../../explanation/explain_context.ts'
import type { Note, Row, Value } from '../../explanation/explanation.ts'
import type { Content } from '../../explanation/signing/signing_content.ts'
import { code, namedInTitle, note, row, rowsOf, section, wholeText } from '../../explanation/values.ts'
import { warned } from '../../explanation/warnings.ts'
import type { Policy } from '../../records/records.ts'

type Shown = {
  readonly policyName: string
  readonly effect: Effect
  readonly condition?: string
  readonly consensus?: string
  readonly time?: string
  readonly notes?: string
}

/** What a policy says. The effect comes first: expressions are long, and what they say depends on it. */
export function policyRows({ policyName, effect, condition, consensus, time, notes }: Shown): readonly Row[] {
  return rowsOf({
    policyName: wholeText(policyName),
    effect: code(effect),
    condition: givenText(condition),
    consensus: givenText(consensus),
    time: givenText(time),
    notes: givenText(notes),
  })
}

/** An empty text stands for none. */
function givenText(given = ''): Value | undefined {
  return given === '' ? undefined : wholeText(given)
}

/** Explains a deletion by what the policies say that end. Denials come first. */
export function deletedPolicies(name: string, policyIds: readonly string[], now: Now): Content {
  const policies = policyIds.map((policyId) => ({ policyId, policy: now.find('policy', policyId) }))
  const isDenial = ({ policy }: (typeof policies)[number]) => policy?.effect === 'EFFECT_DENY'
  const sorted = policies.toSorted((one, other) => Number(isDenial(other)) - Number(isDenial(one)))
  const title = { code: name, values: namedInTitle(policyIds.map((policyId) => now.named(policyId))) }
  return {
    title: warned(title, policies.some(isDenial) ? [note('denialEnds')] : []),
    sections: section(
      'changes',
      sorted.map(({ policyId, policy }) =>
        row('deleted', {
          kind: 'tree',
          rows: [row('policy', now.named(policyId)), ...(policy === undefined ? [] : policyRows(policy))],
        }),
      ),
    ),
  }
}

/** Explains new policies, each with its effect before its expressions. Those that allow the most come first. */
export function createdPolicies(name: string, policies: readonly Shown[]): Content {
  const [only, ...others] = policies
  if (only !== undefined && others.length === 0) {
    return {
      title: { code: name, values: [wholeText(only.policyName), code(only.effect)] },
      sections: section('changes', policyRows(only)),
    }
  }
  return {
    title: { code: name, values: namedInTitle(policies.map(({ policyName }) => wholeText(policyName))) },
    sections: section(
      'changes',
      policies
        .toSorted((one, other) => grantRank(one) - grantRank(other))
        .map((policy) => row('policy', { kind: 'tree', rows: policyRows(policy) })),
    ),
  }
}

/** A policy that allows grants, and one without a condition grants everything. */
function grantRank({ effect, condition = '' }: Shown): number {
  if (effect === 'EFFECT_DENY') return 2
  return condition === '' ? 0 : 1
}

/** What a change of a policy takes away. An absent expression stays. */
export function lossesOf(
  before: Policy,
  after: { readonly [K in keyof Shown]?: Shown[K] | undefined },
): readonly Note[] {
  const changes = (['condition', 'consensus', 'time'] as const).filter(
    (part) => after[part] !== undefined && after[part] !== (before[part] ?? ''),
  )
  if (before.effect === 'EFFECT_DENY') {
    if ((after.effect ?? before.effect) !== before.effect) return [note('denialEnds')]
    return changes.length === 0 ? [] : [note('denialChanges')]
  }
  return changes.some((part) => after[part] === '') ? [note('limitEnds')] : []
}
