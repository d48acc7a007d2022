import { bytesToHex } from '@noble/hashes/utils.js'
import { addressOfScript } from '../../../../policy/transactions/bitcoin/bitcoin_scripts.ts'
import { bitcoinMainnet } from '../../../../protocol/chains/address_formats.ts'
import type { Value } from '../../explanation.ts'
import { address, hex } from '../../shown_values.ts'

/** The script of an output by its address on the main network. A script without an address is shown itself. */
export function scriptValue(script: Uint8Array): Value {
  const found = addressOfScript(script, bitcoinMainnet)
  return found === undefined ? hex(bytesToHex(script)) : address(found.address)
}
