import { bytesToHex } from '@noble/hashes/utils.js'
import type { BitcoinNetwork } from '../../../protocol/chains/address_formats.ts'
import type { Struct } from '../../language/values.ts'
import { feeOf, type Psbt } from './bitcoin.ts'
import { addressOfScript } from './bitcoin_scripts.ts'
import type { PsbtSigning } from './psbt_signing.ts'

/** From here on a lock time is a time rather than the height of a block. */
const lockTimeSecondsMin = 500_000_000

/**
 * `bitcoin.tx` of conditions. Amounts are in satoshi, scripts lower-case hex, `tx_id` as explorers show it. `address` is
 * the one on `network`, for a PSBT does not say on which it is; both it and `address_type` (P2PKH, P2SH, P2WPKH, P2WSH,
 * P2TR) are empty for a script that has none. The fee is undefined where these signatures would hold for another one too.
 */
export function bitcoinStruct(
  psbt: Psbt,
  { network, messages }: { readonly network: BitcoinNetwork } & Pick<PsbtSigning, 'messages'>,
): Struct {
  const { version, inputs, outputs, lockTime } = psbt.transaction
  return {
    version: BigInt(version),
    inputs: inputs.map(({ txid, index, sequence }) => ({
      tx_id: txid,
      vout: BigInt(index),
      sequence: BigInt(sequence),
    })),
    outputs: outputs.map(({ amount, script }) => {
      const { kind, address } = addressOfScript(script, network) ?? { kind: '', address: '' }
      return { value: amount, script_pubkey: bytesToHex(script), address, address_type: kind }
    }),
    locktime: { amount: BigInt(lockTime), type: lockTime < lockTimeSecondsMin ? 'Blocks' : 'Seconds' },
    fee: isFeeCertain(psbt, messages) ? feeOf(psbt) : undefined,
  }
}

/**
 * A signature of segwit version 0 commits to the amount of its own input alone, one of Taproot to all of them. Whoever
 * has the same transaction signed twice could understate another input each time, and put the signatures together.
 */
function isFeeCertain({ spent }: Psbt, messages: PsbtSigning['messages']): boolean {
  return spent.length === 1 || spent.every((output) => output.isVerified) || messages.some(isOfTaproot)
}

function isOfTaproot({ scheme }: PsbtSigning['messages'][number]): boolean {
  return scheme === 'taproot'
}
