import type { AbiType } from '../../../../policy/contracts/ethereum/abi_types.ts'
import { isList, isMap, isStruct, type Value as Seen } from '../../../../policy/language/expression_values.ts'
import { uint256Max } from '../../../../policy/transactions/ethereum/ethereum_fields.ts'
import type { Value } from '../../explanation.ts'
import { ethereumAddress, flag, hex, list, listed, namedRow, note, number, text } from '../../shown_values.ts'

/**
 * Shows a value as conditions of policies see it. The names in it were set by others. A text is an address or bytes only
 * where the type of an ABI says so: others write texts that look like them.
 */
export function decodedValue(
  value: Seen | undefined,
  type?: AbiType,
  addressOf: (given: string) => Value = ethereumAddress,
): Value {
  if (value === undefined) return note('notInContent')
  if (typeof value === 'boolean') return flag(value)
  if (typeof value === 'bigint') return value === uint256Max ? list([number(value), note('unlimited')]) : number(value)
  if (typeof value === 'string') return decodedText(value, type, addressOf)
  if (isList(value)) {
    const element = type?.kind === 'array' ? type.element : undefined
    return list(listed(value, (item) => decodedValue(item, element, addressOf)))
  }
  const components = type?.kind === 'tuple' ? type.components : []
  const types = new Map(components.map((component) => [component.name, component.type]))
  const entries = isMap(value) ? [...value] : isStruct(value) ? Object.entries(value) : []
  return {
    kind: 'tree',
    rows: entries.map(([name, member]) => namedRow(name, decodedValue(member, types.get(name), addressOf))),
  }
}

function decodedText(value: string, type: AbiType | undefined, addressOf: (given: string) => Value): Value {
  switch (type?.kind) {
    case 'address':
      return addressOf(value)
    case 'bytes':
    case 'fixedBytes':
      return hex(value)
    default:
      return text(value)
  }
}
