import type { Activities } from './operations.ts'

/**
 * The activities for which the console asks for the passkey again, if the user logged in with one or made one since:
 * those that decide for others, change rules, users, credentials or the quorum, sign a payment, or let a key out.
 * This protects a browser that was left open. It is no rule of the server, where an MFA policy says the same and is
 * enforced.
 */
const names: ReadonlySet<keyof Activities> = new Set<keyof Activities>([
  'approve_activity',
  'reject_activity',
  'create_api_keys',
  'create_api_only_users',
  'create_authenticators',
  'create_invitations',
  'create_mfa_policy',
  'create_oauth_providers',
  'create_passkey_link',
  'create_policies',
  'create_policy',
  'create_private_key_tag',
  'create_session_profile',
  'create_sub_organization',
  'create_user_tag',
  'create_users',
  'create_velocity_control',
  'create_webhook_endpoint',
  'delete_api_keys',
  'delete_authenticators',
  'delete_invitation',
  'delete_mfa_policy',
  'delete_oauth_providers',
  'delete_policies',
  'delete_policy',
  'delete_private_key_tags',
  'delete_private_keys',
  'delete_sub_organization',
  'delete_user_tags',
  'delete_users',
  'delete_velocity_control',
  'delete_wallet_accounts',
  'delete_wallets',
  'delete_webhook_endpoint',
  'disable_auth_proxy',
  'enable_auth_proxy',
  'export_private_key',
  'export_wallet',
  'export_wallet_account',
  'remove_ip_allowlist',
  'remove_organization_feature',
  'set_ip_allowlist',
  'set_organization_feature',
  'sign_transaction',
  'update_auth_proxy_config',
  'update_mfa_policy',
  'update_organization_name',
  'update_policy',
  'update_private_key_tag',
  'update_root_quorum',
  'update_user',
  'update_user_email',
  'update_user_name',
  'update_user_phone_number',
  'update_user_tag',
  'update_webhook_endpoint',
])

export function asksForPasskey(name: keyof Activities): boolean {
  return names.has(name)
}
