import { type Message, message } from './message.ts'
import { type ActivityForm, activityForms, type WordField, wordFields } from './names/activity_forms.ts'
import { kindsWithParameter, withoutVersion } from './names/activity_types.ts'
import { Problem } from './problem.ts'
import { requiredReads } from './required_fields.ts'
import { type Expression, partsOf } from './syntax.ts'

type Word = { readonly value: string; readonly start: number }
/** What an operand of `&&` asks for: that a field is one of some words, or that a field exists. */
type Words = { readonly field: WordField; readonly words: readonly [Word, ...Word[]] }
type Read = { readonly path: string; readonly start: number }
type Need = Words | Read

/**
 * Why words about the activity never match within one `&&`: no activity has them together, or together with a field
 * that is read there. Only `==` and `in` with written words are judged. Activities that this server lacks are known by
 * their names alone, so what a rule says of them is not judged.
 */
export function wordsNeverTogether(expression: Expression): readonly Problem[] {
  const found = new Map<number, Problem>()
  for (const problem of problemsIn(expression, [])) {
    if (!found.has(problem.offset)) found.set(problem.offset, problem)
  }
  return [...found.values()]
}

/** `around` is what the `&&` around the expression asks for. */
function* problemsIn(expression: Expression, around: readonly Need[]): Iterable<Problem> {
  const operands = operandsOf(expression)
  const own: readonly Need[] = operands.flatMap((operand) => needsOf(operand))
  const needs = [...around, ...own]
  if (own.length > 0 && needs.length > 1) yield* problemsAmong(needs, own)
  for (const operand of operands) {
    if (operand.kind === 'or') {
      if (wordsOf(operand) === undefined) for (const branch of operand.operands) yield* problemsIn(branch, needs)
    } else for (const part of partsOf(operand)) yield* problemsIn(part, [])
  }
}

function needsOf(operand: Expression): readonly Need[] {
  const words = wordsOf(operand)
  return words === undefined ? readsOf(operand) : [words]
}

function* problemsAmong(needs: readonly Need[], own: readonly Need[]): Iterable<Problem> {
  if (!needs.some(isWords)) return
  if (!isPossible(needs)) {
    const last = own.findLast(isWords) ?? own.at(-1)
    if (last !== undefined) yield problemOf(last, needs)
    return
  }
  for (const need of own.filter(isWords)) {
    const others = needs.filter((other) => other !== need)
    for (const word of need.words) {
      const one: Words = { field: need.field, words: [word] }
      if (!isPossible([one, ...others], need.field)) yield problemOf(one, [one, ...others])
    }
  }
}

function isWords(need: Need): need is Words {
  return 'words' in need
}

/** The operands of an `&&`, and of those within it. */
function operandsOf(expression: Expression): readonly Expression[] {
  return expression.kind === 'and' ? expression.operands.flatMap(operandsOf) : [expression]
}

/** The words of `field == 'word'`, `field in ['word']`, `['word'].contains(field)`, and of several about one field. */
function wordsOf(expression: Expression): Words | undefined {
  if (expression.kind === 'or') {
    const all = expression.operands.map(wordsOf)
    const [first] = all
    if (first === undefined || !all.every((one) => one?.field === first.field)) return undefined
    const [word, ...others] = all.flatMap((one) => one?.words ?? [])
    return word && { field: first.field, words: [word, ...others] }
  }
  if (expression.kind === 'contains') return named(expression.item, expression.of)
  if (expression.kind !== 'comparison') return undefined
  const { operator, left, right } = expression
  if (operator === '==') return named(left, right) ?? named(right, left)
  return operator === 'in' ? named(left, right) : undefined
}

function named(place: Expression, written: Expression): Words | undefined {
  if (place.kind !== 'field') return undefined
  const field = wordFields.find((name) => name === requiredReads(place)[0]?.path.join('.'))
  const items = written.kind === 'list' ? written.items : [written]
  const [word, ...others] = items.flatMap((item) => (item.kind === 'string' ? [item] : []))
  if (field === undefined || word === undefined || others.length + 1 < items.length) return undefined
  const read = ({ value, start }: Word) => ({ value: field === 'activity.type' ? withoutVersion(value) : value, start })
  return { field, words: [read(word), ...others.map(read)] }
}

/** The fields without which an operand has no value, also in a rule that guards. */
function readsOf(part: Expression): readonly Read[] {
  if (part.kind === 'list' || part.kind === 'and' || part.kind === 'or') return []
  if (part.kind === 'predicate') return readsOf(part.of)
  if (part.kind !== 'field' && part.kind !== 'name') return partsOf(part).flatMap(readsOf)
  return requiredReads(part).flatMap(({ path, start }) => {
    const field = path.join('.')
    return isOfRequest(field) ? [{ path: field, start }] : []
  })
}

const ofRequest = new Set(activityForms.flatMap(({ fields }) => fields.map(rootOf)))

function isOfRequest(field: string): boolean {
  return ofRequest.has(rootOf(field))
}

function rootOf(field: string): string {
  return field.startsWith('activity.params.') ? 'activity.params' : field.replace(/\..*/, '')
}

const wordsHere: ReadonlyMap<WordField, ReadonlySet<string>> = new Map(
  wordFields.map((field) => [field, new Set(activityForms.flatMap(({ texts }) => texts.get(field) ?? []))]),
)

/** Whether an activity has all of this. */
function isPossible(needs: readonly Need[], judged?: WordField): boolean {
  const counts = (form: ActivityForm) =>
    form.isRare !== true || judged === 'activity.resource' || needs.some((need) => isAbout(need, form))
  return activityForms.some((form) => hasAll(form, needs) && counts(form)) || isPossibleElsewhere(needs)
}

function hasAll(form: ActivityForm, needs: readonly Need[]): boolean {
  return needs.every((need) => has(form, need))
}

/** Whether an activity has the fields that a condition reads in every case. */
export function mayBeAbout(form: ActivityForm, condition: Expression): boolean {
  const reads = requiredReads(condition).map(({ path, start }) => ({ path: path.join('.'), start }))
  return reads.every((read) => !isOfRequest(read.path) || has(form, read))
}

function has({ texts, fields }: ActivityForm, need: Need): boolean {
  if (isWords(need)) return need.words.some(({ value }) => texts.get(need.field) === value)
  return fields.some((field) => need.path === field || need.path.startsWith(`${field}.`))
}

/** Whether something names this very activity: its kind, its type or a parameter. */
function isAbout(need: Need, form: ActivityForm): boolean {
  const isName = isWords(need) ? isNameOfActivity(need.field) : rootOf(need.path) === 'activity.params'
  return isName && has(form, need)
}

function isNameOfActivity(field: WordField): boolean {
  return field === 'activity.kind' || field === 'activity.type'
}

/** Whether something names an activity that this server lacks, and nothing names only those that it has. */
function isPossibleElsewhere(needs: readonly Need[]): boolean {
  const isHere = (need: Need) => isWords(need) && isNameOfActivity(need.field) && !namesElsewhere(need)
  return needs.some(namesElsewhere) && !needs.some(isHere)
}

function namesElsewhere(need: Need): boolean {
  if (isWords(need)) return need.words.some(({ value }) => wordsHere.get(need.field)?.has(value) === false)
  const [, parameter] = /^activity\.params\.([a-z_]+)/.exec(need.path) ?? []
  const kinds = parameter === undefined ? [] : kindsWithParameter(parameter)
  return kinds.some((kind) => wordsHere.get('activity.kind')?.has(kind) === false)
}

function problemOf(need: Need, needs: readonly Need[]): Problem {
  const start = isWords(need) ? need.words[0].start : need.start
  const other = needs.find((one) => one !== need && !isPossible([one, need]))
  if (other === undefined) return new Problem(start, message`no request has ${written(need)} with what is beside it`)
  const rare = activityForms.find((form) => hasAll(form, [need, other]))?.texts.get('activity.kind')
  const [first, second] = [written(other), written(need)]
  const hint = hintFor(need, other)
  return new Problem(
    start,
    rare === undefined
      ? message`no request has both ${first} and ${second}${hint}`
      : message`only ${rare} has both ${first} and ${second}, and is named by its kind${hint}`,
  )
}

const wordsShownMax = 8

/** Which words go with one of the two, for the one that goes with fewer. */
function hintFor(one: Need, other: Need): Message | '' {
  const ways = [
    [one, other],
    [other, one],
  ].flatMap(([from, to]) => {
    if (from === undefined || to === undefined || !isWords(to) || (isWords(from) && from.field === to.field)) return []
    const forms = activityForms.filter((form) => form.isRare !== true && has(form, from))
    const words = new Set(forms.flatMap(({ texts }) => texts.get(to.field) ?? []).filter((word) => word !== ''))
    return words.size === 0 || words.size > wordsShownMax ? [] : [{ from, to, words: [...words] }]
  })
  const [best] = ways.toSorted((a, b) => a.words.length - b.words.length)
  return best === undefined ? '' : message`; with ${written(best.from)}, ${best.to.field} is ${best.words.join(', ')}`
}

function written(need: Need): string {
  if (!isWords(need)) return need.path
  const [first, ...others] = need.words.map(({ value }) => `'${value}'`)
  return others.length === 0 ? `${need.field} == ${first}` : `${need.field} in [${[first, ...others].join(', ')}]`
}
