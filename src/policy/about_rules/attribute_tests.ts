import { isList, type Struct, type Value } from '../language/expression_values.ts'
import { evaluate } from '../language/running/evaluate.ts'
import { type Budget, within } from '../language/running/run.ts'
import { type Expression, everyPart, partsOf } from '../language/syntax.ts'

/** A thing that records have and that may come and go, as expressions call it. */
export type Attribute = {
  readonly of: 'approvers' | 'wallet' | 'private_key'
  readonly field: 'alias' | 'email' | 'label' | 'tags'
}

/** The smallest part of an expression that a value of an attribute decides, and what the names in it stand for. */
export type AttributeTest = Attribute & {
  readonly expression: Expression
  /** The name by which the record is read there, and whether it is that of a list. */
  readonly name: string
  readonly isOfList: boolean
  /** The variables over written texts. */
  readonly texts: Texts
}

type Texts = ReadonlyMap<string, readonly string[]>
type Scope = { readonly records: ReadonlyMap<string, Attribute['of']>; readonly texts: Texts }

const singles: ReadonlyMap<string, Attribute['of']> = new Map([
  ['wallet', 'wallet'],
  ['private_key', 'private_key'],
])
const lists: ReadonlyMap<string, Attribute['of']> = new Map([
  ['approvers', 'approvers'],
  ['wallets', 'wallet'],
])
const fields: ReadonlySet<string> = new Set<Attribute['field']>(['alias', 'email', 'label', 'tags'])

/** The tests of attributes in a checked expression. */
export function attributeTests(root: Expression): readonly AttributeTest[] {
  return [...testsIn(root, root, { records: new Map(), texts: new Map() })]
}

function* testsIn(expression: Expression, parent: Expression, scope: Scope): Iterable<AttributeTest> {
  const read = readOf(expression, scope)
  const isInner = isPiece(parent) && parent.of === expression && readOf(parent, scope) !== undefined
  if (read !== undefined && !isInner) {
    yield { ...read, expression: isTestOf(parent, expression) ? parent : expression, texts: scope.texts }
  }
  const inBody = expression.kind === 'predicate' ? scopeOfBody(expression, scope) : scope
  for (const part of partsOf(expression)) {
    const isBody = expression.kind === 'predicate' && part === expression.body
    yield* testsIn(part, expression, isBody ? inBody : scope)
  }
}

function scopeOfBody({ of, variable }: Expression & { readonly kind: 'predicate' }, scope: Scope): Scope {
  const [records, texts] = [new Map(scope.records), new Map(scope.texts)]
  records.delete(variable)
  texts.delete(variable)
  const owner = ownerOf(of, scope)
  if (owner !== undefined) records.set(variable, owner.of)
  if (of.kind === 'list' && of.items.every(({ kind }) => kind === 'string')) {
    texts.set(
      variable,
      of.items.flatMap((item) => (item.kind === 'string' ? [item.value] : [])),
    )
  }
  return { records, texts }
}

type Read = Pick<AttributeTest, 'of' | 'field' | 'name' | 'isOfList'>

/** The attribute that an expression is, or of which it is a piece. */
function readOf(expression: Expression, scope: Scope): Read | undefined {
  if (isPiece(expression)) return readOf(expression.of, scope)
  if (expression.kind !== 'field' || !isField(expression.name)) return undefined
  const owner = ownerOf(expression.of, scope)
  return owner && { ...owner, field: expression.name }
}

function ownerOf(expression: Expression, { records }: Scope): Omit<Read, 'field'> | undefined {
  let root = expression
  while (isPiece(root)) root = root.of
  if (root.kind !== 'name') return undefined
  const { name } = root
  const single = records.get(name) ?? singles.get(name)
  if (single !== undefined) return { of: single, name, isOfList: false }
  const list = lists.get(name)
  return list && { of: list, name, isOfList: true }
}

function isField(name: string): name is Attribute['field'] {
  return fields.has(name)
}

function isPiece(
  expression: Expression,
): expression is Expression & { readonly kind: 'slice' | 'index' | 'predicate' } {
  const { kind } = expression
  return kind === 'slice' || kind === 'index' || (kind === 'predicate' && expression.method === 'filter')
}

/** Whether a value decides the outcome of the parent, whatever other values there are. It does not decide a number. */
function isTestOf(parent: Expression, read: Expression): boolean {
  if (parent.kind === 'comparison') return true
  if (parent.kind === 'contains') return parent.of === read || parent.item === read
  return parent.kind === 'predicate' && parent.of === read
}

/**
 * Whether one of the tests of an attribute goes by a value. Undefined if one cuts more out of it than it has: that is
 * an error, which is not the same as a value that is not meant. Every value counts where it is compared with something else
 * than what is written, and beyond the budget.
 */
export function goesBy(
  tests: readonly AttributeTest[],
  { of, field }: Attribute,
  value: string,
  budget: Budget,
): boolean | undefined {
  let isCutShort = false
  for (const test of tests) {
    if (test.of !== of || test.field !== field) continue
    for (const texts of choicesOf(test)) {
      const goes = (field === 'tags' ? goesByTag : goesByText)({ ...test, keywords: texts, budget }, value)
      if (goes === true) return true
      if (goes === undefined) isCutShort = true
    }
  }
  return isCutShort ? undefined : false
}

/** The written texts for which the variables of a test may stand. */
function choicesOf({ expression, texts }: AttributeTest): Iterable<Struct> {
  const names = new Set([...everyPart(expression)].flatMap((part) => (part.kind === 'name' ? [part.name] : [])))
  return everyChoice([...texts].filter(([name]) => names.has(name)))
}

function* everyChoice([first, ...rest]: readonly (readonly [string, readonly string[]])[]): Iterable<Struct> {
  if (first === undefined) return yield {}
  const [name, texts] = first
  for (const text of texts) for (const others of everyChoice(rest)) yield { ...others, [name]: text }
}

type Tried = AttributeTest & { readonly keywords: Struct; readonly budget: Budget }

/** A tag counts if the outcome is another one without it. */
function goesByTag(tried: Tried, tagId: string): boolean {
  const [having, lacking] = [outcomeOf(tried, [tagId]), outcomeOf(tried, [])]
  if (having.kind !== 'value' || lacking.kind !== 'value') return true
  return !isSame(having.value, lacking.value)
}

function isSame(one: Value, other: Value): boolean {
  return isList(one) && isList(other) ? one.length === other.length : one === other
}

/** A text counts if it equals what it is compared with. */
function goesByText(tried: Tried, text: string): boolean | undefined {
  const { expression } = tried
  const isOpposite = expression.kind === 'comparison' && expression.operator === '!='
  const outcome = outcomeOf(isOpposite ? { ...tried, expression: { ...expression, operator: '==' } } : tried, text)
  if (outcome.kind === 'value') return outcome.value !== false
  return outcome.code === 'INDEX_OUT_OF_RANGE' ? undefined : true
}

function outcomeOf({ expression, name, isOfList, field, keywords, budget }: Tried, value: Value) {
  const record = { [field]: value }
  return evaluate(expression, within(budget, { keywords: { ...keywords, [name]: isOfList ? [record] : record } }))
}
