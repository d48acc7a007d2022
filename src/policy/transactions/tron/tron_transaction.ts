import { isUtf8 } from 'node:buffer'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js'
import { base58Check } from '../../../protocol/chains/address_formats.ts'
import type { Struct } from '../../language/expression_values.ts'
import { type tronContractTypes, tronPermissionTypes, tronResources } from '../../language/names/payload_types.ts'
import { invalid, unsupported } from '../unsigned_transaction.ts'
import { bytesField, type ProtobufField, type ProtobufMessage, readMessage } from './protobuf.ts'

export type TronTransaction = {
  /** `raw_data` as it came. Its hash is signed. */
  readonly rawData: Uint8Array
  /** `tron.tx` of conditions: addresses in base58, bytes lower-case hex without `0x`, amounts in sun. */
  readonly struct: Struct
}

/** `TRANSACTION_MAX_BYTE_SIZE` of java-tron. */
export const tronBytesMax = 500 * 1024

/**
 * Reads the `raw_data` of a transaction (tron.proto of java-tron): one contract of a known type. Only the canonical
 * form is read, so that the rules judge everything that is signed.
 *
 * Throws TRANSACTION_INVALID, or TRANSACTION_TYPE_UNSUPPORTED for other contracts.
 */
export function parseTronTransaction(rawData: Uint8Array): TronTransaction {
  if (rawData.length > tronBytesMax) throw invalid(`is longer than ${tronBytesMax} bytes`)
  const message = readMessage(rawData, rawFields, 'raw_data')
  const [contract, another] = message.contract as readonly ProtobufMessage[]
  if (contract === undefined || another !== undefined) throw invalid('raw_data must have one contract')
  return { rawData, struct: { ...message, contract: [readContract(contract)] } }
}

/** SHA-256 of `raw_data`, which is the transaction's id and the digest to sign. */
export function tronDigest({ rawData }: TronTransaction): Uint8Array {
  return sha256(rawData)
}

/** The message `Transaction` that a node takes, with this one signature. `v` is 27 plus the recovery id. */
export function serializeSignedTron(
  { rawData }: TronTransaction,
  { r, s, recoveryId }: { readonly r: string; readonly s: string; readonly recoveryId: 0 | 1 },
): Uint8Array {
  const signature = concatBytes(hexToBytes(`${r}${s}`), Uint8Array.of(27 + recoveryId))
  return concatBytes(bytesField(1, rawData), bytesField(2, signature))
}

/** Returns the signature with which such a message ends. */
export function tronSignatureIn(signed: Uint8Array) {
  const recoveryId: 0 | 1 = signed.at(-1) === 27 ? 0 : 1
  return { signature: signed.subarray(-65, -1), recoveryId }
}

type AnyContract = { readonly type: bigint; readonly permission_id: bigint; readonly parameter?: ProtobufMessage }

/** Reads the content of a contract's `parameter` by its type, and adds its permission. */
function readContract(message: ProtobufMessage): Struct {
  const { type, parameter, permission_id } = message as AnyContract
  const found = contractTypes.get(type)
  if (found === undefined) {
    const known = [...contractTypes.values()].map(({ name }) => name).join(', ')
    throw unsupported(`contract type ${type}; those are: ${known}`)
  }
  if (parameter?.type_url !== bytesToHex(new TextEncoder().encode(`type.googleapis.com/protocol.${found.name}`))) {
    throw invalid('the type of its contract and of what is in it are not the same')
  }
  const content = hexToBytes(String(parameter.value))
  return { type: found.name, permission_id, ...readMessage(content, found.fields, found.name) }
}

/** Reads version 0x41 and the hash of the key, as in Ethereum. */
function readAddress(bytes: Uint8Array, name: string): string {
  if (bytes.length !== 21 || bytes[0] !== 0x41) throw invalid(`${name} must be an address: 41 and 20 bytes more`)
  return base58Check(0x41, bytes.subarray(1))
}

function readText(bytes: Uint8Array, name: string): string {
  if (!isUtf8(bytes)) throw invalid(`${name} must be UTF-8`)
  return Buffer.from(bytes).toString()
}

const integer = (number: number, name: string): ProtobufField => ({ number, name, type: 'integer' })
const bytes = (number: number, name: string): ProtobufField => ({ number, name, type: 'bytes' })
const address = (number: number, name: string): ProtobufField => ({
  number,
  name,
  type: 'bytes',
  required: true,
  read: readAddress,
})
const owner = address(1, 'owner_address')
const resource = (number: number): ProtobufField => ({
  number,
  name: 'resource',
  type: 'enum',
  names: tronResources,
})

/** The other fields of `raw` and `Contract` are no longer used, or have no effect. */
const rawFields: readonly ProtobufField[] = [
  bytes(1, 'ref_block_bytes'),
  bytes(4, 'ref_block_hash'),
  integer(8, 'expiration'),
  bytes(10, 'data'),
  {
    number: 11,
    name: 'contract',
    type: 'list',
    fields: [
      integer(1, 'type'),
      { number: 2, name: 'parameter', type: 'message', fields: [bytes(1, 'type_url'), bytes(2, 'value')] },
      integer(5, 'permission_id'),
    ],
  },
  integer(14, 'timestamp'),
  integer(18, 'fee_limit'),
]

const permissionFields: readonly ProtobufField[] = [
  { number: 1, name: 'type', type: 'enum', names: tronPermissionTypes },
  integer(2, 'id'),
  { number: 3, name: 'permission_name', type: 'bytes', read: readText },
  integer(4, 'threshold'),
  integer(5, 'parent_id'),
  bytes(6, 'operations'),
  { number: 7, name: 'keys', type: 'list', fields: [address(1, 'address'), integer(2, 'weight')] },
]

type ContractName = (typeof tronContractTypes)[number]
type ContractType = { readonly name: ContractName; readonly fields: readonly ProtobufField[] }

function contract(number: bigint, name: ContractName, ...fields: readonly ProtobufField[]) {
  return [number, { name, fields: [owner, ...fields] }] as const
}

/** The contract types by their numbers in `ContractType`. */
const contractTypes: ReadonlyMap<bigint, ContractType> = new Map([
  contract(1n, 'TransferContract', address(2, 'to_address'), integer(3, 'amount')),
  contract(
    31n,
    'TriggerSmartContract',
    ...[address(2, 'contract_address'), integer(3, 'call_value'), bytes(4, 'data')],
    ...[integer(5, 'call_token_value'), integer(6, 'token_id')],
  ),
  contract(
    46n,
    'AccountPermissionUpdateContract',
    { number: 2, name: 'owner', type: 'message', fields: permissionFields },
    { number: 3, name: 'witness', type: 'message', fields: permissionFields },
    { number: 4, name: 'actives', type: 'list', fields: permissionFields },
  ),
  contract(54n, 'FreezeBalanceV2Contract', integer(2, 'frozen_balance'), resource(3)),
  contract(55n, 'UnfreezeBalanceV2Contract', integer(2, 'unfreeze_balance'), resource(3)),
  contract(
    57n,
    'DelegateResourceContract',
    ...[resource(2), integer(3, 'balance'), address(4, 'receiver_address')],
    ...[{ number: 5, name: 'lock', type: 'flag' } as const, integer(6, 'lock_period')],
  ),
  contract(58n, 'UnDelegateResourceContract', resource(2), integer(3, 'balance'), address(4, 'receiver_address')),
])

/** The fields that conditions find in a contract besides `type` and `permission_id`, by the name of its type. */
export const tronContractFields: ReadonlyMap<string, readonly string[]> = new Map(
  [...contractTypes.values()].map((type) => [type.name, type.fields.map(({ name }) => name)]),
)
