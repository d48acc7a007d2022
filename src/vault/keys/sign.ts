import { strict as assert } from 'node:assert'
import { sign as nodeSign } from 'node:crypto'
import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js'
import { numberToBytesBE } from '@noble/curves/utils.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { type SignatureScheme, taprootTweak } from '../../protocol/chains/address_formats.ts'
import { type Curve, importEd25519PrivateKey, tweakPrivateKey } from '../../protocol/crypto/curves.ts'
import { signP256 } from '../../protocol/crypto/p256.ts'
import { publicKeyFromPrivate, signEcdsa } from '../../protocol/crypto/secp256k1.ts'
import { SecretBytes } from '../../protocol/crypto/secret_bytes.ts'

export type MessageToSign = {
  readonly curve: Curve
  /** `bip340` and `taproot` are for secp256k1 only. `taproot` spends from a Bitcoin P2TR address by its key path. */
  readonly scheme: SignatureScheme
  /** A valid private key of the curve, 32 bytes. The caller disposes of it. */
  readonly privateKey: SecretBytes
  /** A digest of 32 bytes; for Ed25519 a message of any length. */
  readonly message: Uint8Array
  /** 32 fresh random bytes, the auxiliary data that `bip340` and `taproot` require. `default` is deterministic. */
  readonly randomness?: Uint8Array
}

/**
 * A signature as answers carry it: `r` and `s` have 64 hex digits each. `v` is the recovery id, or `00` without one.
 */
export type Signature = { readonly r: string; readonly s: string; readonly v: '00' | '01' }

/**
 * Signs a message.
 *
 * - secp256k1, P-256: ECDSA with the nonce of RFC 6979. s is in the lower half of the order. v is the parity of R's y.
 * - Ed25519: RFC 8032 over the message as it is. r and s are the halves of the signature.
 * - bip340: BIP-340. r is R's x.
 * - taproot: BIP-340 with the key of BIP-341 for an empty script tree (BIP-86).
 */
export function signMessage({ curve, scheme, privateKey, message, randomness }: MessageToSign): Signature {
  if (scheme !== 'default') {
    assert(curve === 'CURVE_SECP256K1', `${scheme} is a scheme of secp256k1`)
    assert(randomness?.length === 32, `${scheme} takes 32 random bytes`)
    if (scheme === 'bip340') return signBip340({ privateKey, message, randomness })
    using outputKey = taprootOutputKey(privateKey)
    return signBip340({ privateKey: outputKey, message, randomness })
  }
  if (curve === 'CURVE_ED25519') {
    return signatureOf(signEd25519(privateKey, message))
  }
  assertDigest(message)
  const sign = curve === 'CURVE_SECP256K1' ? signEcdsa : signP256
  const { signature, recoveryId } = sign(message, privateKey.reveal())
  return signatureOf(signature, recoveryId)
}

/** Returns the signature of RFC 8032 over a message of any length, 64 bytes. */
export function signEd25519(privateKey: SecretBytes, message: Uint8Array): Uint8Array {
  return nodeSign(null, message, importEd25519PrivateKey(privateKey.reveal()))
}

type Bip340Message = Pick<MessageToSign, 'privateKey' | 'message'> & { readonly randomness: Uint8Array }

function signBip340({ privateKey, message, randomness }: Bip340Message): Signature {
  assertDigest(message)
  return signatureOf(schnorr.sign(message, privateKey.reveal(), randomness))
}

/**
 * Returns the private key of the output (BIP-341, `taproot_tweak_seckey` with no script tree). It is the key whose
 * point has an even y, plus the tagged hash of that point's x.
 */
export function taprootOutputKey(privateKey: SecretBytes): SecretBytes {
  const publicKey = publicKeyFromPrivate(privateKey.reveal())
  using evenKey = new SecretBytes(
    publicKey[0] === oddPrefix ? negated(privateKey.reveal()) : privateKey.reveal().slice(),
  )
  const tweak = taprootTweak(publicKey.subarray(1))
  const outputKey = tweakPrivateKey('CURVE_SECP256K1', { privateKey: evenKey.reveal(), tweak })
  assert(outputKey !== undefined, 'no tweak is known that leaves no key')
  return new SecretBytes(outputKey)
}

/** The first byte of a compressed point whose y is odd (SEC 1, 2.3.3). */
const oddPrefix = 0x03
const order = numberToBytesBE(secp256k1.Point.Fn.ORDER, 32)

/** Returns the order minus the key. It computes on bytes, because a BigInt could not be erased. */
function negated(privateKey: Uint8Array): Uint8Array {
  const difference = new Uint8Array(32)
  let borrow = 0
  for (let index = 31; index >= 0; index--) {
    const digit = (order[index] ?? 0) - (privateKey[index] ?? 0) - borrow
    difference[index] = digit
    borrow = (digit >> 8) & 1
  }
  return difference
}

function assertDigest(message: Uint8Array): void {
  assert(message.length === 32, 'only a digest of 32 bytes is signed here')
}

function signatureOf(signature: Uint8Array, recoveryId: 0 | 1 = 0): Signature {
  assert(signature.length === 64, 'a signature is 64 bytes')
  return {
    r: bytesToHex(signature.subarray(0, 32)),
    s: bytesToHex(signature.subarray(32)),
    v: recoveryId === 0 ? '00' : '01',
  }
}
