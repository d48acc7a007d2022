import { activityKindOf, exposedParameters, withoutVersion } from '../policy/language/names/activity_types.ts'
import type { Type } from '../policy/language/names/types.ts'
import type { Struct, Value } from '../policy/language/values.ts'
import { canonicalAddress } from '../protocol/chains/canonical_address.ts'
import { spelledLabel } from '../protocol/wire/labels.ts'
import type { OrganizationReader, Policy } from './define.ts'
import type { PrivateKey, Wallet, WalletAccount } from './records/records.ts'

/** `activity` in conditions. Its `params` are the parameters that docs/policies.md lists. */
export function activityFacts({
  type,
  policy,
  parameters,
}: {
  readonly type: string
  readonly policy: Policy
  readonly parameters: unknown
}): Struct {
  const kind = activityKindOf(type)
  const named = typeof policy === 'string' ? {} : { resource: policy.resource, action: policy.action }
  const given = new Map(Object.entries(parameters ?? {}).map(([name, value]) => [snakeCase(name), value]))
  // An absent parameter is the empty text, so that conditions can compare it.
  const params = [...exposedParameters(kind ?? '')].map(([name, type]) => [name, asValue(given.get(name) ?? '', type)])
  return { type: withoutVersion(type), kind, ...named, params: Object.fromEntries(params) }
}

/** The facts about the key that signs and, for a wallet account, about its wallet. */
export function signerFacts(organization: OrganizationReader, signWith: string): Struct {
  const { kind, recordId } = organization.signer(signWith)
  if (kind === 'private_key') return { private_key: privateKeyFacts(organization.privateKeys.get(recordId)) }
  const account = organization.walletAccounts.get(recordId)
  return accountWithWalletFacts(organization, account)
}

/** An account that was exported before wallets noted it makes its wallet an exported one too. */
export function accountWithWalletFacts({ wallets }: OrganizationReader, account: WalletAccount): Struct {
  const wallet = walletFacts(wallets.get(account.walletId))
  return {
    wallet: account.exported === true ? { ...wallet, exported: true } : wallet,
    wallet_account: accountFacts(account),
  }
}

export function walletFacts({ walletId, walletName, imported, exported, accountExported }: Wallet): Struct {
  return { id: walletId, label: spelledLabel(walletName), imported, exported: exported || accountExported === true }
}

export function privateKeyFacts({
  privateKeyId,
  privateKeyName,
  privateKeyTags,
  imported,
  exported,
}: PrivateKey): Struct {
  return { id: privateKeyId, label: spelledLabel(privateKeyName), tags: privateKeyTags, imported, exported }
}

/** A mnemonic has each account of its wallet, also one that is deleted or was never made. */
export const anyAccount: Struct = { is_any: true }

/** The address is one that does not depend on the network by whose address the account is named. */
export function accountFacts({ address, publicKey, path }: WalletAccount): Struct {
  const steps = path.split('/').slice(1)
  return {
    address: canonicalAddress(address) ?? address,
    public_key: publicKey.toLowerCase(),
    path_indexes: steps.map((step) => BigInt(step.replace("'", ''))),
    path_hardened: steps.map((step) => step.endsWith("'")),
  }
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/**
 * Converts JSON to values of the policy language: names to snake case, whole numbers to integers. Texts get the spelling
 * of their form, because the caller chooses the spelling, and another one would evade a rule.
 */
function asValue(json: unknown, type: Type | undefined): Value {
  if (typeof json === 'string') return (type?.kind === 'string' ? type.form?.canonical(json) : undefined) ?? json
  if (typeof json === 'boolean') return json
  if (typeof json === 'number') return BigInt(json)
  if (Array.isArray(json)) return json.map((item) => asValue(item, type?.kind === 'list' ? type.item : undefined))
  const fields = Object.entries(json ?? {}).map(([name, value]) => [snakeCase(name), value] as const)
  const types = type?.kind === 'struct' ? type.fields : undefined
  return Object.fromEntries(fields.map(([name, value]) => [name, asValue(value, types?.get(name))]))
}
