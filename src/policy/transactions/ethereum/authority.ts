import { secp256k1 } from '@noble/curves/secp256k1.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { hashAuthorization } from '../../../protocol/chains/payloads.ts'
import type { Authorization } from './ethereum_fields.ts'

/**
 * The account that signed an authorization and for which its code will act (EIP-7702, "Set code transaction"), as `0x`
 * and lower-case hex. Undefined if the signature is of no account; the chain skips the authorization then.
 */
export function authorityOf({ chainId, address, nonce, yParity, r, s }: Authorization): string | undefined {
  const order = secp256k1.Point.Fn.ORDER
  if (yParity > 1n || r === 0n || s === 0n || r >= order || s > order / 2n) return undefined
  const digest = hashAuthorization({ chainId, address: hexToBytes(address.slice(2)), nonce })
  const signature = new secp256k1.Signature(r, s, Number(yParity))
  try {
    const point = signature.recoverPublicKey(digest)
    return `0x${bytesToHex(keccak_256(point.toBytes(false).subarray(1)).subarray(-20))}`
  } catch {
    return undefined // no point has this x coordinate
  }
}
