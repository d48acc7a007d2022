import { strict as assert } from 'node:assert'
import { equalBytes } from '@noble/curves/utils.js'
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js'
import { encodeRlp, integerBytes as integer, type RlpItem } from '../../../protocol/chains/rlp.ts'
import { keccak256 } from '../../../protocol/crypto/keccak.ts'
import type { Steps } from '../../../protocol/tools/steps.ts'
import { invalid, unsupported } from '../unsigned_transaction.ts'
import {
  type AccessListEntry,
  type Authorization,
  decodeFields,
  isEmpty,
  readAccessList,
  readAuthorizations,
  readBlobHashes,
  readBytes,
  readChainId,
  readInteger,
  uint64Max,
  uint256Max,
} from './ethereum_fields.ts'

type CommonFields = {
  readonly nonce: bigint
  readonly gasLimit: bigint
  /** `0x` and 40 lower-case hex digits; undefined when the transaction creates a contract. */
  readonly to: string | undefined
  /** In wei. */
  readonly value: bigint
  readonly data: Uint8Array
}

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

/** EIP-4844, without the blobs themselves: `blobVersionedHashes` are 32 bytes each, `0x` lower-case hex. */
export type BlobTransaction = Omit<FeeMarketTransaction, 'type'> & {
  readonly type: 'TYPE_3'
  readonly maxFeePerBlobGas: bigint
  readonly blobVersionedHashes: readonly string[]
}

/** EIP-7702. */
export type SetCodeTransaction = Omit<FeeMarketTransaction, 'type'> & {
  readonly type: 'TYPE_4'
  readonly authorizationList: readonly Authorization[]
}

/** `type` has the names of `eth.tx.type` in rules. */
export type EthereumTransaction =
  | LegacyTransaction
  | AccessListTransaction
  | FeeMarketTransaction
  | BlobTransaction
  | SetCodeTransaction

/** `r` and `s` as 64 hex digits each. */
export type EthereumSignature = { readonly r: string; readonly s: string; readonly recoveryId: 0 | 1 }

/**
 * Reads an unsigned transaction: legacy with six fields, or nine that end in chain id, 0, 0 (EIP-155), type 1
 * (EIP-2930), 2 (EIP-1559), 3 (EIP-4844, without its blobs) or 4 (EIP-7702). Only the canonical form is read. The
 * result serializes to exactly these bytes, so the rules judge the signed bytes.
 *
 * Throws TRANSACTION_INVALID, or TRANSACTION_TYPE_UNSUPPORTED for other types of EIP-2718.
 */
export function* parseEthereumTransaction(bytes: Uint8Array): Steps<EthereumTransaction> {
  const [prefix] = bytes
  if (prefix === undefined) throw invalid('is empty')
  const isLegacy = prefix >= listPrefixMin
  const parse = isLegacy ? parseLegacy : parserOf(prefix)
  const fields = yield* decodeFields(isLegacy ? bytes : bytes.subarray(1))
  yield
  const transaction = parse(fields)
  yield
  // The readers above accept one form only. This check guards against a later change of them.
  if (!equalBytes(serializeUnsigned(transaction), bytes)) throw invalid('is not in its canonical form')
  return transaction
}

/** The 32 bytes to sign: keccak256 of the unsigned form. */
export function signingDigest(transaction: EthereumTransaction): Uint8Array {
  return keccak256(serializeUnsigned(transaction))
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

/** A first byte of this value or above is an RLP list: a legacy transaction (EIP-2718, "Backwards Compatibility"). */
const listPrefixMin = 0xc0
const typedPrefixMax = 0x7f
const typePrefixes = { TYPE_1: 0x01, TYPE_2: 0x02, TYPE_3: 0x03, TYPE_4: 0x04 } as const

/** EIP-2681: the last nonce is never used. */
const nonceMax = uint64Max - 1n
function parserOf(prefix: number): (fields: readonly RlpItem[]) => EthereumTransaction {
  if (prefix > typedPrefixMax) throw invalid('is neither a legacy nor a typed transaction')
  switch (prefix) {
    case typePrefixes.TYPE_1:
      return parseAccessList
    case typePrefixes.TYPE_2:
      return parseFeeMarket
    case typePrefixes.TYPE_3:
      return parseBlob
    case typePrefixes.TYPE_4:
      return parseSetCode
    default:
      throw unsupported(`type 0x${bytesToHex(Uint8Array.of(prefix))}; legacy and 0x01 to 0x04 are`)
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
  requireUnsigned(fields, { type: '0x02', fieldsCount: 9 })
  return { type: 'TYPE_2', ...readFeeMarket(fields) }
}

function parseBlob(fields: readonly RlpItem[]): BlobTransaction {
  // The broadcast form has four parts, the transaction among them. The signature does not cover the blobs.
  if (fields.length === 4) throw unsupported('a blob transaction with its blobs; send it without them')
  requireUnsigned(fields, { type: '0x03', fieldsCount: 11 })
  const [maxFeePerBlobGas, blobVersionedHashes] = fields.slice(9)
  return {
    type: 'TYPE_3',
    ...withRecipient(readFeeMarket(fields)),
    maxFeePerBlobGas: readInteger(maxFeePerBlobGas, { name: 'maxFeePerBlobGas', max: uint256Max }),
    blobVersionedHashes: readBlobHashes(blobVersionedHashes),
  }
}

function parseSetCode(fields: readonly RlpItem[]): SetCodeTransaction {
  requireUnsigned(fields, { type: '0x04', fieldsCount: 10 })
  return {
    type: 'TYPE_4',
    ...withRecipient(readFeeMarket(fields)),
    authorizationList: readAuthorizations(fields[9]),
  }
}

/** The nine fields with which types 2, 3 and 4 begin. */
function readFeeMarket(fields: readonly RlpItem[]): Omit<FeeMarketTransaction, 'type'> {
  const [chainId, nonce, priorityFee, maxFee, gasLimit, to, value, data, accessList] = fields
  const maxPriorityFeePerGas = readInteger(priorityFee, { name: 'maxPriorityFeePerGas', max: uint256Max })
  const maxFeePerGas = readInteger(maxFee, { name: 'maxFeePerGas', max: uint256Max })
  // Such a transaction is valid on no chain (EIP-1559), and clients refuse to read it back.
  if (maxPriorityFeePerGas > maxFeePerGas) throw invalid('maxPriorityFeePerGas is above maxFeePerGas')
  return {
    chainId: readChainId(chainId),
    maxPriorityFeePerGas,
    maxFeePerGas,
    ...readCommon({ nonce, gasLimit, to, value, data }),
    accessList: readAccessList(accessList),
  }
}

/** Types 3 and 4 create no contracts. */
function withRecipient<T extends CommonFields>(fields: T): T {
  if (fields.to === undefined) throw invalid('to must be 20 bytes')
  return fields
}

function requireUnsigned(
  { length }: readonly RlpItem[],
  { type, fieldsCount }: { readonly type: string; readonly fieldsCount: number },
): void {
  if (length === fieldsCount + 3) throw invalid('is already signed: it has the three fields of a signature')
  if (length !== fieldsCount) throw invalid(`an unsigned ${type} transaction has ${fieldsCount} fields, not ${length}`)
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
    case 'TYPE_2':
      return feeMarketItems(transaction, tail)
    case 'TYPE_3': {
      const { maxFeePerBlobGas, blobVersionedHashes } = transaction
      return [...feeMarketItems(transaction, tail), integer(maxFeePerBlobGas), blobVersionedHashes.map(hexItem)]
    }
    case 'TYPE_4':
      return [...feeMarketItems(transaction, tail), transaction.authorizationList.map(authorizationItem)]
  }
}

function feeMarketItems(
  { chainId, nonce, maxPriorityFeePerGas, maxFeePerGas, accessList }: Omit<FeeMarketTransaction, 'type'>,
  tail: readonly RlpItem[],
): readonly RlpItem[] {
  const fees = [integer(maxPriorityFeePerGas), integer(maxFeePerGas)]
  return [integer(chainId), integer(nonce), ...fees, ...tail, accessListItem(accessList)]
}

function authorizationItem({ chainId, address, nonce, yParity, r, s }: Authorization): RlpItem {
  return [integer(chainId), hexItem(address), integer(nonce), integer(yParity), integer(r), integer(s)]
}

function accessListItem(accessList: readonly AccessListEntry[]): RlpItem {
  return accessList.map(({ address, storageKeys }) => [address, storageKeys])
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
