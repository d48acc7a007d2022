import { onceFor } from '../../../protocol/tools/once_for.ts'
import type { Steps } from '../../../protocol/tools/steps.ts'
import type { Struct } from '../../language/expression_values.ts'
import { evaluate } from '../../language/running/evaluate.ts'
import { type Budget, within } from '../../language/running/run.ts'
import { type Expression, everyPart } from '../../language/syntax.ts'
import { everyAssignment } from './assignments.ts'
import type { Term } from './terms.ts'

/** Undefined where it takes too many steps to tell. */
export type Told = boolean | undefined

export function some(answers: readonly (() => Told)[]): Told {
  let isTold = true
  for (const answer of answers) {
    const told = answer()
    if (told === true) return true
    isTold &&= told !== undefined
  }
  return isTold ? false : undefined
}

export function every(answers: readonly (() => Told)[]): Told {
  const isSomeFalse = some(answers.map((answer) => () => negated(answer())))
  return negated(isSomeFalse)
}

/** The same, with a stop before each answer. */
export function* someInSteps(answers: readonly (() => Steps<Told>)[]): Steps<Told> {
  let isTold = true
  for (const answer of answers) {
    yield
    const told = yield* answer()
    if (told === true) return true
    isTold &&= told !== undefined
  }
  return isTold ? false : undefined
}

export function* everyInSteps(answers: readonly (() => Steps<Told>)[]): Steps<Told> {
  const isSomeFalse = yield* someInSteps(
    answers.map(
      (answer) =>
        function* () {
          return negated(yield* answer())
        },
    ),
  )
  return negated(isSomeFalse)
}

function negated(told: Told): Told {
  return told === undefined ? undefined : !told
}

/** An operand of an `&&`, or several that share terms. */
type Part = { readonly root: Expression; readonly names: ReadonlySet<string> }

/**
 * The operands of an `&&`, together where they share terms. Each is true or not whatever values the terms of the others
 * have, so each is tried for itself.
 */
export function independentParts(root: Expression): readonly Part[] {
  const parts = new Set<Joined>()
  const byName = new Map<string, Joined>()
  for (const operand of operandsOf(root)) {
    const names = namesIn(operand)
    const shared = new Set([...names].flatMap((name) => byName.get(name) ?? []))
    // The others join the largest, so that each operand joins another few times.
    const [part = { operands: [], names: [] }, ...others] = [...shared].toSorted(byLength)
    for (const other of [...others, { operands: [operand], names: [...names] }]) {
      part.operands.push(...other.operands)
      for (const name of other.names) {
        if (byName.get(name) !== part) part.names.push(name)
        byName.set(name, part)
      }
      parts.delete(other)
    }
    parts.add(part)
  }
  return [...parts].map(({ operands, names }) => {
    const [only = root, ...others] = operands
    return { root: others.length === 0 ? only : { ...root, kind: 'and', operands }, names: new Set(names) }
  })
}

type Joined = { readonly operands: Expression[]; readonly names: string[] }

function byLength(one: Joined, other: Joined): number {
  return other.operands.length + other.names.length - one.operands.length - one.names.length
}

function operandsOf(root: Expression): readonly Expression[] {
  return root.kind === 'and' ? root.operands.flatMap(operandsOf) : [root]
}

/** Asked of each operand for every kind of activities. */
const namesIn = onceFor((expression: Expression): ReadonlySet<string> => {
  return new Set([...everyPart(expression)].flatMap((part) => (part.kind === 'name' ? [part.name] : [])))
})

/** Gas, fees and the like have several values each. */
const assignmentsMax = 2_048

/** The values of terms and the parts of expressions that are looked at in a row. */
const looksInARow = 5_000

type Values = ReadonlyMap<string, Term['values']>
type Valued = Pick<Term, 'name' | 'values'>

/** Whether all parts can be true together, by these values of their terms. Parts of few values are tried first. */
export function* canHold(parts: readonly Part[], values: Values, budget: Budget): Steps<Told> {
  const valued = parts.map(({ root, names }) => {
    const terms = [...names].map((name) => ({ name, values: values.get(name) ?? [] }))
    return { root, terms, size: terms.reduce((product, term) => product * term.values.length, 1) }
  })
  const sorted = valued.toSorted((one, other) => one.size - other.size)
  let isTold = true
  let looks = 0
  for (const { root, terms } of sorted) {
    let told: Told = false
    const before = budget.meter.steps
    for (told of tries(root, terms, budget)) {
      looks += terms.length + 1
      if (looks + budget.meter.steps - before < looksInARow) continue
      yield
      looks = before - budget.meter.steps
    }
    looks += budget.meter.steps - before
    if (told === false) return false
    isTold &&= told !== undefined
  }
  return isTold ? true : undefined
}

/** Whether a part can be true, as far as each try tells. The last one tells it. */
function* tries(root: Expression, terms: readonly Valued[], budget: Budget): Iterable<Told> {
  const assignments = everyAssignment(terms, assignmentsMax)
  if (assignments === undefined) yield isFalse(root, terms, budget) ? false : undefined
  for (const keywords of assignments ?? []) {
    const isTrue = resultOf(root, keywords, budget) === true
    const told = isSpent(budget) ? undefined : isTrue
    yield told
    if (told !== false) return
  }
}

/** Whether the terms that have one value decide. The others need not be tried then, however many they are. */
function isFalse(root: Expression, terms: readonly Valued[], budget: Budget): boolean {
  const single = terms.filter(({ values }) => values.length === 1)
  return resultOf(root, Object.fromEntries(single.map(({ name, values: [value] }) => [name, value])), budget) === false
}

/** Whether an expression is true where some of its terms are known. Undefined where the others decide. */
export function toldBy(root: Expression, known: ReadonlyMap<string, Term['values'][number]>, budget: Budget): Told {
  const inner = (part: Expression) => () => toldBy(part, known, budget)
  if (root.kind === 'not') return negated(inner(root.operand)())
  if (root.kind === 'and') return every(root.operands.map(inner))
  if (root.kind === 'or') return some(root.operands.map(inner))
  if (![...namesIn(root)].every((name) => known.has(name))) return undefined
  const isTrue = resultOf(root, Object.fromEntries(known), budget) === true
  return isSpent(budget) ? undefined : isTrue
}

function resultOf(root: Expression, keywords: Struct, budget: Budget) {
  const evaluation = evaluate(root, within(budget, { keywords }))
  return evaluation.kind === 'value' ? evaluation.value : undefined
}

export function isSpent({ meter, stepsMax }: Budget): boolean {
  return meter.steps > stepsMax
}
