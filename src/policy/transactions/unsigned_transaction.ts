import { readOptionallyPrefixedHex } from '../../protocol/chains/ethereum_values.ts'
import { Failure } from '../../protocol/wire/failures.ts'

const fieldPath = 'parameters.unsignedTransaction'

/** Bytes from hex, `0x` before it or not. Throws TRANSACTION_INVALID. */
export function decodeTransactionHex(text: string): Uint8Array {
  const bytes = readOptionallyPrefixedHex(text)
  if (bytes === undefined) throw invalid('must be an even number of hex digits, with or without 0x')
  return bytes
}

/** TRANSACTION_INVALID at the field of the transaction, for that reason. */
export function invalid(reason: string): Failure {
  return new Failure('TRANSACTION_INVALID', { fieldPath, reason })
}

/** TRANSACTION_TYPE_UNSUPPORTED at the field of the transaction: it may be a valid one that is not read here. */
export function unsupported(reason: string): Failure {
  return new Failure('TRANSACTION_TYPE_UNSUPPORTED', { fieldPath, reason })
}
