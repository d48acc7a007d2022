import type { Steps } from '../../../protocol/tools/steps.ts'
import { printAlike } from '../reading/print.ts'
import type { Expression } from '../syntax.ts'
import { type MayBeOpen, spansTogether } from '../time/spans_together.ts'

/** More parts are not judged: each doubles the ways. */
const partsMax = 6

/** Windows in more zones are not judged: each zone takes the days of 28 years. */
const zonesMax = 2

type Part = Exclude<Expression, { readonly kind: 'and' | 'or' | 'not' | 'boolean' }>
type Truths = ReadonlyMap<string, boolean>

/**
 * Whether no truths of its parts make an expression true: a part and its opposite are never true together, and neither
 * are windows of `CronSpan` in one zone that do not meet in any year. Parts are the same if they are written alike.
 */
export function* hasNoWay(expression: Expression): Steps<boolean> {
  const names = new Map(partsOfWhole(expression).map((part) => [part, printAlike(part)]))
  const parts = new Map([...names].map(([part, name]) => [name, part]))
  if (parts.size > partsMax) return false
  const isPossible = yield* possibleTruths(parts)
  return !waysOf([...parts.keys()]).some((truths) => isSo(expression, { names, truths }) && isPossible(truths))
}

function partsOfWhole(expression: Expression): readonly Part[] {
  switch (expression.kind) {
    case 'and':
    case 'or':
      return expression.operands.flatMap(partsOfWhole)
    case 'not':
      return partsOfWhole(expression.operand)
    case 'boolean':
      return []
    default:
      return [expression]
  }
}

function waysOf(names: readonly string[]): readonly Truths[] {
  return Array.from({ length: 2 ** names.length }, (_, way) => {
    return new Map(names.map((name, index) => [name, Math.floor(way / 2 ** index) % 2 === 1]))
  })
}

type Way = { readonly names: ReadonlyMap<Part, string>; readonly truths: Truths }

function isSo(expression: Expression, way: Way): boolean {
  switch (expression.kind) {
    case 'and':
      return expression.operands.every((operand) => isSo(operand, way))
    case 'or':
      return expression.operands.some((operand) => isSo(operand, way))
    case 'not':
      return !isSo(expression.operand, way)
    case 'boolean':
      return expression.value
    default:
      return way.truths.get(way.names.get(expression) ?? '') === true
  }
}

function* possibleTruths(parts: ReadonlyMap<string, Part>): Steps<(truths: Truths) => boolean> {
  const spans = [...parts].flatMap(([name, part]) => (part.kind === 'cron_span' ? [{ name, span: part.span }] : []))
  const ofZones = [...Map.groupBy(spans, ({ span }) => span.zone).values()]
  if (ofZones.length > zonesMax) return () => true
  const zones: { readonly names: readonly string[]; readonly mayBeOpen: MayBeOpen }[] = []
  for (const ofZone of ofZones) {
    const names = ofZone.map(({ name }) => name)
    const spans = ofZone.map(({ span }) => span)
    zones.push({ names, mayBeOpen: yield* spansTogether(spans, ofZones.length) })
  }
  return (truths) => zones.every(({ names, mayBeOpen }) => mayBeOpen(names.map((name) => truths.get(name) === true)))
}
