import { type Message, message } from '../message.ts'
import { nearest } from '../nearest.ts'
import { Problem } from '../problem.ts'
import { comparisonOperators, type Expression, predicateMethods } from '../syntax.ts'
import { expectedForms, parseCronSpan } from '../time/cron_span.ts'
import { parseDuration } from '../time/durations.ts'
import { parseTimestamp } from '../time/timestamps.ts'
import { type Symbols, type Token, tokensOf } from './tokens.ts'

export const textCharactersMax = 10_000
export const listItemsMax = 500
/** Levels of parentheses, brackets, `!` and accesses. */
export const depthMax = 50

const reservedNames = ['true', 'false', 'in']
const functionNames = ['Timestamp', 'CronSpan', 'spent']
const methodNames = [...predicateMethods, 'contains', 'count']
const words = new Map([
  ['and', '&&'],
  ['or', '||'],
  ['not', '!'],
  ['AND', '&&'],
  ['OR', '||'],
  ['NOT', '!'],
])

/** Parses a text by recursive descent, with the grammar of docs/policies.md. Throws `Problem`. */
export function parse(text: string): Expression {
  if (text.length > textCharactersMax) {
    throw new Problem(textCharactersMax, message`an expression has at most ${textCharactersMax} characters`)
  }
  const parser = new Parser(tokensOf(text))
  const expression = parser.expression(0)
  parser.expectEnd()
  return expression
}

class Parser {
  readonly #tokens: readonly Token[]
  #next = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  expression(depth: number): Expression {
    return this.#chain('or', '||', () => this.#chain('and', '&&', () => this.#comparison(depth)))
  }

  expectEnd(): void {
    const token = this.#peek()
    if (token.kind !== 'end')
      throw new Problem(token.start, message`expected an operator or the end, found ${shown(token)}`)
  }

  /** Parses operands with one operator between them: one flat node, or the operand itself if there is only one. */
  #chain(kind: 'or' | 'and' | 'sum', symbol: Symbols, operandOf: () => Expression): Expression {
    const first = operandOf()
    const operands = [first]
    while (this.#take(symbol)) operands.push(operandOf())
    const last = operands.at(-1) ?? first
    return operands.length === 1 ? first : { kind, operands, start: first.start, end: last.end }
  }

  #comparison(depth: number): Expression {
    const left = this.#sum(depth)
    const operator = this.#takeComparison()
    if (operator === undefined) return left
    const right = this.#sum(depth)
    const next = this.#peek()
    if (this.#takeComparison() !== undefined) {
      throw new Problem(next.start, message`comparisons are not chained; write a < b && b < c, or use parentheses`)
    }
    return { kind: 'comparison', operator, left, right, start: left.start, end: right.end }
  }

  #sum(depth: number): Expression {
    return this.#chain('sum', '+', () => this.#unary(depth))
  }

  #unary(depth: number): Expression {
    const { start } = this.#peek()
    if (!this.#take('!')) return this.#postfix(depth)
    const operand = this.#unary(this.#deeper(depth))
    return { kind: 'not', operand, start, end: operand.end }
  }

  #postfix(depth: number): Expression {
    let expression = this.#primary(depth)
    for (let links = depth; ; ) {
      const isIndex = this.#take('[')
      if (!isIndex && !this.#take('.')) return expression
      links = this.#deeper(links)
      expression = isIndex ? this.#index(expression, links) : this.#access(expression, links)
    }
  }

  #index(of: Expression, depth: number): Expression {
    const { start } = of
    const index = this.expression(depth)
    if (!this.#take('..')) return { kind: 'index', of, index, start, end: this.#expect(']').end }
    const to = this.expression(depth)
    return { kind: 'slice', of, from: index, to, start, end: this.#expect(']').end }
  }

  #access(of: Expression, depth: number): Expression {
    const { start } = of
    const { name, ...place } = this.#expectName(message`the name of a field or method`)
    if (!this.#take('(')) {
      // No struct has a field of this name, so it can only be the method.
      if (name === 'count') return { kind: 'count', of, start, end: place.end }
      return { kind: 'field', of, name, start, end: place.end }
    }
    if (name === 'count') return { kind: 'count', of, start, end: this.#expect(')').end }
    if (name === 'contains') {
      const item = this.expression(depth)
      return { kind: 'contains', of, item, start, end: this.#expect(')').end }
    }
    const method = predicateMethods.find((each) => each === name)
    if (method === undefined) {
      const hint = nearest(name, methodNames) ?? message`; there are ${methodNames.join(', ')}`
      throw new Problem(place.start, message`there is no method ${name}${hint}`)
    }
    const variable = this.#expectName(message`a name for the items, as in ${name}(item, item == 1)`)
    if (reservedNames.includes(variable.name))
      throw new Problem(variable.start, message`${variable.name} cannot name a variable`)
    this.#expect(',')
    const body = this.expression(depth)
    return { kind: 'predicate', of, method, variable: variable.name, body, start, end: this.#expect(')').end }
  }

  #primary(depth: number): Expression {
    const token = this.#peek()
    const { start, end } = token
    if (this.#take('(')) {
      const inner = this.expression(this.#deeper(depth))
      return { ...inner, start, end: this.#expect(')').end }
    }
    if (this.#take('[')) return this.#list(start, this.#deeper(depth))
    if (token.kind === 'integer' || token.kind === 'string') {
      this.#next += 1
      return token.kind === 'integer'
        ? { kind: 'integer', value: token.value, start, end }
        : { kind: 'string', value: token.value, start, end }
    }
    const { name } = this.#expectName(message`a value`)
    if (name === 'true' || name === 'false') return { kind: 'boolean', value: name === 'true', start, end }
    if (name === 'in' || words.has(name)) throw new Problem(start, message`expected a value, found ${shown(token)}`)
    return this.#take('(') ? this.#call(name, start) : { kind: 'name', name, start, end }
  }

  #list(start: number, depth: number): Expression {
    if (this.#peekSymbol() === ']') return { kind: 'list', items: [], start, end: this.#expect(']').end }
    const items: Expression[] = []
    do {
      if (items.length === listItemsMax) {
        throw new Problem(this.#peek().start, message`a list has at most ${listItemsMax} items`)
      }
      items.push(this.expression(depth))
    } while (this.#take(','))
    return { kind: 'list', items, start, end: this.#expect(']').end }
  }

  /** Functions take literal strings only. */
  #call(name: string, start: number): Expression {
    if (!functionNames.includes(name)) {
      throw new Problem(start, message`there is no function ${name}${nearest(name, functionNames) ?? ''}`)
    }
    if (name === 'Timestamp') return this.#timestamp(start)
    return name === 'CronSpan' ? this.#cronSpan(start) : this.#spent(start)
  }

  #timestamp(start: number): Expression {
    const [argument] = this.#strings(1, message`Timestamp('<time>')`)
    const { value: text = '', start: at = start } = argument ?? {}
    const timeMs = parseTimestamp(text)
    if (timeMs === undefined) {
      throw new Problem(at, message`expected a time in UTC such as '2026-03-01T00:00:00Z' (RFC 3339, offset zero)`)
    }
    return { kind: 'timestamp', text, timeMs: BigInt(timeMs), start, end: this.#expect(')').end }
  }

  #cronSpan(start: number): Expression {
    const given = this.#strings(3, message`CronSpan('<cron>', '<duration>', '<time zone>')`)
    const [cron, duration, zone] = given.map(({ value }) => value)
    const texts = [cron ?? '', duration ?? '', zone ?? ''] as const
    const span = parseCronSpan(texts)
    if ('wrong' in span) throw new Problem(given[span.wrong]?.start ?? start, expected(span.expected))
    return { kind: 'cron_span', texts, span, start, end: this.#expect(')').end }
  }

  #spent(start: number): Expression {
    const [path, given] = this.#strings(2, message`spent('<field>', '<duration>')`)
    const { value: duration = '', start: at = start } = given ?? {}
    const durationMs = parseDuration(duration)
    if (durationMs === undefined) throw new Problem(at, expected(expectedForms.duration))
    return { kind: 'spent', path: path?.value ?? '', duration, durationMs, start, end: this.#expect(')').end }
  }

  #strings(count: number, form: Message): readonly Extract<Token, { kind: 'string' }>[] {
    return Array.from({ length: count }, (_, index) => {
      if (index > 0) this.#expect(',')
      const token = this.#peek()
      if (token.kind !== 'string') throw new Problem(token.start, message`expected ${form}, found ${shown(token)}`)
      this.#next += 1
      return token
    })
  }

  #deeper(depth: number): number {
    if (depth < depthMax) return depth + 1
    throw new Problem(this.#peek().start, message`an expression is nested at most ${depthMax} deep`)
  }

  #peek(): Token {
    const token = this.#tokens[this.#next]
    if (token === undefined) throw new Error('the end of the text is a token that nothing takes')
    return token
  }

  #peekSymbol(): Symbols | undefined {
    const token = this.#peek()
    return token.kind === 'symbol' ? token.symbol : undefined
  }

  #take(symbol: Symbols): boolean {
    if (this.#peekSymbol() !== symbol) return false
    this.#next += 1
    return true
  }

  #takeComparison() {
    const token = this.#peek()
    const written = token.kind === 'name' ? token.name : this.#peekSymbol()
    const operator = comparisonOperators.find((each) => each === written)
    if (operator !== undefined) this.#next += 1
    return operator
  }

  #expect(symbol: Symbols): Token {
    const token = this.#peek()
    if (!this.#take(symbol)) throw new Problem(token.start, message`expected '${symbol}', found ${shown(token)}`)
    return token
  }

  #expectName(expected: Message): Extract<Token, { kind: 'name' }> {
    const token = this.#peek()
    if (token.kind !== 'name') throw new Problem(token.start, message`expected ${expected}, found ${shown(token)}`)
    this.#next += 1
    return token
  }
}

/** `form` is a template without places. */
function expected(form: string): Message {
  return message`expected ${{ template: form, values: [] }}`
}

function shown(token: Token): Message {
  switch (token.kind) {
    case 'end':
      return message`the end of the text`
    case 'integer':
      return message`the integer ${token.value}`
    case 'string':
      return message`a string`
    case 'name': {
      const symbol = words.get(token.name)
      return symbol === undefined ? message`'${token.name}'` : message`'${token.name}'; write ${symbol}`
    }
    case 'symbol':
      return message`'${token.symbol}'`
  }
}
