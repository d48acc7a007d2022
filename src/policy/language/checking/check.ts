import { message } from '../message.ts'
import { type ExpressionKind, functions, keywords } from '../names/keywords.ts'
import { constantOf, partOf, pieceOf, textAmong } from '../names/pieces.ts'
import {
  any,
  bool,
  countOf,
  describe,
  int,
  isInteger,
  isScalar,
  type ListType,
  listOf,
  string,
  type Type,
  timestamp,
} from '../names/types.ts'
import { nearest } from '../nearest.ts'
import { Problem } from '../problem.ts'
import type { Expression, Span } from '../syntax.ts'
import { problemOfBounds } from './bounds.ts'
import { ComparedLiterals } from './literals.ts'
import { areComparable, hintOfQuotes, mismatch } from './mismatch.ts'
import { type Checked, judgedLater } from './never_equal.ts'
import { problemsOfRange } from './ranges.ts'
import { typeOfSpent } from './spent.ts'

/** `variables` are those of the surrounding predicates, innermost last. */
type Scope = {
  readonly kind: ExpressionKind
  readonly text: string
  readonly variables: readonly { readonly name: string; readonly type: Type }[]
  readonly literals: ComparedLiterals
  /** Problems of indexes, slices and numbers are added here. */
  readonly never: Problem[]
}

/**
 * Throws `Problem` unless the expression reads only what its kind may read, has types that fit, and is a boolean. The
 * scope of a session is a condition that is asked about queries too.
 */
export function check(
  expression: Expression,
  kind: ExpressionKind,
  text: string,
  { isScope = false }: { readonly isScope?: boolean } = {},
): Checked {
  const [literals, never]: [ComparedLiterals, Problem[]] = [new ComparedLiterals(), []]
  expect(expression, 'bool', { kind, text, variables: [], literals, never })
  const respelled = literals.respelled(expression)
  const byTypes = [...literals.problems(), ...never]
  return judgedLater({ expression: respelled, ids: literals.ids() }, { kind, isScope, byTypes })
}

/** The type of a part of a checked expression, in predicates with these variables. */
export function typeOfPart(part: Expression, kind: ExpressionKind, variables: Scope['variables']): Type {
  return typeOf(part, checkedScope(kind, variables))
}

/** The type of the items of a list in a checked expression. */
export function typeOfItems(list: Expression, kind: ExpressionKind, variables: Scope['variables']): Type {
  return itemOf(list, '', checkedScope(kind, variables))
}

/** For what has no faults: nothing reads the text, the problems and the spellings. */
function checkedScope(kind: ExpressionKind, variables: Scope['variables']): Scope {
  return { kind, text: '', variables, literals: new ComparedLiterals(), never: [] }
}

/** Returns the type and checks every part once. Twice at each level would be 2^50 times at the greatest depth. */
function typeOf(expression: Expression, scope: Scope): Type {
  switch (expression.kind) {
    case 'boolean':
      return bool
    case 'integer':
      return int
    case 'string':
      return { kind: 'string', written: [expression] }
    case 'list':
      return typeOfList(expression.items, scope)
    case 'name':
      return typeOfName(expression, scope)
    case 'field':
      return typeOfField(expression, scope)
    case 'index':
      return typeOfIndex(expression, scope)
    case 'slice':
      return typeOfSlice(expression, scope)
    case 'not':
      expect(expression.operand, 'bool', scope)
      return bool
    case 'and':
    case 'or':
      for (const operand of expression.operands) expect(operand, 'bool', scope)
      return bool
    case 'sum':
      for (const operand of expression.operands) expect(operand, 'int', scope)
      return int
    case 'comparison':
      checkComparison(expression, scope)
      return bool
    case 'count':
      return countOf(listIn(expression.of, 'count', scope))
    case 'contains': {
      const { of, item } = expression
      checkEqual(
        { expression: item, type: typeOf(item, scope) },
        { expression: of, type: itemOf(of, 'contains', scope) },
        scope,
      )
      return bool
    }
    case 'predicate':
      return typeOfPredicate(expression, scope)
    case 'timestamp':
      checkFunction('Timestamp', expression, scope)
      return timestamp
    case 'cron_span':
      checkFunction('CronSpan', expression, scope)
      return bool
    case 'spent':
      checkFunction('spent', expression, scope)
      return typeOfSpent(expression)
  }
}

type Of<K extends Expression['kind']> = Expression & { readonly kind: K }
type Typed = { readonly expression: Expression; readonly type: Type }

function typeOfName({ name, ...place }: Of<'name'>, { kind, variables }: Scope): Type {
  const variable = variables.findLast((each) => each.name === name)
  const type = variable?.type ?? keywords[kind].get(name)
  if (type !== undefined) return type
  const elsewhere = (['consensus', 'condition', 'time'] as const).find((other) => keywords[other].has(name))
  if (elsewhere !== undefined)
    throw new Problem(place.start, message`${name} can be read in ${elsewhere}, not in ${kind}`)
  const known = [...variables.map((each) => each.name), ...keywords[kind].keys()]
  const hint = nearest(name, known) ?? message`; ${kind} has ${known.join(', ')}`
  throw new Problem(place.start, message`there is no keyword ${name}${hint}`)
}

function typeOfField({ of, name }: Of<'field'>, scope: Scope): Type {
  const type = typeOf(of, scope)
  const start = scope.text.indexOf(name, of.end)
  const receiver = source(of, scope)
  if (type.kind === 'map' || type.kind === 'any')
    throw new Problem(start, message`${receiver} is read by key: ${receiver}['${name}']`)
  if (type.kind === 'list') {
    throw new Problem(
      start,
      message`${receiver} is a list; read an item by ${receiver}[0] or use any, all, filter, contains, count`,
    )
  }
  if (type.kind !== 'struct') throw mismatch(of, message`something with fields before .${name}`, type)
  const field = type.fields.get(name) ?? type.others
  if (field !== undefined) return field
  const known = [...type.fields.keys()]
  const hint = nearest(name, known) ?? message`; it has ${known.join(', ')}`
  throw new Problem(start, message`${receiver} has no field ${name}${hint}`)
}

function typeOfIndex(expression: Of<'index'>, scope: Scope): Type {
  const { of, index } = expression
  const type = typeOf(of, scope)
  const indexType = typeOf(index, scope)
  checkBounds(expression, type, scope)
  if (type.kind === 'any') {
    if (indexType.kind === 'string' || isInteger(indexType) || indexType.kind === 'any') return partOf(type)
    throw mismatch(index, message`an index or a key`, indexType)
  }
  if (type.kind === 'struct') {
    throw new Problem(of.end, message`${source(of, scope)} is ${describe(type)}; its fields are read with a dot`)
  }
  if (type.kind !== 'list' && type.kind !== 'map' && type.kind !== 'string') {
    throw mismatch(of, message`a list, a map or a string before [`, type)
  }
  demand(index, indexType, type.kind === 'map' ? 'string' : 'int')
  if (type.kind !== 'string') return type.item
  const at = constantOf(index)
  return partOf(type, pieceOf(type.piece, at, at === undefined ? undefined : at + 1n))
}

function typeOfSlice(expression: Of<'slice'>, scope: Scope): Type {
  const { of, from, to } = expression
  const type = typeOf(of, scope)
  expect(from, 'int', scope)
  expect(to, 'int', scope)
  checkBounds(expression, type, scope)
  if (type.kind === 'list') return type
  if (type.kind !== 'string' && type.kind !== 'any') throw mismatch(of, message`a list or a string before [..]`, type)
  return partOf(type, pieceOf(type.piece, constantOf(from), constantOf(to)))
}

function checkBounds(part: Of<'index' | 'slice'>, type: Type, scope: Scope): void {
  const problem = problemOfBounds(part, type, source(part.of, scope))
  if (problem !== undefined) scope.never.push(problem)
}

/** A written list holds scalars of one kind. */
function typeOfList(items: readonly Expression[], scope: Scope): Type {
  let item: Type = any
  const texts: Type[] = []
  for (const expression of items) {
    const type = typeOf(expression, scope)
    if (!isScalar(type)) throw mismatch(expression, message`a string, an integer or a boolean in a written list`, type)
    if (!areComparable(item, type)) throw mismatch(expression, message`${describe(item)} like the item before`, type)
    if (item.kind === 'any') item = type
    texts.push(type)
  }
  return listOf(item.kind === 'string' ? textAmong(texts) : isInteger(item) ? int : item, items.length)
}

function typeOfPredicate({ of, method, variable, body }: Of<'predicate'>, scope: Scope): Type {
  const { item, itemsMax } = listIn(of, method, scope)
  if (keywords[scope.kind].has(variable) || scope.variables.some(({ name }) => name === variable)) {
    throw new Problem(
      scope.text.indexOf(variable, scope.text.indexOf('(', of.end)),
      message`the variable of .${method} cannot be called ${variable}: that name has a meaning here already`,
    )
  }
  expect(body, 'bool', { ...scope, variables: [...scope.variables, { name: variable, type: item }] })
  return method === 'filter' ? listOf(item, itemsMax) : bool
}

function itemOf(of: Expression, method: string, scope: Scope): Type {
  return listIn(of, method, scope).item
}

/** The type of a list's items, and how many there are at most. */
function listIn(of: Expression, method: string, scope: Scope): Pick<ListType, 'item' | 'itemsMax'> {
  const type = typeOf(of, scope)
  if (type.kind === 'list') return type
  if (type.kind === 'any') return { item: partOf(type) }
  throw mismatch(of, message`a list before .${method}`, type)
}

function checkComparison({ operator, ...operands }: Of<'comparison'>, scope: Scope): void {
  const left = { expression: operands.left, type: typeOf(operands.left, scope) }
  const right = { expression: operands.right, type: typeOf(operands.right, scope) }
  if (operator === 'in') {
    const { expression, type: list } = right
    if (list.kind !== 'list' && list.kind !== 'any') throw mismatch(expression, message`a list after 'in'`, list)
    checkEqual(left, { expression, type: list.kind === 'list' ? list.item : any }, scope)
    return
  }
  if (operator === '==' || operator === '!=') {
    checkEqual(left, right, scope)
    return
  }
  for (const { expression, type } of [left, right]) {
    if (isInteger(type) || type.kind === 'timestamp' || type.kind === 'any') continue
    throw mismatch(expression, message`an integer or a timestamp beside ${operator}`, type, hintOfQuotes(expression))
  }
  if (!areComparable(left.type, right.type)) throw mismatch(right.expression, describe(left.type), right.type)
  scope.never.push(...problemsOfRange(sideOf(left, scope), operator, sideOf(right, scope)))
}

/** `right` may be a list together with the type of its items. */
function checkEqual(left: Typed, right: Typed, scope: Scope): void {
  for (const { expression, type } of [left, right]) {
    if (!isScalar(type))
      throw mismatch(expression, message`a string, an integer, a boolean or a timestamp to compare`, type)
  }
  if (!areComparable(left.type, right.type)) {
    const isLeftInteger = isInteger(left.type)
    const hint = hintOfQuotes(isLeftInteger ? right.expression : left.expression)
    throw mismatch(right.expression, describe(left.type), right.type, hint)
  }
  const sides = [sideOf(left, scope), sideOf(right, scope)] as const
  scope.literals.compare(...sides)
  scope.never.push(...problemsOfRange(sides[0], '==', sides[1]))
}

function sideOf({ expression, type }: Typed, scope: Scope) {
  return { expression, type, source: source(expression, scope), start: expression.start }
}

function checkFunction(name: string, { start }: Span, { kind }: Scope): void {
  if (!functions[kind].includes(name)) {
    const place = functions.time.includes(name) ? 'time' : 'condition'
    throw new Problem(start, message`${name} can be used in ${place}, not in ${kind}`)
  }
}

function expect(expression: Expression, expected: 'bool' | 'int', scope: Scope): void {
  demand(expression, typeOf(expression, scope), expected)
}

/** Throws `Problem` unless the type fits. A type that only the request decides fits. */
function demand(expression: Expression, type: Type, expected: 'bool' | 'int' | 'string'): void {
  const wanted = { bool, int, string }[expected]
  if (!areComparable(wanted, type)) throw mismatch(expression, describe(wanted), type, hintOfQuotes(expression))
}

function source({ start, end }: Span, { text }: Scope): string {
  return text.slice(start, end)
}
