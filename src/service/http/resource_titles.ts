type ResourceTitle = { readonly title: string; readonly description: string }

/** Titles and descriptions of the folders of operations, in the order of docs/operations.md. */
export const resourceTitles: Readonly<Record<string, ResourceTitle>> = {
  organizations: { title: 'Organizations', description: 'The organization itself, its root quorum, and who asks.' },
  sub_organizations: {
    title: 'Sub-organizations',
    description: 'Organizations below this one, such as one for each end user.',
  },
  users: { title: 'Users', description: 'People and programs that act in an organization.' },
  invitations: {
    title: 'Invitations',
    description: 'Links by mail with which people register a passkey and become users.',
  },
  user_tags: { title: 'User tags', description: 'Labels of users, which policies can name.' },
  api_keys: { title: 'API keys', description: 'Public keys whose private halves stamp requests as a user.' },
  authenticators: { title: 'Authenticators', description: 'Passkeys that stamp requests as a user.' },
  oauth_providers: { title: 'OAuth providers', description: 'Identities at OIDC issuers by which a user logs in.' },
  sessions: { title: 'Sessions', description: 'Logins, by passcode, by ID token or by a stamp.' },
  session_profiles: { title: 'Session profiles', description: 'Limits to what a session may do.' },
  auth_proxy: {
    title: 'Auth proxy',
    description: 'Operations without a stamp, by which people log in who have no credential yet.',
  },
  recovery: { title: 'Recovery', description: 'One-time credentials that add a passkey: by mail, or as a link.' },
  wallets: { title: 'Wallets', description: 'Mnemonics and the accounts that are derived from them.' },
  private_keys: { title: 'Private keys', description: 'Keys that belong to no wallet.' },
  private_key_tags: { title: 'Private key tags', description: 'Labels of private keys, which policies can name.' },
  signing: { title: 'Signing', description: 'Signatures of payloads and of transactions.' },
  spark: { title: 'Spark', description: 'Lightning payments to Spark wallets.' },
  activities: {
    title: 'Activities',
    description: 'Requests for changes, which are recorded, and votes on those that wait.',
  },
  policies: { title: 'Policies', description: 'Rules that say who may do what, and a trial of them.' },
  webhook_endpoints: { title: 'Webhooks', description: 'Addresses that get the activities of an organization.' },
  velocity_controls: { title: 'Velocity controls', description: 'Counters with a limit, which policies can name.' },
  mfa_policies: { title: 'MFA policies', description: 'Further proofs that are asked of a user.' },
  smart_contract_interfaces: {
    title: 'Smart contract interfaces',
    description: 'ABIs and IDLs with which policies read calls of contracts.',
  },
  ip_allowlists: {
    title: 'IP allowlists',
    description: 'The addresses from which requests of an organization or of one API key may come.',
  },
  features: { title: 'Features', description: 'Settings of an organization.' },
  proofs: { title: 'Proofs', description: 'Signed statements about what the server decided or derived.' },
  oauth2_credentials: {
    title: 'OAuth 2.0 credentials',
    description: 'Clients at OAuth 2.0 providers with which end users log in.',
  },
  fiat_on_ramp_credentials: {
    title: 'Fiat on-ramp credentials',
    description: 'Accounts with providers that sell crypto assets.',
  },
  tvc: { title: 'Verifiable apps', description: 'Apps whose deployments are approved by their operators.' },
}
