import { bytesToHex } from '@noble/hashes/utils.js'
import { bitcoinMainnet } from '../../../protocol/chains/address_formats.ts'
import type { Steps } from '../../../protocol/tools/steps.ts'
import type { Struct } from '../../language/expression_values.ts'
import { addressOfScript } from './bitcoin_scripts.ts'
import { feeOf, type Psbt } from './psbt.ts'
import type { InputMessage, PsbtSigning } from './psbt_signing.ts'

/** From this value on a lock time is a time, below it the height of a block. */
const lockTimeSecondsMin = 500_000_000
const outputsInARow = 100

/**
 * Returns `bitcoin.tx` of conditions. Amounts are in satoshi, scripts lower-case hex, `tx_id` as explorers show it.
 * `address` is the one on the main network: a PSBT does not name its network, and the caller chooses the network of the
 * signer's address. `address` and `address_type` (P2PKH, P2SH, P2WPKH, P2WSH, P2TR) are empty for a script that has
 * none. The fee is undefined if these signatures would also hold for another fee.
 */
export function* bitcoinStruct(psbt: Psbt, { messages }: Pick<PsbtSigning, 'messages'>): Steps<Struct> {
  const { version, inputs, outputs, lockTime } = psbt.transaction
  const shownOutputs: Struct[] = []
  for (const [index, { amount, script }] of outputs.entries()) {
    if (index % outputsInARow === 0) yield
    const { kind, address } = addressOfScript(script, bitcoinMainnet) ?? { kind: '', address: '' }
    shownOutputs.push({ value: amount, script_pubkey: bytesToHex(script), address, address_type: kind })
  }
  return {
    version: BigInt(version),
    inputs: inputs.map(({ txid, index, sequence }) => ({
      tx_id: txid,
      vout: BigInt(index),
      sequence: BigInt(sequence),
    })),
    outputs: shownOutputs,
    locktime: { amount: BigInt(lockTime), type: lockTime < lockTimeSecondsMin ? 'Blocks' : 'Seconds' },
    fee: isFeeCertain(psbt, messages) ? feeOf(psbt) : undefined,
  }
}

/**
 * Whether each of the signatures holds for this fee alone. One of Taproot commits to the amounts of all inputs
 * (BIP-341), one of segwit version 0 to that of its own input (BIP-143), and one from before to none, whose amount is
 * always verified. The amounts of the other inputs are then claims of the caller, unless they are verified. A caller
 * could have the same transaction signed twice, understate another input each time, and combine the signatures.
 *
 * No other signature makes up for one that holds with another fee, because the claim may be that an input is of
 * Taproot. Its own signature is then worthless, and nobody needs it.
 */
function isFeeCertain({ spent }: Psbt, messages: readonly InputMessage[]): boolean {
  const unverified = [...spent.keys()].filter((index) => spent[index]?.isVerified !== true)
  return messages.every(
    (message) => message.scheme === 'taproot' || unverified.every((index) => index === message.index),
  )
}
