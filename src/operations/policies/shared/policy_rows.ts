import { holdsAlways } from '../../../policy/always_holds.ts'
import type { Effect } from '../../../policy/effects.ts'
import { compileExpressions } from '../../../policy/policy_expressions.ts'
import type { Steps } from '../../../protocol/tools/steps.ts'
import { Failure, orFailure } from '../../../protocol/wire/failures.ts'
import type { Now } from '../../explanation/explain_context.ts'
import type { Note, Row, Value } from '../../explanation/explanation.ts'
import type { Content } from '../../explanation/signing/signing_content.ts'
import { code, namedInTitle, note, noteOf, row, rowsOf, section, wholeText } from '../../explanation/values.ts'
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
export function* createdPolicies(name: string, policies: readonly Shown[]): Steps<Content> {
  const ranked: { readonly policy: Shown; readonly rank: number }[] = []
  for (const policy of policies) {
    yield // its expressions are compiled
    ranked.push({ policy, rank: grantRank(policy) })
  }
  const sorted = ranked.toSorted((one, other) => one.rank - other.rank)
  const named = namedInTitle(sorted.map(({ policy }) => wholeText(policy.policyName)))
  const values = named.flatMap((one, index) => {
    const found = one.kind === 'note' ? undefined : sorted[index]
    return found === undefined ? [one] : [one, code(found.policy.effect)]
  })
  const open = sorted.flatMap(({ policy, rank }) => (rank === openRank ? [openNote(policy)] : []))
  const rows = sorted.map(({ policy }) => policyRows(policy))
  const [only = [], ...others] = rows
  return {
    title: warned({ code: name, values }, open),
    sections: section(
      'changes',
      others.length === 0 ? only : rows.map((each) => row('policy', { kind: 'tree', rows: each })),
    ),
  }
}

const openRank = 0

type Limits = { readonly condition?: string | undefined; readonly consensus?: string | undefined }

/** A policy that allows grants, and one that nothing limits grants everything: whatever is asked, by whomever. */
function grantRank({ effect, condition, consensus }: Limits & { readonly effect: Effect }): number {
  if (effect === 'EFFECT_DENY') return 3
  if (!holdsAlwaysIn({ condition })) return 2
  return holdsAlwaysIn({ consensus }) ? openRank : 1
}

/** An expression of an old request may not compile any more. Then it never holds. */
function holdsAlwaysIn(limits: Limits): boolean {
  const compiled = orFailure(() => compileExpressions(limits))
  return !(compiled instanceof Failure) && holdsAlways(compiled.condition) && holdsAlways(compiled.consensus)
}

function openNote({ policyName }: Pick<Shown, 'policyName'>): Note {
  return noteOf('allowsAll', wholeText(policyName))
}

/** What a change of a policy takes away. An absent expression stays. */
export function lossesOf(
  before: Policy,
  after: { readonly [K in keyof Shown]?: Shown[K] | undefined },
): readonly Note[] {
  const changes = (['condition', 'consensus', 'time'] as const).filter(
    (part) => after[part] !== undefined && after[part] !== (before[part] ?? ''),
  )
  const effect = after.effect ?? before.effect
  const result = {
    ...{ policyName: before.policyName, effect },
    ...{ condition: after.condition ?? before.condition, consensus: after.consensus ?? before.consensus },
  }
  const open = grantRank(result) === openRank ? [openNote(result)] : []
  if (before.effect === 'EFFECT_DENY') {
    if (effect !== before.effect) return [...open, note('denialEnds')]
    return changes.length === 0 ? [] : [note('denialChanges')]
  }
  if (changes.length === 0 || effect === 'EFFECT_DENY') return []
  return [...open, note(changes.some((part) => after[part] === '') ? 'limitEnds' : 'allowanceChanges')]
}
