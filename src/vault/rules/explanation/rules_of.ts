import type { Now } from '../../../contract/explanation/explain_context.ts'
import type { Note, Value } from '../../../contract/explanation/explanation.ts'
import { list, namedInTitle, noteOf } from '../../../contract/explanation/shown_values.ts'
import { compileCondition } from '../../../policy/decision/policy_expressions.ts'
import { holdsAlways } from '../../../policy/openings/always_holds.ts'
import { deeds } from '../../../policy/openings/deeds.ts'
import { openedDeeds } from '../../../policy/openings/opened_deeds.ts'
import type { Steps } from '../../../protocol/tools/steps.ts'
import { Failure, orFailure } from '../../../protocol/wire/failures.ts'
import type { Organization } from '../../state/organization.ts'

/** A rule of an organization with its expressions, the condition or scope first. */
export type Rule = {
  readonly id: string
  readonly kind: 'allowance' | 'denial' | 'mfaPolicy' | 'sessionProfile'
  readonly expressions: readonly string[]
}

export function rulesOf(organization: Organization): readonly Rule[] {
  return [
    ...organization.allListed('policy').map(
      ({ policyId, effect, condition = '', consensus = '' }): Rule => ({
        id: policyId,
        kind: effect === 'EFFECT_DENY' ? 'denial' : 'allowance',
        expressions: [condition, consensus],
      }),
    ),
    ...organization
      .allListed('user')
      .flatMap(({ mfaPolicies = [] }) =>
        mfaPolicies.map(
          ({ mfaPolicyId, condition }): Rule => ({ id: mfaPolicyId, kind: 'mfaPolicy', expressions: [condition] }),
        ),
      ),
    ...organization
      .allListed('session_profile')
      .map(
        ({ sessionProfileId, scope }): Rule => ({ id: sessionProfileId, kind: 'sessionProfile', expressions: [scope] }),
      ),
  ]
}

/**
 * How much hangs on a rule, the smaller the more: what allows everything, what opens deeds in their order, what denies,
 * and all else. Who may do it does not matter: that is what changes.
 */
export function* reachOf(
  { kind, expressions: [condition = ''] }: Rule,
  { controls }: Pick<Now, 'controls'>,
): Steps<number> {
  if (kind === 'denial' || kind === 'mfaPolicy') return deeds.length + 1
  const compiled = orFailure(() => compileCondition(condition))
  yield
  if (kind === 'sessionProfile' || compiled instanceof Failure) return deeds.length + 2
  if (holdsAlways(compiled)) return 0
  yield
  const [worst] = yield* openedDeeds(compiled, { controls: controls() })
  return worst === undefined ? deeds.length + 2 : 1 + deeds.indexOf(worst)
}

/** The texts that an expression writes. It need not compile. */
export function writtenTexts(expression: string): readonly string[] {
  return [...expression.matchAll(/'((?:[^'\\]|\\.)*)'/g)].map(([, written = '']) => written.replace(/\\(.)/g, '$1'))
}

/** Conditions take milliseconds to judge. */
const rulesJudgedMax = 100

type Named = { readonly key: string; readonly shown: Value; readonly rules: readonly Rule[] }

/**
 * The warnings of these, each with its rules. Those come first by which rules go that allow most: the order of a request
 * must not decide which one a title shows.
 */
export function* inOrder(given: readonly Named[], now: Pick<Now, 'named' | 'controls'>): Steps<readonly Note[]> {
  const reaches = new Map<Rule, number>()
  for (const rule of new Set(given.flatMap(({ rules }) => rules))) {
    yield
    reaches.set(rule, reaches.size < rulesJudgedMax ? yield* reachOf(rule, now) : Number.MAX_SAFE_INTEGER)
  }
  const reach = (rule: Rule) => reaches.get(rule) ?? Number.MAX_SAFE_INTEGER
  return given
    .flatMap(({ rules, ...one }) => {
      const sorted = rules.toSorted((rule, other) => reach(rule) - reach(other))
      const [first] = sorted
      return first === undefined ? [] : [{ ...one, rules: sorted, most: reach(first) }]
    })
    .toSorted((one, other) => one.most - other.most || (one.key < other.key ? -1 : 1))
    .map(({ shown, rules }) => noteOf('rulesGoBy', shown, list(namedInTitle(rules.map(({ id }) => now.named(id))))))
}
