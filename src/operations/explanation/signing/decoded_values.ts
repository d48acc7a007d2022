import { isList, isMap, isStruct, type Value as Seen } from '../../../policy/language/values.ts'
import { uint256Max } from '../../../policy/transactions/ethereum/ethereum_fields.ts'
import type { Value } from '../explanation.ts'
import { ethereumAddress, flag, hex, list, listed, namedRow, note, number, text } from '../values.ts'

/** Shows a value as conditions of policies see it. The names in it were set by others. */
export function decodedValue(value: Seen | undefined): Value {
  if (value === undefined) return note('notInContent')
  if (typeof value === 'boolean') return flag(value)
  if (typeof value === 'bigint') return value === uint256Max ? list([number(value), note('unlimited')]) : number(value)
  if (typeof value === 'string') return decodedText(value)
  if (isList(value)) return list(listed(value, decodedValue))
  const entries = isMap(value) ? [...value] : isStruct(value) ? Object.entries(value) : []
  return { kind: 'tree', rows: entries.map(([name, member]) => namedRow(name, decodedValue(member))) }
}

/** The texts that conditions see are addresses and bytes in hex, or what somebody wrote. */
function decodedText(value: string): Value {
  if (/^0x[0-9a-f]{40}$/.test(value)) return ethereumAddress(value)
  if (/^0x([0-9a-f]{2})*$/.test(value)) return hex(value)
  return text(value)
}
