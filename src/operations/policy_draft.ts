import type { Static } from 'typebox'
import { effects } from '../policy/effects.ts'
import { ExpressionOrNone, fields, list, oneOf, optional, policiesPerRequestMax, Uuid } from './fields/fields.ts'

/** The policies that a query supposes in place of the stored ones (docs/policies.md, "Trying out"). */
export const supposed = {
  /** A draft of a policy, which is not stored. */
  policy: optional(
    fields({
      effect: oneOf(effects),
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
