import { type Message, message } from '../message.ts'
import { activityForms } from '../names/activity_forms.ts'
import { Problem } from '../problem.ts'
import { print } from '../reading/print.ts'
import type { Expression } from '../syntax.ts'
import { type Forms, formSets } from './form_sets.ts'
import { isWords, type Need, type Variables, type Words, wordsOf } from './needs.ts'
import { equalOf } from './words_excluded.ts'
import { type AskingOperand, asksTogether, isAbout, mayHave, written } from './words_together.ts'

/** Whether a velocity control is about an activity of this type, without version. By the identifiers of the controls. */
export type KnownControls = ReadonlyMap<string, IsAbout>
type IsAbout = (activity: { readonly type: string; readonly signs: boolean }) => boolean

/**
 * Why a condition reads a velocity control where it is always missing: what stands beside it within the `&&` asks for
 * activities that the control does not count. Each written word is judged alone. Activities that this server lacks are
 * not judged.
 */
export function controlsNeverTogether(expression: Expression, controls: KnownControls): readonly Problem[] {
  const found = new Map<number, Problem>()
  const formsOfControls = new Map([...controls].map(([name, counts]) => [name, formsCountedBy(counts)]))
  const known = new Map<AskingOperand, readonly Demand[]>()
  const demandsOf = (asked: AskingOperand) => {
    const demands = known.get(asked) ?? demandsIn(asked, formsOfControls)
    known.set(asked, demands)
    return demands
  }
  for (const { around, own } of asksTogether(expression)) {
    for (const problem of problemsAmong(around.flatMap(demandsOf), own.flatMap(demandsOf))) {
      if (!found.has(problem.offset)) found.set(problem.offset, problem)
    }
  }
  return [...found.values()].toSorted((one, other) => one.offset - other.offset)
}

/** Policies are not asked about queries. */
const askedAbout = activityForms.filter(({ texts }) => texts.get('activity.action') !== 'READ')
const { all, expected, formsWith, formsIn } = formSets(askedAbout)

function formsCountedBy(isCounted: IsAbout): Forms {
  return formsWith(({ texts }) =>
    isCounted({ type: texts.get('activity.type') ?? '', signs: texts.get('activity.action') === 'SIGN' }),
  )
}

/** The demands of an operand of `&&` on an activity, and the activities that fulfil them. */
type Demand = {
  readonly shown: () => string
  readonly start: number
  readonly forms: Forms
  readonly isControl: boolean
  readonly need?: Need
}

function demandsIn(
  { operand, needs, variables }: AskingOperand,
  controls: ReadonlyMap<string, Forms>,
): readonly Demand[] {
  const demands = needs.map((need) => demandOf(need, controls))
  const others = excluded(operand, variables)
  if (others === undefined) return demands
  const forms = formsWith((form) => mayHave(form, others) !== true)
  return [...demands, { shown: () => print(operand), start: operand.start, forms, isControl: false }]
}

const prefix = 'controls.'

function demandOf(need: Need, controls: ReadonlyMap<string, Forms> = new Map()): Demand {
  const isControl = need.path.startsWith(prefix)
  const forms = isControl
    ? (controls.get(need.path.slice(prefix.length)) ?? all)
    : formsWith((form) => mayHave(form, need) !== false)
  const start = isWords(need) ? need.words[0].start : need.start
  return { shown: () => written(need), start, forms, isControl, need }
}

/** The words that an operand such as `activity.action != 'SIGN'` leaves out. A type may have several versions. */
function excluded(operand: Expression, variables: Variables): Words | undefined {
  const equal = equalOf(operand) ?? (operand.kind === 'not' ? operand.operand : undefined)
  const words = equal && wordsOf(equal, variables)
  return words?.field === 'activity.type' ? undefined : words
}

function* problemsAmong(around: readonly Demand[], own: readonly Demand[]): Iterable<Problem> {
  const demands = [...around, ...own]
  // A control that is missing in the `&&` around is told there.
  if (!demands.some(({ isControl }) => isControl) || isMissing(around)) return
  if (isMissing(demands)) {
    const at = own.findLast(({ isControl }) => isControl) ?? own.at(-1)
    if (at !== undefined) yield problemOf(at, demands)
    return
  }
  for (const demand of own) {
    const { need } = demand
    if (need === undefined || !isWords(need) || need.words.length === 1) continue
    const others = demands.filter((other) => other !== demand)
    const beside = togetherOf(others)
    for (const word of need.words) {
      const one = demandOf({ ...need, words: [word] } satisfies Words)
      const both = { without: beside.without & one.forms, counted: beside.counted }
      if (areMissing(both, [one, ...others])) yield problemOf(one, [one, ...others])
    }
  }
}

function isMissing(demands: readonly Demand[]): boolean {
  return areMissing(togetherOf(demands), demands)
}

/** The activities with all but the controls, and those that all controls count. */
type Together = { readonly without: Forms; readonly counted: Forms }

function togetherOf(demands: readonly Demand[]): Together {
  let [without, counted] = [all, all]
  for (const { forms, isControl } of demands) {
    if (isControl) counted &= forms
    else without &= forms
  }
  return { without, counted }
}

/** Whether the controls alone leave none of the activities. Those that are rare are not meant unless they are named. */
function areMissing({ without, counted }: Together, demands: readonly Demand[]): boolean {
  if ((without & counted) !== 0n) return false
  if ((without & expected) !== 0n) return true
  return formsIn(without).some((form) => demands.some(({ need }) => need !== undefined && isAbout(need, form)))
}

function problemOf(at: Demand, demands: readonly Demand[]): Problem {
  const controls = demands.filter(({ isControl }) => isControl)
  const control = at.isControl ? at : (pairWith(at, controls) ?? controls[0] ?? at)
  const others = [at, ...demands].filter((demand) => demand !== control)
  const beside = pairWith(control, others)?.shown() ?? message`what is beside it`
  return new Problem(
    at.start,
    message`${control.shown()} counts ${kindsOf(control)} only and has no value with ${beside}: leave it out there, or write a rule for each`,
  )
}

/** The first that no activity has together with the one. */
function pairWith({ forms }: Demand, others: readonly Demand[]): Demand | undefined {
  return others.find((other) => (other.forms & forms) === 0n)
}

const kindsShownMax = 8

function kindsOf({ forms }: Demand): string | Message {
  const types = formsIn(forms).map(({ texts }) => texts.get('activity.type') ?? '')
  const kinds = [...new Set(types)].map((type) => type.replace(/^ACTIVITY_TYPE_/, ''))
  const shown = kinds.slice(0, kindsShownMax).join(', ')
  return kinds.length > kindsShownMax ? message`${shown} and ${kinds.length - kindsShownMax} other kinds` : shown
}
