import type { CronSpan } from './time/cron_span.ts'

/** The place of an expression in its text, in UTF-16 units. `end` is exclusive. Parentheses around it are included. */
export type Span = { readonly start: number; readonly end: number }

export const comparisonOperators = ['==', '!=', '<=', '>=', '<', '>', 'in'] as const
export type ComparisonOperator = (typeof comparisonOperators)[number]

export const predicateMethods = ['all', 'any', 'filter'] as const
export type PredicateMethod = (typeof predicateMethods)[number]

/** The tree of an expression. `and`, `or` and `sum` have at least two operands: a long chain is not a deep tree. */
export type Expression = Span &
  (
    | { readonly kind: 'boolean'; readonly value: boolean }
    | { readonly kind: 'integer'; readonly value: bigint }
    | { readonly kind: 'string'; readonly value: string }
    | { readonly kind: 'list'; readonly items: readonly Expression[] }
    /** A keyword or the variable of a predicate. */
    | { readonly kind: 'name'; readonly name: string }
    | { readonly kind: 'field'; readonly of: Expression; readonly name: string }
    | { readonly kind: 'index'; readonly of: Expression; readonly index: Expression }
    | { readonly kind: 'slice'; readonly of: Expression; readonly from: Expression; readonly to: Expression }
    | { readonly kind: 'not'; readonly operand: Expression }
    | { readonly kind: 'and' | 'or' | 'sum'; readonly operands: readonly Expression[] }
    | Comparison
    | { readonly kind: 'count'; readonly of: Expression }
    | { readonly kind: 'contains'; readonly of: Expression; readonly item: Expression }
    | Predicate
    /** `timeMs`: since 1970. */
    | { readonly kind: 'timestamp'; readonly text: string; readonly timeMs: bigint }
    | { readonly kind: 'cron_span'; readonly texts: readonly [string, string, string]; readonly span: CronSpan }
    | { readonly kind: 'spent'; readonly path: string; readonly duration: string; readonly durationMs: number }
  )

type Comparison = {
  readonly kind: 'comparison'
  readonly operator: ComparisonOperator
  readonly left: Expression
  readonly right: Expression
}

type Predicate = {
  readonly kind: 'predicate'
  readonly of: Expression
  readonly method: PredicateMethod
  readonly variable: string
  readonly body: Expression
}

/** The expression and everything in it, from left to right. */
export function* everyPart(expression: Expression): Iterable<Expression> {
  const pending = [expression]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    yield next
    // Reversed, so that the leftmost part is next.
    pending.push(...partsOf(next).toReversed())
  }
}

export function textsIn(root: Expression): readonly string[] {
  return [...everyPart(root)].flatMap((part) => (part.kind === 'string' ? [part.value] : []))
}

/** The sub-expressions, from left to right. Every kind is listed, because a forgotten kind would hide its parts. */
export function partsOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case 'list':
      return expression.items
    case 'field':
    case 'count':
      return [expression.of]
    case 'index':
      return [expression.of, expression.index]
    case 'slice':
      return [expression.of, expression.from, expression.to]
    case 'not':
      return [expression.operand]
    case 'and':
    case 'or':
    case 'sum':
      return expression.operands
    case 'comparison':
      return [expression.left, expression.right]
    case 'contains':
      return [expression.of, expression.item]
    case 'predicate':
      return [expression.of, expression.body]
    case 'boolean':
    case 'integer':
    case 'string':
    case 'name':
    case 'timestamp':
    case 'cron_span':
    case 'spent':
      return []
  }
}

/** The expression after `change` has replaced each of its parts, innermost first. */
export function mapped(expression: Expression, change: (part: Expression) => Expression): Expression {
  const inner = (part: Expression) => mapped(part, change)
  return change(withParts(expression, inner))
}

function withParts(expression: Expression, inner: (part: Expression) => Expression): Expression {
  switch (expression.kind) {
    case 'list':
      return { ...expression, items: expression.items.map(inner) }
    case 'field':
    case 'count':
      return { ...expression, of: inner(expression.of) }
    case 'index':
      return { ...expression, of: inner(expression.of), index: inner(expression.index) }
    case 'slice':
      return {
        ...expression,
        of: inner(expression.of),
        from: inner(expression.from),
        to: inner(expression.to),
      }
    case 'not':
      return { ...expression, operand: inner(expression.operand) }
    case 'and':
    case 'or':
    case 'sum':
      return { ...expression, operands: expression.operands.map(inner) }
    case 'comparison':
      return { ...expression, left: inner(expression.left), right: inner(expression.right) }
    case 'contains':
      return { ...expression, of: inner(expression.of), item: inner(expression.item) }
    case 'predicate':
      return { ...expression, of: inner(expression.of), body: inner(expression.body) }
    case 'boolean':
    case 'integer':
    case 'string':
    case 'name':
    case 'timestamp':
    case 'cron_span':
    case 'spent':
      return expression
  }
}
