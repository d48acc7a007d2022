import { message } from '../message.ts'
import { constantOf } from '../names/pieces.ts'
import { trimmed } from '../names/trimmed.ts'
import type { Fields, Literal, Type } from '../names/types.ts'
import { Problem } from '../problem.ts'
import type { Expression } from '../syntax.ts'

type Part = Expression & { readonly kind: 'index' | 'slice' }

/** Why a written index or slice of a value of this type has no value for any request. `of` is its text, for messages. */
export function problemOfBounds(part: Part, type: Type, of: string): Problem | undefined {
  if (part.kind === 'index' && part.index.kind === 'string') return problemOfKey(part.index, type, of)
  const bounds = (part.kind === 'index' ? [part.index] : [part.from, part.to]).flatMap((written) => {
    const at = constantOf(written)
    return at === undefined ? [] : [{ at, start: written.start }]
  })
  const below = bounds.find(({ at }) => at < 0n)
  if (below !== undefined) return new Problem(below.start, message`no index is below 0`)
  const [from, to] = bounds
  if (from !== undefined && to !== undefined && from.at > to.at)
    return new Problem(from.start, message`the slice ${from.at}..${to.at} ends before it begins`)
  if (type.kind === 'list' && from !== undefined && from.at === to?.at)
    return new Problem(from.start, message`the slice ${from.at}..${to.at} has no items`)
  const max = lengthMaxOf(type)
  if (max === undefined) return undefined
  // An index is below the length.
  const beyond = bounds.find(({ at }) => at > max - (part.kind === 'index' ? 1 : 0))
  if (beyond === undefined) return undefined
  const reason =
    type.kind === 'list' ? message`${of} has ${max} items at most` : message`${of} has ${max} characters at most`
  return new Problem(beyond.start, reason)
}

function problemOfKey({ value, start }: Literal, type: Type, of: string): Problem | undefined {
  const values = type.kind === 'map' ? type.item : type
  const keys = values.kind === 'any' || values.kind === 'string' ? values.form?.keys : undefined
  if (keys === undefined || keys.pattern.test(value)) return undefined
  const inner = trimmed(value)
  const hint = keys.pattern.test(inner) ? message`; did you mean '${inner}'?` : message`; a key is ${keys.name}`
  return new Problem(start, message`${of} has no key '${value}'${hint}`)
}

function lengthMaxOf(type: Type): number | undefined {
  if (type.kind === 'list') return type.itemsMax
  return type.kind === 'string' ? charactersMaxOf(type) : undefined
}

function charactersMaxOf({ form, piece }: Fields): number | undefined {
  if (piece?.length !== undefined) return piece.length
  return form?.charactersMax === undefined ? undefined : Math.max(0, form.charactersMax - (piece?.from ?? 0))
}
