import { hash } from 'node:crypto'
import type { Query } from '../query.ts'

export type Single = string | number | Uint8Array | null
export type Value = Single | undefined | readonly Single[]

/** A statement of PostgreSQL, and which named value stands at each of its places. */
export type Statement<P extends Readonly<Record<string, unknown>>, Row> = {
  /** The server keeps a prepared statement under it. */
  readonly name: string
  readonly text: string
  readonly places: readonly (keyof P & string)[]
  /** Never present: it carries the type of a row. */
  readonly row?: Row
}

/**
 * Makes a statement from a template whose values are names. It takes two calls, because the types are given and the
 * names are inferred from them: `` statement<{ ids: readonly string[] }, { id: string }>()`select … ${'ids'}` ``.
 */
export function statement<P extends Readonly<Record<string, Value>>, Row = never>() {
  return (parts: TemplateStringsArray, ...places: readonly (keyof P & string)[]): Statement<P, Row> => {
    const text = parts.reduce((before, part, index) => `${before}$${index}${part}`)
    return { name: nameOf(text), text, places }
  }
}

type OfQuery<Q> = Q extends Query<infer P, infer Row> ? Statement<P, Row> : never

/** The statements that both databases share, under the same names. */
export function statementsOf<Queries extends Readonly<Record<string, Query<never, unknown>>>>(
  queries: Queries,
): { readonly [Name in keyof Queries]: OfQuery<Queries[Name]> } {
  const statements = Object.entries(queries).map(([name, { postgres: text, places }]) => {
    return [name, { name: nameOf(text), text, places }]
  })
  return Object.fromEntries(statements)
}

/** Names are cut after 63 bytes, and two statements of one name would be confused. */
function nameOf(text: string): string {
  return hash('sha256', text, 'hex').slice(0, 32)
}

const longestText = 512

/**
 * A text that PostgreSQL can hold and index: it refuses the character U+0000, halves of characters, and entries of an
 * index above 2,704 bytes. Other texts are replaced by their digest. Equal texts stay equal, and no other text becomes equal to them,
 * which is all that a client's texts are for: they are looked up and never read back. The ids that are read back are
 * made by the vault and are short.
 */
export function storableText(text: string): string {
  const isPlain = text.length <= longestText && text.isWellFormed() && !text.includes('\0')
  if (isPlain && !text.startsWith(digestMark)) return text
  return `${digestMark}${hash('sha256', Buffer.from(text, 'utf16le'), 'base64url')}`
}

const digestMark = '\u0001'
