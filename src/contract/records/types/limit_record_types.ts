import type { VelocityRule } from '../../../policy/velocity/velocity_control.ts'
import type { Times } from './record_times.ts'

/**
 * The amounts that a key signed within the last seven days, by the transaction fields that spending limits name. Its id
 * is the public key in hex, so all addresses of a key share one record.
 */
export type SignedAmounts = Times & {
  readonly signerId: string
  /** `amount`: a whole number in decimals. */
  readonly paths: Readonly<Record<string, readonly { readonly atMs: number; readonly amount: string }[]>>
}

/** A counter with a comparison, which policies name `controls.<identifier>`. It never changes. */
export type VelocityControl = Times &
  VelocityRule & {
    readonly velocityControlId: string
    readonly name: string
    /** Unique within the organization. */
    readonly identifier: string
  }

/** The amounts that a velocity control has counted for the organization, for a user or for a wallet. */
export type VelocityBucket = Times & {
  readonly bucketId: string
  readonly velocityControlId: string
  /** `amount`: 10^-18 of the unit, as a whole number in decimals. A control without end has one total. */
  readonly amounts: readonly { readonly atMs: number; readonly amount: string }[]
}
