import { holdsAlways } from '../../../policy/always_holds.ts'
import { deeds, openedDeeds } from '../../../policy/opened_deeds.ts'
import { compileCondition } from '../../../policy/policy_expressions.ts'
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
export function reachOf({ kind, expressions: [condition = ''] }: Rule): number {
  if (kind === 'denial' || kind === 'mfaPolicy') return deeds.length + 1
  const compiled = orFailure(() => compileCondition(condition))
  if (kind === 'sessionProfile' || compiled instanceof Failure) return deeds.length + 2
  if (holdsAlways(compiled)) return 0
  const [worst] = openedDeeds(compiled)
  return worst === undefined ? deeds.length + 2 : 1 + deeds.indexOf(worst)
}
