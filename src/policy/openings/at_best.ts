import { type Expression, everyPart, partsOf, textsIn } from '../language/syntax.ts'
import { addendsOf, decidingNumbers } from './trials/deciding_numbers.ts'

type Chooser = 'approvers' | 'credentials'

/** The texts that somebody has. `isPiece`: whether a text of an approver has this one within it. */
export type Held = Readonly<Record<Chooser, ReadonlySet<string>>> & { readonly isPiece: (text: string) => boolean }

/** Texts that somebody has, and of whose fields others may get any text that nobody has. */
export type Chosen = { readonly held: Held; readonly of: ReadonlySet<Chooser> }

/** The list that the variable of a predicate runs through, or its written texts. */
type Source = Chooser | 'tags' | readonly string[]
/** `wanted`: the value that an expression should have. For a list: whether it should have many items. */
type Scope = Chosen & { readonly wanted: boolean; readonly variables: ReadonlyMap<string, Source> }

/**
 * A consensus in which each test of what an approver may choose has the outcome that fulfils it. An approver who adds
 * credentials can make keys until a piece of the key or of the id is the right one, and can add as many as are counted.
 * A test of a text that somebody has stays if it compares whole texts only.
 */
export function atBest(root: Expression, chosen: Chosen): Expression {
  return best(root, { ...chosen, wanted: true, variables: new Map() })
}

function best(expression: Expression, scope: Scope): Expression {
  switch (expression.kind) {
    case 'not':
      return { ...expression, operand: best(expression.operand, { ...scope, wanted: !scope.wanted }) }
    case 'and':
    case 'or':
      return { ...expression, operands: expression.operands.map((operand) => best(operand, scope)) }
    case 'predicate': {
      // A user who gets a tag need not have had any.
      if (sourceOf(expression.of) === 'tags' && hasChoice(expression, scope)) return constant(expression, scope)
      const isMost = (expression.method === 'all') !== scope.wanted
      const body = best(expression.body, inPredicate(scope, expression))
      return { ...expression, of: filteredBest(expression.of, { ...scope, wanted: isMost }), body }
    }
    case 'comparison':
      return comparisonAtBest(expression, scope)
    case 'contains':
      return hasChoice(expression, scope) ? constant(expression, scope) : expression
    default:
      return expression
  }
}

type Of<K extends Expression['kind']> = Expression & { readonly kind: K }

/** A list with as many of its items as possible, or as few. */
function filteredBest(list: Expression, scope: Scope): Expression {
  if (list.kind !== 'predicate') return list
  const body = best(list.body, inPredicate(scope, list))
  return { ...list, of: filteredBest(list.of, scope), body }
}

const mirrored = { '<': '>', '<=': '>=', '>': '<', '>=': '<=', '==': '==', '!=': '!=', in: 'in' } as const
const negated = { '<': '>=', '<=': '>', '>': '<=', '>=': '<', '==': '!=', '!=': '==', in: 'in' } as const

/**
 * A number that must be reached is tried with as many as there can be. Fewer, or another number, is always possible:
 * one chooses which credentials to use.
 */
function comparisonAtBest(comparison: Of<'comparison'>, scope: Scope): Expression {
  if (!hasChoice(comparison, scope) && !countsCredentials(comparison)) return comparison
  const [isLeft, isRight] = [countsIn(comparison.left), countsIn(comparison.right)]
  if (isLeft === isRight || (countsCredentials(comparison) && countedBy(comparison) > countedMax))
    return constant(comparison, scope)
  const { left, right, operator } = isLeft
    ? comparison
    : { left: comparison.right, right: comparison.left, operator: mirrored[comparison.operator] }
  const asked = scope.wanted ? operator : negated[operator]
  if (asked !== '>' && asked !== '>=' && asked !== '==') return constant(comparison, scope)
  const most: Expression = {
    ...comparison,
    operator: asked === '==' ? '>=' : asked,
    left: mostOf(left, scope),
    right,
  }
  return scope.wanted ? most : { kind: 'not', operand: most, start: comparison.start, end: comparison.end }
}

function mostOf(number: Expression, scope: Scope): Expression {
  if (number.kind === 'sum') return { ...number, operands: number.operands.map((one) => mostOf(one, scope)) }
  return number.kind === 'count' ? { ...number, of: filteredBest(number.of, { ...scope, wanted: true }) } : number
}

function constant({ start, end }: Expression, { wanted }: Scope): Expression {
  return { kind: 'boolean', value: wanted, start, end }
}

function countsIn(expression: Expression): boolean {
  return [...everyPart(expression)].some(({ kind }) => kind === 'count')
}

/** Whether it counts credentials, of whomever. One user may have many. */
export function countsCredentials(expression: Expression): boolean {
  return [...everyPart(expression)].some((part) => part.kind === 'count' && listNameOf(part.of) === 'credentials')
}

/** More credentials than one user has. A count of more, or of a number that is not written, counts as one that a user can reach. */
const countedMax = 200

/** The most credentials that a consensus counts, as far as one user can reach it. */
export function countedIn(root: Expression): number {
  const counted = [...everyPart(root)].flatMap((part) =>
    part.kind === 'comparison' && countsCredentials(part) ? [countedBy(part)] : [],
  )
  return Math.max(0, ...counted.filter((count) => count <= countedMax))
}

function countedBy({ left, right }: Of<'comparison'>): number {
  const addends = [...addendsOf(left), ...addendsOf(right)]
  if (!addends.every(({ kind }) => kind === 'integer' || kind === 'count')) return Number.POSITIVE_INFINITY
  return Math.max(0, ...decidingNumbers(left, right).map(Number))
}

function listNameOf(list: Expression): string | undefined {
  if (list.kind === 'predicate' || list.kind === 'slice') return listNameOf(list.of)
  return list.kind === 'name' ? list.name : undefined
}

function inPredicate(scope: Scope, { of, variable }: Of<'predicate'>): Scope {
  const source = sourceOf(of)
  return source === undefined ? scope : { ...scope, variables: new Map([...scope.variables, [variable, source]]) }
}

function sourceOf(list: Expression): Source | undefined {
  if (list.kind === 'list') return textsIn(list)
  if (list.kind === 'field') return list.name === 'tags' ? 'tags' : undefined
  const name = listNameOf(list)
  return name === 'approvers' || name === 'credentials' ? name : undefined
}

/** Whether some test in it is one of what an approver may choose. */
function hasChoice(expression: Expression, scope: Scope): boolean {
  if (expression.kind === 'predicate')
    return hasChoice(expression.of, scope) || hasChoice(expression.body, inPredicate(scope, expression))
  const isTest = expression.kind === 'comparison' || expression.kind === 'contains'
  return (isTest && isChosen(expression, scope)) || partsOf(expression).some((part) => hasChoice(part, scope))
}

function isChosen(test: Expression, scope: Scope): boolean {
  const parts = [...everyPart(test)]
  if (parts.some(({ kind }) => kind === 'predicate' || kind === 'count')) return false
  const written = parts.flatMap((part) => {
    const source = part.kind === 'name' ? scope.variables.get(part.name) : undefined
    return part.kind === 'string' ? [part.value] : typeof source === 'object' ? source : []
  })
  const reads = parts.flatMap((part) => readBy(part, scope) ?? []).filter(({ of }) => scope.of.has(of))
  const isPiece = reads.some((read) => read.isPiece)
  return reads.some(({ of }) => isFree({ of, isPiece }, written, scope.held))
}

/** A field, or a piece of its text. */
type Read = { readonly of: Chooser; readonly isPiece: boolean }

/** Nobody makes a whole key or id that somebody else has. A name, an address and a tag are given by somebody else. */
function isFree({ of, isPiece }: Read, written: readonly string[], held: Chosen['held']): boolean {
  if (of === 'credentials')
    return isPiece || written.length === 0 || written.some((text) => text === '' || !held.credentials.has(text))
  const isHeld = (text: string) => held.approvers.has(text) || (isPiece && held.isPiece(text))
  return written.some((text) => !isHeld(text))
}

const choosableFields: Readonly<Record<Chooser, ReadonlySet<string>>> = {
  approvers: new Set(['tags', 'email', 'alias']),
  credentials: new Set(['id', 'credential_id', 'public_key']),
}

function readBy(part: Expression, scope: Scope): Read | undefined {
  if (part.kind === 'slice' || part.kind === 'index') {
    const read = readBy(part.of, scope)
    return read && { ...read, isPiece: !isTags(part.of) }
  }
  if (part.kind === 'name')
    return scope.variables.get(part.name) === 'tags' ? { of: 'approvers', isPiece: false } : undefined
  if (part.kind !== 'field') return undefined
  const of = ownerOf(part.of, scope)
  return of !== undefined && choosableFields[of].has(part.name) ? { of, isPiece: false } : undefined
}

function isTags(expression: Expression): boolean {
  return expression.kind === 'field' && expression.name === 'tags'
}

function ownerOf(struct: Expression, scope: Scope): Chooser | undefined {
  const source =
    struct.kind === 'index'
      ? sourceOf(struct.of)
      : struct.kind === 'name'
        ? scope.variables.get(struct.name)
        : undefined
  return source === 'approvers' || source === 'credentials' ? source : undefined
}
