import { onceFor } from '../../../protocol/tools/once_for.ts'
import { message } from '../message.ts'
import { activitiesWithoutDeed } from '../names/activity_deeds.ts'
import { deedsOfQuorum } from '../names/activity_forms.ts'
import { Problem } from '../problem.ts'
import { type Expression, everyPart, partsOf } from '../syntax.ts'

/**
 * Why a policy by these words about the activity is never asked: only the root quorum, or the key of a recovery or an
 * invitation, does such activities, and no policy decides about them. MFA policies and scopes of sessions are asked.
 */
export const neverAsked = onceFor((condition: Expression): readonly Problem[] =>
  [...everyPart(condition)].flatMap((part) => {
    const isPositive = part.kind === 'contains' || (part.kind === 'comparison' && part.operator !== '!=')
    if (!isPositive) return []
    const compared = partsOf(part).flatMap((side) => (side.kind === 'list' ? side.items : [side]))
    const field = compared.map(fieldOfActivity).find((name) => name !== undefined)
    return compared.flatMap((side) => (side.kind === 'string' ? problemOf(side, field) : []))
  }),
)

function fieldOfActivity(part: Expression): string | undefined {
  const isOfActivity = part.kind === 'field' && part.of.kind === 'name' && part.of.name === 'activity'
  return isOfActivity ? part.name : undefined
}

const types: ReadonlySet<string> = new Set(activitiesWithoutDeed)

function problemOf({ value, start }: Expression & { readonly kind: 'string' }, field: string | undefined) {
  const name = value.replace(/^ACTIVITY_TYPE_/, '').replace(/_V\d+$/, '')
  const isOfQuorum = field === 'type' ? deedsOfQuorum.has(name) : field === 'resource' && value === 'AUTH_PROXY'
  if (isOfQuorum)
    return [new Problem(start, message`no policy is asked about '${value}', which only the root quorum does`)]
  if (field !== 'type' || !types.has(name)) return []
  const made = name === 'RECOVER_USER' ? 'RECOVERY' : 'INVITATION'
  return [
    new Problem(
      start,
      message`no policy is asked about '${value}', which only the key for it does: name what makes that key, ${made} with CREATE`,
    ),
  ]
}
