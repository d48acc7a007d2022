import { message } from '../message.ts'
import type { Form } from '../names/forms.ts'
import type { Fields, Type } from '../names/types.ts'
import { Problem } from '../problem.ts'

/** A side of a comparison. `source` is its text, for messages, and `start` its place. */
export type Side = { readonly type: Type; readonly source: string; readonly start: number }

/**
 * Why two fields have no text in common: their texts have other lengths, other beginnings or other words, or are ids of
 * other records. Empty if they may have one, as far as their types tell.
 */
export function fieldsNeverEqual(left: Side, right: Side): readonly Problem[] {
  const [one, other] = [fieldsOf(left.type), fieldsOf(right.type)]
  const pairs = one.length * other.length
  if (pairs === 0 || pairs > pairsMax) return []
  const isNever = one.every((first) => other.every((second) => areApart(first, second)))
  if (!isNever) return []
  return [new Problem(right.start, message`${left.source} and ${right.source} never have the same text`)]
}

/** Longer lists are not compared with each other. */
const pairsMax = 1_000

/** The fields of which a value may be. None if it may be any text. */
function fieldsOf(type: Type): readonly Fields[] {
  if (type.kind !== 'string' || type.written !== undefined) return []
  return type.among ?? [type]
}

function areApart(one: Fields, other: Fields): boolean {
  if (one.kind !== 'string' || other.kind !== 'string') return false
  if (areOtherIds(one, other)) return true
  if (mayBeOneKey(one, other) || mayBeOneKey(other, one)) return false
  const [first, second] = [lengthsOf(one), lengthsOf(other)]
  return first.max < second.min || second.max < first.min || beginsApart(one, other) || beginsApart(other, one)
}

/** Whether the texts are whole ids of other kinds of records. An empty text is no id. */
function areOtherIds(one: Fields, other: Fields): boolean {
  const [kinds, otherKinds] = [one.form?.idsOf, other.form?.idsOf]
  if (kinds === undefined || otherKinds === undefined) return false
  const areWhole = one.piece === undefined && other.piece === undefined
  return areWhole && !kinds.some((kind) => otherKinds.includes(kind)) && !(mayHold(one, '') && mayHold(other, ''))
}

/** Any key of Solana and its bytes in hex. The evaluation takes such two texts for equal. */
const [key, bytesOfKey] = ['1'.repeat(32), '0'.repeat(64)] as const

function mayBeOneKey(one: Fields, other: Fields): boolean {
  return mayHold(one, key) && mayHold(other, bytesOfKey)
}

function mayHold({ form, piece }: Fields, text: string): boolean {
  const spelling = piece === undefined ? form?.canonical(text) : form?.canonicalPiece(text, piece.from)
  return (form === undefined || spelling === text) && (piece?.length ?? text.length) === text.length
}

function lengthsOf({ form, piece }: Fields): { readonly min: number; readonly max: number } {
  if (piece?.length !== undefined) return { min: piece.length, max: piece.length }
  const { charactersMin = 0, charactersMax = Number.POSITIVE_INFINITY } = form ?? {}
  return { min: piece === undefined ? charactersMin : 0, max: charactersMax }
}

/** Whether no beginning of one text is one of the other. Only the beginnings of whole texts are known. */
function beginsApart({ form, piece }: Fields, other: Fields): boolean {
  const starts = startsOf(form, piece)
  const isWhole = (other.piece?.from ?? 0) === 0 && (other.piece === undefined || other.piece.from !== undefined)
  if (starts === undefined || !isWhole) return false
  const within = (start: string) => start.slice(0, Math.min(start.length, lengthsOf(other).max))
  return starts.every((start) => other.form?.canonicalPiece(within(start), 0) === undefined && other.form !== undefined)
}

/** The beginnings of a piece of a text. Undefined where it may begin with anything. */
function startsOf(form: Form | undefined, piece: Fields['piece']): readonly string[] | undefined {
  if (form?.starts === undefined) return undefined
  if (piece === undefined) return form.starts
  if (piece.from !== 0 || piece.length === undefined || piece.length === 0) return undefined
  const { length } = piece
  return form.starts.map((start) => start.slice(0, length))
}
