import { strict as assert } from 'node:assert'
import { equalBytes } from '@noble/curves/utils.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js'
import { readOptionallyPrefixedHex } from '../../protocol/ethereum_values.ts'
import { Failure } from '../../protocol/failures.ts'
import { decodeRlp, encodeRlp, integerBytes as integer, type RlpItem } from '../../protocol/rlp.ts'

type CommonFields = {
  readonly nonce: bigint
  readonly gasLimit: bigint
  /** `0x` and 40 lower-case hex digits; undefined when the transaction creates a contract. */
  readonly to: string | undefined
  /** In wei. */
  readonly value: bigint
  readonly data: Uint8Array
}

/** Storage that the transaction announces to touch (EIP-2930): address and 32-byte keys as `0x` lower-case hex. */
export type AccessListEntry = { readonly address: string; readonly storageKeys: readonly string[] }

/** Prices are in wei per unit of gas. */
export type LegacyTransaction = CommonFields & {
  readonly type: 'LEGACY'
  /** Undefined before EIP-155: such a signature is valid on every chain. */
  readonly chainId: bigint | undefined
  readonly gasPrice: bigint
}

export type AccessListTransaction = CommonFields & {
  readonly type: 'TYPE_1'
  readonly chainId: bigint
  readonly gasPrice: bigint
  readonly accessList: readonly AccessListEntry[]
}

export type FeeMarketTransaction = CommonFields & {
  readonly type: 'TYPE_2'
  readonly chainId: bigint
  readonly maxPriorityFeePerGas: bigint
  readonly maxFeePerGas: bigint
  readonly accessList: readonly AccessListEntry[]
}

/** `type` as rules name it in `eth.tx.type`. */
export type EthereumTransaction = LegacyTransaction | AccessListTransaction | FeeMarketTransaction

/** `r` and `s` as 64 hex digits each. */
export type EthereumSignature = { readonly r: string; readonly s: string; readonly recoveryId: 0 | 1 }

const fieldPath = 'parameters.unsignedTransaction'

/** Bytes from hex, `0x` before it or not. Throws TRANSACTION_INVALID. */
export function decodeTransactionHex(text: string): Uint8Array {
  const bytes = readOptionallyPrefixedHex(text)
  if (bytes === undefined) throw invalid('must be an even number of hex digits, with or without 0x')
  return bytes
}

/**
 * Reads an unsigned transaction: legacy with six fields, or nine that end in chain id, 0, 0 (EIP-155), type 1 (EIP-2930)
 * or type 2 (EIP-1559). Only the canonical form is read: what comes out serializes to exactly these bytes, so the rules
 * judge what is signed.
 *
 * Throws TRANSACTION_INVALID, or TRANSACTION_TYPE_UNSUPPORTED for other types of EIP-2718.
 */
export function parseEthereumTransaction(bytes: Uint8Array): EthereumTransaction {
  const [prefix] = bytes
  if (prefix === undefined) throw invalid('is empty')
  const transaction = prefix >= listPrefixMin ? parseLegacy(decodeFields(bytes)) : parseTyped(prefix, bytes.subarray(1))
  // The readers above leave no second form; this holds it for whoever changes them.
  if (!equalBytes(serializeUnsigned(transaction), bytes)) throw invalid('is not in its canonical form')
  return transaction
}

/** The 32 bytes that are signed: keccak256 of the unsigned form. */
export function signingDigest(transaction: EthereumTransaction): Uint8Array {
  return keccak_256(serializeUnsigned(transaction))
}

/** The form that a node takes. A legacy `v` is 27 or 28, or with a chain id 35 or 36 plus twice that id (EIP-155). */
export function serializeSigned(transaction: EthereumTransaction, signature: EthereumSignature): Uint8Array {
  const { recoveryId } = signature
  assert(recoveryId === 0 || recoveryId === 1, 'a recovery id is 0 or 1')
  const [r, s] = [signatureInteger(signature.r), signatureInteger(signature.s)]
  const fields = unsignedFields(transaction)
  if (transaction.type !== 'LEGACY') return typed(transaction.type, [...fields, integer(BigInt(recoveryId)), r, s])
  const { chainId } = transaction
  const v = BigInt(recoveryId) + (chainId === undefined ? 27n : 35n + 2n * chainId)
  return encodeRlp([...fields, integer(v), r, s])
}

/** A first byte from here on is an RLP list: a legacy transaction (EIP-2718, "Backwards Compatibility"). */
const listPrefixMin = 0xc0
const typedPrefixMax = 0x7f
const typePrefixes = { TYPE_1: 0x01, TYPE_2: 0x02 } as const

const uint256Max = 2n ** 256n - 1n
const uint64Max = 2n ** 64n - 1n
/** EIP-2681: the last nonce is never used. */
const nonceMax = uint64Max - 1n
/** So that `v` of EIP-155 fits 64 bits too, as other implementations expect (EIP-2294's reason). */
const chainIdMax = uint64Max / 2n - 36n

function parseTyped(prefix: number, content: Uint8Array): EthereumTransaction {
  if (prefix > typedPrefixMax) throw invalid('is neither a legacy nor a typed transaction')
  switch (prefix) {
    case typePrefixes.TYPE_1:
      return parseAccessList(decodeFields(content))
    case typePrefixes.TYPE_2:
      return parseFeeMarket(decodeFields(content))
    default:
      throw new Failure('TRANSACTION_TYPE_UNSUPPORTED', {
        fieldPath,
        reason: `type 0x${bytesToHex(Uint8Array.of(prefix))}; legacy, 0x01 and 0x02 are`,
      })
  }
}

function parseLegacy(fields: readonly RlpItem[]): LegacyTransaction {
  const [nonce, gasPrice, gasLimit, to, value, data, chainId, r, s] = fields
  if (fields.length !== 6 && fields.length !== 9) {
    throw invalid(`a legacy transaction has 6 or 9 fields, not ${fields.length}`)
  }
  if (fields.length === 9 && !(isEmpty(r) && isEmpty(s))) throw invalid('is already signed: its r and s are not zero')
  return {
    type: 'LEGACY',
    chainId: fields.length === 6 ? undefined : readChainId(chainId),
    gasPrice: readInteger(gasPrice, { name: 'gasPrice', max: uint256Max }),
    ...readCommon({ nonce, gasLimit, to, value, data }),
  }
}

function parseAccessList(fields: readonly RlpItem[]): AccessListTransaction {
  const [chainId, nonce, gasPrice, gasLimit, to, value, data, accessList] = fields
  requireUnsigned(fields, { type: '0x01', fieldsCount: 8 })
  return {
    type: 'TYPE_1',
    chainId: readChainId(chainId),
    gasPrice: readInteger(gasPrice, { name: 'gasPrice', max: uint256Max }),
    ...readCommon({ nonce, gasLimit, to, value, data }),
    accessList: readAccessList(accessList),
  }
}

function parseFeeMarket(fields: readonly RlpItem[]): FeeMarketTransaction {
  const [chainId, nonce, priorityFee, maxFee, gasLimit, to, value, data, accessList] = fields
  requireUnsigned(fields, { type: '0x02', fieldsCount: 9 })
  const maxPriorityFeePerGas = readInteger(priorityFee, { name: 'maxPriorityFeePerGas', max: uint256Max })
  const maxFeePerGas = readInteger(maxFee, { name: 'maxFeePerGas', max: uint256Max })
  // Valid on no chain (EIP-1559), and clients refuse to read such a transaction back.
  if (maxPriorityFeePerGas > maxFeePerGas) throw invalid('maxPriorityFeePerGas is above maxFeePerGas')
  return {
    type: 'TYPE_2',
    chainId: readChainId(chainId),
    maxPriorityFeePerGas,
    maxFeePerGas,
    ...readCommon({ nonce, gasLimit, to, value, data }),
    accessList: readAccessList(accessList),
  }
}

function requireUnsigned(
  { length }: readonly RlpItem[],
  { type, fieldsCount }: { readonly type: string; readonly fieldsCount: number },
): void {
  if (length === fieldsCount + 3) throw invalid('is already signed: it has the three fields of a signature')
  if (length !== fieldsCount) throw invalid(`an unsigned ${type} transaction has ${fieldsCount} fields, not ${length}`)
}

function decodeFields(bytes: Uint8Array): readonly RlpItem[] {
  const decoded = decodeRlp(bytes)
  if (decoded.kind === 'malformed') throw invalid(decoded.reason)
  if (decoded.item instanceof Uint8Array) throw invalid('its content must be an RLP list')
  return decoded.item
}

type CommonItems = Readonly<Record<keyof CommonFields, RlpItem | undefined>>

function readCommon({ nonce, gasLimit, to, value, data }: CommonItems): CommonFields {
  const recipient = readBytes(to, 'to')
  if (recipient.length !== 0 && recipient.length !== 20) throw invalid('to must be empty or 20 bytes')
  return {
    nonce: readInteger(nonce, { name: 'nonce', max: nonceMax }),
    gasLimit: readInteger(gasLimit, { name: 'gasLimit', max: uint64Max }),
    to: recipient.length === 0 ? undefined : `0x${bytesToHex(recipient)}`,
    value: readInteger(value, { name: 'value', max: uint256Max }),
    data: readBytes(data, 'data').slice(),
  }
}

function readChainId(item: RlpItem | undefined): bigint {
  const chainId = readInteger(item, { name: 'chainId', max: chainIdMax })
  if (chainId === 0n) throw invalid('chainId must not be zero')
  return chainId
}

function readInteger(
  item: RlpItem | undefined,
  { name, max }: { readonly name: string; readonly max: bigint },
): bigint {
  const bytes = readBytes(item, name)
  if (bytes[0] === 0) throw invalid(`${name} has a leading zero`)
  // 32 bytes hold the largest maximum; longer ones are not turned into a number at all.
  const value = bytes.length > 32 ? undefined : BigInt(`0x0${bytesToHex(bytes)}`)
  if (value === undefined || value > max) throw invalid(`${name} is above ${max}`)
  return value
}

function readAccessList(item: RlpItem | undefined): readonly AccessListEntry[] {
  return readList(item, 'accessList').map((entry) => {
    const [address, storageKeys, ...others] = readList(entry, 'an entry of accessList')
    if (others.length > 0) throw invalid('an entry of accessList has more than an address and its keys')
    return {
      address: readHex(address, { name: 'an address in accessList', length: 20 }),
      storageKeys: readList(storageKeys, 'the keys in accessList').map((key) =>
        readHex(key, { name: 'a key in accessList', length: 32 }),
      ),
    }
  })
}

function readHex(
  item: RlpItem | undefined,
  { name, length }: { readonly name: string; readonly length: number },
): string {
  const bytes = readBytes(item, name)
  if (bytes.length !== length) throw invalid(`${name} must be ${length} bytes`)
  return `0x${bytesToHex(bytes)}`
}

function readBytes(item: RlpItem | undefined, name: string): Uint8Array {
  if (!(item instanceof Uint8Array)) throw invalid(`${name} must be bytes, not a list`)
  return item
}

function readList(item: RlpItem | undefined, name: string): readonly RlpItem[] {
  if (item === undefined || item instanceof Uint8Array) throw invalid(`${name} must be a list`)
  return item
}

function isEmpty(item: RlpItem | undefined): boolean {
  return item instanceof Uint8Array && item.length === 0
}

function serializeUnsigned(transaction: EthereumTransaction): Uint8Array {
  const fields = unsignedFields(transaction)
  if (transaction.type !== 'LEGACY') return typed(transaction.type, fields)
  const { chainId } = transaction
  return encodeRlp(chainId === undefined ? fields : [...fields, integer(chainId), integer(0n), integer(0n)])
}

/** For a legacy transaction the six fields that the unsigned and the signed form share. */
function unsignedFields(transaction: EthereumTransaction): readonly RlpItem[] {
  const { nonce, gasLimit, to, value, data } = transaction
  const tail = [integer(gasLimit), to === undefined ? new Uint8Array(0) : hexItem(to), integer(value), data]
  switch (transaction.type) {
    case 'LEGACY':
      return [integer(nonce), integer(transaction.gasPrice), ...tail]
    case 'TYPE_1': {
      const { chainId, gasPrice, accessList } = transaction
      return [integer(chainId), integer(nonce), integer(gasPrice), ...tail, accessListItem(accessList)]
    }
    case 'TYPE_2': {
      const { chainId, maxPriorityFeePerGas, maxFeePerGas, accessList } = transaction
      const fees = [integer(maxPriorityFeePerGas), integer(maxFeePerGas)]
      return [integer(chainId), integer(nonce), ...fees, ...tail, accessListItem(accessList)]
    }
  }
}

function accessListItem(accessList: readonly AccessListEntry[]): RlpItem {
  return accessList.map(({ address, storageKeys }) => [hexItem(address), storageKeys.map(hexItem)])
}

function hexItem(text: string): Uint8Array {
  return hexToBytes(text.slice(2))
}

function typed(type: keyof typeof typePrefixes, fields: readonly RlpItem[]): Uint8Array {
  return concatBytes(Uint8Array.of(typePrefixes[type]), encodeRlp(fields))
}

function signatureInteger(hex: string): Uint8Array {
  assert(/^[0-9a-f]{64}$/.test(hex) && /[^0]/.test(hex), 'r and s are 64 hex digits and not zero')
  return integer(BigInt(`0x${hex}`))
}

function invalid(reason: string): Failure {
  return new Failure('TRANSACTION_INVALID', { fieldPath, reason })
}
