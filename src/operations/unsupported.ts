import { proxiedPathOf, unsupportedProxiedNames } from '../protocol/wire/auth_proxy.ts'

/** The name of an operation of the wider interface that has this path and is not here yet. */
export function unsupportedNameAt(path: string): string | undefined {
  return byPath.get(path) ?? proxiedByPath.get(path)
}

/**
 * The last parts of the paths. A client that asks for one of them is told that it is not here: it would look for a
 * mistake of its own otherwise. A name leaves this file when its operation comes, and a test holds that.
 */
const queries: readonly string[] = [
  'get_app_status',
  'get_claim_earn_fees_status',
  'get_earn_deploy_status',
  'get_earn_deposit_status',
  'get_earn_withdraw_status',
  'get_gas_usage',
  'get_nonces',
  'get_onramp_transaction_status',
  'get_send_transaction_status',
  'get_swap_status',
  'get_tvc_deployment_debug_logs',
  'get_tvc_deployment_provisioning_details',
  'get_wallet_address_balances',
  'list_earn_enabled_vaults',
  'list_earn_positions',
  'list_earn_vaults',
  'list_email_events',
  'list_eth_transaction_history',
  'list_secrets',
  'list_sol_transaction_history',
  'list_supported_assets',
  'validate_tvc_image',
]

const activities: readonly string[] = [
  'claim_earn_fees',
  'claim_swap_fees',
  'create_read_only_session',
  'create_read_write_session',
  'create_swap_quote',
  'create_tvc_operator',
  'create_tvc_quorum_key',
  'earn_deploy_wrapper',
  'earn_deposit',
  'earn_set_wrapper_state',
  'earn_withdraw',
  'email_auth',
  'eth_send_raw_transaction',
  'eth_send_transaction',
  'eth_undelegate_7702',
  'execute_swap',
  'export_secrets',
  'import_secrets',
  'init_fiat_on_ramp',
  'init_import_secrets',
  'init_otp_auth',
  'oauth',
  'otp_auth',
  'post_tvc_quorum_key_share',
  're_encrypt_tvc_quorum_key_share',
  'sol_send_transaction',
  'spark_claim_transfer',
  'spark_prepare_transfer',
  'spark_sign_frost',
  'upsert_swap_config',
]

const byPath: ReadonlyMap<string, string> = new Map([
  ...queries.map((name) => [`/public/v1/query/${name}`, name] as const),
  ...activities.map((name) => [`/public/v1/submit/${name}`, name] as const),
])

const proxiedByPath: ReadonlyMap<string, string> = new Map(
  unsupportedProxiedNames.map((name) => [proxiedPathOf(name), name] as const),
)

export const unsupportedPaths: readonly string[] = [...byPath.keys()]
