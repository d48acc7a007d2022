import { onceFor } from '../../../protocol/tools/once_for.ts'
import { comparedWithTruth } from '../contradictions/conjuncts.ts'
import type { Struct, Value } from '../expression_values.ts'
import { message } from '../message.ts'
import { activitiesWithoutDeed } from '../names/activity_deeds.ts'
import { activityForms, deedsOfQuorum } from '../names/activity_forms.ts'
import { activityNames } from '../names/activity_names.ts'
import { Problem } from '../problem.ts'
import { print } from '../reading/print.ts'
import { evaluate } from '../running/evaluate.ts'
import { type Expression, everyPart, partsOf } from '../syntax.ts'

/**
 * Why a policy by these words about the activity is never asked: only the root quorum, or the key of a recovery or an
 * invitation, does such activities, and no policy decides about them.
 */
export const neverAskedOfPolicy = onceFor((condition: Expression) => neverAsked(condition, ofPolicies))

/** The same of an MFA policy, which is asked about all activities, but about no query. */
export const neverAskedOfMfaPolicy = onceFor((condition: Expression) => neverAsked(condition, ofMfaPolicies))

/** The fields of the activities about which a rule is asked, and of those about which it is not. */
type Activities = { readonly asked: readonly Struct[]; readonly unasked: readonly Struct[] }

const withoutDeed: ReadonlySet<string> = new Set(activitiesWithoutDeed)
const typeOf = (name: string) => `ACTIVITY_TYPE_${name}`
const query: Struct = { type: '', kind: '', resource: '', action: 'READ' }

const here: readonly Struct[] = activityForms.map(({ texts }) =>
  Object.fromEntries([...texts].map(([field, word]) => [field.replace('activity.', ''), word])),
)
/** A rule may name what this server does not do yet. */
const elsewhere: readonly Struct[] = activityNames.map((name) => ({ type: typeOf(name), kind: name }))
/** In a rule that guards, they have the resource and the action of the deed as well. */
const deeds: readonly Struct[] = [...deedsOfQuorum].map(([name, deed]) => ({ type: typeOf(name), kind: '', ...deed }))

const ofPolicies: Activities = {
  asked: [
    ...here.filter(({ resource }) => resource !== ''),
    ...elsewhere.filter(({ kind }) => !withoutDeed.has(String(kind))),
  ],
  unasked: [...here.filter(({ resource }) => resource === ''), ...deeds],
}
const ofMfaPolicies: Activities = {
  asked: [...here.filter(({ action }) => action !== 'READ'), ...elsewhere, ...deeds],
  unasked: [query],
}

function neverAsked(condition: Expression, activities: Activities): readonly Problem[] {
  const known = new Map<string, ReadonlySet<Value>>()
  const textsOf = (read: Expression) => {
    const name = print(read)
    const texts = known.get(name) ?? textsNeverAsked(read, activities)
    known.set(name, texts)
    return texts
  }
  return [...equalities(condition, false)].flatMap((compared) => {
    const texts = compared.filter(isOfActivity).map((read) => ({ read, texts: textsOf(read) }))
    return compared.flatMap((one) => {
      const read = one.kind === 'string' ? texts.find((each) => each.texts.has(one.value))?.read : undefined
      return one.kind === 'string' && read !== undefined ? [problemOf(one, read)] : []
    })
  })
}

/** All that is compared where a rule needs an equality: also by `!=` within `!`. */
function* equalities(part: Expression, isNegated: boolean): Iterable<readonly Expression[]> {
  const compared = part.kind === 'comparison' ? comparedWithTruth(part) : undefined
  if (part.kind === 'not') yield* equalities(part.operand, !isNegated)
  else if (compared !== undefined) yield* equalities(compared.truth, compared.value === isNegated)
  else {
    if (part.kind === 'contains' || (part.kind === 'comparison' && (part.operator !== '!=' || isNegated)))
      yield partsOf(part).flatMap((side) => (side.kind === 'list' ? side.items : [side]))
    for (const inner of partsOf(part)) yield* equalities(inner, isNegated)
  }
}

/** Whether it is a field of the activity or a part of its text, and nothing else is read. */
function isOfActivity(part: Expression): boolean {
  if (part.kind === 'index' || part.kind === 'slice') {
    const [of, ...bounds] = partsOf(part)
    return of !== undefined && isOfActivity(of) && bounds.every(isWritten)
  }
  return part.kind === 'field' && part.of.kind === 'name' && part.of.name === 'activity' && part.name !== 'params'
}

function isWritten(bound: Expression): boolean {
  return [...everyPart(bound)].every(({ kind }) => kind === 'integer' || kind === 'sum')
}

/** The texts that this has of activities about which a rule is not asked, and of no others. */
function textsNeverAsked(read: Expression, { asked, unasked }: Activities): ReadonlySet<Value> {
  const valuesIn = (activities: readonly Struct[]) =>
    new Set(
      activities.flatMap((activity) => {
        const found = evaluate(read, { keywords: { activity } })
        return found.kind === 'value' ? [found.value] : []
      }),
    )
  return valuesIn(unasked).difference(valuesIn(asked))
}

function problemOf({ value, start }: Expression & { readonly kind: 'string' }, read: Expression): Problem {
  const name = value.replace('ACTIVITY_TYPE_', '')
  const isOfQuery = evaluate(read, { keywords: { activity: query } })
  if (isOfQuery.kind === 'value' && isOfQuery.value === value)
    return new Problem(
      start,
      message`only the scope of a session is asked about queries, so ${print(read)} is never '${value}' here: leave it out`,
    )
  if (!withoutDeed.has(name) || deedsOfQuorum.has(name))
    return new Problem(start, message`no policy is asked about '${value}', which only the root quorum does`)
  const made = name === 'RECOVER_USER' ? 'RECOVERY' : 'INVITATION'
  return new Problem(
    start,
    message`no policy is asked about '${value}', which only the key for it does: name what makes that key, ${made} with CREATE`,
  )
}
