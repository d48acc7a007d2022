import type { Note, Value } from '../explanation.ts'
import type { NoteCode } from '../note_codes.ts'
import { noteOf } from '../values.ts'

/**
 * The accounts to which a gift is none: the one that signs, and the one that gives. A request may give these as much as it
 * likes, for nothing.
 */
export type OwnAccounts = { readonly signer?: Value | undefined; readonly giver?: Value | undefined }

/** Where a note says who gets something. */
const places: Readonly<Partial<Record<NoteCode, number>>> = {
  goesTo: 1,
  letsSpend: 1,
  paysDebt: 1,
  changesControl: 1,
  letsMoveAll: 0,
}

/** Marks a note about what an own account gets, which must not stand before what others get. */
export function ownNote(note: Note, { signer, giver }: OwnAccounts): Note {
  const place = places[note.code]
  const to = place === undefined ? undefined : note.values?.[place]
  const own = [signer, giver].find((one) => isSame(one, to))
  if (own === undefined || isOfItself(note)) return note
  return noteOf('toOwn', {
    ...note,
    values: (note.values ?? []).map((value, index) => (index === place ? own : value)),
  })
}

/** An account that controls itself by another way than before is no account that keeps what it has. */
function isOfItself({ code, values: [of, to] = [] }: Note): boolean {
  return code === 'changesControl' && isSame(of, to)
}

export function isSame(one: Value | undefined, other: Value | undefined): boolean {
  return one?.kind === 'address' && other?.kind === 'address' && one.address === other.address
}
