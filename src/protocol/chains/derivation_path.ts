/** One step of a path: `44'` is `{ index: 44, hardened: true }`. */
export type PathStep = { readonly index: number; readonly hardened: boolean }

/** The steps from a wallet's master key to an account's key. Without steps it is the master key itself. */
export type DerivationPath = readonly PathStep[]

/** BIP-32 allows 255; no convention needs more than seven (Spark's), and each step costs a derivation. */
export const pathStepsMax = 10

/** The greatest index of a step: BIP-32 keeps the upper half of 2^32 for hardened ones. */
export const pathIndexMax = 2 ** 31 - 1

/**
 * Reads a path as BIP-32 writes it: `m`, `m/44'/60'/0'/0/0`. Undefined for anything else.
 *
 * Each path has one spelling, so two texts name the same path only if they are equal. Hardened is `'`, not `h` or `H`.
 * There are no leading zeros, spaces or trailing slashes, and `m` is lower case.
 */
export function parsePath(text: string): DerivationPath | undefined {
  const [root, ...names] = text.split('/', pathStepsMax + 2)
  if (root !== 'm' || names.length > pathStepsMax) return undefined
  const steps = names.map(parseStep)
  return steps.every((step) => step !== undefined) ? steps : undefined
}

/** Whether Ed25519 can follow this path: SLIP-10 defines hardened steps only for it. */
export function isHardenedOnly(path: DerivationPath): boolean {
  return path.every(({ hardened }) => hardened)
}

function parseStep(name: string): PathStep | undefined {
  const [, digits, mark] = /^(0|[1-9][0-9]{0,9})('?)$/.exec(name) ?? []
  const index = Number(digits)
  return digits === undefined || index > pathIndexMax ? undefined : { index, hardened: mark === "'" }
}
