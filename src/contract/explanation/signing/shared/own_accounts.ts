import type { NoteCode } from '../../codes/note_codes.ts'
import type { Note, Value } from '../../explanation.ts'
import { noteOf } from '../../shown_values.ts'

/** `signer`: the account that signs, with its names. `giver`: the account that gives. Undefined: not known. */
export type OwnAccounts = { readonly signer?: Value | undefined; readonly giver?: Value | undefined }

/** The places in notes that say who gets something. */
const places: Readonly<Partial<Record<NoteCode, number>>> = {
  goesTo: 1,
  letsSpend: 1,
  paysDebt: 1,
  changesControl: 1,
  letsMoveAll: 0,
}

/**
 * Marks a note about what an account gives to itself, which must not stand before what others get: a request may have as
 * much of it as it likes, for nothing. The account that signs is no exception. It may be one of several that control the
 * account that gives.
 */
export function ownNote(note: Note, { signer, giver }: OwnAccounts): Note {
  const place = places[note.code]
  const to = place === undefined ? undefined : note.values?.[place]
  const named = isSame(signer, to)
    ? { ...note, values: (note.values ?? []).map((value, index) => (index === place ? (signer ?? value) : value)) }
    : note
  return isSame(giver, to) && !isOfItself(note) ? noteOf('toOwn', named) : named
}

/** An account that controls itself by another way than before is no account that keeps what it has. */
function isOfItself({ code, values: [of, to] = [] }: Note): boolean {
  return code === 'changesControl' && isSame(of, to)
}

/** Notes that take away the account of their first value, or change who controls it. */
const ofAccounts: ReadonlySet<NoteCode> = new Set<NoteCode>([
  'changesControl',
  'changesWhoControls',
  'programOwns',
  'getsData',
])

/** Marks the account whose control changes or ends if it is one of these, which act or sign. */
export function itselfNote(note: Note, accounts: readonly (Value | undefined)[]): Note {
  const [of, ...others] = note.values ?? []
  if (of === undefined || !ofAccounts.has(note.code) || !accounts.some((one) => isSame(one, of))) return note
  return { ...note, values: [noteOf('itself', of), ...others] }
}

export function isSame(one: Value | undefined, other: Value | undefined): boolean {
  return one?.kind === 'address' && other?.kind === 'address' && one.address === other.address
}
