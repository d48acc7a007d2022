import type { Form } from './names/forms.ts'
import { type Piece, string, type Type } from './names/types.ts'
import type { Expression } from './syntax.ts'

/** The slice `from..to` of a text that may be a slice itself. */
export function pieceOf(outer: Piece | undefined, from: bigint | undefined, to: bigint | undefined): Piece {
  const before = outer === undefined ? 0 : outer.from
  return {
    from: before === undefined || from === undefined ? undefined : before + Number(from),
    // A slice that ends before it begins has no value.
    length: from === undefined || to === undefined || from > to ? undefined : Number(to - from),
  }
}

/** The value of an expression that names no field. */
export function constantOf(expression: Expression): bigint | undefined {
  if (expression.kind === 'integer') return expression.value
  if (expression.kind !== 'sum') return undefined
  const terms = expression.operands.map(constantOf)
  return terms.reduce<bigint | undefined>(
    (sum, term) => (sum === undefined || term === undefined ? undefined : sum + term),
    0n,
  )
}

/** The type of a piece of a text, or of something within a value whose type the request decides. */
export function partOf({ kind, form }: { readonly kind: 'string' | 'any'; readonly form?: Form }, piece?: Piece): Type {
  return { kind, ...(form === undefined ? {} : { form }), ...(piece === undefined ? {} : { piece }) }
}

/** The type of the items of a written list of texts. Fields of several forms have none together. */
export function textAmong(types: readonly Type[]): Type {
  const texts = types.map((type) => (type.kind === 'string' ? type : undefined))
  const written = texts.flatMap((type) => type?.written ?? [])
  if (written.length > 0) return { kind: 'string', written }
  const [first] = texts
  const isAlike = (type: (typeof texts)[number]) =>
    type?.form === first?.form &&
    type?.piece?.from === first?.piece?.from &&
    type?.piece?.length === first?.piece?.length
  return first !== undefined && texts.every(isAlike) ? first : string
}
