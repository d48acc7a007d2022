import { onceFor } from '../../../protocol/tools/once_for.ts'
import { type Message, message } from '../message.ts'
import { type ActivityForm, activityForms, type WordField, wordFields } from '../names/activity_forms.ts'
import { kindsWithParameter } from '../names/activity_types.ts'
import { Problem } from '../problem.ts'
import { requiredFields } from '../running/required_fields.ts'
import { type Expression, partsOf } from '../syntax.ts'
import {
  isWords,
  type Need,
  needsOf,
  noVariables,
  operandsOf,
  type Variables,
  variablesIn,
  type Words,
  wordsOf,
} from './needs.ts'
import { isPossibleVariant, wordsOfVariants } from './variants_needed.ts'

/**
 * Why words about the activity, or about a part of a transaction, never match within one `&&`: no request has them
 * together, or together with a field that is read there. Only `==` and `in` with written words are judged. Activities that
 * this server lacks are known by their names alone, so what a rule says of them is not judged.
 */
export function wordsNeverTogether(expression: Expression): readonly Problem[] {
  const found = new Map<number, Problem>()
  for (const { around, own } of asksTogether(expression)) {
    const needs = [...around, ...own].flatMap((one) => one.needs)
    const ownNeeds = own.flatMap((one) => one.needs)
    if (ownNeeds.length === 0 || needs.length < 2) continue
    for (const problem of problemsAmong(needs, ownNeeds)) {
      if (!found.has(problem.offset)) found.set(problem.offset, problem)
    }
  }
  return [...found.values()]
}

/** An operand of `&&`, and what it asks for. */
export type AskingOperand = {
  readonly operand: Expression
  readonly variables: Variables
  readonly needs: readonly Need[]
}

/** The operands of each `&&`: its own, and those of each `&&` around it. */
export function* asksTogether(
  expression: Expression,
  around: readonly AskingOperand[] = [],
  outer: Variables = noVariables,
): Iterable<{ readonly around: readonly AskingOperand[]; readonly own: readonly AskingOperand[] }> {
  const operands = operandsOf(expression, outer)
  const own = operands.map(({ operand, variables }) => ({ operand, variables, needs: needsOf(operand, variables) }))
  yield { around, own }
  const asked = [...around, ...own]
  for (const { operand, variables } of operands) {
    if (operand.kind === 'or') {
      if (wordsOf(operand, variables) === undefined)
        for (const branch of operand.operands) yield* asksTogether(branch, asked, variables)
    } else if (operand.kind === 'predicate') {
      yield* asksTogether(operand.of, [], variables)
      yield* asksTogether(operand.body, [], variablesIn(operand, variables))
    } else for (const part of partsOf(operand)) yield* asksTogether(withoutNots(part), [], variables)
  }
}

/** A `!` asks for what its operand asks for. To look at each of fifty would take fifty times as long. */
function withoutNots(expression: Expression): Expression {
  return expression.kind === 'not' ? withoutNots(expression.operand) : expression
}

function* problemsAmong(needs: readonly Need[], own: readonly Need[]): Iterable<Problem> {
  if (!needs.some(isWords) && isPossibleVariant(needs)) return
  if (!isPossible(needs)) {
    const last = own.findLast(isWords) ?? own.at(-1)
    if (last !== undefined) yield problemOf(last, needs)
    return
  }
  for (const need of own.filter(isWords)) {
    // The only word is possible with all others.
    if (need.words.length === 1) continue
    const others = needs.filter((other) => other !== need)
    for (const word of need.words) {
      const one: Words = { ...need, words: [word] }
      if (!isPossible([one, ...others], need.path)) yield problemOf(one, [one, ...others])
    }
  }
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

/** Whether a request has all of this. */
function isPossible(given: readonly Need[], judged?: string): boolean {
  if (!isPossibleVariant(given)) return false
  const needs = given.filter(isJudged)
  const counts = (form: ActivityForm) =>
    form.isRare !== true || judged === 'activity.resource' || needs.some((need) => isAbout(need, form))
  return activityForms.some((form) => hasAll(form, needs) && counts(form)) || isPossibleElsewhere(needs)
}

function hasAll(form: ActivityForm, needs: readonly Need[]): boolean {
  return needs.every((need) => has(form, need))
}

/** Whether an activity has the fields that a condition reads in every case. */
export function mayBeAbout(form: ActivityForm, condition: Expression): boolean {
  return requestFields(condition).every((path) => hasField(form, path))
}

/** Asked once for every kind of activities. */
const requestFields = onceFor((condition: Expression) =>
  requiredFields(condition)
    .map((path) => path.join('.'))
    .filter(isOfRequest),
)

/** Whether an activity may have it. Undefined if a need is not about what an activity is. */
export function mayHave(form: ActivityForm, need: Need): boolean | undefined {
  return isJudged(need) ? has(form, need) : undefined
}

function has(form: ActivityForm, need: Need): boolean {
  const field = isWords(need) ? need.field : undefined
  if (field === undefined || !isWords(need)) return hasField(form, need.path)
  const text = form.texts.get(field)
  return need.words.some(({ value }) => text === value)
}

function hasField({ fields }: ActivityForm, path: string): boolean {
  return fields.some((field) => path === field || path.startsWith(`${field}.`))
}

/** A need is judged together with each other one. */
const isJudged = onceFor((need: Need) => (isWords(need) && need.field !== undefined) || isOfRequest(need.path))

/** Whether something names this very activity: its kind, its type or a parameter. */
export function isAbout(need: Need, form: ActivityForm): boolean {
  const isName = isWords(need) ? isNameOfActivity(need) : rootOf(need.path) === 'activity.params'
  return isName && has(form, need)
}

function isNameOfActivity({ path }: Words): boolean {
  return path === 'activity.kind' || path === 'activity.type'
}

/** Whether something names an activity that this server lacks, and nothing names only those that it has. */
function isPossibleElsewhere(needs: readonly Need[]): boolean {
  const isHere = (need: Need) => isWords(need) && isNameOfActivity(need) && !namesElsewhere(need)
  return needs.some(namesElsewhere) && !needs.some(isHere)
}

/** Whether something names an activity that this server lacks. */
export function namesElsewhere(need: Need): boolean {
  if (isWords(need)) {
    const here = need.field && wordsHere.get(need.field)
    return need.words.some(({ value }) => here?.has(value) === false)
  }
  const [, parameter] = /^activity\.params\.([a-z_]+)/.exec(need.path) ?? []
  const kinds = parameter === undefined ? [] : kindsWithParameter(parameter)
  return kinds.some((kind) => wordsHere.get('activity.kind')?.has(kind) === false)
}

function problemOf(need: Need, needs: readonly Need[]): Problem {
  const start = isWords(need) ? need.words[0].start : need.start
  const other = needs.find((one) => one !== need && !isPossible([one, need]))
  if (other === undefined) return new Problem(start, message`no request has ${written(need)} with what is beside it`)
  const rare = activityForms
    .find((form) => form.isRare === true && hasAll(form, [need, other]))
    ?.texts.get('activity.kind')
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
    if (from === undefined || to === undefined || !isWords(to) || (isWords(from) && from.path === to.path)) return []
    const words = wordsWith(from, to).filter((word) => word !== '')
    return words.length === 0 || words.length > wordsShownMax ? [] : [{ from, to, words }]
  })
  const [best] = ways.toSorted((a, b) => a.words.length - b.words.length)
  return best === undefined ? '' : message`; with ${written(best.from)}, ${best.to.shown} is ${best.words.join(', ')}`
}

function wordsWith(from: Need, to: Words): readonly string[] {
  const { field } = to
  if (field === undefined) return wordsOfVariants(from, to)
  const forms = activityForms.filter((form) => form.isRare !== true && has(form, from))
  return [...new Set(forms.flatMap(({ texts }) => texts.get(field) ?? []))]
}

/** As people write it. */
export function written(need: Need): string {
  if (!isWords(need)) return need.shown
  const [first, ...others] = need.words.map(({ value }) => `'${value}'`)
  return others.length === 0 ? `${need.shown} == ${first}` : `${need.shown} in [${[first, ...others].join(', ')}]`
}
