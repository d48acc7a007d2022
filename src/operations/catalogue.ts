// Written by `npm run generate`: one line for each operation file. Do not edit.

import approveActivity from './activities/approve_activity.ts'
import getActivity from './activities/get_activity.ts'
import listActivities from './activities/list_activities.ts'
import rejectActivity from './activities/reject_activity.ts'
import createApiKeys from './api_keys/create_api_keys.ts'
import deleteApiKeys from './api_keys/delete_api_keys.ts'
import getApiKey from './api_keys/get_api_key.ts'
import getApiKeys from './api_keys/get_api_keys.ts'
import type { AcceptedType, ActivityOperation, Operation } from './define.ts'
import getOrganization from './organizations/get_organization.ts'
import getOrganizationConfigs from './organizations/get_organization_configs.ts'
import updateOrganizationName from './organizations/update_organization_name.ts'
import updateRootQuorum from './organizations/update_root_quorum.ts'
import whoami from './organizations/whoami.ts'
import createPrivateKeys from './private_keys/create_private_keys.ts'
import deletePrivateKeys from './private_keys/delete_private_keys.ts'
import getPrivateKey from './private_keys/get_private_key.ts'
import listPrivateKeys from './private_keys/list_private_keys.ts'
import signRawPayload from './signing/sign_raw_payload.ts'
import signRawPayloads from './signing/sign_raw_payloads.ts'
import signTransaction from './signing/sign_transaction.ts'
import createSubOrganization from './sub_organizations/create_sub_organization.ts'
import deleteSubOrganization from './sub_organizations/delete_sub_organization.ts'
import listSuborgs from './sub_organizations/list_suborgs.ts'
import createApiOnlyUsers from './users/create_api_only_users.ts'
import createUsers from './users/create_users.ts'
import getUser from './users/get_user.ts'
import listUsers from './users/list_users.ts'
import createWallet from './wallets/create_wallet.ts'
import createWalletAccounts from './wallets/create_wallet_accounts.ts'
import deleteWalletAccounts from './wallets/delete_wallet_accounts.ts'
import deleteWallets from './wallets/delete_wallets.ts'
import getWallet from './wallets/get_wallet.ts'
import getWalletAccount from './wallets/get_wallet_account.ts'
import listWalletAccounts from './wallets/list_wallet_accounts.ts'
import listWallets from './wallets/list_wallets.ts'
import updateWallet from './wallets/update_wallet.ts'

type TypedOperation = { readonly operation: ActivityOperation; readonly accepted: AcceptedType }

export const operations: readonly Operation[] = [
  approveActivity,
  getActivity,
  listActivities,
  rejectActivity,
  createApiKeys,
  deleteApiKeys,
  getApiKey,
  getApiKeys,
  getOrganization,
  getOrganizationConfigs,
  updateOrganizationName,
  updateRootQuorum,
  whoami,
  createPrivateKeys,
  deletePrivateKeys,
  getPrivateKey,
  listPrivateKeys,
  signRawPayload,
  signRawPayloads,
  signTransaction,
  createSubOrganization,
  deleteSubOrganization,
  listSuborgs,
  createApiOnlyUsers,
  createUsers,
  getUser,
  listUsers,
  createWallet,
  createWalletAccounts,
  deleteWalletAccounts,
  deleteWallets,
  getWallet,
  getWalletAccount,
  listWalletAccounts,
  listWallets,
  updateWallet,
]

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
