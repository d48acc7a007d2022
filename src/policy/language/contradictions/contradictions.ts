import { onceFor } from '../../../protocol/tools/once_for.ts'
import { message } from '../message.ts'
import type { ExpressionKind } from '../names/keywords.ts'
import { Problem } from '../problem.ts'
import type { Expression } from '../syntax.ts'
import { branchesOf, type Conjunct, conjunctsOf, conjunctsOfTest } from './conjuncts.ts'
import { comparedWithItself, constantTruth } from './constants.ts'
import { type Demand, demandedBy, demandOf, shownAs, valuesAt } from './demands.ts'
import { areNeverTogether, dependsOnOthers } from './fields_together.ts'
import { noVariables, variablesIn } from './needs.ts'
import { both, either, everything, isNone, numbersFrom } from './possible_values.ts'
import {
  askedBy,
  type ConjunctNeeds,
  isImpossible,
  isSomeLeft,
  type LeftByWords,
  leftBeside,
} from './words_excluded.ts'

/**
 * Why an `&&` is never true: it asks one field for values that exclude each other, or for words beside which the request
 * lacks what is read, or it compares written values. Each `||` is judged with the `&&` around it. A branch of it is named
 * only if it is never true by itself. Two fields are compared where their format excludes values of them together.
 */
export function contradictionsIn(expression: Expression, kind: ExpressionKind): readonly Problem[] {
  return judgedWhole[kind](expression).found
}

/** Whether an expression is never true, as far as that is known, also where it says so itself by `false`. */
export function isNeverTrue(expression: Expression, kind: ExpressionKind): boolean {
  return judgedWhole[kind](expression).isNever
}

/** Both are asked about new rules, and to judge a long one takes milliseconds. */
const judgedWhole = {
  consensus: onceFor((expression: Expression) => judgeWhole(expression, 'consensus')),
  condition: onceFor((expression: Expression) => judgeWhole(expression, 'condition')),
  time: onceFor((expression: Expression) => judgeWhole(expression, 'time')),
} as const satisfies Record<ExpressionKind, unknown>

function judgeWhole(expression: Expression, kind: ExpressionKind) {
  const found: Problem[] = []
  const { dead } = judge({ expression, isNegated: false, variables: noVariables }, undefined, { kind, found })
  return { found, isNever: dead !== undefined }
}

/**
 * The same by the values of each place alone: a field that the request lacks makes no rule that guards an error. Nothing
 * is known any more when the looks are used up.
 */
export function isNeverSo(whole: Conjunct, kind: ExpressionKind, looks: Looks): boolean {
  return judge(whole, undefined, { kind, found: [], byValues: looks }).dead !== undefined
}

/** How many conjuncts may be looked at yet. */
export type Looks = { left: number }
type Judging = { readonly kind: ExpressionKind; readonly found: Problem[]; readonly byValues?: Looks }

/** The demands of an `&&` alone. `around` is the `&&` in which it is a branch of an `||`. */
type Level = {
  readonly depth: number
  readonly facts: Map<string, Fact>
  readonly asked: ConjunctNeeds[]
  /** By what is asked here and around. */
  left: LeftByWords | undefined
  readonly around: Level | undefined
}
type Fact = Pick<Demand, 'values' | 'isSoBeyond'> & { readonly demands: readonly Demand[] }

/** `depth`: the outermost `&&` that is needed for it. The problems are named once it is known that it is never true. */
type Dead = { readonly depth: number; readonly problems: readonly Problem[] }
type Outcome = { readonly level: Level; readonly dead?: Dead }

function judge(whole: Conjunct, around: Level | undefined, judging: Judging): Outcome {
  const level: Level = { depth: (around?.depth ?? -1) + 1, facts: new Map(), asked: [], left: around?.left, around }
  const dead = deadIn(conjunctsOf(whole), level, judging)
  if (dead === undefined) return { level }
  if (dead.depth < level.depth) return { level, dead }
  judging.found.push(...dead.problems)
  return { level, dead: { ...dead, problems: [] } }
}

function deadIn(conjuncts: readonly Conjunct[], level: Level, judging: Judging): Dead | undefined {
  const { byValues } = judging
  for (const conjunct of conjuncts) {
    if (byValues === undefined) {
      const asked = askedBy(conjunct)
      level.asked.push(asked)
      level.left = leftBeside(level.left, asked)
    } else if (--byValues.left < 0) return undefined
    const dead = branchesOf(conjunct) === undefined ? deadBy(conjunct, level, judging) : undefined
    if (dead !== undefined) return dead
  }
  const byWords = byValues === undefined ? deadByWords(level) : undefined
  return byWords ?? firstOf(conjuncts, (conjunct) => deadBranches(conjunct, level, judging))
}

function firstOf<T, R>(items: readonly T[], find: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const found = find(item)
    if (found !== undefined) return found
  }
  return undefined
}

function deadBy(conjunct: Conjunct, level: Level, judging: Judging): Dead | undefined {
  const { depth } = level
  const { expression, isNegated } = conjunct
  const truth = constantTruth(expression) ?? comparedWithItself(expression)
  if (truth === isNegated) return { depth, problems: problemsOfConstant(conjunct) }
  const byCount = deadByCount(conjunct, level, judging)
  if (byCount !== undefined) return byCount
  const demand = demandOf(conjunct, judging.kind)
  return demand && (added(demand, level, judging.kind) ?? excludedByFormat(demand, level))
}

/** Some fields of one struct depend on each other. */
function excludedByFormat(demand: Demand, level: Level): Dead | undefined {
  if (!dependsOnOthers(demand.place)) return undefined
  const levels: Level[] = []
  for (let at: Level | undefined = level; at !== undefined; at = at.around) {
    levels.push(at)
    const askedOf = (place: string) => {
      const [first, ...others] = levels.flatMap(({ facts }) => facts.get(place) ?? [])
      return first && others.reduce(meeting, first)
    }
    if (!areNeverTogether(demand.place, askedOf)) continue
    const problem = new Problem(demand.start, message`${demand.shown()} is never true with what is beside it`)
    return { depth: at.depth, problems: [problem] }
  }
  return undefined
}

/** An author who writes `false` means it. */
function problemsOfConstant(conjunct: Conjunct): readonly Problem[] {
  const { kind, start } = conjunct.expression
  return kind === 'boolean' ? [] : [new Problem(start, message`${shownAs(conjunct)} is never true`)]
}

/** Adds a demand to those of its `&&`. */
function added(demand: Demand, level: Level, kind: ExpressionKind): Dead | undefined {
  const { place } = demand
  const before = level.facts.get(place) ?? anything(place, kind)
  let { values, isSoBeyond } = meeting(before, demand)
  level.facts.set(place, { values, isSoBeyond, demands: [...before.demands, demand] })
  const others: Demand[] = [...before.demands]
  for (let at: Level | undefined = level; at !== undefined; at = at.around) {
    const fact = at === level ? undefined : at.facts.get(place)
    if (fact !== undefined) {
      others.push(...fact.demands)
      ;({ values, isSoBeyond } = meeting({ values, isSoBeyond }, fact))
    }
    if (isNone(values) && !isSoBeyond) return { depth: at.depth, problems: [problemOf(demand, others, kind)] }
  }
  return undefined
}

type Meeting = Pick<Demand, 'values' | 'isSoBeyond'>

function meeting(one: Meeting, other: Meeting): Meeting {
  return { values: both(one.values, other.values), isSoBeyond: one.isSoBeyond && other.isSoBeyond }
}

function anything(place: string, kind: ExpressionKind): Fact {
  const values = valuesAt(place, kind)
  return { values: values ?? everything, isSoBeyond: true, demands: [] }
}

function problemOf(demand: Demand, others: readonly Demand[], kind: ExpressionKind): Problem {
  const areApart = (one: Meeting, other: Meeting) => {
    const { values, isSoBeyond } = meeting(one, other)
    return isNone(values) && !isSoBeyond
  }
  const shown = demand.shown()
  if (areApart(anything(demand.place, kind), demand)) return new Problem(demand.start, message`${shown} is never true`)
  const other = others.find((one) => areApart(one, demand))
  return new Problem(
    demand.start,
    other === undefined
      ? message`${shown} is never true with what is beside it`
      : message`${other.shown()} and ${shown} are never true together`,
  )
}

function deadByWords(level: Level): Dead | undefined {
  // A condition may have hundreds of branches in dozens of levels, and nearly all are possible.
  if (level.left === undefined || isSomeLeft(level.left)) return undefined
  const asked: ConjunctNeeds[] = []
  for (let at: Level | undefined = level; at !== undefined; at = at.around) {
    asked.unshift(...at.asked)
    const last = level.asked.findLast(({ excluded }) => excluded !== undefined) ?? level.asked.at(-1)
    if (last === undefined || !isImpossible(asked)) continue
    const shown = shownAs(last.by)
    const other = asked.find((one) => one !== last && isImpossible([one, last]))
    const reason =
      other === undefined
        ? message`${shown} is never true with what is beside it`
        : message`${shownAs(other.by)} and ${shown} are never true together`
    const start = last.excluded?.words[0].start ?? last.by.expression.start
    return { depth: at.depth, problems: [new Problem(start, reason)] }
  }
  return undefined
}

/** An `||` is never true if no branch is. Demands of all its branches on one place are demands of the `||` too. */
function deadBranches(conjunct: Conjunct, level: Level, judging: Judging): Dead | undefined {
  const branches = branchesOf(conjunct)
  if (branches === undefined) return undefined
  const outcomes = branches.map((branch) => judge(branch, level, judging))
  const dead = outcomes.flatMap((one) => one.dead ?? [])
  if (dead.length === outcomes.length) {
    const depth = Math.min(level.depth, ...dead.map((one) => one.depth))
    return { depth, problems: dead.flatMap(({ problems }) => problems) }
  }
  const left = outcomes.filter((one) => one.dead === undefined || one.dead.depth <= level.depth)
  const [first, ...others] = left.map(({ level: { facts } }) => facts)
  for (const [place, fact] of first ?? []) {
    const facts = others.map((one) => one.get(place))
    if (facts.includes(undefined)) continue
    const all = [fact, ...facts.flatMap((one) => one ?? [])]
    const start = fact.demands[0]?.start ?? conjunct.expression.start
    const demand: Demand = {
      place,
      values: all.map(({ values }) => values).reduce(either),
      isSoBeyond: all.some(({ isSoBeyond }) => isSoBeyond),
      start,
      shown: () => shownAs(conjunct),
    }
    const ended = added(demand, level, judging.kind)
    if (ended !== undefined) return ended
  }
  return undefined
}

type Filter = Expression & { readonly kind: 'predicate' }

/** The filter in `list.filter(…).count() > 0`. */
function filterCountedIn(expression: Expression): Filter | undefined {
  if (expression.kind !== 'comparison') return undefined
  const { left, right } = expression
  return firstOf([left, right], (side) => (side.kind === 'count' && side.of.kind === 'predicate' ? side.of : undefined))
}

/** A count of a filter that has too few items, or more than its list has. */
function deadByCount(conjunct: Conjunct, level: Level, judging: Judging): Dead | undefined {
  const { expression, variables } = conjunct
  const filter = filterCountedIn(expression)
  const values = filter && demandedBy(conjunct)?.values
  if (filter === undefined || values === undefined || !('spans' in values)) return undefined
  const { depth } = level
  const item = variablesIn(filter, variables).get(filter.variable)
  const { most, problems } = mostOf(filter, { item, conjunct, judging })
  if (most !== undefined && isNone(both(values, numbersFrom(0n, most)))) {
    const { start } = expression
    const reason = message`${shownAs(conjunct)} is never true: ${most} is the most, because no two have the same id`
    return { depth, problems: most === 0n ? problems : [new Problem(start, reason)] }
  }
  const least = values.spans[0]?.min ?? 0n
  if (least < 1n || item?.endsWith(']') !== true) return undefined
  const place = `${item.slice(0, item.lastIndexOf('['))}.count()`
  const [start, shown] = [expression.start, () => shownAs(conjunct)]
  return added({ place, values: numbersFrom(least, undefined), isSoBeyond: false, start, shown }, level, judging.kind)
}

type Filtering = { readonly item: string | undefined; readonly conjunct: Conjunct; readonly judging: Judging }

/** How many items get through a filter at most, as far as that is known, and why none does. */
function mostOf(filter: Filter, { item, conjunct: { variables }, judging: { kind } }: Filtering) {
  const found: Problem[] = []
  const level: Level = { depth: 0, facts: new Map(), asked: [], left: undefined, around: undefined }
  const dead = deadIn(conjunctsOfTest(filter, { isNegated: false, variables }), level, { kind, found })
  if (dead !== undefined) return { most: 0n, problems: [...found, ...dead.problems] }
  const ids = level.facts.get(`${item}.id`)?.values
  const isKnown = kind === 'consensus' && ids !== undefined && 'among' in ids && !ids.among.has('')
  return { most: isKnown ? BigInt(ids.among.size) : undefined, problems: [] }
}
