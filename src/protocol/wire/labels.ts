import { normalized } from '../tools/normalized.ts'

/** Names that people give to wallets, keys, users and the like. Fields have them, and rules compare them. */

/** In UTF-16 units. */
export const labelCharactersMax = 256

/** Half a surrogate pair has no UTF-8 form: two names with different halves would be one key in the database. */
const halves = '\\ud800-\\udfff'
/**
 * Invisible characters and those that reverse text: without them, names that look alike are alike. Joiners belong to
 * letters and stay.
 */
const invisible = '\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u2064\\u2066-\\u206f\\ufeff'
const neverInLabel = `\\u0000-\\u001f\\u007f-\\u009f${invisible}${halves}`

/** A character of a text on one line. */
export const labelCharacter = `[^${neverInLabel}]`
const labelEdge = `[^${neverInLabel}\\u0020\\u00a0]`
/** One line, with no blank or invisible character at either end. */
export const labelPattern = `^(?=.{1,${labelCharactersMax}}$)${labelEdge}(${labelCharacter}*${labelEdge})?$`

const [label, line] = [new RegExp(labelPattern, 'u'), new RegExp(`^${labelCharacter}*$`, 'u')]
const beginning = new RegExp(`^(${labelEdge}|$)`, 'u')

/** The spelling in which names are read and compared: NFC, in which names that look the same are the same (UAX 15). */
export function spelledLabel(text: string): string {
  return normalized(text, 'NFC')
}

/** The spellings under which a name may be stored, because versions before stored names as they were sent. */
export function spellingsOfLabel(text: string): readonly string[] {
  return [...new Set([spelledLabel(text), text, normalized(text, 'NFD')])]
}

export function isLabel(text: string): boolean {
  return label.test(text)
}

/** Whether some label begins as this part of a label does. */
export function isBeginningOfLabel(text: string): boolean {
  return beginning.test(text)
}

/** Whether some label has this text within it. */
export function isPartOfLabel(text: string): boolean {
  return line.test(text)
}
