import { bytesToHex } from '@noble/hashes/utils.js'
import { addressOfScript } from '../../../../policy/transactions/bitcoin/bitcoin_scripts.ts'
import { bitcoinNetwork } from '../../../../policy/transactions/transaction_kinds.ts'
import type { Signer } from '../../../keys.ts'
import type { Value } from '../../explanation.ts'
import { address, hex } from '../../values.ts'

/** Shows a script by its address on the network of the signer, or the script itself if it has none. */
export function scriptValue(script: Uint8Array, signer: Signer): Value {
  const found = addressOfScript(script, bitcoinNetwork(signer))
  return found === undefined ? hex(bytesToHex(script)) : address(found.address)
}
