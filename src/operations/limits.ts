/** How many of each an organization or user may have. The operator may set each of them. */
export type Limits = {
  readonly usersMax: number
  readonly walletsMax: number
  readonly privateKeysMax: number
  /** Of each kind: on-ramp credentials, and OAuth 2.0 credentials. */
  readonly providerCredentialsMax: number
  readonly longLivedApiKeysPerUserMax: number
  readonly expiringApiKeysPerUserMax: number
}

export const limitsDefault: Limits = {
  usersMax: 100,
  walletsMax: 100,
  privateKeysMax: 1_000,
  providerCredentialsMax: 100,
  longLivedApiKeysPerUserMax: 10,
  expiringApiKeysPerUserMax: 10,
}
