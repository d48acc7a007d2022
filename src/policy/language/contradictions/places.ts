import { type ExpressionKind, keywords } from '../names/keywords.ts'
import { constantOf } from '../names/pieces.ts'
import type { Type } from '../names/types.ts'
import { printAlike } from '../reading/print.ts'
import type { Expression } from '../syntax.ts'
import { pathOf, type Variables } from './needs.ts'

/**
 * The name of something that has one value in a request, whose type is known: a field, an item with a written index, the
 * item of a test, a part of a text, how many items a list has, or a sum of `spent`. Undefined for everything else, also
 * for what the request names itself.
 */
export function placeOf(expression: Expression, variables: Variables): string | undefined {
  switch (expression.kind) {
    case 'spent':
      return printAlike(expression)
    case 'count': {
      const list = pathOf(expression.of, variables)
      if (list !== undefined) return `${list}.count()`
      // The same filter counts the same, unless it is about an item of a test around it.
      return expression.of.kind === 'predicate' && variables.size === 0 ? printAlike(expression) : undefined
    }
    case 'slice': {
      const [of, from, to] = [placeOf(expression.of, variables), constantOf(expression.from), constantOf(expression.to)]
      return of === undefined || from === undefined || to === undefined ? undefined : `${of}[${from}..${to}]`
    }
    default:
      return pathOf(expression, variables)
  }
}

/** Whether a request with all fields may lack it: an item or a part beyond the end. Nothing equals it then. */
export function mayBeBeyond(place: string): boolean {
  return /\[[0-9]/.test(place)
}

/** The type of a place that dots, items and indexes reach. */
export function typeAt(place: string, kind: ExpressionKind): Type | undefined {
  const [root = '', ...names] = place.split(/\.|(?=\[)/)
  let type = keywords[kind].get(root)
  for (const name of names) {
    if (name.startsWith('[')) {
      if (type?.kind !== 'list') return undefined
      type = type.item
      continue
    }
    // The one item of a list that has no more goes by the name of the list.
    const struct: Type | undefined = type?.kind === 'list' ? type.item : type
    type = struct?.kind === 'struct' ? (struct.fields.get(name) ?? struct.others) : undefined
  }
  return type
}
