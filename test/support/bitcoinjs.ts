import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { initEccLib } from 'bitcoinjs-lib'

const { Point } = secp256k1

/** Gives bitcoinjs-lib the curve, which it needs for Taproot. */
export function prepareBitcoinjs(): void {
  initEccLib({ isXOnlyPoint: (x) => pointOf(x) !== undefined, xOnlyPointAddTweak })
}

function xOnlyPointAddTweak(x: Uint8Array, tweak: Uint8Array) {
  const point = pointOf(x)?.add(Point.BASE.multiply(BigInt(`0x${bytesToHex(tweak)}`)))
  if (point === undefined || point.is0()) return null
  const [prefix, ...xOnly] = point.toBytes(true)
  return { parity: prefix === 3 ? (1 as const) : (0 as const), xOnlyPubkey: Uint8Array.from(xOnly) }
}

function pointOf(x: Uint8Array) {
  try {
    return schnorr.utils.lift_x(BigInt(`0x${bytesToHex(x)}`))
  } catch {
    return undefined
  }
}
