import { type IpRange, isInRange, parseIpAddress, parseIpRange } from '../protocol/wire/ip_ranges.ts'

export type IpRule = {
  /** In the form of `formatIpRange`. */
  readonly cidr: string
  readonly label?: string
  readonly createdAtMs: number
}

export type IpAllowlist = {
  readonly rules: readonly IpRule[]
  /** What happens to a request whose source is not known. */
  readonly onEvaluationError: 'ALLOW' | 'DENY'
}

/**
 * Whether a request may come from where it came from. The list of the key that stamped it, when that has a rule, stands
 * in the place of the organization's; an organization's list without a rule lets nothing pass.
 */
export function isAllowedSource({
  organizationList,
  keyList,
  sourceAddress,
}: {
  readonly organizationList: IpAllowlist
  readonly keyList: IpAllowlist | undefined
  /** Undefined: the service does not know it. */
  readonly sourceAddress: string | undefined
}): boolean {
  const list = keyList === undefined || keyList.rules.length === 0 ? organizationList : keyList
  const address = sourceAddress === undefined ? undefined : parseIpAddress(sourceAddress)
  if (address === undefined) return list.onEvaluationError === 'ALLOW'
  return rangesOf(list).some((range) => isInRange(address, range))
}

/** A list that is at hand is asked with every request. */
const parsedRanges = new WeakMap<IpAllowlist['rules'], readonly IpRange[]>()

function rangesOf({ rules }: IpAllowlist): readonly IpRange[] {
  const known = parsedRanges.get(rules)
  if (known !== undefined) return known
  const ranges = rules.flatMap(({ cidr }) => parseIpRange(cidr) ?? [])
  parsedRanges.set(rules, ranges)
  return ranges
}
