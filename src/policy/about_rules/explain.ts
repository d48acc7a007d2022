import type { Pause } from '../../protocol/tools/pause.ts'
import { inSteps } from '../../protocol/tools/steps.ts'
import type { PolicyEvaluation } from '../decision/effects.ts'
import type { CompiledPolicy, PolicyInput } from '../decision/policy_evaluator.ts'
import {
  type CompiledExpression,
  decisiveSpelling,
  evaluateExpression,
  guardHolds,
  truthOf,
  truthOfGuard,
  type Verdict,
} from '../decision/policy_expressions.ts'
import { type Unseen, unseenRequest } from '../denials/unseen.ts'
import { isList, isMap, isStruct, type Value } from '../language/expression_values.ts'
import type { ExpressionKind } from '../language/names/keywords.ts'
import type { Clause, Environment, StepMeter } from '../language/running/evaluate.ts'
import { guarding } from '../language/running/guards.ts'
import { type Expression, partsOf, type Span } from '../language/syntax.ts'
import { controlNamedBy } from '../velocity/named_controls.ts'

/** `because` tells people why the policy as a whole has its outcome. */
export type Explanation = {
  /** Present if the policy would deny requests like this one, and did not because it cannot see them. */
  readonly unseen?: Unseen
  /** The expressions of the policy that were evaluated, in this order: time, condition, consensus. */
  readonly expressions: readonly TracedExpression[]
  readonly because: string
}

/** `clauses` are the first 500 in the order of evaluation. Clauses within a predicate occur once for each item. */
export type TracedExpression = {
  readonly kind: ExpressionKind
  readonly text: string
  readonly verdict: Verdict
  /** Whether it is true for the policy. In a denial, two kinds of errors are (`truthOfGuard`). */
  readonly holds: boolean
  readonly because: string
  readonly clauses: readonly TracedClause[]
}

/** `column` counts from 1. `value` is written as in the language. Long texts are shortened. */
export type TracedClause = { readonly column: number; readonly text: string; readonly value: string }

/**
 * Explains the outcomes of these policies, in their order. If none of them denies the request, each denial that cannot
 * see it says so. `meter` counts the steps and limits nothing.
 */
export async function explainAll(
  policies: readonly CompiledPolicy[],
  input: PolicyInput,
  {
    evaluations,
    pause,
    meter,
  }: {
    readonly evaluations: readonly PolicyEvaluation[]
    readonly pause: Pause
    readonly meter?: StepMeter | undefined
  },
): Promise<readonly Explanation[]> {
  const isDenied = evaluations.some(({ outcome }) => outcome === 'OUTCOME_DENY_EXPLICIT')
  const explanations: Explanation[] = []
  for (const policy of policies) {
    const explanation = explain(policy, input, meter)
    await pause()
    const isBlind = !isDenied && policy.effect === 'EFFECT_DENY' && lacksValue(explanation)
    const unseen = isBlind ? await inSteps(unseenRequest(policy, { ...input.condition, meter }), pause) : undefined
    explanations.push(unseen === undefined ? explanation : { ...explanation, unseen })
  }
  return explanations
}

/** Whether a policy that is active lacks nothing but a field that its condition names. */
function lacksValue({ expressions }: Explanation): boolean {
  return expressions.every(({ kind, verdict, holds }) => {
    if (kind !== 'condition') return holds
    return verdict.kind === 'error' && verdict.code === 'MISSING_FIELD'
  })
}

/** Explains the outcome of a policy for this input. Its expressions are evaluated once more, with a trace. */
export function explain(
  { effect, time, condition, consensus }: CompiledPolicy,
  input: PolicyInput,
  meter?: StepMeter,
): Explanation {
  const guards = effect === 'EFFECT_DENY'
  const isTrue = guards ? guardHolds : truthOf
  const lists = guards ? [input.approvals, ...(input.withEnded ?? [])] : (input.otherForms ?? [])
  const agreeing = lists.find((keywords) => consensus !== undefined && isTrue(consensus, { keywords, meter }) === true)
  const asked: readonly (readonly [CompiledExpression | undefined, Environment])[] = [
    [time, { keywords: { time: { now: BigInt(input.nowMs) } }, meter }],
    [condition, { ...input.condition, meter }],
    [consensus, { keywords: agreeing ?? input.approvals, meter }],
  ]
  const all = asked.flatMap(([expression, environment]) =>
    expression === undefined || expression.text === ''
      ? []
      : [trace(expression, guards ? guarding(environment) : environment)],
  )
  const [first] = all
  const expressions = first?.kind === 'time' && !first.holds ? [first] : all
  return { expressions, because: reasonOf(expressions) }
}

/** The first expression that is not true decides. If all are true, all of them decide. */
function reasonOf(expressions: readonly TracedExpression[]): string {
  if (expressions.length === 0) return 'it has no expressions, and so always applies'
  const failing = expressions.find(({ holds }) => !holds)
  const deciding = failing === undefined ? expressions : [failing]
  return deciding.map(({ kind, because }) => `${kind}: ${because}`).join('; ')
}

export function trace(expression: CompiledExpression, asked: Environment): TracedExpression {
  const environment = decisiveSpelling(expression, asked)
  const clauses: Clause[] = []
  const { kind, text, root } = expression
  const verdict = evaluateExpression(expression, environment, clauses)
  const now = kind === 'time' ? nowIn(environment) : undefined
  const show = (value: Value) => (value === now ? shownTime(now) : shown(value))
  const values = new Map<number, Value>()
  for (const { startColumn, endColumn, value } of clauses) values.set(startColumn * columnsMax + endColumn, value)
  const valueAt = ({ start, end }: Span) => values.get((start + 1) * columnsMax + end + 1)
  const isTakenForTrue =
    verdict.kind === 'error' && environment.guards === true && truthOfGuard(expression, environment, verdict) === true
  return {
    kind,
    text,
    verdict,
    holds: verdict.kind === 'value' ? verdict.value : isTakenForTrue,
    because:
      verdict.kind === 'error'
        ? `column ${verdict.column}: ${verdict.message}${isTakenForTrue ? ', which a denial takes for true' : ''}`
        : shortened(becauseOf(decider(root, valueAt), { text, valueAt, show, environment }), becauseCharactersMax),
    clauses: clauses.slice(0, clausesMax).map(({ startColumn, endColumn, value }) => ({
      column: startColumn,
      text: shortened(text.slice(startColumn - 1, endColumn - 1)),
      value: show(value),
    })),
  }
}

type ValueAt = (place: Span) => Value | undefined

/** The innermost clause whose value alone determines the value of the whole. */
function decider(expression: Expression, valueAt: ValueAt): Expression {
  if (expression.kind === 'not') return decider(expression.operand, valueAt)
  if (expression.kind !== 'and' && expression.kind !== 'or') return expression
  const deciding = expression.operands.find((operand) => knownValue(operand, valueAt) === (expression.kind === 'or'))
  return deciding === undefined ? expression : decider(deciding, valueAt)
}

/** Literals are not traced. */
function knownValue(expression: Expression, valueAt: ValueAt): Value | undefined {
  return expression.kind === 'boolean' ? expression.value : valueAt(expression)
}

type Shown = {
  readonly text: string
  readonly valueAt: ValueAt
  readonly show: (value: Value) => string
  readonly environment: Environment
}

function becauseOf(expression: Expression, { text, valueAt, show, environment }: Shown): string {
  const cut = ({ start, end }: Span) => `\`${shortened(text.slice(start, end))}\``
  const is = (part: Expression) => {
    const value = valueAt(part)
    if (value !== undefined) return [`${cut(part)} is ${show(value)}${noteOn(part)}`]
    return part.kind === 'index' || part.kind === 'slice' ? [`${cut(part)} does not exist`] : []
  }
  const noteOn = (part: Expression) => {
    const identifier = controlNamedBy(part)
    const note = identifier === undefined ? undefined : environment.controlText?.(identifier)
    return note === undefined ? '' : ` (${note})`
  }
  // In a predicate, the values of the last item say nothing about the other items.
  const parts = expression.kind === 'predicate' ? [expression.of] : partsOf(expression)
  if (controlNamedBy(expression) !== undefined) return is(expression).join('')
  return [`${cut(expression)} is ${knownValue(expression, valueAt)}`, ...parts.flatMap(is)].join(', ')
}

const clausesMax = 500
/** More than a text of the language may have. */
const columnsMax = 65_536
const charactersMax = 200
const becauseCharactersMax = 1000
const itemsMax = 10
const depthMax = 4

/** Writes a value in the form of the language. Lists and structs show their first items. */
function shown(value: Value): string {
  return shortened(written(value, 0))
}

/** The value of `time.now`, the only timestamp that is no literal. All other integers are numbers. */
function nowIn({ keywords: { time } }: Environment): bigint | undefined {
  const now = time !== undefined && isStruct(time) ? time.now : undefined
  return typeof now === 'bigint' ? now : undefined
}

function shownTime(timeMs: bigint): string {
  return Temporal.Instant.fromEpochMilliseconds(Number(timeMs)).toString({ fractionalSecondDigits: 3 })
}

function written(value: Value | undefined, depth: number): string {
  if (value === undefined) return 'nothing'
  if (typeof value === 'string') return `'${value.slice(0, charactersMax)}'`
  if (typeof value !== 'object') return String(value)
  if (depth === depthMax) return '…'
  if (isList(value)) return `[${firstOf(value, (item) => written(item, depth + 1))}]`
  const entries = isMap(value) ? [...value] : Object.entries(value)
  return `{ ${firstOf(entries, ([name, member]) => `${name}: ${written(member, depth + 1)}`)} }`
}

function firstOf<T>(items: readonly T[], write: (item: T) => string): string {
  const left = items.length - itemsMax
  return [...items.slice(0, itemsMax).map(write), ...(left > 0 ? [`… ${left} more`] : [])].join(', ')
}

function shortened(text: string, max = charactersMax): string {
  return text.length > max ? `${text.slice(0, max)}…` : text
}
