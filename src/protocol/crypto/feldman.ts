import { strict as assert } from 'node:assert'
import { firstPrivateKey, privateKeyBytes, tweakPrivateKey } from './curves.ts'
import { publicKeyFromPrivate } from './secp256k1.ts'
import { SecretBytes } from './secret_bytes.ts'

export type SplitSecret = Disposable & {
  /** 32 bytes each; the share at position `i` of the list is the polynomial's value at `i + 1`. */
  readonly shares: readonly SecretBytes[]
  /** `threshold` points of 33 bytes: each coefficient times the generator, the secret's first. */
  readonly proofs: readonly Uint8Array[]
}

type SecretToSplit = {
  readonly secret: SecretBytes
  readonly threshold: number
  readonly sharesCount: number
  readonly randomBytes: (size: number) => Uint8Array
}

/**
 * Splits a secret by Feldman's verifiable secret sharing over the order of secp256k1. Any `threshold` of the shares
 * restore the secret, fewer reveal nothing, and anybody can check a share: `share · G = Σ (i + 1)^k · proofs[k]`.
 * Disposing of the result zeroes the shares. `secret` is a private key of the curve, which the caller still owns.
 */
export function splitSecret({ secret, threshold, sharesCount, randomBytes }: SecretToSplit): SplitSecret {
  assert(Number.isInteger(threshold) && threshold >= 1 && threshold <= sharesCount, 'a threshold that can be met')
  using stack = new DisposableStack()
  const coefficients = [stack.use(new SecretBytes(secret.reveal().slice()))]
  while (coefficients.length < threshold) coefficients.push(stack.use(randomScalar(randomBytes)))
  const shares = Array.from({ length: sharesCount }, (_, position) => valueAt(coefficients, position + 1))
  return {
    shares,
    proofs: coefficients.map((coefficient) => publicKeyFromPrivate(coefficient.reveal())),
    [Symbol.dispose]: () => {
      for (const share of shares) share[Symbol.dispose]()
    },
  }
}

/** A uniform random number from 1 to the order - 1. */
export function randomScalar(randomBytes: (size: number) => Uint8Array): SecretBytes {
  return firstPrivateKey('CURVE_SECP256K1', () => new SecretBytes(randomBytes(privateKeyBytes)))
}

/** The polynomial's value at a point other than zero, by Horner's rule. */
function valueAt(coefficients: readonly SecretBytes[], point: number): SecretBytes {
  let value: SecretBytes | undefined
  for (const coefficient of coefficients.toReversed()) {
    using previous = value
    using product = previous === undefined ? undefined : times(previous, point)
    value = product === undefined ? new SecretBytes(coefficient.reveal().slice()) : sum(product, coefficient)
  }
  assert(value !== undefined, 'a polynomial has a coefficient')
  return value
}

/** Multiplies by doubling and adding, because a BigInt of the scalar could not be erased. The factor is public. */
function times(scalar: SecretBytes, factor: number): SecretBytes {
  let product = new SecretBytes(scalar.reveal().slice())
  for (const digit of factor.toString(2).slice(1)) {
    using half = product
    product = sum(half, half)
    if (digit === '1') {
      using even = product
      product = sum(even, scalar)
    }
  }
  return product
}

function sum(left: SecretBytes, right: SecretBytes): SecretBytes {
  const bytes = tweakPrivateKey('CURVE_SECP256K1', { privateKey: left.reveal(), tweak: right.reveal() })
  // Zero has no point and so no proof. Random scalars add up to zero once in 2^256 times.
  assert(bytes !== undefined, 'this sum of random scalars is zero')
  return new SecretBytes(bytes)
}
