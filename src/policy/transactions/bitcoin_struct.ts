import { bytesToHex } from '@noble/hashes/utils.js'
import type { BitcoinNetwork } from '../../protocol/address_formats.ts'
import type { Struct } from '../language/values.ts'
import { feeOf, type Psbt } from './bitcoin.ts'
import { addressOfScript } from './bitcoin_scripts.ts'

/** From here on a lock time is a time rather than the height of a block. */
const lockTimeSecondsMin = 500_000_000

/**
 * `bitcoin.tx` of conditions. Amounts are in satoshi, scripts lower-case hex, `tx_id` as explorers show it. `address` is
 * the one on `network`, for a PSBT does not say on which it is; both it and `address_type` (P2PKH, P2SH, P2WPKH, P2WSH,
 * P2TR) are empty for a script that has none.
 */
export function bitcoinStruct(psbt: Psbt, network: BitcoinNetwork): Struct {
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
    fee: feeOf(psbt),
  }
}
