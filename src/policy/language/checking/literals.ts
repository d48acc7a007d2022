import { isUuid } from '../../../protocol/wire/identifiers.ts'
import { areEqual } from '../expression_values.ts'
import { type Message, message } from '../message.ts'
import type { Form } from '../names/forms.ts'
import type { IdKind } from '../names/id_kinds.ts'
import { trimmed } from '../names/trimmed.ts'
import type { Fields, Literal, Type } from '../names/types.ts'
import { nearest } from '../nearest.ts'
import { Problem } from '../problem.ts'
import { type Expression, mapped } from '../syntax.ts'
import { fieldsNeverEqual, type Side } from './fields_never_equal.ts'

/** A text beside a field. A list of 100 addresses beside ten fields takes a thousand. */
const triesMax = 20_000

/** To look for the word that is meant takes as long as hundreds of steps. Nobody reads more of them. */
const hintsMax = 10

/** An id that is compared with ids of records of these kinds. */
export type WrittenId = { readonly id: string; readonly kinds: readonly IdKind[]; readonly offset: number }

/** The written texts that an expression compares, with the spelling of the field that each is compared with. */
export class ComparedLiterals {
  readonly #spellings = new Map<Literal, string>()
  readonly #problems = new Map<Literal, Problem>()
  /** The pairs of types that were compared. Each is looked at once. */
  readonly #compared = new Map<Type, Set<Type>>()
  readonly #comparedFields = new Map<Type, Set<Type>>()
  readonly #apart: Problem[] = []
  #triesLeft = triesMax
  #hintsLeft = hintsMax
  readonly #ids = new Map<Literal, WrittenId>()

  /** Compares the texts that each side holds with the other side, and the fields of both. */
  compare(left: Side, right: Side): void {
    this.#compareTexts(left, right)
    this.#compareTexts(right, left)
    const before = this.#comparedFields.get(left.type) ?? new Set()
    if (before.has(right.type)) return
    this.#comparedFields.set(left.type, before.add(right.type))
    this.#apart.push(...fieldsNeverEqual(left, right))
  }

  #compareTexts(field: Side, written: Side): void {
    if (written.type.kind !== 'string') return
    const { type } = field
    // Two written texts are compared as they are.
    if (type.kind === 'string' && type.written !== undefined && type.among === undefined) return
    const before = this.#compared.get(type) ?? new Set()
    if (before.has(written.type)) return
    this.#compared.set(type, before.add(written.type))
    for (const literal of written.type.written ?? []) this.#add(literal, field)
  }

  /** Why texts and fields can never be equal to what they are compared with, from left to right. */
  problems(): readonly Problem[] {
    return [...this.#problems.values(), ...this.#apart].toSorted((one, other) => one.offset - other.offset)
  }

  /** The written ids of records, from left to right. */
  ids(): readonly WrittenId[] {
    return [...this.#ids.values()].toSorted((one, other) => one.offset - other.offset)
  }

  /** The expression with each text in the spelling of the field. */
  respelled(expression: Expression): Expression {
    const isAsWritten = [...this.#spellings].every(([{ value }, spelling]) => value === spelling)
    if (isAsWritten) return expression
    return mapped(expression, (part) => {
      const value = part.kind === 'string' ? this.#spellings.get(part) : undefined
      return part.kind === 'string' && value !== undefined ? { ...part, value } : part
    })
  }

  #add(literal: Literal, field: Side): void {
    const fields = fieldsOf(field.type)
    this.#triesLeft -= fields.length
    if (this.#triesLeft < 0) {
      this.#refuse(literal, message`the expression compares too many texts with too many fields`)
      return
    }
    const possible = fields.flatMap((type) => spellingFor(type, literal.value) ?? [])
    const [spelling] = possible
    if (spelling === undefined) {
      const [first] = fields
      if (first === undefined || isWritten(field.type, literal.value) || this.#problems.has(literal)) return
      this.#hintsLeft -= 1
      const never = { text: literal.value, type: first, hasHint: this.#hintsLeft >= 0 }
      this.#refuse(literal, neverMessage(field, never))
      return
    }
    const kinds = fields.flatMap(({ form }) => form?.idsOf ?? [])
    if (kinds.length > 0 && isUuid(spelling)) this.#addId(literal, { id: spelling, kinds })
    const before = this.#spellings.get(literal) ?? spelling
    if (possible.every((one) => areEqual(before, one))) {
      this.#spellings.set(literal, spelling)
      return
    }
    // Each field would need another spelling.
    this.#spellings.set(literal, literal.value)
    this.#refuse(literal, message`'${literal.value}' is compared with fields that spell it differently: write it twice`)
  }

  #addId(literal: Literal, { id, kinds }: Pick<WrittenId, 'id' | 'kinds'>): void {
    const all = new Set([...(this.#ids.get(literal)?.kinds ?? []), ...kinds])
    this.#ids.set(literal, { id, kinds: [...all], offset: literal.start })
  }

  #refuse(literal: Literal, reason: Message): void {
    if (!this.#problems.has(literal)) this.#problems.set(literal, new Problem(literal.start, reason))
  }
}

function isWritten(type: Type, text: string): boolean {
  return type.kind === 'string' && (type.written ?? []).some(({ value }) => areEqual(value, text))
}

/** A value among several fields has the text of one of them. Other values are no texts. */
function fieldsOf(type: Type): readonly Fields[] {
  if (type.kind === 'string') return type.among ?? [type]
  return type.kind === 'any' ? [type] : []
}

/** The text as the field has it. Undefined if the field never has it. */
function spellingFor(type: Fields, text: string): string | undefined {
  const { piece } = type
  const spelling = spelledBy(type, text)
  return piece?.length === undefined || piece.length === spelling?.length ? spelling : undefined
}

function spelledBy({ form, piece }: Fields, text: string): string | undefined {
  if (form === undefined) return text
  return piece === undefined ? form.canonical(text) : form.canonicalPiece(text, piece.from)
}

/** The text that somebody who wrote this one probably means. */
function hintFor(type: Fields, text: string): Message | undefined {
  const { form, piece } = type
  if (form === undefined) return undefined
  if (piece !== undefined) return meant([text.toLowerCase()], (one) => form.canonicalPiece(one, piece.from))
  const near = nearest(text, form.words ?? [])
  if (near !== undefined) return near
  if (type.kind === 'string' && type.oneOf !== undefined)
    return message`; it is one of ${type.oneOf.filter((one) => one !== '').join(', ')}`
  const inner = trimmed(text)
  // Before anything else, `0x` would make another text that nobody means.
  const prefixed = /^[0-9a-f]+$/i.test(inner) ? [`0x${inner.toLowerCase()}`] : []
  return meant([inner, inner.toLowerCase(), ...prefixed], form.canonical)
}

/** The first of the texts that a field can have. */
function meant(texts: readonly string[], canonical: Form['canonical']): Message | undefined {
  const found = texts.map(canonical).find((one) => one !== undefined && one !== '')
  return found === undefined ? undefined : message`; did you mean '${found}'?`
}

type Never = { readonly text: string; readonly type: Fields; readonly hasHint: boolean }

/** Why a field never has a text. `type` is one of those that the field may have. */
function neverMessage({ source }: Side, { text, type, hasHint }: Never): Message {
  const { piece, form } = type
  const { length } = spelledBy(type, text) ?? text
  if (piece?.length !== undefined && piece.length !== length)
    return message`the length of ${source} is ${piece.length}, that of '${text}' is ${length}`
  const near = hasHint ? hintFor(type, text) : undefined
  const hint = form?.fault?.(text) ?? near ?? (form === undefined ? '' : message`; it holds ${form.name}`)
  return message`${source} is never '${text}'${hint}`
}
