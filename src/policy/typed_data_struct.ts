import { bytesToHex } from '@noble/hashes/utils.js'
import { hashTypedData, parseTypedData } from '../protocol/chains/eip712.ts'
import type { MemberType, StructTypes } from '../protocol/chains/eip712_types.ts'
import { readInteger } from '../protocol/chains/ethereum_values.ts'
import { parseAuthorization, parseJsonPayload } from '../protocol/chains/payloads.ts'
import type { Struct, Value } from './language/values.ts'

/**
 * `eth.eip_712` of conditions, from a payload of typed data. Integers are bigint whatever their form in the document,
 * addresses and bytes lower-case hex; the message is a map, and so is every struct in it. A member of the domain that
 * has not the type that EIP-712 gives it is undefined. Throws FIELD_INVALID at `fieldPath` for what is not signed either.
 */
export function typedDataStruct(payload: string, fieldPath: string): Struct {
  const typedData = parseTypedData(parseJsonPayload(payload, fieldPath), fieldPath)
  // Reads every value as strictly as it is signed, so that below each has its type.
  hashTypedData(typedData, fieldPath)
  const { primaryType, types, domain, message } = typedData
  const domainMap = structMap(domain, 'EIP712Domain', types)
  const chainId = domainMap.get('chainId')
  return {
    primary_type: primaryType,
    domain: {
      name: textOf(domainMap.get('name')),
      version: textOf(domainMap.get('version')),
      chain_id: typeof chainId === 'bigint' ? chainId : undefined,
      verifying_contract: textOf(domainMap.get('verifyingContract')),
    },
    // With the domain as primary type there is no message.
    message: primaryType === 'EIP712Domain' ? new Map() : structMap(message, primaryType, types),
  }
}

/** `eth.eip_7702_authorization` of conditions, from such a payload. Throws FIELD_INVALID at `fieldPath`. */
export function authorizationStruct(payload: string, fieldPath: string): Struct {
  const { address, chainId, nonce } = parseAuthorization(parseJsonPayload(payload, fieldPath), fieldPath)
  return { address: `0x${bytesToHex(address)}`, chain_id: chainId, nonce }
}

function structMap(value: unknown, name: string, types: StructTypes): ReadonlyMap<string, Value> {
  const members = value as Readonly<Record<string, unknown>>
  return new Map(
    (types.get(name) ?? []).map(({ name: member, type }) => [member, plainValue(members[member], type, types)]),
  )
}

function plainValue(value: unknown, type: MemberType, types: StructTypes): Value {
  switch (type.kind) {
    case 'struct':
      return structMap(value, type.name, types)
    case 'array':
      return (value as readonly unknown[]).map((item) => plainValue(item, type.element, types))
    case 'integer':
      return readInteger(value) ?? 0n
    case 'bool':
      return value === true
    case 'string':
      return String(value)
    case 'address':
    case 'bytes':
    case 'fixedBytes':
      return String(value).toLowerCase()
  }
}

function textOf(value: Value | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}
