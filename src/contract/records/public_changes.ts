import type { RecordKind, RecordTypes } from './record_types.ts'

/** The changes of one organization by one decision, as far as its readers may see them. No secret is among them. */
export type PublicChanges = {
  readonly organizationId: string
  /** As they are from then on. Absent: none of these has changed. */
  readonly organization?: PublicOrganization
  readonly isDeleted?: true
  readonly records: readonly PublicChange[]
}

export type PublicOrganization = {
  readonly organizationName: string
  readonly parentId?: string
  readonly rootQuorum: { readonly threshold: number; readonly userIds: readonly string[] }
}

/** `record` absent: it is removed, and all that it owns. */
export type PublicChange = {
  readonly kind: RecordKind
  readonly recordId: string
  readonly record?: RecordTypes[RecordKind]
}

/**
 * The kinds of records that documents show. The others hold what serves its holder until it is used up, or what only the
 * vault counts.
 */
export const isDocumented: { readonly [K in RecordKind]: boolean } = {
  user: true,
  wallet: true,
  wallet_account: true,
  private_key: true,
  user_tag: true,
  private_key_tag: true,
  tvc_operator: true,
  tvc_operator_set: true,
  tvc_app: true,
  tvc_deployment: true,
  fiat_on_ramp_credential: true,
  oauth2_credential: true,
  sub_organization: true,
  signed_amounts: true,
  velocity_control: true,
  velocity_bucket: true,
  pending_activity: false,
  import_target: true,
  passcode_flow: false,
  passcode_starts: false,
  used_token: false,
  session_profile: true,
  invitation: true,
  policy: true,
  smart_contract_interface: true,
  auth_proxy: true,
  ip_allowlist: true,
  feature: true,
  webhook_endpoint: true,
}
