import { onceFor } from '../../../protocol/tools/once_for.ts'
import { isStruct, type Struct, type Value } from '../expression_values.ts'
import { addressTableLookup } from '../names/payload_types.ts'
import { print } from '../reading/print.ts'
import { type Expression, everyPart } from '../syntax.ts'
import type { Environment } from './environment.ts'
import { EvaluationError, type EvaluationErrorCode } from './evaluation_error.ts'
import { type Run, spend, stepsOfError } from './run.ts'
import { type Decimal, numberIn } from './written_numbers.ts'

/** The evaluation of rules that guard (docs/policies.md, "Rules that guard"). All others are evaluated strictly. */

/** The environment of a rule that guards. */
export function guarding({ keywords, ...environment }: Environment): Environment {
  return { ...environment, guards: true, keywords: { ...keywords, ...named(keywords), ...priced(keywords) } }
}

/**
 * A transaction of Ethereum of an older type pays at most its `gas_price`, and the whole of it as a priority fee
 * (EIP-1559, "normalize_transaction"). A rule about the newer fields is about it too: who asks chooses the type.
 */
function priced({ eth }: Struct): Struct {
  const tx = eth !== undefined && isStruct(eth) ? eth.tx : undefined
  if (eth === undefined || !isStruct(eth) || tx === undefined || !isStruct(tx)) return {}
  const { gas_price: price, max_fee_per_gas: highest } = tx
  if (price === undefined || highest !== undefined) return {}
  return { eth: { ...eth, tx: { ...tx, max_fee_per_gas: price, max_priority_fee_per_gas: price } } }
}

/**
 * An activity that has no kind, resource or action has the empty text there: a rule about all activities but some is
 * about it too. The key of a recovery or an invitation stands for a credential that its user does not have, so such a
 * rule is not about its one activity.
 */
function named({ activity }: Struct): Struct {
  if (activity === undefined || !isStruct(activity)) return {}
  const { type, kind, resource, action } = activity
  const isNamed = kind !== undefined && resource !== undefined && action !== undefined
  if (isNamed || oneTimeTypes.has(type)) return {}
  return { activity: { ...activity, kind: kind ?? '', resource: resource ?? '', action: action ?? '' } }
}

const oneTimeTypes: ReadonlySet<unknown> = new Set(['ACTIVITY_TYPE_RECOVER_USER', 'ACTIVITY_TYPE_ACCEPT_INVITATION'])

type Guarding = Pick<Environment, 'guards'>
type Test = () => boolean

/**
 * In a rule that guards, this stands in a written list for an item that does not exist. It equals nothing and has no
 * fields and no items, so it does not hide the other items.
 */
export const nothing: Value = Object.freeze([])

type Reading<T> = { readonly ofNothing: T; readonly read: () => T; readonly onLack?: (error: EvaluationError) => void }

/**
 * In a rule that guards, an item beyond the end or a value of another type equals nothing, and so does a missing field
 * that is none of the request. With `onLack`, so does any other missing field, unless `onLack` throws.
 */
export function orNothing<T>(run: Run, { ofNothing, read, onLack }: Reading<T>): T {
  if (run.environment.guards !== true) return read()
  try {
    return read()
  } catch (error) {
    if (!isGuarded(error, run.environment, absentCodes)) throw error
    if (error.isNothing) {
      spend(run, error.expression, stepsOfError)
      run.lack ??= error
    } else if (error.code === 'MISSING_FIELD') {
      if (onLack === undefined) throw error
      onLack(error)
    }
    return ofNothing
  }
}

type Term = { readonly isWritten: boolean; readonly read: () => bigint }

/**
 * Exact, whatever the terms are. In a rule that guards, a term that does not exist counts as 0 beside one that does. A sum
 * of which nothing exists has no value. `onAbsent` may throw.
 */
export function sumOfTerms(
  environment: Guarding,
  { terms, onAbsent }: { readonly terms: readonly Term[]; readonly onAbsent: (error: EvaluationError) => void },
): bigint {
  let sum = 0n
  let isThere = false
  let absent: EvaluationError | undefined
  for (const { isWritten, read } of terms) {
    try {
      sum += read()
      isThere ||= !isWritten
    } catch (error) {
      if (!isGuarded(error, environment, absentCodes)) throw error
      onAbsent(error)
      absent ??= error
    }
  }
  if (absent !== undefined && !isThere) throw absent
  return sum
}

/**
 * Whether values of two types are equal in a rule that guards: an integer and its digits in quotes, or its hex with
 * `0x`; a boolean and its word in quotes. An argument has the type that its function gives it, which the author of a
 * rule may not know.
 */
export function areAlike(left: Value, right: Value): boolean {
  if (typeof left === 'string') return says(left, right)
  return typeof right === 'string' && says(right, left)
}

function says(text: string, value: Value): boolean {
  if (typeof value === 'boolean') return text === String(value)
  return typeof value === 'bigint' && integerText.test(text) && BigInt(text) === value
}

/**
 * The number that a value says: itself, or in a rule that guards its text. Undefined if the value is of another type.
 * The caller chooses the type of a member of typed data. So it is unknown whether a text without a
 * number is too much.
 */
export function numberSaid({ guards }: Guarding, value: Value, expression: Expression): Decimal | undefined {
  if (typeof value === 'bigint') return { units: value, decimals: 0 }
  if (guards !== true || typeof value !== 'string') return undefined
  const number = numberIn(value)
  if (number === undefined) throw unreadNumber(expression)
  return number
}

/** The same for an integer. A fraction is unknown. */
export function integerSaid(environment: Guarding, value: Value, expression: Expression): bigint | undefined {
  const number = numberSaid(environment, value, expression)
  if (number !== undefined && number.decimals > 0) throw unreadNumber(expression)
  return number?.units
}

function unreadNumber(expression: Expression): EvaluationError {
  return new EvaluationError('UNREADABLE', expression, () => `cannot be read as a number: ${print(expression)}`)
}

/** An integer as it is printed, or hex. Values of requests have 256 bits, and a sum of them some more. */
const integerText = /^(0|-?[1-9][0-9]{0,89}|0x[0-9a-f]{1,64})$/i

const absentCodes: readonly EvaluationErrorCode[] = ['INDEX_OUT_OF_RANGE', 'TYPE_MISMATCH', 'MISSING_FIELD']

function isGuarded(
  error: unknown,
  { guards }: Guarding,
  codes: readonly EvaluationErrorCode[],
): error is EvaluationError {
  return guards === true && error instanceof EvaluationError && codes.includes(error.code)
}

/**
 * The error if it is unknown whether compared values are equal, because only look-up tables on the chain name them. The
 * user who asks can put each account of a Solana transaction into a table. So two of them may be two accounts, and one may
 * be any. A rule that writes `ADDRESS_TABLE_LOOKUP` asks for that itself.
 */
export function unknownEquality(
  { value, list, isFound }: { readonly value: Value; readonly list: readonly Value[]; readonly isFound: boolean },
  comparison: Expression,
): EvaluationError | undefined {
  const isUnknown = value === addressTableLookup ? list.length > 0 : !isFound && list.includes(addressTableLookup)
  return isUnknown && !writesLookup(comparison) ? unknownAccount(comparison) : undefined
}

/** A comparison may be made for each of thousands of accounts. */
const writesLookup = onceFor((comparison: Expression) =>
  [...everyPart(comparison)].some((part) => part.kind === 'string' && part.value === addressTableLookup),
)

/** Where only a look-up table names an account, a part of its key is unknown like the whole. */
export function requireKnown(of: Value, expression: Expression): void {
  if (of === addressTableLookup) throw unknownAccount(expression)
}

function unknownAccount(expression: Expression): EvaluationError {
  return new EvaluationError(
    'UNREADABLE',
    expression,
    () => `only a look-up table names an account of: ${print(expression)}`,
  )
}

type Deciding = {
  readonly decisive: boolean
  readonly tests: readonly Test[]
  /** Told of each test without a value: to catch its error takes far longer than to make the test. */
  readonly onError: () => void
}

/**
 * Makes every test. One with the decisive value decides; in a rule that guards, also where another one has no value,
 * because the request lacks a field or because it cannot be read.
 */
export function decided(environment: Guarding, { decisive, tests, onError }: Deciding): boolean {
  let isDecided = false
  let error: EvaluationError | undefined
  for (const test of tests) {
    try {
      if (test() === decisive) isDecided = true
    } catch (thrown) {
      if (!isGuarded(thrown, environment, ['MISSING_FIELD', 'UNREADABLE'])) throw thrown
      onError()
      // A value that cannot be read may decide. A field that the request lacks does not.
      if (error === undefined || thrown.code === 'UNREADABLE') error = thrown
    }
  }
  if (isDecided) return decisive
  if (error !== undefined) throw error
  return !decisive
}
