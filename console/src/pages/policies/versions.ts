import type { Activity } from '../../api/activity.ts'
import type { Draft } from '../../state/draft.ts'

/** The types of activities that write policies. */
export const writingTypes = [
  'ACTIVITY_TYPE_CREATE_POLICY_V3',
  'ACTIVITY_TYPE_CREATE_POLICY_V2',
  'ACTIVITY_TYPE_CREATE_POLICY',
  'ACTIVITY_TYPE_CREATE_POLICIES',
  'ACTIVITY_TYPE_UPDATE_POLICY_V2',
  'ACTIVITY_TYPE_UPDATE_POLICY',
] as const

export const fieldNames = ['policyName', 'effect', 'consensus', 'condition', 'time', 'notes'] as const
export type FieldName = (typeof fieldNames)[number]

/** One version of a policy, with the fields that are known of it. */
export type Version = {
  readonly activity: Activity
  readonly isCreation: boolean
  readonly fields: Readonly<Partial<Record<FieldName, string>>>
  /** The changes from the version before. Absent fields are equal, or were not known before. */
  readonly changes: readonly FieldChange[]
  /** An older form of a policy, which has selectors in place of expressions. */
  readonly hasSelectors: boolean
}

export type FieldChange = { readonly field: FieldName; readonly from: string; readonly to: string }

type Fields = Readonly<Partial<Record<keyof Draft, string>>>

/** The versions of a policy, newest first, from completed activities in any order. */
export function versionsOf(policyId: string, activities: readonly Activity[]): readonly Version[] {
  // The list has the later of two activities at the same time first.
  const writing = activities
    .toReversed()
    .flatMap((activity) => {
      const written = writtenIn(activity, policyId)
      return written === undefined ? [] : [{ activity, ...written }]
    })
    .sort((one, other) => one.activity.updatedAt.localeCompare(other.activity.updatedAt))
  let known: Fields = {}
  return writing
    .map(({ activity, isCreation, given, hasSelectors }) => {
      const before = known
      known = { ...before, ...given }
      const changes = fieldNames.flatMap((field): FieldChange[] => {
        const [from, to] = [before[field], known[field]]
        return from === undefined || to === undefined || from === to ? [] : [{ field, from, to }]
      })
      return { activity, isCreation, fields: known, changes, hasSelectors }
    })
    .toReversed()
}

type Written = { readonly isCreation: boolean; readonly given: Fields; readonly hasSelectors: boolean }

/** The fields that an activity writes of the policy. Undefined if it writes another policy. */
function writtenIn({ type, intent, result }: Activity, policyId: string): Written | undefined {
  const [parameters] = Object.values(intent).filter(isObject)
  const [made] = Object.values(result).filter(isObject)
  if (parameters === undefined || made === undefined) return undefined
  if (type.startsWith('ACTIVITY_TYPE_UPDATE_POLICY')) {
    if (parameters.policyId !== policyId) return undefined
    const { policyName, policyEffect: effect, policyCondition, policyConsensus, policyNotes, time } = parameters
    const given = {
      policyName,
      effect,
      condition: policyCondition,
      consensus: policyConsensus,
      notes: policyNotes,
      time,
    }
    return { isCreation: false, given: textsIn(given), hasSelectors: false }
  }
  const all = Array.isArray(parameters.policies) ? parameters.policies : [parameters]
  const ids = Array.isArray(made.policyIds) ? made.policyIds : [made.policyId]
  const policy: unknown = all[ids.indexOf(policyId)]
  if (!isObject(policy)) return undefined
  const hasSelectors = policy.selectors !== undefined
  const { policyName, effect, notes = '', consensus = '', condition = '', time = '' } = policy
  const expressions = hasSelectors ? {} : { consensus, condition, time }
  return { isCreation: true, given: textsIn({ policyName, effect, notes, ...expressions }), hasSelectors }
}

function textsIn(given: Readonly<Record<string, unknown>>): Fields {
  return Object.fromEntries(Object.entries(given).filter(([, text]) => typeof text === 'string'))
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
