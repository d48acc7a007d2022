import { bytesToHex } from '@noble/hashes/utils.js'
import { addressOf } from '../../../protocol/chains/address_formats.ts'
import type { Steps } from '../../../protocol/tools/steps.ts'
import { readEthereumCall } from '../../contracts/ethereum/ethereum_call.ts'
import type { DecodedTransaction } from '../transaction_kind.ts'
import type { EthereumTransaction } from './ethereum_transaction.ts'

/** The signing key, and the ABIs of the called contract. */
export type EthereumStructInput = {
  /** The compressed public key that signs. */
  readonly publicKey: Uint8Array
  /** The texts of the ABIs that were uploaded for `to`. */
  readonly abis: readonly string[]
}

/**
 * Returns `eth.tx` of conditions. Addresses and bytes are `0x` and lower-case hex. `to` is empty when the transaction
 * creates a contract. `gas_price` is the highest price for a unit of gas. A field that the type lacks is undefined. The
 * names of function and arguments are undefined when no ABI knows the call, or when two contradict each other about it.
 */
export function* ethereumStruct(
  transaction: EthereumTransaction,
  { publicKey, abis }: EthereumStructInput,
): Steps<DecodedTransaction> {
  const { type, nonce, gasLimit, to, value, data, chainId } = transaction
  const fees = 'gasPrice' in transaction ? undefined : transaction
  const call = to === undefined ? undefined : yield* readEthereumCall(data, abis)
  const struct = {
    type,
    from: addressOf({ format: 'ADDRESS_FORMAT_ETHEREUM', curve: 'CURVE_SECP256K1', publicKey }).toLowerCase(),
    to: to ?? '',
    data: `0x${bytesToHex(data)}`,
    value,
    gas: gasLimit,
    gas_price: 'gasPrice' in transaction ? transaction.gasPrice : transaction.maxFeePerGas,
    chain_id: chainId,
    nonce,
    max_fee_per_gas: fees?.maxFeePerGas,
    max_priority_fee_per_gas: fees?.maxPriorityFeePerGas,
    max_fee_per_blob_gas: transaction.type === 'TYPE_3' ? transaction.maxFeePerBlobGas : undefined,
    function_name: call?.functionName,
    function_signature: call?.functionSignature,
    contract_call_args: call?.args,
  }
  return { struct, usedInterfaces: new Map(call === undefined ? [] : [[to ?? '', call.abis]]) }
}
