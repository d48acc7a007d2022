import { type Expression, mapped } from '../syntax.ts'

/** The binding strength of each construct. Any other construct binds as tightly as a name. */
const strengths = new Map<Expression['kind'], number>([
  ['or', 1],
  ['and', 2],
  ['comparison', 3],
  ['sum', 4],
  ['not', 5],
])
const strongest = 6

const joints = { or: ' || ', and: ' && ', sum: ' + ' } as const

/** Returns the text of an expression with no more parentheses than needed. Parsing the text gives the same tree. */
export function print(expression: Expression): string {
  switch (expression.kind) {
    case 'boolean':
    case 'integer':
      return String(expression.value)
    case 'string':
      return quoted(expression.value)
    case 'list':
      return `[${expression.items.map(print).join(', ')}]`
    case 'name':
      return expression.name
    case 'field':
      return `${operand(expression.of, strongest)}.${expression.name}`
    case 'index':
      return `${operand(expression.of, strongest)}[${print(expression.index)}]`
    case 'slice':
      return `${operand(expression.of, strongest)}[${print(expression.from)}..${print(expression.to)}]`
    case 'not':
      return `!${operand(expression.operand, 5)}`
    case 'and':
    case 'or':
    case 'sum': {
      const { kind } = expression
      return expression.operands.map((each) => operand(each, strengthOf(expression) + 1)).join(joints[kind])
    }
    case 'comparison':
      return `${operand(expression.left, 4)} ${expression.operator} ${operand(expression.right, 4)}`
    case 'count':
      return `${operand(expression.of, strongest)}.count()`
    case 'contains':
      return `${operand(expression.of, strongest)}.contains(${print(expression.item)})`
    case 'predicate': {
      const { of, method, variable, body } = expression
      return `${operand(of, strongest)}.${method}(${variable}, ${print(body)})`
    }
    case 'timestamp':
      return `Timestamp(${quoted(expression.text)})`
    case 'cron_span':
      return `CronSpan(${expression.texts.map(quoted).join(', ')})`
    case 'spent':
      return `spent(${quoted(expression.path)}, ${quoted(expression.duration)})`
  }
}

/** The text of an expression, the same for each spelling of its times and durations, such as `24h` and `1d`. */
export function printAlike(expression: Expression): string {
  return print(mapped(expression, alike))
}

function alike(part: Expression): Expression {
  switch (part.kind) {
    case 'timestamp':
      return { ...part, text: String(part.timeMs) }
    case 'cron_span':
      return { ...part, texts: [JSON.stringify(part.span), '', ''] }
    case 'spent':
      return { ...part, duration: String(part.durationMs) }
    default:
      return part
  }
}

function operand(expression: Expression, strengthMin: number): string {
  return strengthOf(expression) < strengthMin ? `(${print(expression)})` : print(expression)
}

function strengthOf(expression: Expression): number {
  return strengths.get(expression.kind) ?? strongest
}

/** Writes a text as a string literal. */
export function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}
