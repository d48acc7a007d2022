import { activityKindOf, exposedParameters } from '../policy/language/names/activity_types.ts'
import type { Struct, Value } from '../policy/language/values.ts'
import { isUuid } from '../protocol/wire/identifiers.ts'
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
  const params = exposedParameters(kind ?? '').map((name) => [name, asValue(given.get(name) ?? '')])
  return { type, kind, ...named, params: Object.fromEntries(params) }
}

/** The facts about the key that signs and, for a wallet account, about its wallet. */
export function signerFacts(organization: OrganizationReader, signWith: string): Struct {
  const { kind, recordId } = organization.signer(signWith)
  if (kind === 'private_key') return { private_key: privateKeyFacts(organization.privateKeys.get(recordId)) }
  const account = organization.walletAccounts.get(recordId)
  return { wallet: walletFacts(organization.wallets.get(account.walletId)), wallet_account: accountFacts(account) }
}

export function walletFacts({ walletId, walletName, imported, exported }: Wallet): Struct {
  return { id: walletId, label: walletName, imported, exported }
}

export function privateKeyFacts({
  privateKeyId,
  privateKeyName,
  privateKeyTags,
  imported,
  exported,
}: PrivateKey): Struct {
  return { id: privateKeyId, label: privateKeyName, tags: privateKeyTags, imported, exported }
}

export function accountFacts({ address, path }: WalletAccount): Struct {
  const steps = path.split('/').slice(1)
  return {
    address,
    path_indexes: steps.map((step) => BigInt(step.replace("'", ''))),
    path_hardened: steps.map((step) => step.endsWith("'")),
  }
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/**
 * Converts JSON to values of the policy language: names to snake case, whole numbers to integers. Ids and hex become
 * lower case; otherwise another spelling would evade a rule.
 */
function asValue(json: unknown): Value {
  if (typeof json === 'string') return isUuid(json) || /^[0-9a-f]+$/i.test(json) ? json.toLowerCase() : json
  if (typeof json === 'boolean') return json
  if (typeof json === 'number') return BigInt(json)
  if (Array.isArray(json)) return json.map(asValue)
  return Object.fromEntries(Object.entries(json ?? {}).map(([name, value]) => [snakeCase(name), asValue(value)]))
}
