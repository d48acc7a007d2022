import { isStruct, valueAt } from '../../../policy/language/expression_values.ts'
import type { TransactionType } from '../../../policy/transactions/transaction_kinds.ts'
import { decodeTransactionHex } from '../../../policy/transactions/unsigned_transaction.ts'
import { oneStep, type Steps } from '../../../protocol/tools/steps.ts'
import { Failure } from '../../../protocol/wire/failures.ts'
import type { Content, TransactionContent } from '../content.ts'
import type { ExplainContext } from '../explain_context.ts'
import { bitcoinContent } from './bitcoin/bitcoin_content.ts'
import { ethereumContent } from './ethereum/ethereum_content.ts'
import { fromValue, signerValue, withSigner } from './shared/signer_value.ts'
import { solanaContent } from './solana/solana_content.ts'
import { tronContent } from './tron/tron_content.ts'

type Kind = { readonly keyword: string; readonly explain: (transaction: TransactionContent) => Steps<Content> }

const kinds: Readonly<Record<TransactionType, Kind>> = {
  TRANSACTION_TYPE_ETHEREUM: { keyword: 'eth', explain: ethereumContent },
  TRANSACTION_TYPE_SOLANA: { keyword: 'solana', explain: (given) => oneStep(() => solanaContent(given)) },
  TRANSACTION_TYPE_TRON: { keyword: 'tron', explain: tronContent },
  TRANSACTION_TYPE_BITCOIN: { keyword: 'bitcoin', explain: bitcoinContent },
}

type Parameters = { readonly signWith: string; readonly unsignedTransaction: string; readonly type: TransactionType }

/** Explains a transaction. Undefined if it cannot be read, or its signer is gone. */
export function* transactionContent(
  { signWith, unsignedTransaction, type }: Parameters,
  { request, now }: Pick<ExplainContext<unknown>, 'request' | 'now'>,
): Steps<Content | undefined> {
  if (request instanceof Failure) return undefined
  const { facts, organization, interfaces } = request
  const { keyword, explain } = kinds[type]
  const tx = valueAt(facts, [keyword, 'tx'])
  if (tx === undefined || !isStruct(tx)) return undefined
  const own = signerValue(request, signWith)
  const content = yield* explain({
    ...{ facts, tx, interfaces, bytes: decodeTransactionHex(unsignedTransaction) },
    signer: organization.signer(signWith),
    now,
    from: (given) => fromValue(given, { own, ...(keyword === 'eth' ? { format: 'ADDRESS_FORMAT_ETHEREUM' } : {}) }),
  })
  return withSigner(content, own)
}
