import { onceFor } from '../protocol/tools/once_for.ts'
import { isInRange, parseIpAddress, parseIpRange } from '../protocol/wire/ip_ranges.ts'

export type IpRule = {
  /** In the form that `formatIpRange` writes. */
  readonly cidr: string
  readonly label?: string
  readonly createdAtMs: number
}

export type IpAllowlist = {
  readonly rules: readonly IpRule[]
  /** The decision for a request whose source is unknown. */
  readonly onEvaluationError: 'ALLOW' | 'DENY'
}

export type SourceRequest = {
  readonly organizationList: IpAllowlist
  readonly keyList: IpAllowlist | undefined
  /** Undefined if the service does not know it. */
  readonly sourceAddress: string | undefined
}

/**
 * Whether a request may come from its source address. The list of the key that stamped the request, if it has a rule,
 * replaces the organization's list. An organization's list without a rule lets nothing pass.
 */
export function isAllowedSource({ organizationList, keyList, sourceAddress }: SourceRequest): boolean {
  const list = listInForce(organizationList, keyList)
  const address = sourceAddress === undefined ? undefined : parseIpAddress(sourceAddress)
  if (address === undefined) return list.onEvaluationError === 'ALLOW'
  return rangesOf(list.rules).some((range) => isInRange(address, range))
}

/** The list of a key, if it has a rule, replaces that of the organization. */
export function listInForce<L extends Pick<IpAllowlist, 'rules'>>(ofOrganization: L, ofKey: L | undefined): L {
  return ofKey === undefined || ofKey.rules.length === 0 ? ofOrganization : ofKey
}

/** Kept, since every request asks its lists. */
const rangesOf = onceFor((rules: IpAllowlist['rules']) => rules.flatMap(({ cidr }) => parseIpRange(cidr) ?? []))
