import { bytesToHex } from '@noble/hashes/utils.js'
import { hashTypedData, parseTypedData, type TypedData } from '../protocol/chains/eip712.ts'
import type { MemberType, StructTypes } from '../protocol/chains/eip712_types.ts'
import { readInteger } from '../protocol/chains/ethereum_values.ts'
import { parseAuthorization, parseJsonPayload } from '../protocol/chains/payloads.ts'
import type { Struct, Value } from './language/expression_values.ts'

/**
 * Returns `eth.eip_712` of conditions, from a payload of typed data. Integers are bigint whatever their form in the
 * document, addresses and bytes lower-case hex. The message is a map, and so is every struct in it. A member of the
 * domain without the type that EIP-712 gives it is undefined. Throws FIELD_INVALID at `fieldPath` for a payload that
 * signing refuses too.
 */
export function typedDataStruct(payload: string, fieldPath: string): Struct {
  const typedData = readTypedData(payload, fieldPath)
  const domainMap = domainMapOf(typedData)
  const chainId = domainMap.get('chainId')
  return {
    primary_type: typedData.primaryType,
    domain: {
      name: textOf(domainMap.get('name')),
      version: textOf(domainMap.get('version')),
      chain_id: typeof chainId === 'bigint' ? chainId : undefined,
      verifying_contract: textOf(domainMap.get('verifyingContract')),
    },
    message: messageMapOf(typedData),
  }
}

/**
 * Reads the document in a payload, and checks every value as strictly as signing does, so that each has the type that
 * `types` says.
 */
export function readTypedData(payload: string, fieldPath: string): TypedData {
  const typedData = parseTypedData(parseJsonPayload(payload, fieldPath), fieldPath)
  hashTypedData(typedData, fieldPath)
  return typedData
}

/** The domain as it is hashed: every member that its type names, and no other. */
export function domainMapOf({ domain, types }: TypedData): ReadonlyMap<string, Value> {
  return structMap(domain, 'EIP712Domain', types)
}

/** The message as it is hashed. With the domain as primary type there is none. */
export function messageMapOf({ primaryType, types, message }: TypedData): ReadonlyMap<string, Value> {
  return primaryType === 'EIP712Domain' ? new Map() : structMap(message, primaryType, types)
}

/** Returns `eth.eip_7702_authorization` of conditions, from such a payload. Throws FIELD_INVALID at `fieldPath`. */
export function authorizationStruct(payload: string, fieldPath: string): Struct {
  const { address, chainId, nonce } = parseAuthorization(parseJsonPayload(payload, fieldPath), fieldPath)
  // Zero means every chain (EIP-7702), as no chain id does in a legacy transaction.
  return { address: `0x${bytesToHex(address)}`, chain_id: chainId === 0n ? undefined : chainId, nonce }
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
