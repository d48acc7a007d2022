import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import type { MessageToSign, Signer } from '../../../contract/keys.ts'
import type { ReadSignature } from '../../../policy/transactions/transaction_kind.ts'
import { type TransactionType, transactionKinds } from '../../../policy/transactions/transaction_kinds.ts'
import { decodeTransactionHex } from '../../../policy/transactions/unsigned_transaction.ts'
import { finished } from '../../../protocol/tools/steps.ts'

export type AskedTransaction = { readonly type: TransactionType; readonly unsignedTransaction: string }
export type SignedMessage = Required<MessageToSign> & { readonly signature: ReadSignature }

/**
 * Returns the messages of a transaction with the signatures that its signed form (in hex) has for them, none of which is
 * verified. Undefined if that is another transaction, or has anything else besides.
 */
export function signedMessages(
  { type, unsignedTransaction }: AskedTransaction,
  { signer, signed }: { readonly signer: Signer; readonly signed: string },
): readonly SignedMessage[] | undefined {
  const kind = transactionKinds[type]
  if (!kind.maySign(signer)) return undefined
  const transaction = finished(kind.open(decodeTransactionHex(unsignedTransaction), signer))
  const found = transaction.signaturesIn(hexToBytes(signed))
  if (found?.length !== transaction.messages.length) return undefined
  const again = transaction.serialize(found.map((signature) => ({ v: '00', ...signature })))
  if (bytesToHex(again) !== signed) return undefined
  return transaction.messages.flatMap(({ message, scheme }, at) => {
    const signature = found[at]
    return signature === undefined ? [] : [{ message, scheme, signature }]
  })
}
