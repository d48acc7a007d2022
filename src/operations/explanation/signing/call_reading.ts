import type { Reading } from '../../../policy/contracts/reading.ts'
import type { Note, Value } from '../explanation.ts'
import { note, noteOf, number } from '../values.ts'
import { decodedValue } from './decoded_values.ts'

/** Shows the arguments of a call by an uploaded interface, or why they cannot be shown. */
export function argumentsValue(reading: Reading): Value {
  switch (reading.kind) {
    case 'read':
      return decodedValue(reading.args, reading.parameters && { kind: 'tuple', components: reading.parameters })
    case 'misencoded':
      return note('argumentsUnreadable')
    case 'unsupported':
      return note('notDecoded')
    case 'tooMuch':
      return noteOf('beyondLimit', number(reading.valuesMax))
  }
}

/** What a reader must know of arguments that were read. */
export function unreadNotes({ unreadBytes, opaqueBytes }: Extract<Reading, { readonly kind: 'read' }>): Note[] {
  return [
    ...(unreadBytes === 0 ? [] : [unreadNote(unreadBytes)]),
    ...(opaqueBytes === 0 ? [] : [noteOf('innerBytes', number(opaqueBytes))]),
  ]
}

/** The same of a call by an uploaded interface. Arguments that could not be read are unread as a whole. */
export function readingNotes(reading: Reading, argumentsBytes: number): readonly Note[] {
  if (reading.kind === 'read') return unreadNotes(reading)
  return argumentsBytes === 0 ? [] : [unreadNote(argumentsBytes)]
}

export function unreadNote(bytes: number): Note {
  return noteOf('unreadBytes', number(bytes))
}
