import { bytesToHex } from '@noble/hashes/utils.js'
import { decodeRlp, type RlpItem } from '../../../protocol/chains/rlp.ts'
import type { EthereumSignature, EthereumTransaction } from './ethereum_transaction.ts'

/** Returns the signature with which a signed transaction ends, as `serializeSigned` writes it. Undefined if it has none. */
export function signatureIn(transaction: EthereumTransaction, signed: Uint8Array): EthereumSignature | undefined {
  const decoded = decodeRlp(transaction.type === 'LEGACY' ? signed : signed.subarray(1))
  if (decoded.kind === 'malformed' || decoded.item instanceof Uint8Array) return undefined
  const [v, r, s] = decoded.item.slice(-3).map(integerOf)
  if (v === undefined || r === undefined || s === undefined) return undefined
  const recoveryId = v - leastV(transaction)
  return recoveryId === 0n || recoveryId === 1n
    ? { r: hexOf(r), s: hexOf(s), recoveryId: recoveryId === 0n ? 0 : 1 }
    : undefined
}

function leastV(transaction: EthereumTransaction): bigint {
  if (transaction.type !== 'LEGACY') return 0n
  return transaction.chainId === undefined ? 27n : 35n + 2n * transaction.chainId
}

function integerOf(item: RlpItem): bigint | undefined {
  return item instanceof Uint8Array ? BigInt(`0x0${bytesToHex(item)}`) : undefined
}

function hexOf(integer: bigint): string {
  return integer.toString(16).padStart(64, '0')
}
