import type { Activities } from './operations.ts'

/** These make or bring in keys, or concern a person's own notices: nobody loses or gains anything by them. */
const everyday: ReadonlySet<keyof Activities> = new Set<keyof Activities>([
  'create_private_keys',
  'create_wallet',
  'create_wallet_accounts',
  'import_private_key',
  'import_wallet',
  'init_import_private_key',
  'init_import_wallet',
  'replay_webhook_delivery',
  'set_notice_preferences',
])

/**
 * Whether the console asks for the passkey again, if the user logged in with one or made one since: for every activity
 * but the everyday ones. This protects a browser that was left open. It is no rule of the server, where an MFA policy
 * says the same and is enforced.
 */
export function asksForPasskey(name: keyof Activities): boolean {
  return !everyday.has(name)
}
