/** How many of each an organization or user may have. The operator may set each of them. */
export type Limits = {
  readonly usersMax: number
  readonly walletsMax: number
  readonly privateKeysMax: number
  /** Accounts that were deleted while their wallet stayed: the head names each of them. */
  readonly deletedAccountsMax: number
  readonly longLivedApiKeysPerUserMax: number
  readonly expiringApiKeysPerUserMax: number
}

export const limitsDefault: Limits = {
  usersMax: 100,
  walletsMax: 100,
  privateKeysMax: 1_000,
  deletedAccountsMax: 10_000,
  longLivedApiKeysPerUserMax: 10,
  expiringApiKeysPerUserMax: 10,
}
