import { secp256k1 } from '@noble/curves/secp256k1.js'

/** The arithmetic of a Spark operator on shares, with noble's points and no code of the server. */
const { Point } = secp256k1
const { Fn } = Point

export type IndexedShare = { readonly index: number; readonly share: bigint }

/** Whether `share · G` is the sum of the proofs times the powers of the index (Feldman, 1987). */
export function verifyShare({
  index,
  share,
  proofs,
}: IndexedShare & { readonly proofs: readonly Uint8Array[] }): boolean {
  const expected = proofs.reduce(
    (sum, proof, power) => sum.add(Point.fromBytes(proof).multiply(Fn.pow(BigInt(index), BigInt(power)))),
    Point.ZERO,
  )
  // `multiply` refuses zero, whose point is the one at infinity.
  return (share === 0n ? Point.ZERO : Point.BASE.multiply(share)).equals(expected)
}

/** The value at zero of the polynomial through these points (Lagrange). */
export function rebuiltFrom(points: readonly IndexedShare[]): bigint {
  return points.reduce((sum, { index, share }) => {
    const others = points.filter((other) => other.index !== index).map((other) => BigInt(other.index))
    const numerator = others.reduce((product, other) => Fn.mul(product, other), 1n)
    const denominator = others.reduce((product, other) => Fn.mul(product, Fn.sub(other, BigInt(index))), 1n)
    return Fn.add(sum, Fn.mul(share, Fn.div(numerator, denominator)))
  }, 0n)
}

/** Every choice of `size` of the items. */
export function subsets<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  if (size === 0) return [[]]
  return items.flatMap((item, position) =>
    subsets(items.slice(position + 1), size - 1).map((subset) => [item, ...subset]),
  )
}
