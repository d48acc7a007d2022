import { everyAssignment } from './assignments.ts'
import { evaluate } from './language/evaluate.ts'
import { type Budget, within } from './language/run.ts'
import { type Expression, everyPart } from './language/syntax.ts'
import type { Struct } from './language/values.ts'
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
  let parts: readonly Part[] = []
  for (const operand of operandsOf(root)) {
    const names = namesIn(operand)
    const shared = parts.filter((part) => !part.names.isDisjointFrom(names))
    const operands = [...shared.map((part) => part.root), operand]
    const joined: Part = {
      root: operands.length === 1 ? operand : { ...root, kind: 'and', operands },
      names: new Set([...shared.flatMap((part) => [...part.names]), ...names]),
    }
    parts = [...parts.filter((part) => !shared.includes(part)), joined]
  }
  return parts
}

function operandsOf(root: Expression): readonly Expression[] {
  return root.kind === 'and' ? root.operands.flatMap(operandsOf) : [root]
}

function namesIn(expression: Expression): ReadonlySet<string> {
  return new Set([...everyPart(expression)].flatMap((part) => (part.kind === 'name' ? [part.name] : [])))
}

/** Gas, fees and the like have several values each. */
const assignmentsMax = 2_048

type Values = ReadonlyMap<string, Term['values']>
type Valued = Pick<Term, 'name' | 'values'>

/** Whether all parts can be true together, with some of these values of their terms. Those of few values are tried first. */
export function canHold(parts: readonly Part[], values: Values, budget: Budget): Told {
  const valued = parts.map(({ root, names }) => {
    const terms = [...names].map((name) => ({ name, values: values.get(name) ?? [] }))
    return { root, terms, size: terms.reduce((product, term) => product * term.values.length, 1) }
  })
  const sorted = valued.toSorted((one, other) => one.size - other.size)
  return every(
    sorted.map(
      ({ root, terms }) =>
        () =>
          canBeTrue(root, terms, budget),
    ),
  )
}

function canBeTrue(root: Expression, terms: readonly Valued[], budget: Budget): Told {
  const assignments = everyAssignment(terms, assignmentsMax)
  if (assignments === undefined) return isFalse(root, terms, budget) ? false : undefined
  for (const keywords of assignments) {
    const isTrue = resultOf(root, keywords, budget) === true
    if (isSpent(budget)) return undefined
    if (isTrue) return true
  }
  return false
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
