import Type, { type Static } from 'typebox'
import type { Unseen } from '../policy/denials/unseen.ts'
import { oneOf, optional } from './fields/fields.ts'
import { view } from './fields/named.ts'

/** The result of `check_policies` (docs/policies.md, "Denials that do not see a request"). */

export const UnseenRequests = view('UnseenRequests', {
  requests: Type.String(),
  part: optional(Type.String()),
  missingFields: Type.Array(Type.String()),
  clause: Type.String(),
  alsoDenies: optional(Type.String()),
})
export type UnseenRequests = Static<typeof UnseenRequests>

/** A written text that nothing ever equals. `column` counts from 1 within the expression. */
export const NeverEqual = view('NeverEqual', {
  of: oneOf(['policy', 'mfa_policy', 'session_profile']),
  id: Type.String(),
  name: Type.String(),
  expression: oneOf(['condition', 'consensus', 'time', 'scope']),
  column: Type.Integer(),
  reason: Type.String(),
})
export type NeverEqual = Static<typeof NeverEqual>

export const PolicyCheck = Type.Object({
  denials: Type.Array(
    Type.Object({ policyId: Type.String(), policyName: Type.String(), unseen: Type.Array(UnseenRequests) }),
  ),
  /**
   * MFA policies that do not see every signing request and every export of their user. A clause is the condition of a
   * second MFA policy of that user, with the same steps. `behind`: the ids of others that come first and certainly apply
   * whenever it certainly does, so that its steps are due at most where that is unknown.
   */
  mfaPolicies: Type.Array(
    Type.Object({
      userId: Type.String(),
      mfaPolicyId: Type.String(),
      mfaPolicyName: Type.String(),
      unseen: Type.Array(UnseenRequests),
      behind: optional(Type.Array(Type.String())),
    }),
  ),
  /** Policies that allow, and whose condition names nothing but velocity controls. */
  allowances: Type.Array(
    Type.Object({ policyId: Type.String(), policyName: Type.String(), controls: Type.Array(Type.String()) }),
  ),
  neverEqual: Type.Array(NeverEqual),
})
export type PolicyCheck = Static<typeof PolicyCheck>

export function unseenView({ missingFields, ...unseen }: Unseen): UnseenRequests {
  return { ...unseen, missingFields: [...missingFields] }
}
