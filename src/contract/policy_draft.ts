import type { Static } from 'typebox'
import { ExpressionOrNone, fields, list, namedFields, optional, policiesPerRequestMax, Uuid } from './fields/fields.ts'
import { EffectName } from './records/views.ts'

/** The policies that a query supposes in place of the stored ones (docs/policies.md, "Trying out"). */
export const supposed = {
  /** A draft of a policy, which is not stored. */
  policy: optional(
    namedFields('PolicyDraft', {
      effect: EffectName,
      condition: optional(ExpressionOrNone),
      consensus: optional(ExpressionOrNone),
      time: optional(ExpressionOrNone),
    }),
  ),
  withoutPolicyIds: optional(list(Uuid, { itemsMax: policiesPerRequestMax })),
}
const Supposed = fields(supposed)
export type Supposed = Static<typeof Supposed>

/** The id that answers show for a draft, which is a policy that does not exist. */
export const draftId = ''
