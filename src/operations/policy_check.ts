import Type, { type Static } from 'typebox'
import type { Unseen } from '../policy/denials/unseen.ts'
import { optional } from './fields/fields.ts'

/** The result of `check_policies` (docs/policies.md, "Denials that do not see a request"). */

export const UnseenRequests = Type.Object({
  requests: Type.String(),
  missingFields: Type.Array(Type.String()),
  clause: Type.String(),
  alsoDenies: optional(Type.String()),
})
export type UnseenRequests = Static<typeof UnseenRequests>

export const PolicyCheck = Type.Object({
  denials: Type.Array(
    Type.Object({ policyId: Type.String(), policyName: Type.String(), unseen: Type.Array(UnseenRequests) }),
  ),
  /** Policies that allow, and whose condition names nothing but velocity controls. */
  allowances: Type.Array(
    Type.Object({ policyId: Type.String(), policyName: Type.String(), controls: Type.Array(Type.String()) }),
  ),
})
export type PolicyCheck = Static<typeof PolicyCheck>

export function unseenView({ missingFields, ...unseen }: Unseen): UnseenRequests {
  return { ...unseen, missingFields: [...missingFields] }
}
