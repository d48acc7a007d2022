import type { Value } from '../../explanation.ts'

/** What the data of a call begins with. */
export const selectorBytes = 4

/** A call of a contract of Ethereum or Tron. */
export type Called = {
  /** The called contract, as transactions name it. */
  readonly contract: string
  /** In hex, without `0x`. */
  readonly data: string
  /** Shows an address of the chain, from 20 bytes as `0x` and hex, or as transactions name it. */
  readonly addressOf: (given: string) => Value
}
