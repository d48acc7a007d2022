import { onceFor } from '../../protocol/tools/once_for.ts'
import { Failure, orFailure } from '../../protocol/wire/failures.ts'
import type { CompiledPolicy } from '../decision/policy_evaluator.ts'
import { compileCondition } from '../decision/policy_expressions.ts'
import { print } from '../language/reading/print.ts'
import type { Expression } from '../language/syntax.ts'
import { knownValue } from './reads.ts'
import type { Shape } from './signing_requests.ts'

/** Whether the condition of a policy is true of every request of the shape of which `truths` are. */
export function isTrueOf(policy: CompiledPolicy, shape: Shape, truths: ReadonlySet<string>): boolean {
  return operandsOf(policy).every(({ text, expression }) => truths.has(text) || knownValue(expression, shape) === true)
}

export type Operand = { readonly text: string; readonly expression: Expression }

/** The operands of `&&` of a condition, all of which have to be true. */
export const operandsOf = onceFor(({ condition }: CompiledPolicy): readonly Operand[] =>
  condition === undefined ? [] : conjuncts(condition.root),
)

function conjuncts(expression: Expression): readonly Operand[] {
  if (expression.kind === 'and') return expression.operands.flatMap(conjuncts)
  return [{ text: expression.kind === 'or' ? `(${print(expression)})` : print(expression), expression }]
}

const keptCharactersMax = 2_000

/** Keeps the operands of the denial as far as there is room. Without them, the clause denies more. */
export function joined(own: readonly string[], kept: readonly string[]): string {
  let room = keptCharactersMax
  const fitting = kept.filter((text) => {
    const isFitting = text.length <= room
    if (isFitting) room -= text.length
    return isFitting
  })
  const clause = [...own, ...fitting].join(' && ')
  // With the parentheses of an operand, the clause may be deeper than expressions may be.
  return orFailure(() => compileCondition(clause)) instanceof Failure ? own.join(' && ') : clause
}
