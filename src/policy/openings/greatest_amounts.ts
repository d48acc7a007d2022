import type { Asset } from '../velocity/assets.ts'

/** No token has as much, so that a greater limit is none. */
const ofAnyToken = 2n ** 128n

/** A token of Solana has a number of 64 bits. */
const ofSolanaToken = 2n ** 64n - 1n

/** More than the supply of a coin, in its smallest unit. */
const supplies: Readonly<Record<Asset['namespace'], bigint>> = {
  // A billion coins of 18 decimals. The chain of a transaction may be another than Ethereum.
  eip155: 10n ** 27n,
  bip122: 21n * 10n ** 14n,
  solana: 10n ** 18n,
  tron: 10n ** 17n,
}

/** By the beginning of the fields that hold amounts. */
const ofCoins: readonly (readonly [string, bigint])[] = [
  ['eth.tx.value', supplies.eip155],
  ['bitcoin.tx', supplies.bip122],
  ['solana.tx.spl_transfers', ofSolanaToken],
  ['solana.tx', supplies.solana],
  ['tron.tx', supplies.tron],
]

/** More than there is of an asset, in its smallest unit. */
export function greatestOf({ namespace, token }: Asset): bigint {
  if (token === undefined) return supplies[namespace]
  return namespace === 'solana' ? ofSolanaToken : ofAnyToken
}

const amountNames = /\b(value|amount|call_value|call_token_value|balance|frozen_balance|unfreeze_balance)\W*$/

/**
 * Whether a term is an argument of a call or a member of typed data. These say in words of their own what is an amount,
 * of what, and who has it.
 */
export function isArgument(name: string): boolean {
  return /\b(contract_call_args|program_call_args|named_accounts|eip_712\.message)\b/.test(name)
}

/**
 * The greatest amount that a term of a condition can stand for (`name` of a `Term`): a limit above it is none. Undefined
 * if the term is no amount that leaves, as a fee, a nonce, the number of a chain, or a number in a call or in typed data.
 */
export function greatestAmount(name: string): bigint | undefined {
  const path = name.replace(/^spent\('([^']*)'.*$/, '$1')
  if (isArgument(path)) return undefined
  if (!amountNames.test(path) || path.includes('.locktime.')) return undefined
  if (/call_token_value$/.test(path)) return 2n ** 63n - 1n
  return ofCoins.find(([start]) => path.startsWith(start))?.[1] ?? ofAnyToken
}
