import type { NeverEqual } from '../../contract/policy_check.ts'
import type { RecordKind } from '../../contract/records/records.ts'
import { scopeOf } from '../../deciding/caller/session_scope.ts'
import type { StoredPolicy } from '../../deciding/rules/compiled_policies.ts'
import { compileMfaOf, conditionOf } from '../../deciding/rules/mfa_steps.ts'
import { knownControls } from '../../operations/velocity_controls/shared/velocity_controls.ts'
import {
  type CompiledExpression,
  type IdleRule,
  neverEqualInMfaPolicy,
  neverEqualInPolicy,
  neverTrueIn,
} from '../../policy/decision/policy_expressions.ts'
import { controlsNeverTogether, type KnownControls } from '../../policy/language/contradictions/controls_together.ts'
import type { IdKind } from '../../policy/language/names/id_kinds.ts'
import { namedControls } from '../../policy/velocity/named_controls.ts'
import type { Pause } from '../../protocol/tools/pause.ts'
import { Failure, orFailure } from '../../protocol/wire/failures.ts'
import type { Organization } from '../state/organization.ts'

/**
 * Returns the written texts that nothing ever equals, in policies, in MFA policies and in scopes of session profiles, the
 * velocity controls that are always missing where a policy reads them, and the rules that do nothing because they are
 * never true. Most of it is refused in new rules. Those that are kept may be older than the refusal.
 */
export async function neverEqualIn(
  organization: Organization,
  policies: readonly StoredPolicy[],
  { names, pause }: { readonly names: ReadonlyMap<string, string>; readonly pause: Pause },
): Promise<readonly NeverEqual[]> {
  const known = idsIn(organization)
  const controls = knownControls(organization.allListed('velocity_control'))
  const findings = (compiled: () => CompiledExpression, place: Place) => findingsIn(compiled, place, known)
  const inPolicies: NeverEqual[] = []
  for (const { policyId, effect, condition, consensus, time } of policies) {
    const idle = effect === 'EFFECT_DENY' ? 'denial' : undefined
    const owner = { of: 'policy', id: policyId, name: names.get(policyId) ?? '', idle } as const
    const missing = missingIn(condition, controls)
    const all = { ...condition, neverEqual: [...neverEqualInPolicy(condition), ...missing] }
    inPolicies.push(...[all, consensus, time].flatMap((one) => findings(() => one, { ...owner, expression: one.kind })))
    await pause()
  }
  const users = organization.allListed('user')
  const userIds = users.map(({ userId }) => userId)
  await compileMfaOf(organization, userIds, pause)
  const inMfaPolicies: NeverEqual[] = []
  for (const policy of users.flatMap(({ mfaPolicies = [] }) => mfaPolicies)) {
    const { mfaPolicyId: id, mfaPolicyName: name } = policy
    const compiled = () => {
      const condition = conditionOf(policy)
      return { ...condition, neverEqual: neverEqualInMfaPolicy(condition) }
    }
    const place = { of: 'mfa_policy', id, name, expression: 'condition', idle: 'mfa_policy' } as const
    inMfaPolicies.push(...findings(compiled, place))
    await pause()
  }
  const inProfiles: NeverEqual[] = []
  for (const profile of organization.allListed('session_profile')) {
    const { sessionProfileId: id, sessionProfileName: name } = profile
    const place = { of: 'session_profile', id, name, expression: 'scope', idle: 'scope' } as const
    inProfiles.push(...findings(() => scopeOf(profile), place))
    await pause()
  }
  return [...inPolicies, ...inMfaPolicies, ...inProfiles]
}

/** Velocity controls that are always missing where a condition reads them. */
function missingIn({ root }: CompiledExpression, controls: KnownControls): CompiledExpression['neverEqual'] {
  if (namedControls(root).length === 0) return []
  return controlsNeverTogether(root, controls).map(({ offset, message }) => ({ column: offset + 1, reason: message }))
}

/** `idle`: what the rule is called if it does nothing where the expression is never true. */
type Place = Pick<NeverEqual, 'of' | 'id' | 'name' | 'expression'> & { readonly idle: IdleRule | undefined }

/** An expression that no longer compiles is reported wherever it stops a request. */
function findingsIn(
  compiled: () => CompiledExpression,
  { idle, ...place }: Place,
  known: ReadonlyMap<string, RecordKind | IdKind>,
): readonly NeverEqual[] {
  const found = orFailure(compiled)
  if (found instanceof Failure) return []
  const absent = found.ids.flatMap(({ id, kinds, column }) => {
    const kind = known.get(id)
    if (kinds.some((one) => one === kind)) return []
    const wanted = kinds.map(nameOf).join(' or ')
    // A condition may be about what users do in a sub-organization.
    const elsewhere = found.kind === 'consensus' ? '' : '; a sub-organization may have it'
    const hint = kind === undefined ? elsewhere : `: it is that of another kind (${nameOf(kind)})`
    return [{ column, reason: `this organization has no ${wanted} with the id '${id}'${hint}` }]
  })
  // Another reason at the same place says the same in other words.
  const whole = idle === undefined ? [] : neverTrueIn(found, idle)
  const told = new Set(found.neverEqual.map(({ column }) => column))
  return [...found.neverEqual, ...absent, ...whole.filter(({ column }) => !told.has(column))]
    .toSorted((one, other) => one.column - other.column)
    .map((one) => ({ ...place, ...one }))
}

/** The kinds of all records of the organization and of the credentials of its users, by their ids. */
function idsIn(organization: Organization): ReadonlyMap<string, RecordKind | IdKind> {
  const records = [...organization.head.listed].flatMap(([kind, ids]) =>
    [...ids.keys()].map((id) => [id, kind] as const),
  )
  const credentials = organization
    .allListed('user')
    .flatMap(({ apiKeys, authenticators }) => [
      ...apiKeys.map(({ apiKeyId }) => [apiKeyId, 'api_key'] as const),
      ...authenticators.map(({ authenticatorId }) => [authenticatorId, 'authenticator'] as const),
    ])
  return new Map([...records, ...credentials])
}

/** As people call it. */
function nameOf(kind: RecordKind | IdKind): string {
  if (kind === 'api_key') return 'API key'
  return kind === 'authenticator' ? 'passkey' : kind.replaceAll('_', ' ')
}
