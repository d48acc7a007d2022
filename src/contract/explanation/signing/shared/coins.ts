import type { Value as Seen } from '../../../../policy/language/expression_values.ts'
import { readAddress } from '../../../../protocol/chains/ethereum_values.ts'
import { decimalOf } from '../../decimals.ts'
import type { Value } from '../../explanation.ts'
import { type FeeBounds, feeBounds, weiFeesIn } from '../../fee_bounds.ts'
import { ethereumAddress, none, noteOf } from '../../shown_values.ts'

/** The coin of a chain. 1 `unit` is 10^`decimals` of `smallestUnit`. */
type Coin = { readonly unit: string; readonly smallestUnit: string; readonly decimals: number }

type CoinWithFees = Coin & { readonly fees: FeeBounds }
export const sol: CoinWithFees = { unit: 'SOL', smallestUnit: 'lamport', decimals: 9, fees: feeBounds.lamport }
export const trx: CoinWithFees = { unit: 'TRX', smallestUnit: 'sun', decimals: 6, fees: feeBounds.sun }
export const btc: CoinWithFees = { unit: 'BTC', smallestUnit: 'satoshi', decimals: 8, fees: feeBounds.satoshi }

/** The chains of Ethereum's kind that are known here by their ids (EIP-155), with the units of their coins. */
const ethereumChains: ReadonlyMap<bigint, readonly [name: string, unit: string]> = new Map([
  [1n, ['Ethereum', 'ETH']],
  [10n, ['OP Mainnet', 'ETH']],
  [56n, ['BNB Smart Chain', 'BNB']],
  [100n, ['Gnosis', 'XDAI']],
  [137n, ['Polygon', 'POL']],
  [324n, ['ZKsync Era', 'ETH']],
  [5000n, ['Mantle', 'MNT']],
  [8453n, ['Base', 'ETH']],
  [42161n, ['Arbitrum One', 'ETH']],
  [42220n, ['Celo', 'CELO']],
  [43114n, ['Avalanche', 'AVAX']],
  [59144n, ['Linea', 'ETH']],
  [534352n, ['Scroll', 'ETH']],
  [17000n, ['Holesky', 'ETH']],
  [560048n, ['Hoodi', 'ETH']],
  [11155111n, ['Sepolia', 'ETH']],
  [11155420n, ['OP Sepolia', 'ETH']],
  [421614n, ['Arbitrum Sepolia', 'ETH']],
  [84532n, ['Base Sepolia', 'ETH']],
])

/** Ethereum's chain with this id. */
export function ethereumChain(chainId: bigint): Value {
  const [name] = ethereumChains.get(chainId) ?? []
  return { kind: 'chain', ...(name === undefined ? {} : { name }), caip2: `eip155:${chainId}` }
}

/** The bounds of fees of a chain of Ethereum's kind. */
export function weiFees(chainId: bigint | undefined): FeeBounds {
  const [, unit] = ethereumChains.get(chainId ?? 0n) ?? []
  return weiFeesIn(unit)
}

/** An amount of the coin of a chain of Ethereum's kind. The coin of an unknown chain is not named. */
export function weiAmount(wei: bigint, chainId: bigint | undefined): Value {
  const [, unit] = ethereumChains.get(chainId ?? 0n) ?? []
  if (unit === undefined) return { kind: 'amount', smallest: String(wei), smallestUnit: 'wei' }
  return amountOf(wei, { unit, smallestUnit: 'wei', decimals: 18 })
}

export function amountOf(smallest: bigint, { unit, smallestUnit, decimals }: Coin): Value {
  return { kind: 'amount', smallest: String(smallest), smallestUnit, units: decimalOf(smallest, decimals), unit }
}

/** An amount of a token, whose decimals and name are not known. */
export function tokenAmount(smallest: bigint, token: string): Value {
  return { kind: 'amount', smallest: String(smallest), token }
}

/** An amount of a token that names a token instead where the contract has single ones. */
export function orTokenNumber(amount: Value): Value {
  return amount.kind === 'amount' ? noteOf('amountOrNumber', amount) : amount
}

/** Whether a text is an address of Ethereum, in any case. A document may declare an account or a token as a text. */
export function isEthereumAddress(given: string): boolean {
  return readAddress(given.toLowerCase()) !== undefined
}

/** The token of Ethereum with this address. None if the text is no address: it must not stand in a title as one does. */
export function ethereumToken(token: string): Value {
  return isEthereumAddress(token) ? ethereumAddress(token) : none
}

/** An amount of a token of Ethereum, as far as the amount and the token are what they should be. */
export function amountOfToken(amount: Seen | undefined, token: string): Value {
  if (typeof amount !== 'bigint') return none
  const shown = ethereumToken(token)
  return shown.kind === 'address' ? tokenAmount(amount, shown.address) : { kind: 'amount', smallest: String(amount) }
}
