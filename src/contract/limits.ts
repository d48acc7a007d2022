import { Failure } from '../protocol/wire/failures.ts'

/** The most that an organization or a user may have of each. The operator may set every limit. */
export type Limits = {
  readonly usersMax: number
  readonly walletsMax: number
  readonly privateKeysMax: number
  /** Tags of users and of private keys together. */
  readonly tagsMax: number
  readonly tagsPerSubOrganizationMax: number
  /** The limit for on-ramp credentials, and the same for OAuth 2.0 credentials. */
  readonly providerCredentialsMax: number
  /** Accounts that were deleted while their wallet stayed. The head names each of them. */
  readonly deletedAccountsMax: number
  readonly longLivedApiKeysPerUserMax: number
  readonly expiringApiKeysPerUserMax: number
  readonly authenticatorsPerUserMax: number
  readonly oauthProvidersPerUserMax: number
  readonly tvcOperatorsMax: number
  readonly tvcAppsMax: number
  readonly tvcDeploymentsMax: number
  readonly mfaPoliciesPerUserMax: number
  readonly sessionProfilesMax: number
  readonly policiesMax: number
  /** Invitations that are neither accepted, revoked nor expired. */
  readonly invitationsMax: number
  readonly smartContractInterfacesMax: number
  /** Each signature changes a record of each control that counts it. */
  readonly velocityControlsMax: number
  /** Each activity is sent to each of them. */
  readonly webhookEndpointsMax: number
  /** Activities that wait for votes or for steps of an MFA policy. The head names each of them. */
  readonly pendingActivitiesMax: number
  /**
   * Mails and text messages within 24 hours of an organization with all its sub-organizations: those that its users ask
   * for, as many that users of the sub-organizations ask for, and as many of its auth proxy.
   */
  readonly mailsADayMax: number
  /** The same for those that users of one sub-organization ask for. */
  readonly subOrganizationMailsADayMax: number
}

export const limitsDefault: Limits = {
  usersMax: 100,
  walletsMax: 100,
  privateKeysMax: 1_000,
  tagsMax: 100,
  tagsPerSubOrganizationMax: 10,
  providerCredentialsMax: 100,
  deletedAccountsMax: 10_000,
  longLivedApiKeysPerUserMax: 10,
  expiringApiKeysPerUserMax: 10,
  authenticatorsPerUserMax: 10,
  oauthProvidersPerUserMax: 10,
  tvcOperatorsMax: 1_000,
  tvcAppsMax: 100,
  tvcDeploymentsMax: 100,
  mfaPoliciesPerUserMax: 10,
  sessionProfilesMax: 100,
  policiesMax: 100,
  invitationsMax: 100,
  smartContractInterfacesMax: 100,
  velocityControlsMax: 32,
  webhookEndpointsMax: 10,
  pendingActivitiesMax: 1_000,
  mailsADayMax: 10_000,
  subOrganizationMailsADayMax: 100,
}

/** The limit for the records of a kind, and what error messages call them. */
export type RecordLimit = { readonly name: keyof Limits; readonly things: string }

/** Refuses an addition that brings the organization over the limit. Throws LIMIT_REACHED. */
export function requireWithin(limits: Limits, { name, things }: RecordLimit, count: number): void {
  const max = limits[name]
  if (count <= max) return
  throw new Failure('LIMIT_REACHED', `an organization has at most ${max} ${things}`)
}
