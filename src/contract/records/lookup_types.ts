/** A text by which a record is found. A unique lookup leads to at most one record of the organization. */
export type Lookup = {
  readonly lookup: LookupName
  readonly key: string
  /** The name of which the key is one spelling. Earlier versions stored a key for the name as it was sent alone. */
  readonly spells?: string
}
/** The lookups by which users of one organization have a public key, be it claimed or not. */
export const apiKeyLookups = ['credential', 'claimed_credential'] as const satisfies readonly LookupName[]

export type LookupName =
  | 'credential'
  | 'claimed_credential'
  | 'waiting_credential'
  | 'authenticator'
  | 'oidc_identity'
  | 'user_name'
  | 'user_email'
  | 'user_phone_number'
  | 'verified_email'
  | 'verified_phone_number'
  | 'verified_contact'
  | 'organization_name'
  | 'wallet_name'
  | 'account_name'
  | 'account_path'
  | 'private_key_name'
  | 'tag_name'
  | 'policy_name'
  | 'address'
  | 'fingerprint'
  | 'import_target'
