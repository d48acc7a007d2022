import { activityKindOf, exposedParameters } from '../policy/language/names/activity_types.ts'
import type { Struct, Value } from '../policy/language/values.ts'
import { isUuid } from '../protocol/wire/identifiers.ts'
import type { OrganizationReader, Policy } from './define.ts'
import type { PrivateKey, Wallet, WalletAccount } from './records/records.ts'

/** `activity`, as conditions see it: of its parameters those that docs/policies.md lists. */
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
  // A parameter that was left out is the empty text: a condition may compare it.
  const params = exposedParameters(kind ?? '').map((name) => [name, asValue(given.get(name) ?? '')])
  return { type, kind, ...named, params: Object.fromEntries(params) }
}

/** The key that signs, and the wallet that it is of. */
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
 * JSON as the language has it: names in snake case, whole numbers as integers, ids and hex in lower case, or a rule
 * about one of them could be got around by another spelling.
 */
function asValue(json: unknown): Value {
  if (typeof json === 'string') return isUuid(json) || /^[0-9a-f]+$/i.test(json) ? json.toLowerCase() : json
  if (typeof json === 'boolean') return json
  if (typeof json === 'number') return BigInt(json)
  if (Array.isArray(json)) return json.map(asValue)
  return Object.fromEntries(Object.entries(json ?? {}).map(([name, value]) => [snakeCase(name), asValue(value)]))
}
