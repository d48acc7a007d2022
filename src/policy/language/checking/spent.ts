import { message } from '../message.ts'
import { keywords } from '../names/keywords.ts'
import { int, intFrom, isInteger, type Type } from '../names/types.ts'
import { Problem } from '../problem.ts'
import { type Expression, everyPart } from '../syntax.ts'

/** A sum that must be known before an expression is evaluated. */
export type SpentTerm = { readonly path: string; readonly durationMs: number }

/** The sums that an expression names, each once. */
export function spentTerms(expression: Expression): readonly SpentTerm[] {
  const terms = new Map<string, SpentTerm>()
  for (const part of everyPart(expression)) {
    if (part.kind === 'spent')
      terms.set(`${part.durationMs} ${part.path}`, { path: part.path, durationMs: part.durationMs })
  }
  return [...terms.values()]
}

/**
 * The sums of a field that is never negative are not either. Throws `Problem` unless the path leads from `<chain>.tx` over
 * structs to an integer.
 */
export function typeOfSpent({ path, start }: Expression & { readonly kind: 'spent' }): Type {
  const names = path.split('.')
  const type = names[1] === 'tx' ? typeAt(names) : undefined
  if (type === undefined || !isInteger(type)) {
    throw new Problem(
      start,
      message`expected an integer field of a transaction, such as 'eth.tx.value', found '${path}'`,
    )
  }
  const isNatural = type.kind === 'uint' || (type.kind === 'int' && type.range !== undefined && type.range.min >= 0n)
  return isNatural ? intFrom(0n) : int
}

function typeAt([root = '', ...names]: readonly string[]): Type | undefined {
  let type = keywords.condition.get(root)
  for (const name of names) type = type?.kind === 'struct' ? type.fields.get(name) : undefined
  return type
}
