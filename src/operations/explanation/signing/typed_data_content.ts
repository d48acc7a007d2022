import { isList, isMap, isStruct, type Value as Seen, type Struct } from '../../../policy/language/values.ts'
import { typedDataStruct } from '../../../policy/typed_data_struct.ts'
import { encodeType, parseTypedData } from '../../../protocol/chains/eip712.ts'
import type { MemberType, StructTypes } from '../../../protocol/chains/eip712_types.ts'
import { parseJsonPayload } from '../../../protocol/chains/payloads.ts'
import type { Row, Value } from '../explanation.ts'
import { ethereumAddress, flag, hex, list, listed, namedRow, note, number, row, section, text } from '../values.ts'
import { ethereumChain } from './coins.ts'
import type { Content } from './signing_content.ts'

const domainType = 'EIP712Domain'

/**
 * Explains typed data (EIP-712) from what conditions see of it. Its types say how each value is shown. Throws
 * FIELD_INVALID for a payload that signing refuses too.
 */
export function typedDataContent(payload: string, fieldPath: string): Content {
  const struct = typedDataStruct(payload, fieldPath)
  const { primaryType, types, domain } = parseTypedData(parseJsonPayload(payload, fieldPath), fieldPath)
  const { message } = struct
  return {
    title: { code: 'signTypedData', values: [text(primaryType), ...domainName(struct)] },
    sections: section('typedData', [
      row('primaryType', text(primaryType)),
      row('domain', { kind: 'tree', rows: domainRows(struct, types, domain) }),
      row(
        'message',
        message !== undefined && isMap(message) ? mapValue(message, primaryType, types) : note('unreadable'),
      ),
      row('types', text(encodeType(primaryType, types))),
    ]),
  }
}

function domainName({ domain }: Struct): readonly Value[] {
  return domain !== undefined && isStruct(domain) && typeof domain.name === 'string' ? [text(domain.name)] : []
}

/** The members of the domain that conditions see, and beside them those of other names as the document has them. */
function domainRows({ domain }: Struct, types: StructTypes, given: Readonly<Record<string, unknown>>): readonly Row[] {
  const seen = domain !== undefined && isStruct(domain) ? domain : {}
  const { name, version, chain_id: chainId, verifying_contract: contract } = seen
  const known = new Map<string, Value>([
    ...(typeof name === 'string' ? [['name', text(name)] as const] : []),
    ...(typeof version === 'string' ? [['version', text(version)] as const] : []),
    ...(typeof chainId === 'bigint' ? [['chainId', ethereumChain(chainId)] as const] : []),
    ...(typeof contract === 'string' ? [['verifyingContract', ethereumAddress(contract)] as const] : []),
  ])
  return (types.get(domainType) ?? []).map((member) =>
    namedRow(member.name, known.get(member.name) ?? domainValue(given[member.name])),
  )
}

/** A member that EIP-712 does not name, which may be a struct or a list. */
function domainValue(given: unknown): Value {
  return text(typeof given === 'object' ? JSON.stringify(given) : String(given))
}

function mapValue(map: ReadonlyMap<string, Seen>, name: string, types: StructTypes): Value {
  const members = new Map((types.get(name) ?? []).map((member) => [member.name, member.type]))
  return {
    kind: 'tree',
    rows: [...map].map(([member, value]) => namedRow(member, typedValue(value, members.get(member), types))),
  }
}

function typedValue(value: Seen, type: MemberType | undefined, types: StructTypes): Value {
  switch (type?.kind) {
    case 'struct':
      return isMap(value) ? mapValue(value, type.name, types) : note('unreadable')
    case 'array':
      return isList(value) ? list(listed(value, (item) => typedValue(item, type.element, types))) : note('unreadable')
    case 'integer':
      return integerValue(value, type)
    case 'bool':
      return flag(value)
    case 'string':
      return text(String(value))
    case 'address':
      return ethereumAddress(String(value))
    case 'bytes':
    case 'fixedBytes':
      return hex(String(value))
    case undefined:
      return note('unreadable')
  }
}

/** Amounts have at least so many bits: 96 in some tokens, 160 in Permit2, 256 in others. Times and nonces have fewer. */
const amountBitsMin = 96

/** The greatest integer of its type stands for everything in permits of tokens. */
function integerValue(value: Seen, { signed, bits }: Extract<MemberType, { kind: 'integer' }>): Value {
  if (typeof value !== 'bigint') return note('unreadable')
  const isUnlimited = !signed && bits >= amountBitsMin && value === (1n << BigInt(bits)) - 1n
  return isUnlimited ? list([number(value), note('unlimited')]) : number(value)
}
