import { lazily } from '../../protocol/tools/lazily.ts'
import type { Steps } from '../../protocol/tools/steps.ts'
import { Failure, type FailureCode } from '../../protocol/wire/failures.ts'
import { check } from '../language/checking/check.ts'
import type { WrittenId } from '../language/checking/literals.ts'
import { neverAskedOfMfaPolicy, neverAskedOfPolicy } from '../language/checking/never_asked.ts'
import { type SpentTerm, spentTerms } from '../language/checking/spent.ts'
import { contradictionsIn } from '../language/contradictions/contradictions.ts'
import { neverTrue } from '../language/contradictions/never_true.ts'
import { kindOf } from '../language/expression_values.ts'
import type { ExpressionKind } from '../language/names/keywords.ts'
import { Problem } from '../language/problem.ts'
import { parse } from '../language/reading/parse.ts'
import { type Clause, type Environment, type Evaluation, evaluate } from '../language/running/evaluate.ts'
import { guarding } from '../language/running/guards.ts'
import { fieldsToGuard, lacksField, requiredFields } from '../language/running/required_fields.ts'
import type { Expression } from '../language/syntax.ts'
import { decisiveAddress } from './other_addresses.ts'
import { spellings } from './spellings.ts'
import { writtenNoKeys } from './written_keys.ts'

/** A parsed and checked expression. It has no state, so it may be kept and used for any request. */
export type CompiledExpression = {
  readonly kind: ExpressionKind
  readonly text: string
  readonly root: Expression
  /** The sums that must be known before the expression is evaluated. */
  readonly spentTerms: readonly SpentTerm[]
  /** If one of these fields is missing, the expression is an error. */
  readonly requiredFields: ReturnType<typeof requiredFields>
  /** If one of these is missing, a rule that guards is not true. */
  readonly fieldsToGuard: ReturnType<typeof fieldsToGuard>
  /** The written texts that nothing ever equals, in the order of their places. */
  readonly neverEqual: readonly NeverEqual[]
  /** The written ids that are compared with ids of records. `column` counts from 1. */
  readonly ids: readonly (Omit<WrittenId, 'offset'> & { readonly column: number })[]
}

/** A written text that nothing ever equals. `column` counts from 1. */
export type NeverEqual = { readonly column: number; readonly reason: string }

/** Compiles a consensus; the empty text is true. Throws POLICY_CONSENSUS_INVALID with the column and the fault. */
export function compileConsensus(text: string, fieldPath = 'parameters.consensus'): CompiledExpression {
  return compile('consensus', text, fieldPath)
}

/** Compiles a condition; the empty text is true. Throws POLICY_CONDITION_INVALID with the column and the fault. */
export function compileCondition(text: string, fieldPath = 'parameters.condition'): CompiledExpression {
  return compile('condition', text, fieldPath)
}

/** Compiles the scope of a session, which is a condition that is asked about queries too. */
export function compileScope(text: string, fieldPath = 'parameters.scope'): CompiledExpression {
  return compile('condition', text, fieldPath, { isScope: true })
}

/** Compiles a time; the empty text is true. Throws POLICY_TIME_INVALID with the column and the fault. */
export function compileTime(text: string, fieldPath = 'parameters.time'): CompiledExpression {
  return compile('time', text, fieldPath)
}

/** The expressions of a policy. An absent expression is the empty text. */
export type ExpressionTexts = { readonly [K in ExpressionKind]?: string | undefined }
/** The fields that hold the expressions. */
export type ExpressionPaths = { readonly [K in ExpressionKind]: string }

export function expressionPathsIn(fieldPath: string): ExpressionPaths {
  return { condition: `${fieldPath}.condition`, consensus: `${fieldPath}.consensus`, time: `${fieldPath}.time` }
}

/** `paths` are the fields that a refusal names. */
export function compileExpressions(
  { condition = '', consensus = '', time = '' }: ExpressionTexts,
  paths: ExpressionPaths = expressionPathsIn('parameters'),
): { readonly [K in ExpressionKind]: CompiledExpression } {
  return {
    condition: compileCondition(condition, paths.condition),
    consensus: compileConsensus(consensus, paths.consensus),
    time: compileTime(time, paths.time),
  }
}

/** Refuses a new expression with a written text that nothing ever equals. Stored expressions may have some. */
export function refuseNeverEqual(
  { kind, neverEqual }: Pick<CompiledExpression, 'kind' | 'neverEqual'>,
  fieldPath: string,
): void {
  const [first] = neverEqual
  if (first !== undefined) throw new Failure(failureCodes[kind], { fieldPath, reason: reasonOf(first) })
}

/** `neverEqual` of an expression, which is found in two steps and kept. */
export function* neverEqualIn(expression: CompiledExpression): Steps<readonly NeverEqual[]> {
  yield
  // Half of the work, which is kept for the rest.
  contradictionsIn(expression.root, expression.kind)
  yield
  return expression.neverEqual
}

/** The written texts that nothing ever equals in a policy, which is not asked about every activity. */
export function* neverEqualInPolicy(expression: CompiledExpression): Steps<readonly NeverEqual[]> {
  const known = yield* neverEqualIn(expression)
  yield
  return withOthers(known, neverAskedOfPolicy(expression.root).map(neverEqualBy))
}

/** The same of an MFA policy, which is not asked about queries. */
export function* neverEqualInMfaPolicy(expression: CompiledExpression): Steps<readonly NeverEqual[]> {
  const known = yield* neverEqualIn(expression)
  yield
  return withOthers(known, neverAskedOfMfaPolicy(expression.root).map(neverEqualBy))
}

/** Another problem at the same place says the same in other words. */
function withOthers(known: readonly NeverEqual[], others: readonly NeverEqual[]): readonly NeverEqual[] {
  const columns = new Set(known.map(({ column }) => column))
  const more = others.filter(({ column }) => !columns.has(column))
  return [...known, ...more].toSorted((one, other) => one.column - other.column)
}

function neverEqualBy({ offset, message }: Problem): NeverEqual {
  return { column: offset + 1, reason: message }
}

function noKey({ start }: Expression): NeverEqual {
  return { column: start + 1, reason: 'this is no public key: it is no point of its curve' }
}

/** Checks the expressions of a policy that is made or changed. */
export function* checkNewExpressions(
  texts: ExpressionTexts,
  paths = expressionPathsIn('parameters'),
  { isDenial = false }: { readonly isDenial?: boolean } = {},
): Steps<void> {
  const expressions = Object.values(compileExpressions(texts, paths))
  for (const expression of expressions) {
    const { kind } = expression
    refuseNeverEqual({ kind, neverEqual: yield* neverEqualInPolicy(expression) }, paths[kind])
  }
  if (isDenial) yield* refuseNeverTrue(expressions, paths)
}

/** Refuses a denial that denies nothing, as by `false`. A policy that allows nothing does no harm. */
export function* refuseEmptyDenial(texts: ExpressionTexts, paths: ExpressionPaths): Steps<void> {
  yield* refuseNeverTrue(Object.values(compileExpressions(texts, paths)), paths)
}

function* refuseNeverTrue(expressions: readonly CompiledExpression[], paths: ExpressionPaths): Steps<void> {
  for (const expression of expressions) {
    const [first] = yield* neverTrueIn(expression, 'denial')
    const { kind } = expression
    if (first !== undefined) throw new Failure(failureCodes[kind], { fieldPath: paths[kind], reason: reasonOf(first) })
  }
}

/** The rules that do nothing if they are never true. `scope`: that of a session profile. */
export type IdleRule = keyof typeof idleReasons
const idleReasons = {
  denial: 'a denial by what is never true denies nothing',
  mfa_policy: 'an MFA policy by what is never true asks for no step',
  scope: 'a scope that is never true lets the session do nothing',
} as const

/** Why a rule does nothing: an expression of it is never true as a whole, as by `false`. */
export function* neverTrueIn({ kind, root }: CompiledExpression, rule: IdleRule): Steps<readonly NeverEqual[]> {
  return (yield* neverTrue(root, kind)) ? [{ column: root.start + 1, reason: idleReasons[rule] }] : []
}

export type Verdict =
  | Exclude<Evaluation, { readonly kind: 'value' }>
  | { readonly kind: 'value'; readonly value: boolean }

/** Returns whether the expression is true for a request, or its error. `trace` receives the value of each clause. */
export function evaluateExpression({ root }: CompiledExpression, environment: Environment, trace?: Clause[]): Verdict {
  const evaluation = evaluate(root, environment, trace)
  if (evaluation.kind === 'error') return evaluation
  const { value } = evaluation
  if (typeof value === 'boolean') return { kind: 'value', value }
  // An argument of a contract call may stand alone. Only the request tells whether it is a boolean.
  const message = `expected a boolean, found ${kindOf(value)}`
  return { kind: 'error', code: 'TYPE_MISMATCH', column: root.start + 1, message }
}

/**
 * Whether the expression is true; undefined if it is an error, without its details. It is true of a request if it is true
 * of one of its spellings. It is not if another address of the key that signs makes it false.
 */
export function truthOf(expression: CompiledExpression, environment: Environment): boolean | undefined {
  return inOneSpelling(strictTruth)(expression, environment)
}

function strictTruth(expression: CompiledExpression, environment: Environment): boolean | undefined {
  if (lacksField(environment.keywords, expression.requiredFields)) return undefined
  const verdict = evaluateExpression(expression, environment)
  return verdict.kind === 'value' ? verdict.value : undefined
}

/**
 * Whether an expression of a denial or an MFA policy is true; undefined if it is an error. One that takes too many
 * steps, or needs an unreadable value, is true: otherwise a request that is long or odd enough would pass.
 */
export function guardHolds(expression: CompiledExpression, environment: Environment): boolean | undefined {
  return inOneSpelling(guardTruth)(expression, guarding(environment))
}

function guardTruth(expression: CompiledExpression, guarded: Environment): boolean | undefined {
  if (lacksField(guarded.keywords, expression.fieldsToGuard)) return undefined
  return truthOfGuard(expression, guarded, evaluateExpression(expression, guarded))
}

function inOneSpelling(truth: typeof strictTruth): typeof strictTruth {
  return (expression, environment) => truth(expression, decisiveSpelling(expression, environment, truth))
}

/** The first spelling of the request of which the expression is true, or else that of who asked. */
export function decisiveSpelling(
  expression: CompiledExpression,
  environment: Environment,
  truth = environment.guards === true ? guardTruth : strictTruth,
): Environment {
  const [asked = environment, ...others] = spellings(expression.text, environment)
  const truthIn = (one: Environment) => truth(expression, one)
  const first = decisiveAddress(expression.root, asked, truthIn)
  if (others.length === 0 || truthIn(first) === true) return first
  const decisive = others.map((one) => decisiveAddress(expression.root, one, truthIn))
  return decisive.find((one) => truthIn(one) === true) ?? first
}

/** The truth of a guarding expression with this verdict. */
export function truthOfGuard(
  { fieldsToGuard: needed }: CompiledExpression,
  { keywords }: Environment,
  verdict: Verdict,
): boolean | undefined {
  if (verdict.kind === 'value') return verdict.value
  if (lacksField(keywords, needed)) return undefined
  return verdict.code === 'TOO_MANY_STEPS' || verdict.code === 'UNREADABLE' ? true : undefined
}

const failureCodes = {
  consensus: 'POLICY_CONSENSUS_INVALID',
  condition: 'POLICY_CONDITION_INVALID',
  time: 'POLICY_TIME_INVALID',
} as const satisfies Record<ExpressionKind, FailureCode>

const alwaysTrue: Expression = { kind: 'boolean', value: true, start: 0, end: 0 }

function compile(
  kind: ExpressionKind,
  text: string,
  fieldPath: string,
  options?: { readonly isScope: boolean },
): CompiledExpression {
  if (text === '')
    return {
      kind,
      text,
      root: alwaysTrue,
      spentTerms: [],
      requiredFields: [],
      fieldsToGuard: [],
      neverEqual: [],
      ids: [],
    }
  try {
    const checked = check(parse(text), kind, text, options)
    const { expression: root, ids } = checked
    // To look at a point of a curve may take a millisecond. Most expressions are never asked for this.
    const neverEqual = lazily(() =>
      withOthers(checked.neverEqual.map(neverEqualBy), writtenNoKeys(root, kind, text).map(noKey)),
    )
    return {
      kind,
      text,
      root,
      spentTerms: spentTerms(root),
      requiredFields: requiredFields(root),
      fieldsToGuard: fieldsToGuard(root, 'true'),
      get neverEqual() {
        return neverEqual()
      },
      ids: ids.map(({ offset, ...one }) => ({ ...one, column: offset + 1 })),
    }
  } catch (cause) {
    if (!(cause instanceof Problem)) throw cause
    const reason = reasonOf({ column: cause.offset + 1, reason: cause.message })
    throw new Failure(failureCodes[kind], { fieldPath, reason, cause })
  }
}

function reasonOf({ column, reason }: NeverEqual): string {
  return `column ${column}: ${reason}`
}
