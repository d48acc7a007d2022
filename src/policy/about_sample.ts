import { typeOfItems } from './language/check.ts'
import { evaluate } from './language/evaluate.ts'
import { int, string, type Type } from './language/names/types.ts'
import { constantOf } from './language/pieces.ts'
import { print } from './language/print.ts'
import { type Expression, everyPart, mapped } from './language/syntax.ts'
import type { Struct, Value } from './language/values.ts'
import type { CompiledExpression } from './policy_expressions.ts'
import { harmOf, type SampleDeed, type SampleList } from './sample_deeds.ts'

/** What a condition asks beyond what is known of a sample. */
export type AboutSample = {
  readonly root: Expression
  /** What is known, by the names in the root. */
  readonly facts: Struct
  readonly variables: readonly { readonly name: string; readonly type: Type; readonly list: string }[]
  /** The least items of lists, by the names that stand for their counts. */
  readonly counts: ReadonlyMap<string, bigint>
  /** What is known of pieces of texts, by the names that stand for them. */
  readonly pieces: ReadonlyMap<string, string>
}

/** The list of items of which nothing is known. */
export const ofOthers = 'others'

type Context = {
  readonly sample: Omit<SampleDeed, 'chain'>
  readonly facts: Record<string, Value | undefined>
  readonly variables: Map<string, AboutSample['variables'][number]>
  readonly counts: Map<string, bigint>
  readonly pieces: Map<string, string>
  /** How many other items each list has. */
  readonly others: ReadonlyMap<string, readonly number[]>
  readonly length: PartsLeft
}

/** How many parts may still be written out: predicates in predicates make a text long. */
export type PartsLeft = { partsLeft: number }

/** For one part. An ordinary one takes some dozens. */
const stepsMax = 20_000

/**
 * A condition with all that it asks of a sample answered. Each predicate over a list of the sample is written out for
 * its items. Undefined if that makes it too long.
 */
export function aboutSample(
  { root }: Pick<CompiledExpression, 'root'>,
  sample: Omit<SampleDeed, 'chain'>,
  length: PartsLeft,
): AboutSample | undefined {
  const context: Context = {
    sample,
    facts: { ...sample.facts },
    variables: new Map(),
    counts: new Map(),
    pieces: new Map(),
    others: new Map([...sample.lists].map(([path, list]) => [path, othersOf(root, path, list)])),
    length,
  }
  for (const [path, { harm }] of sample.lists) if (harm !== undefined) context.facts[harmOf(path)] = harm
  for (const path of sample.texts.keys()) context.facts[path] = `\0${path}`
  const answered = answer(root, context)
  if (context.length.partsLeft < 0) return undefined
  const { counts, facts, pieces, variables } = context
  return { root: answered, facts, variables: [...variables.values()], counts, pieces }
}

/** The places of the others: each place that is written, and one for each predicate, which may ask for one of its own. */
function othersOf(root: Expression, path: string, { harm, isFirst, hasOthers }: SampleList): readonly number[] {
  if (!hasOthers) return []
  const parts = [...everyPart(root)]
  const written = parts.flatMap((part) => {
    const at = part.kind === 'index' && print(part.of) === path ? constantOf(part.index) : undefined
    return at === undefined || (isFirst && harm !== undefined && at === 0n) ? [] : [Number(at)]
  })
  const asking = parts.filter(
    (part) => (part.kind === 'predicate' || part.kind === 'contains') && print(part.of) === path,
  )
  const beyond = Math.max(0, ...written) + 1
  return [...new Set([...written, ...[0, ...asking].map((_, index) => beyond + index)])]
}

function answer(expression: Expression, context: Context): Expression {
  context.length.partsLeft--
  if (context.length.partsLeft < 0) return expression
  switch (expression.kind) {
    case 'not': {
      const operand = answer(expression.operand, context)
      return operand.kind === 'boolean' ? { ...operand, value: !operand.value } : { ...expression, operand }
    }
    case 'and':
    case 'or':
      return joined(expression, expression.operands, context)
    case 'predicate':
      return ofEach(expression, context)
    case 'contains':
      return amongItems(expression, expression, context)
    case 'comparison':
      if (expression.operator === 'in')
        return amongItems(expression, { of: expression.right, item: expression.left }, context)
      return answerOf(expression, context)
    default:
      return answerOf(expression, context)
  }
}

/** Ends with the first operand that decides. */
function joined(
  { kind, start, end }: { readonly kind: Expression['kind']; readonly start: number; readonly end: number },
  operands: Iterable<Expression>,
  context: Context,
): Expression {
  const decisive = kind === 'or'
  const open: Expression[] = []
  for (const operand of operands) {
    const answered = answer(operand, context)
    if (answered.kind !== 'boolean') open.push(answered)
    else if (answered.value === decisive) return answered
  }
  const [only] = open
  if (only === undefined) return { kind: 'boolean', value: !decisive, start, end }
  return open.length === 1 ? only : { kind: decisive ? 'or' : 'and', operands: open, start, end }
}

type Of<K extends Expression['kind']> = Expression & { readonly kind: K }

function ofEach(predicate: Of<'predicate'>, context: Context): Expression {
  const { of, variable, body, method, start, end } = predicate
  const names = itemsOf(of, context)
  if (names === undefined || method === 'filter') return answerOf(predicate, context)
  const bodies = copies(body, { variable, names }, context)
  return joined({ kind: method === 'any' ? 'or' : 'and', start, end }, bodies, context)
}

/** Written out one by one, as far as parts are left: a body in a body is copied for each item of the outer list. */
function* copies(
  body: Expression,
  { variable, names }: { readonly variable: string; readonly names: readonly string[] },
  { length }: Context,
): Generator<Expression> {
  for (const name of names) {
    if (length.partsLeft < 0) return
    yield mapped(body, (part) => {
      length.partsLeft--
      return part.kind === 'name' && part.name === variable ? { ...part, name } : part
    })
  }
}

type Membership = { readonly of: Expression; readonly item: Expression }

function amongItems(test: Expression, { of, item }: Membership, context: Context): Expression {
  const names = itemsOf(of, context)
  if (names === undefined) return answerOf(test, context)
  const { start, end } = test
  const tests = names.map((name): Expression => {
    return { kind: 'comparison', operator: '==', left: { kind: 'name', name, start, end }, right: item, start, end }
  })
  return joined({ kind: 'or', start, end }, tests, context)
}

/** The names of the items of a list of the sample. */
function itemsOf(list: Expression, context: Context): readonly string[] | undefined {
  const path = print(list)
  const known = context.sample.lists.get(path)
  if (known === undefined) return undefined
  const others = (context.others.get(path) ?? []).map((at) => otherItem(list, at, context))
  return known.harm === undefined ? others : [harmItem(list, context), ...others]
}

function harmItem(list: Expression, context: Context): string {
  return named(harmOf(print(list)), { type: typeOfItems(list, 'condition', []), list: '' }, context)
}

function otherItem(list: Expression, at: number, context: Context): string {
  const type = typeOfItems(list, 'condition', [])
  return named(`${print(list)}#${at}`, { type, list: ofOthers }, context)
}

function named(name: string, { type, list }: { readonly type: Type; readonly list: string }, context: Context): string {
  context.variables.set(name, { name, type, list })
  return name
}

function answerOf(expression: Expression, context: Context): Expression {
  const prepared = mapped(expression, (part) => prepare(part, context))
  const evaluation = evaluate(prepared, { keywords: context.facts, stepsMax })
  if (evaluation.kind !== 'value' || typeof evaluation.value !== 'boolean') return prepared
  return { kind: 'boolean', value: evaluation.value, start: expression.start, end: expression.end }
}

/** Names for what is known of the sample: its items, the counts of its lists, and its texts. */
function prepare(part: Expression, context: Context): Expression {
  context.length.partsLeft--
  const nameOf = (name: string): Expression => ({ kind: 'name', name, start: part.start, end: part.end })
  if (part.kind === 'index') {
    const at = constantOf(part.index)
    const path = print(part.of)
    const list = context.sample.lists.get(path)
    if (list === undefined || at === undefined)
      return pieceAt(part, at, at === undefined ? undefined : at + 1n, context)
    if (list.harm !== undefined && list.isFirst && at === 0n) return nameOf(harmItem(part.of, context))
    return list.hasOthers ? nameOf(otherItem(part.of, Number(at), context)) : part
  }
  if (part.kind === 'count') {
    const path = print(part.of)
    const list = context.sample.lists.get(path)
    if (list === undefined) return part
    const least = list.harm === undefined ? 0n : list.hasOthers ? 2n : 1n
    if (!list.hasOthers) return { kind: 'integer', value: least, start: part.start, end: part.end }
    const name = named(`${path}#count`, { type: int, list: '' }, context)
    context.counts.set(name, least)
    return nameOf(name)
  }
  if (part.kind === 'slice') return pieceAt(part, constantOf(part.from), constantOf(part.to), context)
  if (part.kind !== 'field' || !context.sample.texts.has(print(part))) return part
  return nameOf(named(print(part), { type: string, list: '' }, context))
}

function pieceAt(
  part: Of<'slice'> | Of<'index'>,
  from: bigint | undefined,
  to: bigint | undefined,
  context: Context,
): Expression {
  const text = part.of.kind === 'name' ? context.sample.texts.get(part.of.name) : undefined
  if (text === undefined || from === undefined || to === undefined) return part
  const piece = text.slice(Number(from), Number(to))
  const place = { start: part.start, end: part.end }
  if (piece.length === Number(to - from) && !piece.includes('?')) return { kind: 'string', value: piece, ...place }
  const name = named(
    `${part.of.kind === 'name' ? part.of.name : ''}[${from}..${to}]`,
    { type: string, list: '' },
    context,
  )
  context.pieces.set(name, piece)
  return { kind: 'name', name, ...place }
}
