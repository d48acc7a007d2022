import { Failure } from '../protocol/wire/failures.ts'

/** The most that an organization or a user has of each unless the operator sets another limit. */
export const limitsDefault = {
  usersMax: 100,
  walletsMax: 100,
  /** Invitations that are neither accepted, revoked nor expired. */
  invitationsMax: 100,
  policiesMax: 100,
  privateKeysMax: 1_000,
  /** Tags of users and of private keys together. */
  tagsMax: 100,
  subOrganizationTagsMax: 10,
  /** The limit for on-ramp credentials, and the same for OAuth 2.0 credentials. */
  providerCredentialsMax: 100,
  /** Accounts that were deleted while their wallet stayed. The head names each of them. */
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
  smartContractInterfacesMax: 100,
  /** Each signature changes a record of each control that counts it. */
  velocityControlsMax: 32,
  /** Each activity is sent to each of them. */
  webhookEndpointsMax: 10,
  /** Activities that wait for votes or for steps of an MFA policy. The head names each of them. */
  pendingActivitiesMax: 1_000,
  /**
   * Mails and text messages within 24 hours of an organization with all its sub-organizations: those that its users ask
   * for, as many that users of the sub-organizations ask for, and as many of its auth proxy.
   */
  mailsADayMax: 10_000,
  /** The same for those that users of one sub-organization ask for. */
  subOrganizationMailsADayMax: 100,
}

export type Limits = Readonly<typeof limitsDefault>

/** The limit for the records of a kind, and what error messages call them. */
export type RecordLimit = { readonly name: keyof Limits; readonly things: string }

/** Refuses an addition that brings the organization over the limit. Throws LIMIT_REACHED. */
export function requireWithin(limits: Limits, { name, things }: RecordLimit, count: number): void {
  const max = limits[name]
  if (count <= max) return
  throw new Failure('LIMIT_REACHED', `an organization has at most ${max} ${things}`)
}
