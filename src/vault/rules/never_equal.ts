import type { NeverEqual } from '../../contract/policy_check.ts'
import type { RecordKind } from '../../contract/records/records.ts'
import { scopeOf } from '../../deciding/caller/session_scope.ts'
import type { StoredPolicy } from '../../deciding/rules/compiled_policies.ts'
import { compileMfaOf, conditionOf } from '../../deciding/rules/mfa_steps.ts'
import { knownControls } from '../../operations/velocity_controls/shared/velocity_controls.ts'
import {
  type CompiledExpression,
  type IdleRule,
  neverEqualIn as neverEqualInExpression,
  neverEqualInMfaPolicy,
  neverEqualInPolicy,
  neverTrueIn,
} from '../../policy/decision/policy_expressions.ts'
import { controlsNeverTogether, type KnownControls } from '../../policy/language/contradictions/controls_together.ts'
import type { IdKind } from '../../policy/language/names/id_kinds.ts'
import { namedControls } from '../../policy/velocity/named_controls.ts'
import type { Pause } from '../../protocol/tools/pause.ts'
import { inSteps, type Steps } from '../../protocol/tools/steps.ts'
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
  const findings = (compiled: () => CompiledExpression, judge: Judge, place: Place) =>
    inSteps(findingsIn(compiled, judge, { place, known }), pause)
  const inPolicies: NeverEqual[] = []
  for (const { policyId, effect, condition, consensus, time } of policies) {
    const idle = effect === 'EFFECT_DENY' ? 'denial' : undefined
    const owner = { of: 'policy', id: policyId, name: names.get(policyId) ?? '', idle } as const
    for (const one of [condition, consensus, time]) {
      const place = { ...owner, expression: one.kind }
      inPolicies.push(
        ...(await findings(
          () => one,
          (found) => neverInPolicy(found, controls),
          place,
        )),
      )
    }
    await pause()
  }
  const users = organization.allListed('user')
  const userIds = users.map(({ userId }) => userId)
  await compileMfaOf(organization, userIds, pause)
  const inMfaPolicies: NeverEqual[] = []
  for (const policy of users.flatMap(({ mfaPolicies = [] }) => mfaPolicies)) {
    const { mfaPolicyId: id, mfaPolicyName: name } = policy
    const place = { of: 'mfa_policy', id, name, expression: 'condition', idle: 'mfa_policy' } as const
    inMfaPolicies.push(...(await findings(() => conditionOf(policy), neverEqualInMfaPolicy, place)))
    await pause()
  }
  const inProfiles: NeverEqual[] = []
  for (const profile of organization.allListed('session_profile')) {
    const { sessionProfileId: id, sessionProfileName: name } = profile
    const place = { of: 'session_profile', id, name, expression: 'scope', idle: 'scope' } as const
    inProfiles.push(...(await findings(() => scopeOf(profile), neverEqualInExpression, place)))
    await pause()
  }
  return [...inPolicies, ...inMfaPolicies, ...inProfiles]
}

type Judge = (found: CompiledExpression) => Steps<CompiledExpression['neverEqual']>

/** Also the velocity controls that are always missing where a condition reads them. */
function* neverInPolicy(found: CompiledExpression, controls: KnownControls): ReturnType<Judge> {
  const known = yield* neverEqualInPolicy(found)
  if (namedControls(found.root).length === 0) return known
  yield
  const missing = controlsNeverTogether(found.root, controls)
  return [...known, ...missing.map(({ offset, message }) => ({ column: offset + 1, reason: message }))]
}

/** `idle`: what the rule is called if it does nothing where the expression is never true. */
type Place = Pick<NeverEqual, 'of' | 'id' | 'name' | 'expression'> & { readonly idle: IdleRule | undefined }

/** An expression that no longer compiles is reported wherever it stops a request. */
function* findingsIn(
  compiled: () => CompiledExpression,
  judge: Judge,
  {
    place: { idle, ...place },
    known,
  }: { readonly place: Place; readonly known: ReadonlyMap<string, RecordKind | IdKind> },
): Steps<readonly NeverEqual[]> {
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
  const never = yield* judge(found)
  const whole = idle === undefined ? [] : yield* neverTrueIn(found, idle)
  const told = new Set(never.map(({ column }) => column))
  return [...never, ...absent, ...whole.filter(({ column }) => !told.has(column))]
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
