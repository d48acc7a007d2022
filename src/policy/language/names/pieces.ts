import { onceFor } from '../../../protocol/tools/once_for.ts'
import type { Expression } from '../syntax.ts'
import type { Fields, Piece, Type } from './types.ts'

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
  return expression.kind === 'integer'
    ? expression.value
    : expression.kind === 'sum'
      ? constantSum(expression)
      : undefined
}

/** Kept, because the sums around it are asked as well. */
const constantSum = onceFor(
  ({ operands }: Expression & { readonly kind: 'sum' | 'and' | 'or' }): bigint | undefined => {
    const terms = operands.map(constantOf)
    return terms.reduce<bigint | undefined>(
      (sum, term) => (sum === undefined || term === undefined ? undefined : sum + term),
      0n,
    )
  },
)

/** The type of a piece of a text, or of something within a value whose type the request decides. */
export function partOf(type: Fields, piece?: Piece): Type {
  const { kind, form } = type
  const among = type.kind === 'string' ? type.among?.map((one) => partOfOne(one, piece)) : undefined
  return among === undefined
    ? partOfOne({ kind, ...(form === undefined ? {} : { form }) }, piece)
    : { kind: 'string', among }
}

function partOfOne({ kind, form }: Fields, piece: Piece | undefined): Fields {
  return { kind, ...(form === undefined ? {} : { form }), ...(piece === undefined ? {} : { piece }) }
}

/** The type of the items of a written list of texts. */
export function textAmong(types: readonly Type[]): Type {
  const texts = types.flatMap((type) => (type.kind === 'string' || type.kind === 'any' ? [type] : []))
  const written = texts.flatMap((type) => (type.kind === 'string' ? (type.written ?? []) : []))
  const all = texts.flatMap((type) => {
    if (type.kind === 'any') return [type]
    return type.among ?? (type.written === undefined ? [type] : [])
  })
  const fields = all.filter((type, index) => all.findIndex((other) => isAlike(type, other)) === index)
  const [first] = fields
  if (written.length === 0 && first?.kind === 'string' && fields.length === 1) return first
  return {
    kind: 'string',
    ...(written.length === 0 ? {} : { written }),
    ...(fields.length === 0 ? {} : { among: fields }),
  }
}

function isAlike(one: Fields, other: Fields): boolean {
  return (
    one.kind === other.kind &&
    one.form === other.form &&
    one.piece?.from === other.piece?.from &&
    one.piece?.length === other.piece?.length
  )
}
