// Written by `npm run generate` after the package `@turnkey/sdk-server`. Do not edit.

/** The package's method for an operation of the interface whose name it does not have. Null: there is none. */
export const otherMethods: Readonly<Record<string, string | null>> = {
  create_api_only_users: null,
  create_velocity_control: null,
  delete_velocity_control: null,
  get_organization: null,
  get_velocity_control: null,
  list_activities: 'getActivities',
  list_app_proofs: 'getAppProofs',
  list_policies: 'getPolicies',
  list_private_keys: 'getPrivateKeys',
  list_smart_contract_interfaces: 'getSmartContractInterfaces',
  list_suborgs: 'getSubOrgIds',
  list_tvc_app_deployments: 'getTvcAppDeployments',
  list_tvc_apps: 'getTvcApps',
  list_users: 'getUsers',
  list_velocity_controls: null,
  list_verified_suborgs: 'getVerifiedSubOrgIds',
  list_wallet_accounts: 'getWalletAccounts',
  list_wallets: 'getWallets',
  set_tvc_app_live_deployment: 'updateTvcAppLiveDeployment',
  whoami: 'getWhoami',
}
