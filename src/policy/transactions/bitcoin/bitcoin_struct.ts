import { bytesToHex } from '@noble/hashes/utils.js'
import { bitcoinMainnet } from '../../../protocol/chains/address_formats.ts'
import type { Steps } from '../../../protocol/tools/steps.ts'
import type { Struct } from '../../language/values.ts'
import { feeOf, type Psbt } from './bitcoin.ts'
import { addressOfScript } from './bitcoin_scripts.ts'
import type { PsbtSigning } from './psbt_signing.ts'

/** From this value on a lock time is a time, below it the height of a block. */
const lockTimeSecondsMin = 500_000_000
const outputsInARow = 100

/**
 * Returns `bitcoin.tx` of conditions. Amounts are in satoshi, scripts lower-case hex, `tx_id` as explorers show it.
 * `address` is the one on the main network: a PSBT does not name its network, and the network of the signer's address is
 * the choice of whoever asks. `address` and `address_type` (P2PKH, P2SH, P2WPKH, P2WSH, P2TR) are empty for a script that
 * has none. The fee is undefined if these signatures would also hold for another fee.
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
 * Whether the signatures fix the fee. A signature of segwit version 0 commits to the amount of its own input only, a
 * signature of Taproot to all amounts. A caller who has the same transaction signed twice could understate another
 * input each time and combine the signatures.
 */
function isFeeCertain({ spent }: Psbt, messages: PsbtSigning['messages']): boolean {
  return (
    spent.length === 1 ||
    spent.every((output) => output.isVerified) ||
    messages.some(({ scheme }) => scheme === 'taproot')
  )
}
