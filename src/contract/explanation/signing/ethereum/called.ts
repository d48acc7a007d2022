import type { Value } from '../../explanation.ts'

/** The length of the selector with which the data of a call begins. */
export const selectorBytes = 4

/** A call of a contract of Ethereum or Tron. */
export type Called = {
  /** The called contract: 20 bytes as `0x` and hex. */
  readonly contract: string
  /** In hex, without `0x`. */
  readonly data: string
  /** Shows an address in the form of the chain. */
  readonly addressOf: (given: string) => Value
}
