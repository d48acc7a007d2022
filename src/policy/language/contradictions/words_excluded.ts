import { onceFor } from '../../../protocol/tools/once_for.ts'
import { activityForms } from '../names/activity_forms.ts'
import { variants } from '../names/variants.ts'
import type { Expression } from '../syntax.ts'
import type { Conjunct } from './conjuncts.ts'
import { type Forms, formSets } from './form_sets.ts'
import { type Need, needsOf, type Words, withoutItems, wordsOf } from './needs.ts'
import { type PossibleVariants, variantsWith } from './variants_needed.ts'
import { isAbout, mayHave, namesElsewhere } from './words_together.ts'

/** The demands of a conjunct on a request: what the request needs, and the words that a field may not have. */
export type ConjunctNeeds = {
  readonly by: Conjunct
  readonly needs: readonly Need[]
  readonly excluded: Words | undefined
}

/** The `==` in the place of a `!=`. Undefined for everything else. */
export function equalOf(expression: Expression): Expression | undefined {
  if (expression.kind !== 'comparison' || expression.operator !== '!=') return undefined
  return { ...expression, operator: '==' }
}

export function askedBy(by: Conjunct): ConjunctNeeds {
  const { expression, isNegated, variables } = by
  const opposite = equalOf(expression)
  const equal = opposite ?? expression
  if ((opposite !== undefined) === isNegated) return { by, needs: needsOf(equal, variables), excluded: undefined }
  // A field that is read there is needed all the same.
  const { start, end } = expression
  const needs = needsOf({ kind: 'not', operand: equal, start, end }, variables)
  return { by, needs, excluded: wordsOf(equal, variables) }
}

/**
 * Whether no request has all of this, because of the words that are excluded. A request has one of the words that are
 * left, so it is an activity of this server; what names another one is not judged.
 */
export function isImpossible(asked: readonly ConjunctNeeds[]): boolean {
  if (asked.some(({ needs }) => needs.some(namesElsewhere))) return false
  const before = leftOf(asked.map((one) => ({ ...one, excluded: undefined })))
  const left = leftOf(asked)
  return (hasForm(before) && !hasForm(left)) || (hasVariants(before) && !hasVariants(left))
}

/** The requests that have all that was asked, as far as words go. */
export type LeftByWords = {
  readonly forms: Forms
  /** Whether a request is meant that no rule means without its name. */
  readonly isRare: boolean
  readonly variants: PossibleVariants
}

/** The requests of those that are left which have this too. */
export function leftBeside(before: LeftByWords | undefined, { needs, excluded }: ConjunctNeeds): LeftByWords {
  const { forms, isRare, variants } = before ?? leftOf([])
  const left = excluded && leftBy(excluded)
  return {
    forms: needs.map(formsOf).reduce((both, one) => both & one, forms) & ~(excluded ? formsOfWords(excluded) : 0n),
    isRare: isRare || needs.some(isAboutRare),
    variants: variantsWith(variants, left === undefined ? needs : [...needs, left]),
  }
}

/** Whether a request is left. Then none of what was asked is impossible with any of the rest. */
export function isSomeLeft(left: LeftByWords): boolean {
  return hasForm(left) && hasVariants(left)
}

function leftOf(asked: readonly ConjunctNeeds[]): LeftByWords {
  return asked.reduce(leftBeside, { forms: all, isRare: false, variants: new Map() })
}

function hasForm({ forms, isRare }: LeftByWords): boolean {
  return (isRare ? forms : forms & expected) !== 0n
}

function hasVariants({ variants }: LeftByWords): boolean {
  return [...variants.values()].every((possible) => possible !== 0)
}

const { all, expected, formsWith } = formSets(activityForms)
const rare = activityForms.filter(({ isRare }) => isRare === true)
const isAboutRare = onceFor((need: Need) => rare.some((form) => isAbout(need, form)))

/** A long condition asks about each need many times. */
const formsOf = onceFor((need: Need) => formsWith((form) => mayHave(form, need) !== false))
/** The field of other words is that of no activity. */
const formsOfWords = onceFor((words: Words) =>
  words.field === undefined ? 0n : formsWith((form) => mayHave(form, words) === true),
)

/** The words that are left of a closed list: the variants of a struct. */
function leftBy(words: Words): Words | undefined {
  const struct = variants.find((one) => !one.hasOthers && `${one.struct}.${one.by}` === withoutItems(words.path))
  if (struct === undefined) return undefined
  const { start } = words.words[0]
  const left = Object.keys(struct.lacks).filter((value) => words.words.every((word) => word.value !== value))
  const [first, ...others] = left.map((value) => ({ value, start }))
  return first && { ...words, words: [first, ...others] }
}
