import { onceFor } from '../../../protocol/tools/once_for.ts'
import { finished, type Steps } from '../../../protocol/tools/steps.ts'
import type { CompiledExpression } from '../../decision/policy_expressions.ts'
import { typeOfItems, typeOfPart } from '../../language/checking/check.ts'
import type { ExpressionKind } from '../../language/names/keywords.ts'
import { isInteger, type Type } from '../../language/names/types.ts'
import { print } from '../../language/reading/print.ts'
import { type Expression, everyPart } from '../../language/syntax.ts'
import { decidingNumbers } from './deciding_numbers.ts'
import { type Copies, itemsFor, newCopies, type OwnItems, ownItems, type Wanted, wantedOfInner } from './own_items.ts'

/** A part of an expression whose value only a request has, and values that make a difference there. */
export type Term = {
  readonly name: string
  readonly part: Expression
  readonly type: Type
  readonly values: readonly (boolean | bigint | string)[]
}

type WithTerms = { readonly root: Expression; readonly terms: readonly Term[] }

type Scope = {
  readonly kind: ExpressionKind
  readonly variables: readonly (Parameters<typeof typeOfPart>[2][number] & { readonly list: string })[]
  readonly terms: Map<string, Pick<Term, 'part' | 'type'>>
  /** The written texts and numbers with which each term is compared. */
  readonly compared: Map<string, Set<bigint | string>>
  readonly never: ReadonlySet<number>
  readonly items: OwnItems
  readonly wanted: Wanted
  readonly copies: Copies
  readonly pause: { partsLeft: number }
}

/** So many parts are looked at between two pauses. */
const partsInARow = 1_000

/**
 * The expression with a name in the place of each of its terms. Each test that one item fulfils has one of its own, the
 * others are about each of these, and all may also meet an empty list. The submitter is the one approver of a consensus.
 * `variables`: names in it that stand for something of their own. One of no list is called by its name alone.
 */
export function* termsInSteps(
  { kind, root, neverEqual }: Pick<CompiledExpression, 'kind' | 'root' | 'neverEqual'>,
  variables: Scope['variables'] = [],
): Steps<WithTerms> {
  const never = new Set(neverEqual.map(({ column }) => column - 1))
  const asked = { items: ownItems(root), wanted: true, copies: newCopies() }
  const pause = { partsLeft: partsInARow }
  const scope: Scope = { kind, variables, terms: new Map(), compared: new Map(), never, pause, ...asked }
  const replaced = yield* replace(root, scope)
  yield
  const terms = [...scope.terms].map(([name, { part, type }]): Term => {
    const values = valuesOf(name, type, scope.compared.get(name) ?? new Set())
    return { name, part, type, values }
  })
  return { root: replaced, terms }
}

/** The same at once, for an expression that is written as it stands. */
export function withTerms(...given: Parameters<typeof termsInSteps>): WithTerms {
  return finished(termsInSteps(...given))
}

function* replace(expression: Expression, around: Scope): Steps<Expression> {
  const scope = { ...around, wanted: wantedOfInner(expression, around.wanted) }
  if (--scope.pause.partsLeft < 0) {
    scope.pause.partsLeft = partsInARow
    yield
  }
  switch (expression.kind) {
    case 'boolean':
    case 'integer':
    case 'string':
      return expression
    case 'list':
      return { ...expression, items: yield* replaceEach(expression.items, scope) }
    case 'not':
      return { ...expression, operand: yield* replace(expression.operand, scope) }
    case 'and':
    case 'or':
    case 'sum':
      return { ...expression, operands: yield* replaceEach(expression.operands, scope) }
    case 'comparison': {
      const { operator, left, right } = expression
      if (operator === 'in') return yield* membership(expression, { of: right, item: left }, scope)
      const sides = { left: yield* replace(left, scope), right: yield* replace(right, scope) }
      note(sides.left, sides.right, scope)
      return { ...expression, ...sides }
    }
    case 'contains':
      return yield* membership(expression, expression, scope)
    case 'predicate':
      return yield* ofItems(expression, around)
    case 'count':
      return isApprovals(expression.of, scope)
        ? { kind: 'integer', value: 1n, start: expression.start, end: expression.end }
        : term(expression, scope, { kind: 'int' })
    default:
      return term(expression, scope, typeOfPart(expression, scope.kind, scope.variables))
  }
}

function* replaceEach(parts: readonly Expression[], scope: Scope): Steps<readonly Expression[]> {
  const replaced: Expression[] = []
  for (const part of parts) replaced.push(yield* replace(part, scope))
  return replaced
}

type Membership = { readonly of: Expression; readonly item: Expression }

/** Whether something is in a written list depends on its value. In any other list it is or is not. */
function* membership({ start, end }: Expression, { of, item }: Membership, scope: Scope): Steps<Expression> {
  if (of.kind !== 'list') return term({ kind: 'contains', of, item, start, end }, scope, { kind: 'bool' })
  const sides = { of: yield* replace(of, scope), item: yield* replace(item, scope) }
  note(sides.item, sides.of, scope)
  return { kind: 'contains', ...sides, start, end }
}

function* ofItems(expression: Expression & { readonly kind: 'predicate' }, scope: Scope): Steps<Expression> {
  const { of, variable, body, method, start, end } = expression
  if (method === 'filter' || of.kind === 'list') return term(expression, scope, { kind: 'bool' })
  const type = typeOfItems(of, scope.kind, scope.variables)
  const numbers = isApprovals(of, scope) ? [0] : itemsFor(expression, scope)
  const bodies: Expression[] = []
  for (const number of numbers) {
    const item = { name: variable, type, list: `${nameOf(of, scope)}[${number}]` }
    bodies.push(yield* replace(body, { ...scope, variables: [...scope.variables, item] }))
  }
  const [first = body, ...others] = bodies
  const kind = method === 'any' ? 'or' : 'and'
  const tested: Expression = others.length === 0 ? first : { kind, operands: [first, ...others], start, end }
  if (isApprovals(of, scope)) return tested
  const isThere = isNotEmpty(of, expression, scope)
  return method === 'any'
    ? { kind: 'and', operands: [isThere, tested], start, end }
    : { kind: 'or', operands: [{ kind: 'not', operand: isThere, start, end }, tested], start, end }
}

/** By the count of its items, which other parts of the expression may compare as well. */
function isNotEmpty(of: Expression, { start, end }: Expression, scope: Scope): Expression {
  const left = term({ kind: 'count', of, start, end }, scope, { kind: 'int' })
  const right: Expression = { kind: 'integer', value: 0n, start, end }
  note(left, right, scope)
  return { kind: 'comparison', operator: '>', left, right, start, end }
}

function isApprovals(list: Expression, { kind }: Scope): boolean {
  return kind === 'consensus' && list.kind === 'name' && (list.name === 'approvers' || list.name === 'credentials')
}

function term(part: Expression, scope: Scope, type: Type): Expression {
  const name = nameOf(part, scope)
  scope.terms.set(name, { part, type })
  return { kind: 'name', name, start: part.start, end: part.end }
}

/** Two lists may have items of one name. */
function nameOf(part: Expression, { variables }: Scope): string {
  const read = new Set([...everyPart(part)].flatMap((one) => (one.kind === 'name' ? [one.name] : [])))
  const lists = variables.flatMap((variable) =>
    read.has(variable.name) && variable.list !== '' ? [`${variable.list}: `] : [],
  )
  return `${lists.join('')}${print(part)}`
}

/** Notes what is compared with what. Terms that are compared with one another have the same values, and one more. */
function note(left: Expression, right: Expression, { compared, never }: Scope): void {
  const parts = [...everyPart(left), ...everyPart(right)]
  const names = parts.flatMap((part) => (part.kind === 'name' ? [part.name] : []))
  const written = [
    ...decidingNumbers(left, right),
    ...parts.flatMap((part) => (part.kind === 'string' && !never.has(part.start) ? [part.value] : [])),
  ]
  const before = new Set(names.flatMap((name) => compared.get(name) ?? []))
  const [values = new Set<bigint | string>(), ...others] = before
  for (const value of [...others.flatMap((one) => [...one]), ...written]) values.add(value)
  if (names.length > 1) values.add(names.some(isOfSigner) ? textOfSigner : sameText)
  if (others.length > 0) for (const [name, one] of compared) if (before.has(one)) compared.set(name, values)
  for (const name of names) compared.set(name, values)
  // In any order, if they are numbers.
  const together = [...compared.values()].filter((one) => one === values).length
  if (names.length > 1) for (let number = 1; number <= together; number += 1) values.add(BigInt(number))
}

/** No texts of a request. Terms that are compared with one another may both have it, and be the account that signs. */
export const sameText = '\0'
export const textOfSigner = '\0signer'

/** All other fields are chosen by who asks, also two that are compared with one another. */
function isOfSigner(name: string): boolean {
  return /\b(wallet_account|private_key)\.|\.sign_with$/.test(name)
}

const integerMax = 2n ** 256n - 1n

/** The first value is one that nothing is compared with. No amount, number or count of a request is below zero. */
function valuesOf(name: string, type: Type, compared: ReadonlySet<bigint | string>): Term['values'] {
  const { written, numbers, texts } = comparedWith(compared)
  if (type.kind === 'bool') return [false, true]
  if (isInteger(type)) return numbers
  if (type.kind === 'any' && written.length > 0) return [...numbers, ...texts]
  if (type.kind === 'string' && type.oneOf !== undefined) return type.oneOf
  return type.kind === 'any' && compared.size === 0 ? [false, true] : [...new Set([`\0${name}`, ...texts])]
}

/** Terms that are compared with one another have one set. */
const comparedWith = onceFor((compared: ReadonlySet<bigint | string>) => {
  const written = [...compared].filter((value) => typeof value === 'bigint')
  const texts = [...compared].filter((value) => typeof value === 'string')
  const around = written.flatMap((value) => [value, value - 1n, value + 1n])
  return {
    written,
    texts,
    numbers: [...new Set([integerMax, ...around, 0n])].filter((value) => value >= 0n && value <= integerMax),
  }
})
