import { expect, test } from 'vitest'
import { operations } from '../../src/operations/catalogue.ts'
import { kindOf } from '../../src/policy/openings/deeds.ts'

/** Each operation that policies decide about, by its kind. A new operation belongs here. */
const named = {
  policies: [
    ...['create_policies', 'create_policy', 'create_velocity_control', 'delete_policies', 'delete_policy'],
    ...['delete_velocity_control', 'update_policy'],
  ],
  credentials: [
    ...['create_api_keys', 'create_authenticators', 'create_oauth_providers', 'create_passkey_link'],
    ...['delete_api_keys', 'delete_authenticators', 'delete_oauth_providers'],
  ],
  keyExports: ['export_private_key', 'export_wallet', 'export_wallet_account'],
  users: [
    ...['create_api_only_users', 'create_invitations', 'create_users', 'delete_user_tags', 'delete_users'],
    ...['update_user', 'update_user_email', 'update_user_name', 'update_user_phone_number', 'update_user_tag'],
  ],
  mfaPolicies: ['create_mfa_policy', 'delete_mfa_policy', 'update_mfa_policy'],
  signatures: ['sign_raw_payload', 'sign_raw_payloads', 'sign_transaction', 'spark_prepare_lightning_receive'],
  keyDeletions: ['delete_private_keys', 'delete_wallet_accounts', 'delete_wallets'],
  keyImports: ['import_private_key', 'import_wallet', 'init_import_private_key', 'init_import_wallet'],
  organizationSettings: [
    ...['create_fiat_on_ramp_credential', 'create_oauth2_credential', 'delete_fiat_on_ramp_credential'],
    ...['delete_oauth2_credential', 'delete_sub_organization', 'remove_ip_allowlist', 'set_ip_allowlist'],
    ...['update_fiat_on_ramp_credential', 'update_oauth2_credential'],
  ],
  webhooks: ['create_webhook_endpoint', 'delete_webhook_endpoint', 'update_webhook_endpoint'],
  sessionProfiles: ['create_session_profile'],
  contractInterfaces: ['create_smart_contract_interface', 'delete_smart_contract_interface'],
  keyNames: ['delete_private_key_tags', 'update_private_key_tag', 'update_wallet'],
  appDeployments: [
    ...['create_tvc_app', 'create_tvc_deployment', 'create_tvc_manifest_approvals', 'delete_tvc_app_and_deployments'],
    ...['delete_tvc_deployment', 'restore_tvc_deployment', 'set_tvc_app_live_deployment'],
  ],
  newKeys: ['create_private_keys', 'create_wallet', 'create_wallet_accounts'],
  newTags: ['create_private_key_tag', 'create_user_tag'],
  newSubOrganizations: ['create_sub_organization'],
  logins: [
    ...['init_otp', 'init_user_email_recovery', 'oauth2_authenticate', 'oauth_login', 'otp_login', 'stamp_login'],
    'verify_otp',
  ],
  endedInvitations: ['delete_invitation'],
  ownNotices: ['set_notice_preferences'],
  repeatedDeliveries: ['replay_webhook_delivery'],
}

test('each activity of the catalogue has its kind', () => {
  const found: Record<string, string[]> = {}
  for (const operation of operations) {
    if (operation.kind !== 'activity' || typeof operation.policy === 'string') continue
    const { resource, action } = operation.policy
    for (const type of new Set(operation.types.map((one) => one.type.replace(/_V\d+$/, '')))) {
      const texts = new Map([
        ['activity.resource', resource],
        ['activity.action', action],
        ['activity.type', type],
      ] as const)
      const kind = kindOf({ texts })
      found[kind] = [...new Set([...(found[kind] ?? []), operation.name])].toSorted()
    }
  }
  expect(found).toEqual(named)
})
