/** The kinds of records that rules name by their ids, and the credentials of users. */
export type IdKind =
  | 'user'
  | 'user_tag'
  | 'wallet'
  | 'private_key'
  | 'private_key_tag'
  | 'session_profile'
  | 'webhook_endpoint'
  | 'api_key'
  | 'authenticator'
