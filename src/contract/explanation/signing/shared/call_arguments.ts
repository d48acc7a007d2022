import type { Reading } from '../../../../policy/contracts/reading.ts'
import { isList, isMap, type Value as Seen } from '../../../../policy/language/expression_values.ts'
import { uint256Max } from '../../../../policy/transactions/ethereum/ethereum_fields.ts'
import type { Note, Value } from '../../explanation.ts'
import { ethereumAddress, note, noteOf, number } from '../../shown_values.ts'
import { decodedValue } from './decoded_values.ts'

/** Shows the arguments of a call by their names, or why they cannot be shown. `addressOf` shows those that are addresses. */
export function argumentsValue(reading: Reading, addressOf: (given: string) => Value = ethereumAddress): Value {
  switch (reading.kind) {
    case 'read': {
      const type = reading.parameters && ({ kind: 'tuple', components: reading.parameters } as const)
      return decodedValue(reading.args, type, addressOf)
    }
    case 'misencoded':
      return note('argumentsUnreadable')
    case 'unsupported':
      return note('notDecoded')
    case 'tooMuch':
      return noteOf('beyondLimit', number(reading.valuesMax))
  }
}

export type UnreadCounts = Pick<Extract<Reading, { readonly kind: 'read' }>, 'unreadBytes' | 'opaqueBytes'>

export function countNotes({ unreadBytes, opaqueBytes }: UnreadCounts): Note[] {
  return [
    ...(unreadBytes === 0 ? [] : [unreadNote(unreadBytes)]),
    ...(opaqueBytes === 0 ? [] : [noteOf('innerBytes', number(opaqueBytes))]),
  ]
}

/** Whether the greatest amount that there is stands among arguments that were read, however deep. */
export function hasUnlimited(value: Seen): boolean {
  if (typeof value === 'bigint') return value === uint256Max
  if (isList(value)) return value.some(hasUnlimited)
  return isMap(value) && [...value.values()].some(hasUnlimited)
}

export function unreadNote(bytes: number): Note {
  return noteOf('unreadBytes', number(bytes))
}
