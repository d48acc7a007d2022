import { hexToBytes } from '@noble/hashes/utils.js'
import { base58Check } from '../../../../protocol/chains/address_formats.ts'
import type { Value } from '../../explanation.ts'
import { address, ethereumAddress } from '../../shown_values.ts'
import { amountOf, amountOfToken, tokenAmount, trx, weiAmount } from './coins.ts'

/** How a chain whose contracts are called as those of Ethereum shows addresses and amounts. */
export type ChainForms = {
  /** Shows 20 bytes, given as `0x` and hex. */
  readonly addressOf: (given: string) => Value
  /** Shows an amount in the smallest unit of the chain's coin. */
  readonly coin: (smallest: bigint) => Value
  /** Shows an amount of the token with this address of 20 bytes. */
  readonly token: (smallest: bigint, token: string) => Value
}

/** A chain of Ethereum's kind. Undefined: any of them. */
export function ethereumForms(chainId: bigint | undefined): ChainForms {
  return { addressOf: ethereumAddress, coin: (wei) => weiAmount(wei, chainId), token: amountOfToken }
}

export const tronForms: ChainForms = {
  addressOf: (given) => address(tronAddress(given)),
  coin: (sun) => amountOf(sun, trx),
  token: (smallest, token) => tokenAmount(smallest, tronAddress(token)),
}

function tronAddress(given: string): string {
  return base58Check(0x41, hexToBytes(given.slice(2)))
}
