import Type, { type Static } from 'typebox'
import type { ActivityContext, OrganizationReader } from '../../../contract/define.ts'
import { Label, list, namedFields, oneOf, optional } from '../../../contract/fields/fields.ts'
import { all, lookup, type Need } from '../../../contract/needs.ts'
import { type ApiKey, apiKeyLookups, type User } from '../../../contract/records/records.ts'
import type { IpAllowlist, IpRule } from '../../../policy/ip_allowlist.ts'
import { Failure, fieldInvalid, fieldRefused } from '../../../protocol/wire/failures.ts'
import { formatIpRange, type IpRange, parseIpRange } from '../../../protocol/wire/ip_ranges.ts'

/** For each IP version: the number of ranges, and the widest range (4,096 IPv4 addresses, or one site of IPv6). */
const rulesPerFamilyMax = 10
const prefixBitsMin = { 4: 20, 6: 48 } as const
const givenRulesMax = 100

export const IpRules = list(
  namedFields('IpAllowlistIntentRule', {
    cidr: Type.String({ maxLength: 64, expected: 'a range of IP addresses' }),
    label: optional(Label),
  }),
  { itemsMax: givenRulesMax },
)
export const OnEvaluationError = oneOf(['ALLOW', 'DENY'])

type GivenRules = Static<typeof IpRules>

/**
 * The rules as records have them: each range once, in its usual form, with its first label. Throws a FIELD_INVALID that
 * names the first wrong range.
 */
export function rulesOf(given: GivenRules, nowMs: number): readonly IpRule[] {
  const rules = new Map<string, IpRule & { readonly family: IpRange['family'] }>()
  given.forEach(({ cidr: text, label }, index) => {
    const range = rangeAt(text, index)
    const cidr = formatIpRange(range)
    if (rules.has(cidr)) return
    rules.set(cidr, { family: range.family, cidr, ...(label === undefined ? {} : { label }), createdAtMs: nowMs })
  })
  for (const family of [4, 6] as const) {
    const count = [...rules.values()].filter((rule) => rule.family === family).length
    if (count <= rulesPerFamilyMax) continue
    throw fieldInvalid(
      'parameters.rules',
      `at most ${rulesPerFamilyMax} ranges of IPv4 and ${rulesPerFamilyMax} of IPv6`,
    )
  }
  return [...rules.values()].map(({ family: _, ...rule }) => rule)
}

function rangeAt(text: string, index: number): IpRange {
  const range = parseIpRange(text)
  if (range !== undefined && range.prefixBits >= prefixBitsMin[range.family]) return range
  throw new Failure('FIELD_INVALID', {
    fieldPath: `parameters.rules[${index}].cidr`,
    expected: `a range such as 203.0.113.0/24, from /${prefixBitsMin[4]} for IPv4 and from /${prefixBitsMin[6]} for IPv6`,
    reason: `not ${text}`,
  })
}

/** The reads for the list of an API key, or for that of the organization, which counts with it. */
export function allowlistNeeds(publicKey: string | undefined): readonly Need[] {
  const keys = publicKey === undefined ? [] : apiKeyLookups.map((name) => lookup(name, publicKey))
  return [all('ip_allowlist'), ...keys]
}

type Change = {
  readonly organizationList: (IpAllowlist & { readonly enabled: boolean }) | undefined
  readonly keyList: IpAllowlist | undefined
  readonly fieldPath: string
  readonly remedy: string
}

/** Refuses lists that shut out the address of the request. `remedy` says how to do so all the same. */
export function requireOpen(
  { address, isAllowedBy }: ActivityContext<unknown>['source'],
  { organizationList, keyList, fieldPath, remedy }: Change,
): void {
  if (organizationList?.enabled !== true) return
  if (isAllowedBy({ organizationList, keyList })) return
  const reason = `this would shut out ${address ?? 'an unknown address'}, the address of this request; to do so, ${remedy}`
  throw fieldRefused(fieldPath, reason)
}

/** The API key that `allowlistNeeds` named, and its user. Throws NOT_FOUND if there is none. */
export function apiKeyOf(
  organization: Pick<OrganizationReader, 'found'>,
  publicKey: string,
): { readonly user: User; readonly apiKey: ApiKey } {
  for (const user of apiKeyLookups.flatMap((name) => organization.found('user', name, publicKey))) {
    const apiKey = user.apiKeys.find((candidate) => candidate.publicKey === publicKey)
    if (apiKey !== undefined) return { user, apiKey }
  }
  throw new Failure('NOT_FOUND', `there is no api key ${publicKey} in this organization`)
}

/** The user with this list for the API key; with no list if it is undefined. */
export function withKeyAllowlist(
  { user, apiKey }: { readonly user: User; readonly apiKey: ApiKey },
  ipAllowlist: IpAllowlist | undefined,
  nowMs: number,
): User {
  const { ipAllowlist: _, ...bare } = apiKey
  const changed = { ...bare, ...(ipAllowlist === undefined ? {} : { ipAllowlist }), updatedAtMs: nowMs }
  return { ...user, apiKeys: user.apiKeys.map((other) => (other === apiKey ? changed : other)) }
}
