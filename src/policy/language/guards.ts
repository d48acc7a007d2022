import type { Environment } from './environment.ts'
import { EvaluationError, type EvaluationErrorCode } from './evaluation_error.ts'
import { keywords } from './names/keywords.ts'
import { addressTableLookup } from './names/payload_types.ts'
import { type Expression, everyPart } from './syntax.ts'
import { isStruct, type Value } from './values.ts'

/** The evaluation of rules that guard (docs/policies.md, "Rules that guard"). All others are evaluated strictly. */

/**
 * The environment of a rule that guards. An activity that has no kind, resource or action has the empty text there: a
 * rule about all activities but some is about it too. The key of a recovery or an invitation stands for a credential
 * that its user does not have, so such a rule is not about its one activity.
 */
export function guarding(environment: Environment): Environment {
  const { keywords } = environment
  const { activity } = keywords
  if (activity === undefined || !isStruct(activity)) return { ...environment, guards: true }
  const { type, kind, resource, action } = activity
  const isNamed = kind !== undefined && resource !== undefined && action !== undefined
  if (isNamed || oneTimeTypes.has(type)) return { ...environment, guards: true }
  const named = { ...activity, kind: kind ?? '', resource: resource ?? '', action: action ?? '' }
  return { ...environment, guards: true, keywords: { ...keywords, activity: named } }
}

const oneTimeTypes: ReadonlySet<unknown> = new Set(['ACTIVITY_TYPE_RECOVER_USER', 'ACTIVITY_TYPE_ACCEPT_INVITATION'])

type Guarding = Pick<Environment, 'guards' | 'keywords'>
type Test = () => boolean

/** In a rule that guards, what lies beyond the end or is of another type equals nothing. */
export function orNothing(
  guarding: Guarding,
  { ofNothing, read }: { readonly ofNothing: boolean; readonly read: Test },
): boolean {
  if (guarding.guards !== true) return read()
  try {
    return read()
  } catch (error) {
    if (!isGuarded(error, guarding, ['INDEX_OUT_OF_RANGE', 'TYPE_MISMATCH'])) throw error
    return ofNothing
  }
}

function isGuarded(
  error: unknown,
  { guards }: Guarding,
  codes: readonly EvaluationErrorCode[],
): error is EvaluationError {
  return guards === true && error instanceof EvaluationError && codes.includes(error.code)
}

/**
 * Whether compared values may be equal though they are not, because only a look-up table on the chain names one of them.
 * The user who asks can put each account of a Solana transaction into a table. A rule that writes `ADDRESS_TABLE_LOOKUP`
 * asks for that itself.
 */
export function mayEqual(value: Value, list: readonly Value[], comparison: Expression): boolean {
  if (list.length === 0 || (value !== addressTableLookup && !list.includes(addressTableLookup))) return false
  return ![...everyPart(comparison)].some((part) => part.kind === 'string' && part.value === addressTableLookup)
}

/** Whether an item of a list lacks a field. The request is of the kind that the rule is about, and others may decide. */
function isOfItem(error: unknown, guarding: Guarding): error is EvaluationError {
  return isGuarded(error, guarding, ['MISSING_FIELD']) && isFieldOfItem(error.expression, guarding)
}

/** `[0]` is an item, and so is what the variable of a test stands for. A key that a map lacks stays an error. */
function isFieldOfItem(expression: Expression, guarding: Guarding): boolean {
  switch (expression.kind) {
    case 'field':
      return isFieldOfItem(expression.of, guarding)
    case 'index':
      return expression.index.kind !== 'string'
    case 'name': {
      const { name } = expression
      const isKeyword =
        Object.hasOwn(guarding.keywords, name) || Object.values(keywords).some((names) => names.has(name))
      return !isKeyword
    }
    default:
      return false
  }
}

/** The items whose test is true. In a rule that guards, an item that lacks a field is left out, unless all lack one. */
export function kept<T>(
  guarding: Guarding,
  {
    items,
    holds,
    onError,
  }: { readonly items: readonly T[]; readonly holds: (item: T) => boolean; readonly onError: () => void },
): readonly T[] {
  const found: T[] = []
  const lacking: EvaluationError[] = []
  for (const item of items) {
    try {
      if (holds(item)) found.push(item)
    } catch (thrown) {
      if (!isGuarded(thrown, guarding, ['MISSING_FIELD'])) throw thrown
      onError()
      lacking.push(thrown)
    }
  }
  if (lacking[0] !== undefined && lacking.length === items.length) throw lacking[0]
  return found
}

/**
 * Makes every test. One with the decisive value decides; in a rule that guards, also where another one has no value for
 * one of these reasons, or because an item of a list lacks a field.
 */
export function decided(
  guarding: Guarding,
  {
    decisive,
    codes,
    tests,
    onError,
  }: {
    readonly decisive: boolean
    readonly codes: readonly EvaluationErrorCode[]
    readonly tests: readonly Test[]
    /** Told of each test without a value: to catch its error takes far longer than to make the test. */
    readonly onError: () => void
  },
): boolean {
  let isDecided = false
  let error: EvaluationError | undefined
  for (const test of tests) {
    try {
      if (test() === decisive) isDecided = true
    } catch (thrown) {
      if (!isGuarded(thrown, guarding, codes) && !isOfItem(thrown, guarding)) throw thrown
      onError()
      // What is unknown may decide, and what an item lacks does not.
      if (error === undefined || thrown.code === 'UNREADABLE') error = thrown
    }
  }
  if (isDecided) return decisive
  if (error !== undefined) throw error
  return !decisive
}
