// Written by `npm run generate`: one line for each operation file. Do not edit.
import type { AcceptedType, ActivityOperation, Operation } from '../contract/define.ts'
import approveActivity from './activities/approve_activity.ts'
import explainActivity from './activities/explain_activity.ts'
import getActivity from './activities/get_activity.ts'
import listActivities from './activities/list_activities.ts'
import rejectActivity from './activities/reject_activity.ts'
import watchActivities from './activities/watch_activities.ts'
import createApiKeys from './api_keys/create_api_keys.ts'
import deleteApiKeys from './api_keys/delete_api_keys.ts'
import getApiKey from './api_keys/get_api_key.ts'
import getApiKeys from './api_keys/get_api_keys.ts'
import disableAuthProxy from './auth_proxy/disable_auth_proxy.ts'
import enableAuthProxy from './auth_proxy/enable_auth_proxy.ts'
import getAuthProxyConfig from './auth_proxy/get_auth_proxy_config.ts'
import updateAuthProxyConfig from './auth_proxy/update_auth_proxy_config.ts'
import createAuthenticators from './authenticators/create_authenticators.ts'
import deleteAuthenticators from './authenticators/delete_authenticators.ts'
import getAuthenticator from './authenticators/get_authenticator.ts'
import getAuthenticators from './authenticators/get_authenticators.ts'
import removeOrganizationFeature from './features/remove_organization_feature.ts'
import setOrganizationFeature from './features/set_organization_feature.ts'
import createFiatOnRampCredential from './fiat_on_ramp_credentials/create_fiat_on_ramp_credential.ts'
import deleteFiatOnRampCredential from './fiat_on_ramp_credentials/delete_fiat_on_ramp_credential.ts'
import listFiatOnRampCredentials from './fiat_on_ramp_credentials/list_fiat_on_ramp_credentials.ts'
import updateFiatOnRampCredential from './fiat_on_ramp_credentials/update_fiat_on_ramp_credential.ts'
import acceptInvitation from './invitations/accept_invitation.ts'
import createInvitations from './invitations/create_invitations.ts'
import deleteInvitation from './invitations/delete_invitation.ts'
import getIpAllowlist from './ip_allowlists/get_ip_allowlist.ts'
import removeIpAllowlist from './ip_allowlists/remove_ip_allowlist.ts'
import setIpAllowlist from './ip_allowlists/set_ip_allowlist.ts'
import createMfaPolicy from './mfa_policies/create_mfa_policy.ts'
import deleteMfaPolicy from './mfa_policies/delete_mfa_policy.ts'
import getMfaPolicies from './mfa_policies/get_mfa_policies.ts'
import getMfaPolicy from './mfa_policies/get_mfa_policy.ts'
import getMfaStatus from './mfa_policies/get_mfa_status.ts'
import updateMfaPolicy from './mfa_policies/update_mfa_policy.ts'
import createOauthProviders from './oauth_providers/create_oauth_providers.ts'
import deleteOauthProviders from './oauth_providers/delete_oauth_providers.ts'
import getOauthProviders from './oauth_providers/get_oauth_providers.ts'
import createOauth2Credential from './oauth2_credentials/create_oauth2_credential.ts'
import deleteOauth2Credential from './oauth2_credentials/delete_oauth2_credential.ts'
import getOauth2Credential from './oauth2_credentials/get_oauth2_credential.ts'
import listOauth2Credentials from './oauth2_credentials/list_oauth2_credentials.ts'
import oauth2Authenticate from './oauth2_credentials/oauth2_authenticate.ts'
import updateOauth2Credential from './oauth2_credentials/update_oauth2_credential.ts'
import getOrganization from './organizations/get_organization.ts'
import getOrganizationConfigs from './organizations/get_organization_configs.ts'
import updateOrganizationName from './organizations/update_organization_name.ts'
import updateRootQuorum from './organizations/update_root_quorum.ts'
import whoami from './organizations/whoami.ts'
import checkPolicies from './policies/check_policies.ts'
import createPolicies from './policies/create_policies.ts'
import createPolicy from './policies/create_policy.ts'
import deletePolicies from './policies/delete_policies.ts'
import deletePolicy from './policies/delete_policy.ts'
import getPolicy from './policies/get_policy.ts'
import getPolicyEvaluations from './policies/get_policy_evaluations.ts'
import listPolicies from './policies/list_policies.ts'
import simulate from './policies/simulate.ts'
import updatePolicy from './policies/update_policy.ts'
import createPrivateKeyTag from './private_key_tags/create_private_key_tag.ts'
import deletePrivateKeyTags from './private_key_tags/delete_private_key_tags.ts'
import listPrivateKeyTags from './private_key_tags/list_private_key_tags.ts'
import updatePrivateKeyTag from './private_key_tags/update_private_key_tag.ts'
import createPrivateKeys from './private_keys/create_private_keys.ts'
import deletePrivateKeys from './private_keys/delete_private_keys.ts'
import exportPrivateKey from './private_keys/export_private_key.ts'
import getPrivateKey from './private_keys/get_private_key.ts'
import importPrivateKey from './private_keys/import_private_key.ts'
import initImportPrivateKey from './private_keys/init_import_private_key.ts'
import listPrivateKeys from './private_keys/list_private_keys.ts'
import getBootProof from './proofs/get_boot_proof.ts'
import getLatestBootProof from './proofs/get_latest_boot_proof.ts'
import listAppProofs from './proofs/list_app_proofs.ts'
import createPasskeyLink from './recovery/create_passkey_link.ts'
import initUserEmailRecovery from './recovery/init_user_email_recovery.ts'
import recoverUser from './recovery/recover_user.ts'
import createSessionProfile from './session_profiles/create_session_profile.ts'
import getSessionProfile from './session_profiles/get_session_profile.ts'
import getSessionProfiles from './session_profiles/get_session_profiles.ts'
import initOtp from './sessions/init_otp.ts'
import oauthLogin from './sessions/oauth_login.ts'
import otpLogin from './sessions/otp_login.ts'
import stampLogin from './sessions/stamp_login.ts'
import verifyOtp from './sessions/verify_otp.ts'
import signRawPayload from './signing/sign_raw_payload.ts'
import signRawPayloads from './signing/sign_raw_payloads.ts'
import signTransaction from './signing/sign_transaction.ts'
import createSmartContractInterface from './smart_contract_interfaces/create_smart_contract_interface.ts'
import deleteSmartContractInterface from './smart_contract_interfaces/delete_smart_contract_interface.ts'
import getSmartContractInterface from './smart_contract_interfaces/get_smart_contract_interface.ts'
import listSmartContractInterfaces from './smart_contract_interfaces/list_smart_contract_interfaces.ts'
import sparkPrepareLightningReceive from './spark/spark_prepare_lightning_receive.ts'
import createSubOrganization from './sub_organizations/create_sub_organization.ts'
import deleteSubOrganization from './sub_organizations/delete_sub_organization.ts'
import listSuborgs from './sub_organizations/list_suborgs.ts'
import listVerifiedSuborgs from './sub_organizations/list_verified_suborgs.ts'
import createTvcApp from './tvc/create_tvc_app.ts'
import createTvcDeployment from './tvc/create_tvc_deployment.ts'
import createTvcManifestApprovals from './tvc/create_tvc_manifest_approvals.ts'
import deleteTvcAppAndDeployments from './tvc/delete_tvc_app_and_deployments.ts'
import deleteTvcDeployment from './tvc/delete_tvc_deployment.ts'
import getTvcApp from './tvc/get_tvc_app.ts'
import getTvcDeployment from './tvc/get_tvc_deployment.ts'
import getTvcQosVersions from './tvc/get_tvc_qos_versions.ts'
import listTvcAppDeployments from './tvc/list_tvc_app_deployments.ts'
import listTvcApps from './tvc/list_tvc_apps.ts'
import restoreTvcDeployment from './tvc/restore_tvc_deployment.ts'
import setTvcAppLiveDeployment from './tvc/set_tvc_app_live_deployment.ts'
import createUserTag from './user_tags/create_user_tag.ts'
import deleteUserTags from './user_tags/delete_user_tags.ts'
import listUserTags from './user_tags/list_user_tags.ts'
import updateUserTag from './user_tags/update_user_tag.ts'
import createApiOnlyUsers from './users/create_api_only_users.ts'
import createUsers from './users/create_users.ts'
import deleteUsers from './users/delete_users.ts'
import getNoticePreferences from './users/get_notice_preferences.ts'
import getUser from './users/get_user.ts'
import listUsers from './users/list_users.ts'
import setNoticePreferences from './users/set_notice_preferences.ts'
import updateUser from './users/update_user.ts'
import updateUserEmail from './users/update_user_email.ts'
import updateUserName from './users/update_user_name.ts'
import updateUserPhoneNumber from './users/update_user_phone_number.ts'
import createVelocityControl from './velocity_controls/create_velocity_control.ts'
import deleteVelocityControl from './velocity_controls/delete_velocity_control.ts'
import getVelocityControl from './velocity_controls/get_velocity_control.ts'
import listVelocityControls from './velocity_controls/list_velocity_controls.ts'
import createWallet from './wallets/create_wallet.ts'
import createWalletAccounts from './wallets/create_wallet_accounts.ts'
import deleteWalletAccounts from './wallets/delete_wallet_accounts.ts'
import deleteWallets from './wallets/delete_wallets.ts'
import exportWallet from './wallets/export_wallet.ts'
import exportWalletAccount from './wallets/export_wallet_account.ts'
import getWallet from './wallets/get_wallet.ts'
import getWalletAccount from './wallets/get_wallet_account.ts'
import importWallet from './wallets/import_wallet.ts'
import initImportWallet from './wallets/init_import_wallet.ts'
import listWalletAccounts from './wallets/list_wallet_accounts.ts'
import listWallets from './wallets/list_wallets.ts'
import updateWallet from './wallets/update_wallet.ts'
import createWebhookEndpoint from './webhook_endpoints/create_webhook_endpoint.ts'
import deleteWebhookEndpoint from './webhook_endpoints/delete_webhook_endpoint.ts'
import listWebhookDeliveries from './webhook_endpoints/list_webhook_deliveries.ts'
import listWebhookEndpoints from './webhook_endpoints/list_webhook_endpoints.ts'
import replayWebhookDelivery from './webhook_endpoints/replay_webhook_delivery.ts'
import updateWebhookEndpoint from './webhook_endpoints/update_webhook_endpoint.ts'

type Resource = { readonly name: string; readonly operations: readonly Operation[] }
type TypedOperation = { readonly operation: ActivityOperation; readonly accepted: AcceptedType }

/** The folders here, each with its operations. */
export const resources: readonly Resource[] = [
  {
    name: 'activities',
    operations: [approveActivity, explainActivity, getActivity, listActivities, rejectActivity, watchActivities],
  },
  { name: 'api_keys', operations: [createApiKeys, deleteApiKeys, getApiKey, getApiKeys] },
  { name: 'auth_proxy', operations: [disableAuthProxy, enableAuthProxy, getAuthProxyConfig, updateAuthProxyConfig] },
  {
    name: 'authenticators',
    operations: [createAuthenticators, deleteAuthenticators, getAuthenticator, getAuthenticators],
  },
  { name: 'features', operations: [removeOrganizationFeature, setOrganizationFeature] },
  {
    name: 'fiat_on_ramp_credentials',
    operations: [
      createFiatOnRampCredential,
      deleteFiatOnRampCredential,
      listFiatOnRampCredentials,
      updateFiatOnRampCredential,
    ],
  },
  { name: 'invitations', operations: [acceptInvitation, createInvitations, deleteInvitation] },
  { name: 'ip_allowlists', operations: [getIpAllowlist, removeIpAllowlist, setIpAllowlist] },
  {
    name: 'mfa_policies',
    operations: [createMfaPolicy, deleteMfaPolicy, getMfaPolicies, getMfaPolicy, getMfaStatus, updateMfaPolicy],
  },
  {
    name: 'oauth2_credentials',
    operations: [
      createOauth2Credential,
      deleteOauth2Credential,
      getOauth2Credential,
      listOauth2Credentials,
      oauth2Authenticate,
      updateOauth2Credential,
    ],
  },
  { name: 'oauth_providers', operations: [createOauthProviders, deleteOauthProviders, getOauthProviders] },
  {
    name: 'organizations',
    operations: [getOrganization, getOrganizationConfigs, updateOrganizationName, updateRootQuorum, whoami],
  },
  {
    name: 'policies',
    operations: [
      checkPolicies,
      createPolicies,
      createPolicy,
      deletePolicies,
      deletePolicy,
      getPolicy,
      getPolicyEvaluations,
      listPolicies,
      simulate,
      updatePolicy,
    ],
  },
  {
    name: 'private_key_tags',
    operations: [createPrivateKeyTag, deletePrivateKeyTags, listPrivateKeyTags, updatePrivateKeyTag],
  },
  {
    name: 'private_keys',
    operations: [
      createPrivateKeys,
      deletePrivateKeys,
      exportPrivateKey,
      getPrivateKey,
      importPrivateKey,
      initImportPrivateKey,
      listPrivateKeys,
    ],
  },
  { name: 'proofs', operations: [getBootProof, getLatestBootProof, listAppProofs] },
  { name: 'recovery', operations: [createPasskeyLink, initUserEmailRecovery, recoverUser] },
  { name: 'session_profiles', operations: [createSessionProfile, getSessionProfile, getSessionProfiles] },
  { name: 'sessions', operations: [initOtp, oauthLogin, otpLogin, stampLogin, verifyOtp] },
  { name: 'signing', operations: [signRawPayload, signRawPayloads, signTransaction] },
  {
    name: 'smart_contract_interfaces',
    operations: [
      createSmartContractInterface,
      deleteSmartContractInterface,
      getSmartContractInterface,
      listSmartContractInterfaces,
    ],
  },
  { name: 'spark', operations: [sparkPrepareLightningReceive] },
  {
    name: 'sub_organizations',
    operations: [createSubOrganization, deleteSubOrganization, listSuborgs, listVerifiedSuborgs],
  },
  {
    name: 'tvc',
    operations: [
      createTvcApp,
      createTvcDeployment,
      createTvcManifestApprovals,
      deleteTvcAppAndDeployments,
      deleteTvcDeployment,
      getTvcApp,
      getTvcDeployment,
      getTvcQosVersions,
      listTvcAppDeployments,
      listTvcApps,
      restoreTvcDeployment,
      setTvcAppLiveDeployment,
    ],
  },
  { name: 'user_tags', operations: [createUserTag, deleteUserTags, listUserTags, updateUserTag] },
  {
    name: 'users',
    operations: [
      createApiOnlyUsers,
      createUsers,
      deleteUsers,
      getNoticePreferences,
      getUser,
      listUsers,
      setNoticePreferences,
      updateUser,
      updateUserEmail,
      updateUserName,
      updateUserPhoneNumber,
    ],
  },
  {
    name: 'velocity_controls',
    operations: [createVelocityControl, deleteVelocityControl, getVelocityControl, listVelocityControls],
  },
  {
    name: 'wallets',
    operations: [
      createWallet,
      createWalletAccounts,
      deleteWalletAccounts,
      deleteWallets,
      exportWallet,
      exportWalletAccount,
      getWallet,
      getWalletAccount,
      importWallet,
      initImportWallet,
      listWalletAccounts,
      listWallets,
      updateWallet,
    ],
  },
  {
    name: 'webhook_endpoints',
    operations: [
      createWebhookEndpoint,
      deleteWebhookEndpoint,
      listWebhookDeliveries,
      listWebhookEndpoints,
      replayWebhookDelivery,
      updateWebhookEndpoint,
    ],
  },
]

export const operations: readonly Operation[] = resources.flatMap((resource) => resource.operations)

const byPath: ReadonlyMap<string, Operation> = new Map(operations.map((operation) => [operation.path, operation]))

const byType: ReadonlyMap<string, TypedOperation> = new Map(
  operations.flatMap((operation) =>
    operation.kind === 'activity'
      ? operation.types.map((accepted) => [accepted.type, { operation, accepted }] as const)
      : [],
  ),
)

export function findOperation(path: string): Operation | undefined {
  return byPath.get(path)
}

/** An activity's operation, with the keys and parameters that this type of it has. */
export function operationOfType(type: string): TypedOperation | undefined {
  return byType.get(type)
}
