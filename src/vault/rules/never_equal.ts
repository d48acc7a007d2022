import type { NeverEqual } from '../../operations/policy_check.ts'
import type { CompiledExpression } from '../../policy/policy_expressions.ts'
import { Failure, orFailure } from '../../protocol/wire/failures.ts'
import { scopeOf } from '../caller/session_scope.ts'
import type { Organization } from '../state/organization.ts'
import type { StoredPolicy } from './compiled_policies.ts'
import { conditionOf } from './mfa_steps.ts'

/**
 * Returns the written texts that nothing ever equals, in policies, in MFA policies and in scopes of session profiles.
 * New ones are refused, except ids of what does not exist. Those that are kept may be older than the refusal.
 */
export function neverEqualIn(
  organization: Organization,
  policies: readonly StoredPolicy[],
  names: ReadonlyMap<string, string>,
): readonly NeverEqual[] {
  const known = idsIn(organization)
  const findings = (compiled: () => CompiledExpression, place: Place) => findingsIn(compiled, place, known)
  const inPolicies = policies.flatMap(({ policyId, condition, consensus, time }) => {
    const owner = { of: 'policy', id: policyId, name: names.get(policyId) ?? '' } as const
    return [condition, consensus, time].flatMap((one) => findings(() => one, { ...owner, expression: one.kind }))
  })
  const mfaPolicies = organization.allListed('user').flatMap((user) => user.mfaPolicies ?? [])
  const inMfaPolicies = mfaPolicies.flatMap((policy) => {
    const { mfaPolicyId: id, mfaPolicyName: name } = policy
    return findings(() => conditionOf(policy), { of: 'mfa_policy', id, name, expression: 'condition' })
  })
  const inProfiles = organization.allListed('session_profile').flatMap((profile) => {
    const { sessionProfileId: id, sessionProfileName: name } = profile
    return findings(() => scopeOf(profile), { of: 'session_profile', id, name, expression: 'scope' })
  })
  return [...inPolicies, ...inMfaPolicies, ...inProfiles]
}

type Place = Pick<NeverEqual, 'of' | 'id' | 'name' | 'expression'>

/** An expression that no longer compiles is reported wherever it stops a request. */
function findingsIn(
  compiled: () => CompiledExpression,
  place: Place,
  known: ReadonlySet<string>,
): readonly NeverEqual[] {
  const found = orFailure(compiled)
  if (found instanceof Failure) return []
  // A condition may be about what users do in a sub-organization.
  const elsewhere = found.kind === 'consensus' ? '' : '; a sub-organization may have it'
  const absent = found.ids
    .filter(({ id }) => !known.has(id))
    .map(({ id, column }) => ({ column, reason: `this organization has nothing with the id '${id}'${elsewhere}` }))
  return [...found.neverEqual, ...absent]
    .toSorted((one, other) => one.column - other.column)
    .map((one) => ({ ...place, ...one }))
}

/** The ids of all that the organization has, as rules name it. */
function idsIn(organization: Organization): ReadonlySet<string> {
  const records = [...organization.head.listed.values()].flatMap((ids) => [...ids.keys()])
  const credentials = organization
    .allListed('user')
    .flatMap(({ apiKeys, authenticators }) => [
      ...apiKeys.map(({ apiKeyId }) => apiKeyId),
      ...authenticators.map(({ authenticatorId }) => authenticatorId),
    ])
  return new Set([...records, ...credentials])
}
