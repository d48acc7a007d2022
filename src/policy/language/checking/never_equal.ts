import { lazily } from '../../../protocol/tools/lazily.ts'
import { contradictionsIn } from '../contradictions/contradictions.ts'
import { neverTogether } from '../contradictions/never_together.ts'
import { tautologiesIn } from '../contradictions/tautologies.ts'
import { wordsNeverTogether } from '../contradictions/words_together.ts'
import type { ExpressionKind } from '../names/keywords.ts'
import type { Problem } from '../problem.ts'
import type { Expression } from '../syntax.ts'
import type { WrittenId } from './literals.ts'
import { queriesNamed } from './queries_named.ts'

/**
 * The expression with each written text in the spelling of the field that it is compared with. `neverEqual` are texts
 * that no value of their field equals, or fields that no request has together. Only new expressions are refused for
 * those, because stored ones must compile. `ids` are the written ids of records.
 */
export type Checked = {
  readonly expression: Expression
  readonly neverEqual: readonly Problem[]
  readonly ids: readonly WrittenId[]
}

type Judging = { readonly kind: ExpressionKind; readonly isScope: boolean; readonly byTypes: readonly Problem[] }

/** To judge takes longer than all other checks, so a stored expression is judged only when it is asked for. */
export function judgedLater({ expression, ids }: Omit<Checked, 'neverEqual'>, judging: Judging): Checked {
  const neverEqual = lazily(() => neverEqualIn(expression, judging))
  return {
    expression,
    ids,
    get neverEqual() {
      return neverEqual()
    },
  }
}

/** All that never matches in an expression, in the order of the places: what is known by the types, and the rest. */
function neverEqualIn(expression: Expression, { kind, isScope, byTypes }: Judging): readonly Problem[] {
  const known = [...byTypes, ...(kind === 'condition' ? problemsOfCondition(expression, { isScope }) : [])]
  // A contradiction at the same place says the same in other words.
  const others = [...contradictionsIn(expression, kind), ...tautologiesIn(expression, kind)].filter(({ offset }) =>
    known.every((one) => one.offset !== offset),
  )
  return [...known, ...others].toSorted((one, other) => one.offset - other.offset)
}

function problemsOfCondition(expression: Expression, { isScope }: { isScope: boolean }): readonly Problem[] {
  const apart = neverTogether(expression)
  const together = apart === undefined ? wordsNeverTogether(expression) : [apart]
  return [...together, ...(isScope ? [] : queriesNamed(expression))]
}
