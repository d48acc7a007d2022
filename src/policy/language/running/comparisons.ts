import { bytesInAddress, canonicalSolanaKey } from '../../../protocol/chains/canonical_address.ts'
import { onceFor } from '../../../protocol/tools/once_for.ts'
import { areEqual, kindOf, type Value } from '../expression_values.ts'
import { print } from '../reading/print.ts'
import { type Expression, everyPart } from '../syntax.ts'
import { EvaluationError, mismatch } from './evaluation_error.ts'
import { present } from './fields.ts'
import { areAlike, numberSaid, unknownEquality } from './guards.ts'
import { type Run, spend, stepsOfConversion, stepsOfKey, unitsPerStep } from './run.ts'
import { comparedNumbers } from './written_numbers.ts'

export function isOrdered(
  { operator, left, right }: Expression & { readonly kind: 'comparison' },
  { leftValue, rightValue }: { readonly leftValue: Value; readonly rightValue: Value },
  run: Run,
): boolean {
  const { environment } = run
  for (const value of [leftValue, rightValue]) spendConversion(run, value, left)
  const [one, other] = [numberSaid(environment, leftValue, left), numberSaid(environment, rightValue, right)]
  if (one === undefined) throw mismatch(left, `an integer beside ${operator}`, leftValue)
  if (other === undefined) throw mismatch(right, `an integer beside ${operator}`, rightValue)
  const order = comparedNumbers(one, other)
  if (operator === '<') return order < 0
  if (operator === '<=') return order <= 0
  return operator === '>' ? order > 0 : order >= 0
}

/** To be called before a text may be read as a number. */
export function spendConversion(run: Run, value: Value, expression: Expression): void {
  if (run.environment.guards === true && typeof value === 'string') spend(run, expression, stepsOfConversion)
}

/**
 * Compares every item, so that an item of another kind is an error wherever it stands, except in a rule that guards. In
 * all other rules an unknown account equals none that is written: `negated` sees to the opposite.
 */
export function isAmong(value: Value, list: readonly Value[], expression: Expression, run: Run): boolean {
  let isFound = false
  for (const item of list) {
    if (equal(value, present(item, expression, 'an item of a list'), expression, run)) isFound = true
  }
  const unknown = unknownEquality({ value, list, isFound }, expression)
  if (unknown === undefined) return isFound
  if (isFound || run.environment.guards === true) throw unknown
  run.unknown = unknown
  return false
}

/** The opposite of a value. An error if it would be true because of an unknown account. */
export function negated(run: Run, read: () => boolean): boolean {
  return !certain(run, read)
}

/**
 * A value from which another one is made, such as an item of a list. An error if it is not true because of an unknown
 * account: a policy would allow by a list that lacks the account, or by a comparison with `false`.
 */
export function certain<T>(run: Run, read: () => T): T {
  const before = run.unknown
  run.unknown = undefined
  const value = read()
  if (value !== true && run.unknown !== undefined) throw run.unknown
  if (before !== undefined) run.unknown = before
  return value
}

function equal(left: Value, right: Value, expression: Expression, run: Run): boolean {
  const units = typeof left === 'string' && typeof right === 'string' ? Math.min(left.length, right.length) : 0
  spend(run, expression, 1 + Math.floor(units / unitsPerStep))
  if (typeof left === 'object' || typeof right === 'object' || typeof left !== typeof right) {
    if (run.environment.guards === true) {
      spend(run, expression, stepsOfConversion)
      return areAlike(left, right)
    }
    throw new EvaluationError('TYPE_MISMATCH', expression, () => `cannot compare ${kindOf(left)} with ${kindOf(right)}`)
  }
  if (areEqual(left, right)) return true
  return typeof left === 'string' && typeof right === 'string' && isSameKey(left, right, { expression, run })
}

/**
 * Whether one text is a key of Solana in base58 and the other one its 32 bytes in hex: an argument of a program has either,
 * and a rule does not say which. Their lengths tell them from all other texts. The address of an account may
 * be such bytes with `0x`, as Sui and Aptos write them, or without, and it may be one of another chain that has 32 bytes.
 */
function isSameKey(
  left: string,
  right: string,
  { expression, run }: { readonly expression: Expression; readonly run: Run },
): boolean {
  const [key, hex] = left.length < right.length ? [left, right] : [right, left]
  const digits = hex.length === 66 && hex.startsWith('0x') && isAboutAddress(expression) ? hex.slice(2) : hex
  if (key === digits) return true
  const isLonger = key.length > 44
  if (digits.length !== 64 || key.length < 32 || (isLonger && !isAboutAddress(expression))) return false
  spend(run, expression, stepsOfKey)
  return isLonger ? bytesInAddress(key) === digits : canonicalSolanaKey(digits) === key
}

const isAboutAddress = onceFor((comparison: Expression) =>
  [...everyPart(comparison)].some((part) => part.kind === 'field' && print(part) === 'wallet_account.address'),
)
