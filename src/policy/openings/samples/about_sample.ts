import type { Steps } from '../../../protocol/tools/steps.ts'
import type { CompiledExpression } from '../../decision/policy_expressions.ts'
import { typeOfItems } from '../../language/checking/check.ts'
import type { Struct, Value } from '../../language/expression_values.ts'
import { constantOf } from '../../language/names/pieces.ts'
import { int, string, type Type } from '../../language/names/types.ts'
import { print } from '../../language/reading/print.ts'
import { evaluate } from '../../language/running/evaluate.ts'
import { type Expression, everyPart, mapped } from '../../language/syntax.ts'
import { harmOf, type SampleDeed, type SampleList } from './sample_deeds.ts'

/** A condition and the facts of a sample: the question that the condition leaves open. */
export type AboutSample = {
  readonly root: Expression
  /** The known values, by the names in the root. */
  readonly facts: Struct
  readonly variables: readonly { readonly name: string; readonly type: Type; readonly list: string }[]
  /** The least items of lists, by the names that stand for their counts. */
  readonly counts: ReadonlyMap<string, bigint>
  /** The known pieces of texts, by the names that stand for them. */
  readonly pieces: ReadonlyMap<string, string>
  /** The texts of which some characters are known, by the names that stand for them. */
  readonly texts: SampleDeed['texts']
  /** The paths of the lists with known items. */
  readonly lists: readonly string[]
  /** The paths of values that are as the condition likes them. */
  readonly open: readonly string[]
}

/** The list of items of which nothing is known. */
export const ofOthers = 'others'

type Context = {
  readonly sample: Omit<SampleDeed, 'chain'>
  readonly facts: Record<string, Value | undefined>
  readonly variables: Map<string, AboutSample['variables'][number]>
  readonly counts: Map<string, bigint>
  readonly pieces: Map<string, string>
  /** The places of the other items of each list. */
  readonly others: ReadonlyMap<string, readonly number[]>
  readonly asked: AskedOfLists
  readonly length: PartsLeft
  /** The next pause is due when so many parts are left. */
  pauseAt: number
}

/** The places of lists that a condition writes, and how many of its tests may ask for an item of their own, by path. */
export type AskedOfLists = ReadonlyMap<string, { readonly written: readonly number[]; readonly tests: number }>

/** How many parts may still be written out: predicates in predicates make a text long. */
export type PartsLeft = { partsLeft: number }

/** So many parts are written out between two pauses. */
const partsInARow = 4_000

/** For one part. An ordinary one takes some dozens. */
const stepsMax = 20_000

export function askedOfLists(root: Expression): AskedOfLists {
  const asked = new Map<string, { written: number[]; tests: number }>()
  for (const part of everyPart(root)) {
    const of = part.kind === 'comparison' && part.operator === 'in' ? part.right : testedIn(part)
    if (of === undefined) continue
    const path = print(of)
    const ofList = asked.get(path) ?? { written: [], tests: 0 }
    asked.set(path, ofList)
    const at = part.kind === 'index' ? constantOf(part.index) : undefined
    if (at !== undefined) ofList.written.push(Number(at))
    if (part.kind !== 'index') ofList.tests++
  }
  return asked
}

function testedIn(part: Expression): Expression | undefined {
  return part.kind === 'index' || part.kind === 'predicate' || part.kind === 'contains' ? part.of : undefined
}

type About = { readonly sample: Omit<SampleDeed, 'chain'>; readonly asked: AskedOfLists; readonly length: PartsLeft }

/**
 * A condition with all that it asks of a sample answered. Each predicate over a list of the sample is written out for
 * its items. Undefined if that makes it too long.
 */
export function* aboutSample(
  { root }: Pick<CompiledExpression, 'root'>,
  { sample, asked, length }: About,
): Steps<AboutSample | undefined> {
  if (length.partsLeft < 0) return undefined
  const context: Context = {
    sample,
    asked,
    facts: { ...sample.facts },
    variables: new Map(),
    counts: new Map(),
    pieces: new Map(),
    pauseAt: length.partsLeft - partsInARow,
    others: new Map([...sample.lists].map(([path, list]) => [path, othersOf(list, asked.get(path))])),
    length,
  }
  for (const [path, { harm }] of sample.lists) if (harm !== undefined) context.facts[harmOf(path)] = harm
  for (const places of context.others.values()) length.partsLeft -= places.length
  const answered = yield* answer(root, context)
  if (length.partsLeft < 0) return undefined
  const { counts, facts, pieces, variables } = context
  return {
    root: answered,
    facts,
    variables: [...variables.values()],
    counts,
    pieces,
    texts: sample.texts,
    lists: [...sample.lists.keys()],
    open: sample.open,
  }
}

/** The places of the others: each place that is written, and one for each test, which may ask for one of its own. */
function othersOf(
  { harm, at, hasOthers }: SampleList,
  { written, tests } = { written: [] as readonly number[], tests: 0 },
): readonly number[] {
  if (!hasOthers) return []
  const beyond = Math.max(0, ...written) + 1
  const taken = harm === undefined ? undefined : at
  const places = [...written, ...Array.from({ length: 1 + tests }, (_, index) => beyond + index)]
  return [...new Set(places)].filter((one) => one !== taken)
}

/** The last of several stands behind each that is written. */
function leastItems({ harm, at, hasOthers }: SampleList, written: readonly number[] = []): bigint {
  if (harm === undefined) return 0n
  if (!hasOthers) return 1n
  return BigInt(Math.max(2, at === 'last' ? Math.max(0, ...written) + 2 : at + 1))
}

function* answer(expression: Expression, context: Context): Steps<Expression> {
  context.length.partsLeft--
  if (context.length.partsLeft < context.pauseAt) {
    context.pauseAt = context.length.partsLeft - partsInARow
    yield
  }
  if (context.length.partsLeft < 0) return expression
  switch (expression.kind) {
    case 'not': {
      const operand = yield* answer(expression.operand, context)
      return operand.kind === 'boolean' ? { ...operand, value: !operand.value } : { ...expression, operand }
    }
    case 'and':
    case 'or':
      return yield* joined(expression, expression.operands, context)
    case 'predicate':
      return yield* ofEach(expression, context)
    case 'contains':
      return yield* amongItems(expression, expression, context)
    case 'comparison':
      if (expression.operator === 'in')
        return yield* amongItems(expression, { of: expression.right, item: expression.left }, context)
      return answerOf(expression, context)
    default:
      return answerOf(expression, context)
  }
}

/** Ends with the first operand that decides. */
function* joined(
  { kind, start, end }: { readonly kind: Expression['kind']; readonly start: number; readonly end: number },
  operands: Iterable<Expression>,
  context: Context,
): Steps<Expression> {
  const decisive = kind === 'or'
  const open: Expression[] = []
  for (const operand of operands) {
    const answered = yield* answer(operand, context)
    if (answered.kind !== 'boolean') open.push(answered)
    else if (answered.value === decisive) return answered
  }
  const [only] = open
  if (only === undefined) return { kind: 'boolean', value: !decisive, start, end }
  return open.length === 1 ? only : { kind: decisive ? 'or' : 'and', operands: open, start, end }
}

type Of<K extends Expression['kind']> = Expression & { readonly kind: K }

function* ofEach(predicate: Of<'predicate'>, context: Context): Steps<Expression> {
  const { of, variable, body, method, start, end } = predicate
  const names = itemsOf(of, context)
  if (names === undefined || method === 'filter') return answerOf(predicate, context)
  const bodies = copies(body, { variable, names }, context)
  return yield* joined({ kind: method === 'any' ? 'or' : 'and', start, end }, bodies, context)
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

function* amongItems(test: Expression, { of, item }: Membership, context: Context): Steps<Expression> {
  const names = itemsOf(of, context)
  if (names === undefined) return answerOf(test, context)
  const { start, end } = test
  const tests = names.map((name): Expression => {
    return { kind: 'comparison', operator: '==', left: { kind: 'name', name, start, end }, right: item, start, end }
  })
  return yield* joined({ kind: 'or', start, end }, tests, context)
}

/** The names of the items of a list of the sample. */
function itemsOf(list: Expression, context: Context): readonly string[] | undefined {
  const path = print(list)
  const known = context.sample.lists.get(path)
  if (known === undefined) return undefined
  const items = { path, type: typeOfItems(list, 'condition', []) }
  const others = (context.others.get(path) ?? []).map((at) => otherItem(items, at, context))
  return known.harm === undefined ? others : [harmItem(items, context), ...others]
}

type Items = { readonly path: string; readonly type: Type }

function harmItem({ path, type }: Items, context: Context): string {
  return named(harmOf(path), { type, list: '' }, context)
}

function otherItem({ path, type }: Items, at: number, context: Context): string {
  return named(`${path}#${at}`, { type, list: ofOthers }, context)
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
    const items = { path, type: typeOfItems(part.of, 'condition', []) }
    if (list.harm !== undefined && Number(at) === list.at) return nameOf(harmItem(items, context))
    return list.hasOthers ? nameOf(otherItem(items, Number(at), context)) : part
  }
  if (part.kind === 'count') {
    const path = print(part.of)
    const list = context.sample.lists.get(path)
    if (list === undefined) return part
    const least = leastItems(list, context.asked.get(path)?.written)
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
  if (piece.length === Number(to - from) && !/[?@*^]/.test(piece)) return { kind: 'string', value: piece, ...place }
  const name = named(
    `${part.of.kind === 'name' ? part.of.name : ''}[${from}..${to}]`,
    { type: string, list: '' },
    context,
  )
  context.pieces.set(name, piece)
  return { kind: 'name', name, ...place }
}
