import type { Note, Value } from '../../explanation.ts'
import { note, wholeText } from '../../shown_values.ts'
import { readableText } from './printable_text.ts'
import { digestBytes, textNotes } from './text_notes.ts'

/**
 * `shown`: the text, if the bytes are one. `mayBeHash`: no other reading takes the place of the warnings, because a hash
 * can be searched until it begins as a transaction does.
 */
type ReadText = { readonly shown: Value | undefined; readonly warnings: readonly Note[]; readonly mayBeHash: boolean }

/**
 * Reads bytes as the text that a person is asked to sign. Only one that is shown to its end, and that is no hash, is what it
 * says. Hashes that read as a text can be found, and a Safe takes a personal message whose text is one.
 */
export function readText(bytes: Uint8Array): ReadText {
  const text = readableText(bytes)
  const shown = text === undefined ? undefined : wholeText(text)
  const mayBeHash = bytes.length === digestBytes
  if (mayBeHash) return { shown, warnings: [note('mayBeHash')], mayBeHash }
  if (text === undefined || shown === undefined) return { shown, warnings: [note('unknownMeaning')], mayBeHash }
  const isCut = shown.kind === 'text' && shown.characters !== undefined
  return { shown, warnings: [...textNotes(text), ...(isCut ? [note('cutText')] : [])], mayBeHash }
}
