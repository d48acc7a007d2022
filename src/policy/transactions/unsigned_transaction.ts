import { readOptionallyPrefixedHex } from '../../protocol/chains/ethereum_values.ts'
import { Failure } from '../../protocol/wire/failures.ts'

const fieldPath = 'parameters.unsignedTransaction'

/** Bytes from hex, with or without `0x`. Throws TRANSACTION_INVALID. */
export function decodeTransactionHex(text: string): Uint8Array {
  const bytes = readOptionallyPrefixedHex(text)
  if (bytes === undefined) throw invalid('must be an even number of hex digits, with or without 0x')
  return bytes
}

/** A failure TRANSACTION_INVALID at the field of the transaction, with that reason. */
export function invalid(reason: string): Failure {
  return new Failure('TRANSACTION_INVALID', { fieldPath, reason })
}

/** A failure TRANSACTION_TYPE_UNSUPPORTED at the field of the transaction, which may be valid but is not read here. */
export function unsupported(reason: string): Failure {
  return new Failure('TRANSACTION_TYPE_UNSUPPORTED', { fieldPath, reason })
}
